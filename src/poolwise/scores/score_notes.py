"""Effects of unjudged documents on ordinary scores: their share within a measure's depth, and how far they could
move scores and differences; and which runs lack topics. Without numpy, as every scoring asks.
"""

from __future__ import annotations

from poolwise.basics.words import counted, part_of
from poolwise.measures.measure import LEFT_OUT, NO_MATTER, NONRELEVANT, REPORTED
from poolwise.pool.coverage import INSTEAD, NO_LIMIT, pool_depth
from poolwise.pool.judgments import open_totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool

FEW = 0.05  # a run with a larger share of unjudged documents is worth a note
ALONE = -1  # in place of the other run of a pair, as the core takes it
LACKED = 3  # topics that a note names


class Unjudged:
    """The unjudged documents of a pool's runs, down to the depth of a measure: its cut-off, or the pool's depth."""

    def __init__(self, judgments: Judgments) -> None:
        self._judgments = judgments
        self._pool_depth = 0

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Scores that go to other processes leave the pool behind."""
        return type(None), ()

    @property
    def runs(self) -> list[str]:
        """The runs, in the order of shares."""
        return self._judgments.pool.runs

    def depth(self, measure: Measure) -> int:
        """The rank down to which unjudged documents count."""
        if measure.cutoff:
            return int(measure.cutoff)
        if not self._pool_depth:
            self._pool_depth = pool_depth(self._judgments)
        return self._pool_depth

    def words(self, measures: Sequence[Measure]) -> str:
        """The ranks that measures of one depth look at, in words; without a cut-off, a plan or labels tell it."""
        found = self._judgments.plan is None and all(measure.cutoff is None for measure in measures)
        return top_words(self.depth(measures[0]), found)

    def shares(self, measure: Measure) -> list[float]:
        """The share of each run's documents within the depth that is not judged."""
        return [count / max(size, 1) for count, size in self.counted(self.depth(measure))]

    def reach(
        self, measure: Measure, first: Sequence[int], second: Sequence[int], threads: int = 1
    ) -> list[tuple[float, float]]:
        """The lowest and highest mean difference of pairs of runs (ALONE: of one run's mean) that labels reach.

        Labels are tried, so extremes may lie a little farther out; documents that both runs retrieve move both.
        """
        topics = len(self._judgments.pool.topics)
        ends = self.reach_by_topic(measure, first, second, threads)
        return [(sum(low) / topics, sum(high) / topics) for low, high in ends]

    def reach_by_topic(
        self, measure: Measure, first: Sequence[int], second: Sequence[int], threads: int = 1
    ) -> list[tuple[list[float], list[float]]]:
        """The same topic by topic: for each pair the lowest and the highest differences."""
        from poolwise.scores.scoring import to_spec

        if not first:
            return []
        judgments = self._judgments
        labels, values = judgments.with_zero()
        asked = to_spec(measure, values, judgments.top)
        # A document that two runs retrieve is the same only to a pool that keeps it.
        core = judgments.pool.core if set(second) == {ALONE} else judgments.pool.whole
        ends = core.score_range(
            asked, judgments.buffer, labels, self.depth(measure), list(first), list(second), threads
        )
        return list(zip(*(end.tolist() for end in ends), strict=True))

    def notes(self, measures: Sequence[Measure], only: Sequence[int] | None = None) -> list[str]:
        """Name the runs of which more than a few percent are unjudged, with how far that could move their scores.

        With `only`, numbers of runs, no others are spoken of. Of a sample it is said what to do.
        """
        by_depth: dict[int, list[Measure]] = {}
        for measure in measures:
            if is_noted(measure):
                by_depth.setdefault(self.depth(measure), []).append(measure)
        open_runs = {depth: runs for depth in by_depth if (runs := self._open_runs(depth, only))}
        if not open_runs:
            return []
        from poolwise.pool.coverage import sample_words

        if note := sample_note(sample_words(self._judgments)):  # speaks for what is pooled, not for what is outside
            outside = {depth: self._outside_of(depth, runs) for depth, runs in open_runs.items()}
            return [note, *notes_of(self, by_depth, {depth: runs for depth, runs in outside.items() if runs})]
        return notes_of(self, by_depth, open_runs)

    def counted(self, depth: int) -> list[tuple[int, int]]:
        """How many documents of each run down to a depth are not judged, and of how many."""
        return open_totals(self._judgments, depth, unjudged=True)

    def share(self, depth: int, run: int) -> float:
        """The share of a run's documents down to a depth that is not judged."""
        count, size = self.counted(depth)[run]
        return count / max(size, 1)

    def _outside_of(self, depth: int, runs: list[int]) -> list[int]:
        """Those of some runs of which more than a few percent are not even pooled."""
        totals = open_totals(self._judgments, depth)
        return [run for run in runs if totals[run][0] > FEW * max(totals[run][1], 1)]

    def _open_runs(self, depth: int, only: Sequence[int] | None) -> list[int]:
        """Runs of which more than a few percent are unjudged, the worst first."""
        asked = range(len(self.runs)) if only is None else only
        shares = {run: self.share(depth, run) for run in asked}
        return sorted((run for run in asked if shares[run] > FEW), key=lambda run: -shares[run])


