"""Columns of tables in words: a heading with its unit, and a meaning that a page shows when one points at it.

Files keep the short names, which programs read. A name that is not here is its own heading.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Words(NamedTuple):
    """How a column is headed, what it means, whether its values are shares, shown in percent, or rounded up."""

    heading: str
    meaning: str = ""
    percent: bool = False
    up: bool = False


_TAU = "Kendall's tau of the two rankings of runs: 1 when they are the same, 0 when they are unrelated"
_PHI = "Dependability (Phi): the share of the variance of mean scores that is due to the systems; 1 is perfect"
_RHO2 = "Generalizability: the same for the ranking of systems, where differences of topics do not count"
_TOPICS_95 = "Number of topics at which {} reaches 0.95"

WORDS = {
    # shares and numbers of labels
    "fraction": Words("labels", "Share of the labels that was kept", percent=True),
    "share_judged": Words("judged", "Share of the pool that is judged", percent=True),
    "share": Words("share", percent=True),
    # agreement of rankings
    "tau": Words("tau", _TAU),
    "tau_sd": Words("tau, sd", "Standard deviation of tau over trials"),
    "tau_low": Words("tau, low", "Low end of the 95 % interval of the mean tau"),
    "tau_high": Words("tau, high", "High end of the 95 % interval of the mean tau"),
    "tau_ap": Words("tau AP", "Tau that weighs the top of the ranking more (Yilmaz, Aslam, Robertson 2008)"),
    "rho": Words("rho", "Pearson's correlation of mean scores"),
    "r": Words("r", "Pearson's correlation of estimates and scores by all labels"),
    "rmse": Words("RMS error", "Root of the mean squared error against all labels"),
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
    "may_be_best": Words("may be the best", "Cannot be told apart from the best run, or is worse only as long as "
                         "unjudged documents count as non-relevant"),
    "better_than": Words("better than", "How many runs it is significantly better than"),
    "worse_than": Words("worse than", "How many runs it is significantly worse than"),
    "p": Words("p", "How likely a difference as large would be if the runs were equal"),
    "p_corrected": Words("p, corrected", "The same, corrected for the number of pairs"),
    "p_error": Words("error of p", "Standard error of p that resampling leaves"),
    "asl": Words("achieved level", "Achieved significance level: share of resamples that are as far from equality"),
    "effect": Words("effect", "Difference in standard deviations over topics"),
    "could_be_undone": Words("could be undone", "Whether labels of unjudged documents could turn the difference"),
    "power": Words("told apart", "Discriminative power: share of pairs that differ significantly", percent=True),
    "power_sd": Words("told apart, sd", "Standard deviation over trials"),
    "difference_required": Words("difference needed", "Difference of means from which pairs differ significantly"),
    "difference_required_sd": Words("difference needed, sd", "Standard deviation over trials"),
    # estimates
    "bias": Words("bias", "Mean error against all labels"),
    "coverage": Words("coverage", "How often intervals hold the score by all labels", percent=True),
    "width": Words("width", "Mean width of the intervals"),
    "pooled": Words("steadied", "Estimate steadied by all runs: best for ranking runs (pooled)"),
    "pooled_low": Words("steadied, low", "Low end of its interval"),
    "pooled_high": Words("steadied, high", "High end of its interval"),
    "outside": Words("outside the pool", "Share of the run's documents down to the measure's depth that is neither "
                     "judged nor pooled: above 0 the run did not fully contribute to the pool", percent=True),
    "all_labels": Words("all labels", "Score by all labels"),
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
    "error_rate": Words("wrong order", "How often half of the topics order a pair otherwise than the rest, at the "
                        "tolerance", percent=True),
    "error_rate_at_0": Words("wrong order, tolerance 0", "The same when every difference counts", percent=True),
    # reusability
    "mean_percent": Words("mean loss, %"),
    "median_percent": Words("median loss, %"),
    "percent_95": Words("95th percentile, %"),
    "most_percent": Words("greatest loss, %"),
    "most_loss": Words("greatest loss"),
    "most_ranks_lost": Words("most ranks lost"),
    "loss_percent": Words("loss, %"),
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
    "below_0": Words("lowest below 0", "Share of topics whose worst ranking scores below 0", percent=True),
    "at_most_minus_1": Words("at -1 or below", "Share of topics whose worst ranking has -1 or less", percent=True),
}  # fmt: skip


def words_of(column: str) -> Words:
    """The words of a column.

    >>> words_of("topics_for_phi95").heading, words_of("rank_all").heading
    ('topics for Phi .95', 'rank all')
    """
    return WORDS.get(column) or Words(column.replace("_", " "))


def in_words(note: str) -> str:
    """A note with the headings that a page shows in place of columns' names.

    >>> in_words("told_apart_second: by the other; NDCG_min: the lowest")
    'by the second: by the other; NDCG_min: the lowest'
    """
    return re.sub(r"\b[a-z]+(_[a-z0-9]+)+\b", lambda found: words_of(found[0]).heading, note)
