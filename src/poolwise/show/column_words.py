"""Headings of table columns, and the explanations that a page shows as tooltips.

Files keep the short names, which programs read. A name that is missing here is its heading.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class Words(NamedTuple):
    """Heading of a column, its meaning, and the format of its values.

    Shares are shown in percent (`percent`), counts rounded up (`up`), and the smallest probabilities as "<0.0001"
    (`chance`). `digits` overrides the decimals of the table.
    """

    heading: str
    meaning: str = ""
    percent: bool = False
    up: bool = False
    chance: bool = False
    digits: int | None = None


_TAU = "Kendall's tau of the two rankings of runs: 1 when they are the same, 0 when they are unrelated"
_PHI = "Dependability (Phi): the share of the variance of mean scores that is due to the systems; 1 is perfect"
_RHO2 = "Generalizability: the same for the ranking of systems, where differences of topics do not count"
_TOPICS_95 = "Number of topics at which {} reaches 0.95"

WORDS = {
    # intervals
    "low": Words("low", "Low end of the interval"),
    "high": Words("high", "High end of the interval"),
    "band_low": Words("band, low", "Low end of the band that holds at every look"),
    "band_high": Words("band, high", "High end of the band that holds at every look"),
    "from": Words("from", "Low end of the interval"),
    "to": Words("to", "High end of the interval"),
    "standard_error": Words("standard error", "Standard deviation that the value would have over samples of labels"),
    "plain": Words("plain", "By the labelled items alone, without predictions"),
    "plain_low": Words("plain, low", "Low end of the interval without model or predictions"),
    "plain_high": Words("plain, high", "High end of the interval without model or predictions"),
    # runs as they were read
    "topics": Words("topics", "Number of topics"),
    "missing": Words("missing", "Topics with judgments that the run lacks"),
    "lines": Words("lines", "Documents that the run lists, over all topics"),
    "median_depth": Words("median depth", "Documents that the run lists for a topic, the median topic"),
    "max_depth": Words("max depth", "Documents that the run lists for a topic, the most of all topics"),
    "ties": Words("ties", "Lines whose score is that of another line of the same topic"),
    "ties_move_AP": Words("ties move AP", "Range of mean AP over the orders that ties leave open"),
    "duplicates": Words("duplicates", "Lines with a document that the topic has already"),
    "unknown_topics": Words("unknown topics", "Topics of the run that the judgments lack"),
    "same_as": Words("same as", "Another run with the same rankings"),
    "reversed_by": Words("reversed by", "What suggests that the run is sorted the wrong way round"),
    # shares and numbers of labels
    "fraction": Words("labels", "Share of the labels that was kept", percent=True),
    "share_judged": Words("judged", "Share of the pool that is judged", percent=True),
    "share": Words("share", percent=True),
    # agreement of rankings
    "tau": Words("tau", _TAU),
    "tau_sd": Words("tau, sd", "Standard deviation of tau over trials"),
    "tau_low": Words("tau, low", "Low end of the 95 % interval of tau"),
    "tau_high": Words("tau, high", "High end of the 95 % interval of tau"),
    "tau_ap": Words("tau AP", "Tau that weighs the top of the ranking more (Yilmaz, Aslam, Robertson 2008)"),
    "rho": Words("rho", "Spearman's correlation: of the ranks of runs"),
    "r": Words("r", "Pearson's correlation of estimates and scores by all labels"),
    "rmse": Words("RMS error", "Root of the mean squared error against all labels"),
    "rbo": Words("RBO", "Rank-biased overlap of the two rankings of runs: 1 when they are the same"),
    "swaps": Words("swaps", "Pairs of runs that change places"),
    # decisions
    "accuracy": Words("same decisions", "Share of pairs decided as with all labels", percent=True),
    "accuracy_sd": Words("same decisions, sd", "Standard deviation over trials"),
    "g_mean": Words("G mean", "Geometric mean of two shares: of the pairs undecided by all labels, how many the "
                    "sample leaves so; and the reverse"),
    "false_positive": Words("differences missed", "Share of the differences by all labels that the sample does not "
                            "find ([B07]: false positive)", percent=True),
    "false_negative": Words("differences invented", "Share of the pairs that all labels do not tell apart but the "
                            "sample does ([B07]: false negative)", percent=True),
    "kept_kept": Words("neither finds one", "Pairs that differ neither by all labels nor by the sample"),
    "kept_rejected": Words("only the sample", "Pairs that differ by the sample alone"),
    "rejected_kept": Words("only all labels", "Pairs that differ by all labels alone"),
    "rejected_rejected": Words("both find one", "Pairs that differ by all labels and by the sample"),
    "knee": Words("labels needed", "The lowest share of the labels from which it stays above", percent=True),
    "knee_80": Words("labels needed, 0.8", "The same for the lower threshold", percent=True),
    "exceeds": Words("first above", "The lowest share of the labels at which it is above at all", percent=True),
    "exceeds_80": Words("first above, 0.8", "The same for the lower threshold", percent=True),
    # comparisons
    "tier": Words("tier", "1: the best run and those that cannot be told apart from it; 2: the same of the rest; etc."),
    "group": Words("group"),
    "may_be_best": Words("may be the best", "Cannot be told apart from the best run, or is worse only as long as "
                         "unjudged documents count as non-relevant"),
    "run_a": Words("run A", "The run whose score stands first in the difference"),
    "run_b": Words("run B", "The run whose score is taken off"),
    "system_a": Words("system A", "The system whose mean stands first in the difference"),
    "system_b": Words("system B", "The system whose mean is taken off"),
    "labelled_a": Words("labelled, A", "Items with a label of system A"),
    "labelled_b": Words("labelled, B", "Items with a label of system B"),
    "labelled_both": Words("labelled, both", "Items with a label of either system"),
    "better_than": Words("better than", "How many runs it is significantly better than"),
    "worse_than": Words("worse than", "How many runs it is significantly worse than"),
    "p": Words("p", "How likely a difference as large would be if the runs were equal", chance=True),
    "p_corrected": Words("p, corrected", "The same, corrected for the number of pairs", chance=True),
    "significant": Words("significant", "Whether p, corrected, is below alpha"),
    "p_error": Words("error of p", "Standard error of p that resampling leaves"),
    "asl": Words("achieved level", "Achieved significance level: share of resamples that are as far from equality"),
    "effect": Words(
        "effect size", "Cohen's d_z: the mean difference over the standard deviation of the differences over topics"
    ),
    "could_be_undone": Words(
        "could be undone",
        "Whether labels of unjudged documents, down to the cut-off or else the pool's depth, could turn the difference",
    ),
    "power": Words("told apart", "Discriminative power: share of pairs that differ significantly", percent=True),
    "power_sd": Words("told apart, sd", "Standard deviation over trials"),
    "difference_required": Words("difference needed", "Difference of means from which pairs differ significantly"),
    "difference_required_sd": Words("difference needed, sd", "Standard deviation over trials"),
    "sensitivity": Words("sensitivity", "Share of comparisons with at least the swap difference", percent=True),
    "swap_difference": Words("swap difference", "Difference from which two halves of the topics rarely disagree"),
    # estimates
    "bias": Words("bias", "Mean error against all labels"),
    "coverage": Words("coverage", "How often intervals hold the score by all labels", percent=True),
    "width": Words("width", "Mean width of the intervals"),
    "steadied": Words("steadied", "Estimate steadied by all runs: best for ranking runs"),
    "steadied_low": Words("steadied, low", "Low end of its interval"),
    "steadied_high": Words("steadied, high", "High end of its interval"),
    "outside": Words("outside the pool", "Share of the run's documents down to the measure's depth that is neither "
                     "judged nor pooled: above 0 the run did not fully contribute to the pool", percent=True),
    "all_labels": Words("all labels", "Score by all labels"),
    # holes
    "holes": Words("holes", "Unjudged documents within the depth"),
    "worthless": Words("worthless", "Score if unjudged documents are not relevant"),
    "condensed": Words("condensed", "Score if unjudged documents are left out of the ranking"),
    "model": Words("model", "What the model of holes expects"),
    "model_low": Words("model, low", "Low end of the model's interval"),
    "model_high": Words("model, high", "High end of the model's interval"),
    "lowest": Words("lowest", "The lowest value there is or can be"),
    "highest": Words("highest", "The highest value there is or can be"),
    "ahead": Words("ahead", "Share of the model's draws in which run A is ahead", percent=True),
    "could_turn": Words("could turn", "Whether labels of the holes could turn the difference"),
    # pages for participants
    "relevant": Words("relevant", "Relevant documents that are known"),
    "relevant_found": Words("relevant found", "Relevant documents that the run has down to the depth of the page"),
    "found_alone": Words("found alone", "Relevant documents that no other run has down to the depth of the page"),
    "above_median": Words("above median", "Score of the run less that of the median run on the topic"),
    # reliability
    "system": Words("system", "A system; where the column holds numbers, the variance between systems"),
    "topic": Words("topic"),
    "interaction": Words("interaction", "Variance of systems and topics together, with what is left"),
    "phi": Words("Phi", _PHI),
    "phi_low": Words("Phi, low", "Low end of its interval"),
    "phi_high": Words("Phi, high", "High end of its interval"),
    "phi_1": Words("Phi, 1 topic", _PHI),
    "phi_50": Words("Phi, 50 topics", _PHI),
    "rho2": Words("E ρ²", _RHO2),
    "rho2_low": Words("E ρ², low", "Low end of its interval"),
    "rho2_high": Words("E ρ², high", "High end of its interval"),
    "topics_for_phi95": Words("topics for Phi .95", _TOPICS_95.format("Phi"), up=True),
    "topics_for_phi95_low": Words("topics for Phi .95, low", "Low end of its interval", up=True),
    "topics_for_phi95_high": Words("topics for Phi .95, high", "High end of its interval", up=True),
    "topics_for_rho95": Words("topics for E ρ² .95", _TOPICS_95.format("E ρ²"), up=True),
    "topics_for_rho95_low": Words("topics for E ρ² .95, low", "Low end of its interval", up=True),
    "topics_for_rho95_high": Words("topics for E ρ² .95, high", "High end of its interval", up=True),
    "topics_for_95": Words("topics for Phi .95", _TOPICS_95.format("Phi"), up=True),
    "error_rate": Words("wrong order", "How often so many topics order a pair of runs in the less frequent way",
                        percent=True),
    "error_rate_at_0": Words("wrong order, tolerance 0", "The same when every difference counts", percent=True),
    # reusability
    "mean_percent": Words("mean loss, %"),
    "median_percent": Words("median loss, %"),
    "percent_95": Words("95th percentile, %"),
    "most_percent": Words("greatest loss, %"),
    "most_loss": Words("greatest loss"),
    "most_ranks_lost": Words("most ranks lost"),
    "loss_percent": Words("loss, %", "Loss in per cent of the score by all labels", digits=1),
    "unjudged": Words("unjudged", "Share of the run's top documents that has no label when it is left out",
                      percent=True),
    "expected_loss": Words("expected loss", "Loss that the unjudged documents let expect"),
    "left_out": Words("left out", "Score by the labels that are left without the run's group"),
    "unique": Words("unique", "Pooled documents that no other group retrieved within the depth"),
    "unique_relevant": Words("unique relevant", "Relevant documents that no other group retrieved within the depth"),
    # assessors
    "told_apart": Words("told apart", "Pairs of runs that differ significantly by the first set"),
    "told_apart_second": Words("by the second", "Pairs of runs that differ significantly by the second set"),
    "kept_share": Words("kept, share", "Share of the first set's differences that the second finds", percent=True),
    "mixed_share": Words("of mixtures", "Share of the mixtures that have the second run ahead", percent=True),
    "sets": Words("of sets", "Other label sets that have the second run ahead"),
    "tau_ap_low": Words("tau AP, low", "Low end of its interval"),
    "tau_ap_high": Words("tau AP, high", "High end of its interval"),
    "shift": Words("shift", "Mean score of runs by the second set less that by the first"),
    # gains and discounts, negative labels
    "cutoff": Words("cut-off"),
    "optimal_ahead_by": Words("optimal ahead by", "Mean difference of Phi on what was not fitted"),
    "optimal_ahead_sd": Words("sd over fits", "Standard deviation over fits of how far the optimal variant is ahead"),
    "optimal_ahead_share": Words("optimal ahead", "Share of fits in which the optimal variant is ahead", percent=True),
    "mean_ratio": Words("share", "Share of a topic's judged documents, mean over topics that have the label",
                        percent=True),
    "mean_ratio_all_topics": Words("share, all topics", "The same over all topics", percent=True),
    "dcg_at_most_minus_1": Words("DCG at -1 or below", "Share of topics whose worst ranking has a DCG of -1 or less",
                                 percent=True),
    **{
        f"{name}_{code}": Words(f"{heading}, {code}", f"The same with {meaning}", percent=True)
        for name, heading in (
            ("below_0", "lowest below 0"),
            ("at_most_minus_1", "at -1 or below"),
            ("dcg_at_most_minus_1", "DCG at -1 or below"),
        )
        for code, meaning in (
            ("jk", "the discount of the paper's code, repaired"),
            ("ln", "the discount of the paper's code in release 1.0.0"),
            ("twice", "every document counted twice"),
        )
    },
    "scores_below_0": Words("scores below 0", "Share of the scores of these runs on topics that is below 0",
                            percent=True),
    "rho_rows": Words("rho, all scores", "Spearman's rho of all scores of runs on topics"),
    "canonical_a": Words("a, in full", "The first measure with its parameters"),
    "canonical_b": Words("b, in full", "The second measure with its parameters"),
    "below_0": Words("lowest below 0", "Share of topics whose worst ranking scores below 0", percent=True),
    "at_most_minus_1": Words("at -1 or below", "Share of topics whose worst ranking has -1 or less", percent=True),
}  # fmt: skip


DIFFERENCE = Words("A - B", "Mean of the first minus that of the second")  # in a table of pairs
SECOND = ("run_b", "system_b")


def words_in(columns: Iterable[str]) -> list[Words]:
    """Headings and meanings of a table's columns. A difference in a table of pairs is "A - B".

    >>> [words.heading for words in words_in(["run_a", "run_b", "difference"])], words_in(["difference"])[0].heading
    (['run A', 'run B', 'A - B'], 'difference')
    """
    listed = list(columns)
    of_pairs = any(name in SECOND for name in listed)
    return [DIFFERENCE if name == "difference" and of_pairs else words_of(name) for name in listed]


def pairs_for_people(columns: Mapping[str, Any]) -> dict[str, Any]:
    """A table of pairs with the headings of pages instead of the column names of files.

    >>> list(pairs_for_people({"run_a": [], "run_b": [], "difference": [], "p_corrected": []}))
    ['run A', 'run B', 'A - B', 'p_corrected']
    """
    heads = zip(columns, words_in(columns), strict=True)
    named = {name: words.heading for name, words in heads if name in ("run_a", "run_b", "difference")}
    return {named.get(name, name): values for name, values in columns.items()}


def words_of(column: str) -> Words:
    """Heading and meaning of a column.

    >>> words_of("topics_for_phi95").heading, words_of("rank_all").heading, words_of("judged@10").heading
    ('topics for Phi .95', 'rank all', 'judged, top 10')
    >>> words_of("kappa_low").heading, words_of("nDCG@10 high").heading
    ('kappa, low', 'nDCG@10, high')
    """
    if column.startswith("judged@"):
        depth = column.removeprefix("judged@")
        return Words(f"judged, top {depth}", f"Share of the top {depth} documents that is judged", percent=True)
    if column not in WORDS and (interval := re.fullmatch("(.+)[_ ](low|high)", column)):
        name, end = interval.groups()
        return Words(f"{words_of(name).heading}, {end}", f"{end.capitalize()} end of its interval")
    return WORDS.get(column) or Words(column if "@" in column else column.replace("_", " "))


def in_words(note: str) -> str:
    """A note with headings instead of column names.

    >>> in_words("told_apart_second: by the other; NDCG_min: the lowest")
    'by the second: by the other; NDCG_min: the lowest'
    """
    return re.sub(r"\b[a-z]+(_[a-z0-9]+)+\b", lambda found: words_of(found[0]).heading, note)