def is_noted(measure: Measure) -> bool:
    """Whether unjudged documents count as non-relevant in the measure, which is worth a note."""
    return _is_mean(measure) and measure.declaration.unjudged == NONRELEVANT and not measure.is_condensed


def can_move(measure: Measure) -> bool:
    """Whether labels of unjudged documents move the measure's mean, in a way that the core can try out."""
    declaration = measure.declaration  # labels for subtopics are not tried
    return _is_mean(measure) and declaration.unjudged in (NONRELEVANT, LEFT_OUT) and not declaration.subtopics


def _is_mean(measure: Measure) -> bool:
    """Whether a measure of the core is a plain mean over topics."""
    declaration = measure.declaration
    return declaration.function is None and declaration.aggregate.plain and not declaration.aggregate.counts


MUCH = 2  # times as many documents per topic, at the median over topics
A_LIST = 10  # documents: where the longest has fewer, nothing is cut off that anybody would look at
SHOWN = 3  # runs and measures that a note names
LONGEST = 40  # signs of a measure that a note names as it is: discounts of one's own may be a thousand numbers
AT_THE_TOP = {  # what stands far down hardly moves these, or not at all
    "Compat", "ERR", "IDCG", "nERR", "Omeasure", "Pmeasure", "Pplus", "RBP", "Rprec", "RR", "Success",
}  # fmt: skip
SETS = {"SetAP", "SetF", "SetP", "SetR", "SetRelativeP", "Utility"}  # of these, the length is part of the answer


def length_notes(runs: Sequence[str], lengths: Sequence[int], measures: Sequence[Measure]) -> list[str]:
    """Say which runs list few documents beside others, if a measure looks deeper than they go.

    `lengths` are documents per topic, one number per run; 0 for a run without any.

    >>> from poolwise import AP
    >>> length_notes(["a", "b"], [100, 1000], [AP, AP @ 10])
    ['a lists 100 documents per topic, others up to 1000: AP favours longer lists; -M 100 (depth=100) cuts all alike']
    """
    longest = max(lengths, default=0)
    few = [length for length in lengths if 0 < MUCH * length < longest]
    if not few or longest < A_LIST:
        return []
    shortest = min(few)
    favouring = list(dict.fromkeys(_named(each) for each in measures if favours_long_lists(each, shortest)))
    if not favouring:
        return []
    short = sorted((length, run) for length, run in zip(lengths, runs, strict=True) if 0 < MUCH * length < longest)
    return [
        f"{_who(short)}, others up to {longest}: {_some(favouring)} favour{'s' * (len(favouring) == 1)} longer lists; "
        f"-M {shortest} (depth={shortest}) cuts all alike"
    ]


def favours_long_lists(measure: Measure, depth: int) -> bool:
    """Whether documents below a depth raise a measure, and are no part of what it asks.

    >>> from poolwise import AP, RR
    >>> [favours_long_lists(measure, 100) for measure in (AP, AP @ 100, AP @ 1000, RR)]
    [True, False, True, False]
    """
    declaration = measure.declaration
    if declaration.function is not None or declaration.subtopics or declaration.aggregate.counts:
        return False
    if declaration.unjudged in (NO_MATTER, REPORTED) or declaration.name in AT_THE_TOP | SETS:
        return False
    return measure.cutoff is None or measure.cutoff > depth


def median_lengths(retrieved: Iterable[Iterable[int]]) -> list[int]:
    """Documents per topic of each run, at the median over the topics it has; from the counts of its topics."""
    lengths_by_run = (sorted(filter(None, lengths)) for lengths in retrieved)
    return [lengths[len(lengths) // 2] if lengths else 0 for lengths in lengths_by_run]


def _named(measure: Measure) -> str:
    """A measure as a note names it: without its parameters, where these are as long as a list of weights.

    >>> from poolwise import nDCG
    >>> _named(nDCG(discount="zipf") @ 3), _named(nDCG(discount=[1 / rank for rank in range(1, 21)]) @ 20)
    ("nDCG(discount='zipf')@3", 'nDCG(...)@20')
    """
    text = str(measure)
    end = f"@{measure.cutoff}" if measure.cutoff else ""
    return text if len(text) <= LONGEST else f"{measure.name}{chr(39) * measure.is_condensed}(...){end}"


def _who(short: list[tuple[int, str]]) -> str:
    if len(short) == 1:
        return f"{short[0][1]} lists {counted(short[0][0], 'document')} per topic"
    longest = short[-1][0]
    number = f"{short[0][0]} to {longest}" if longest > short[0][0] else str(longest)
    return f"{_some([run for _, run in short])} list {number} documents per topic"


def _some(names: list[str]) -> str:
    """The first few names.

    >>> _some(["a"]), _some(["a", "b"]), _some(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    shown = names[:SHOWN] + ([f"{len(names) - SHOWN} more"] if len(names) > SHOWN else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


MOST_MEASURES = 2  # whose ranges a note gives
IN_FULL = 2  # depths with a note of their own; one more note is enough for all others, as trec_eval's groups have nine
MOST_TRIED = 1_000_000  # unjudged documents whose labels are tried for a note; beyond, it says shares alone
BELOW = "; unjudged documents farther down are taken as non-relevant in these ranges"


def notes_of(unjudged: Unjudged, measures: dict[int, list[Measure]], open_runs: dict[int, list[int]]) -> list[str]:
    """Name the runs that are open down to each depth, the worst first, and how far that could move their scores."""
    depths = list(open_runs)
    notes = [_note(unjudged, depth, measures[depth], open_runs[depth]) for depth in depths[:IN_FULL]]
    more = [(unjudged.words(measures[depth]), unjudged.share(depth, open_runs[depth][0])) for depth in depths[IN_FULL:]]
    return [*notes, *other_depths(more)]


def sample_note(words: str) -> str:
    """The worth of plain scores on a sample, from the words for its size; nothing if there are none."""
    return f"{words}, and what is not judged counts as non-relevant here: {INSTEAD}" if words else ""


def _note(unjudged: Unjudged, depth: int, measures: list[Measure], order: list[int]) -> str:
    shown = order[:SHOWN]
    named = [measure for measure in measures if can_move(measure) and len(str(measure)) <= LONGEST][:MOST_MEASURES]
    tried = len(named) * sum(unjudged.counted(depth)[run][0] for run in shown)
    ends = [unjudged.reach(measure, shown, [ALONE] * len(shown)) for measure in named if tried <= MOST_TRIED]
    parts = []
    for index, run in enumerate(shown):
        measured = [(measure, *own_ends[index]) for measure, own_ends in zip(named, ends, strict=False)]
        moved = [(measure, low, high) for measure, low, high in measured if f"{low:.4f}" != f"{high:.4f}"]
        words = ", ".join(f"{measure} {low:.4f} to {high:.4f}" for measure, low, high in moved)
        share = percent(unjudged.share(depth, run))
        parts.append(f"{share} for {unjudged.runs[run]}{f' (their labels could make {words})' if words else ''}")
    below = ends and depth != NO_LIMIT and any(measure.cutoff is None for measure in named)
    return sentence(unjudged.words(measures), parts, len(order)) + (BELOW if below else "")


def sentence(top: str, parts: list[str], runs: int) -> str:
    """The note on the documents down to a depth: runs with their shares, and how many runs there are."""
    more = f" and less for {counted(runs - SHOWN, 'more run')}" if runs > SHOWN else ""
    return f"part of {top} is not judged and counts as non-relevant: {', '.join(parts)}{more}"


def other_depths(shares: Iterable[tuple[str, float]]) -> list[str]:
    """One note for all further depths, by the largest share of a run."""
    parts = [f"{percent(share)} of {top}" for top, share in shares]
    return [f"nor are judged up to {', '.join(parts)}, which count as non-relevant too"] if parts else []


def top_words(depth: int, found: bool = False) -> str:
    """The documents down to a depth, in words; `found` means that nobody said the depth, but labels end there.

    >>> top_words(10), top_words(13, found=True)
    ('the top 10', 'what stands down to rank 13 (where judging seems to have stopped)')
    """
    if depth == NO_LIMIT:
        return "all that was retrieved"
    return f"what stands down to rank {depth} (where judging seems to have stopped)" if found else f"the top {depth}"


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.134), percent(0.004), percent(0.9999), percent(1.0)
    ('13 %', '0.4 %', 'over 99 %', '100 %')
    """
    return "100 %" if share == 1.0 else "over 99 %" if share >= 0.995 else f"{100 * share:.2g} %"


def lacking_notes(
    pool: Pool, retrieved: list[list[int]], missing: str = "zero", runs: Sequence[int] | None = None
) -> list[str]:
    """Say which runs lack topics, all or some, from how many documents each retrieved for each topic."""
    asked = range(len(pool.runs)) if runs is None else runs
    lacking = {run: retrieved[run].count(0) for run in asked}
    return lacking_words(list(lacking.values()), missing, _example(pool, retrieved, lacking))


def lacking_words(lacking: list[int], missing: str, example: tuple[str, list[str]] | None = None) -> list[str]:
    """Say how many runs lack topics, from how many topics each lacks; `example` is one of them with its first topics.

    >>> lacking_words([0, 4], "zero", ("mine", ["1", "2", "3"]))
    ['1 of 2 runs lacks topics (4 lists in all; mine lacks 1, 2, 3, ...) and scores 0 there']
    """
    if not any(lacking):
        return []
    runs = sum(map(bool, lacking))
    lack, score, have, their = ("lacks", "scores", "has", "its") if runs == 1 else ("lack", "score", "have", "their")
    means = f"{their} mean{'s' * (runs != 1)}"
    effect = f"{score} 0 there" if missing == "zero" else f"{have} these topics left out of {means}"
    named = ""
    if example is not None:
        first = next(filter(None, lacking))
        named = f"; {example[0]} lacks {', '.join(example[1])}{', ...' if first > len(example[1]) else ''}"
    lists = f"{sum(lacking)} list{'s' * (sum(lacking) != 1)} in all"
    return [f"{runs} of {counted(len(lacking), 'run')} {lack} topics ({lists}{named}) and {effect}"]


def _example(pool: Pool, retrieved: list[list[int]], lacking: Mapping[int, int]) -> tuple[str, list[str]] | None:
    """The first run that lacks topics, and some of them."""
    run = next((index for index, count in lacking.items() if count), None)
    if run is None:
        return None
    lacked = [topic for topic, count in zip(pool.topics, retrieved[run], strict=True) if not count]
    return pool.runs[run], lacked[:LACKED]


def without_words(first: list[str], count: int, topics: int, rel: float) -> list[str]:
    """Say how many topics have no relevant document; `first` are some of them, over ten if there are."""
    if not count:
        return []
    shown = ", ".join(first[:10]) + (", ..." if count > 10 else "")
    score = "scores" if count == 1 else "score"
    return [
        f"{part_of(count, topics, 'topic')} no document judged relevant (label {rel} or more) and {score} 0: {shown}"
    ]
