"""`Campaign`: the pool as users hold it, with its judgments and the verbs of the later stations."""

from __future__ import annotations

from poolwise.checks import choice, whole
from poolwise.errors import ArgumentError
from poolwise.judge.judgments import Judgments
from poolwise.judge.round_notes import doubts
from poolwise.pool.joining import join
from poolwise.pool.pool import Pool
from poolwise.pool.reading_options import ReadingOptions
from poolwise.results import warn_of
from poolwise.score.scoring import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.compare import Comparison
    from poolwise.estimate.estimates import Estimate
    from poolwise.plan.judging_plan import Plan
    from poolwise.score.measure import Measure
    from poolwise.score.scores import Scores


class Campaign(Pool):
    """A pool with the judgments it was read with."""

    judgments: Judgments

    def score(
        self,
        *measures: str | Measure,
        judgments: Judgments | Sequence[Judgments] | None = None,
        missing: str = "zero",
        threads: int | None = None,
        interval: str | None = None,
        level: float = 0.95,
        seed: int | Generator = 0,
        resamples: int = 10_000,
        dependent: bool = False,
        executor: Any = None,
    ) -> Scores:
        """Score every run on every topic by every measure.

        `judgments` are those the pool was read with, or a sample of them, or many samples at once. Topics that a run
        lacks score 0 there, or with `missing="skip"` are left out of its mean. With many samples, `executor` (any
        `concurrent.futures.Executor`, such as a Dask client's) scores them on its workers.

        `interval` adds lower and upper ends (`scores.low`, `.high`, `.mean_low`, `.mean_high`):
        - "judgments": given these topics, from the sampling of judgments; infAP only, as [Y08] has it (`dependent`:
          its form for dependent precisions). It does not cover, see the warning; `estimate` does;
        - "topics": given these labels, from the choice of topics: a studentised bootstrap of the mean over `resamples`
          resamples of topics, drawn with `seed`; single topics have none;
        - "both": infAP only; the spread over topics, which holds the noise of judgments already;
        - "bounds": the lowest and highest score that unjudged retrieved documents leave possible.
        """
        given = self.judgments if judgments is None else judgments
        return score(
            self,
            measures,
            given,
            missing=missing,
            threads=threads,
            interval=interval,
            level=level,
            seed=seed,
            resamples=resamples,
            dependent=dependent,
            executor=executor,
        )

    def plan(
        self,
        *,
        budget: int | None = None,
        design: str = "stratified",
        depth: int = 100,
        edges: Sequence[int] | None = None,
        contributing: Sequence[str] | None = None,
        measure: str | Measure = "AP",
        difference: Sequence[str] | None = None,
        target_width: float | None = None,
        level: float = 0.95,
        seed: int | Generator = 0,
    ) -> Plan:
        """Choose which documents to judge next, from the runs and what is judged already (`read(None, ...)`: nothing).

        The pool is what the contributing runs place in their top `depth`, and what the judgments list. It is split
        into strata by best rank: 1-5, 6-20, 21-50 and the rest, fewer with a small budget, or by `edges`. `budget` is
        how many documents to judge now; topics get equal shares. Within a topic they go to the strata so that the
        variance of the estimate is least (Neyman allocation): of the mean of `measure` (AP, nDCG or P, with any
        cut-off) over topics, for a typical run, or of the `difference` of two runs. Labels that are there tell how
        many relevant documents to expect; earlier labels, strata and rounds stay as they are.

        `target_width` asks how many judgments an interval of that width needs (see `plan.needed`); without a budget
        that many are planned. Other designs: `model` sets strata not by best rank but by how much each label is
        expected to matter, p (1 - p) times the squared influence on the runs' scores, p from the relevance model fitted
        to the pilot (if that was drawn uniformly, or nothing is judged; else strata stay); `uniform`; and for a first
        round `depth` (the deepest pool that the budget can judge in full) and `depth_plus_random` (half the budget so,
        half at random below).

        >>> runs = {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "yours": {"1": {"c": 3.0, "d": 2.0}}}
        >>> plan = read(None, runs).plan(budget=2, seed=1)
        >>> plan
        <Plan: round 1, 2 of 4 pooled documents to judge>
        >>> plan.to_judge()
        [('1', 'd'), ('1', 'b')]
        """
        from poolwise.plan.make_plan import plan

        return plan(
            self,
            self.judgments if len(self.judgments.labels) else None,
            budget=budget,
            design=design,
            depth=depth,
            edges=edges,
            contributing=contributing,
            measure=measure,
            difference=difference,
            target_width=target_width,
            level=level,
            seed=seed,
        )

    def estimate(self, *measures: str | Measure, judgments: Judgments | None = None, **options: Any) -> Estimate:
        """Estimate what scores would be under complete judgments of the pool, from a sample, with intervals.

        Gives scores (`means()`, `array(measure)`, `mean_low()`, `mean_high()`, `to_frame()`), with pooled values beside
        them from ten runs on.
        Options are those of `poolwise.estimate.estimator.estimate`: level, pooled, runs, predictions,
        difference, threads.
        """
        from poolwise.estimate.estimator import estimate

        return estimate(self, measures, self.judgments if judgments is None else judgments, **options)

    def compare(
        self,
        measure: str | Measure,
        *,
        test: str | None = None,
        baseline: str | Sequence[str] | None = None,
        judgments: Judgments | None = None,
        predictions: Any = None,
        threads: int | None = None,
        **options: Any,
    ) -> Comparison:
        """Score or estimate the runs, as the test needs it, and test which of them differ.

        `test` is that of `poolwise.compare` unless given; other options are its correction, alpha, resamples and seed.
        `predictions` are rows of topic, document, value that join the model of a test of estimates, as in `estimate`.

        >>> runs = {"mine": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, "yours": {"1": {"b": 2.0}, "2": {"b": 1.0}}}
        >>> pool = read({"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}, runs)
        >>> pool.compare("AP", test="judgments").difference.tolist()
        [1.0]
        """
        from poolwise.compare import compare
        from poolwise.compare.significance_tests import DEFAULT_TEST

        test = DEFAULT_TEST if test is None else test
        scores = self.comparable(
            measure, test=test, baseline=baseline, judgments=judgments, predictions=predictions, threads=threads
        )
        return compare(scores, measure, test=test, baseline=baseline, threads=threads, **options)

    def comparable(
        self,
        *measures: str | Measure,
        test: str | None = None,
        baseline: str | Sequence[str] | None = None,
        judgments: Judgments | None = None,
        predictions: Any = None,
        threads: int | None = None,
    ) -> Scores:
        """What `poolwise.compare` needs for a test: scores, or estimates with the differences of the pairs."""
        from poolwise.compare.significance_tests import DEFAULT_TEST, TESTS

        test = DEFAULT_TEST if test is None else choice("test", test, TESTS)
        if not TESTS[test].of_estimates:
            if predictions is not None:
                usable = " or ".join(f"test={name!r}" for name, each in TESTS.items() if each.of_estimates)
                raise ArgumentError(f"test={test!r} takes no predictions; use {usable}")
            return self.score(*measures, judgments=judgments, threads=threads)
        baselines = [baseline] if isinstance(baseline, str) else list(baseline or ())
        pairs = [(run, other) for other in baselines for run in self.runs if run != other]
        options = {"difference": pairs or "all", "pooled": False, "predictions": predictions, "threads": threads}
        return self.estimate(*measures, judgments=judgments, **options)

    def label_matrix(self, depth: int) -> NDArray[Any]:
        """Labels at ranks 1 to `depth`, runs x topics x depth, int32; POOLED where not judged or past the end."""
        import numpy

        return numpy.asarray(self.core.label_matrix(self.judgments.buffer, whole("depth", depth, 1, 2**31 - 1)))

    def label_counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The labels that occur, ascending, and how many documents of each every topic has (topics x labels)."""
        return self.judgments.label_counts()


def read(
    qrels: Any,
    *runs: Any,
    unjudged: int | str | None = -1,
    duplicates: str = "error",
    depth: int | None = None,
    nan: str = "error",
    bad_runs: str = "error",
    documents: str = "all",
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: Any = None,
) -> Campaign:
    """Read judgments and runs and join them.

    `qrels` and each of `runs` may be a path (text, gz, xz, bz2, zst or Parquet; for runs also a directory or a glob),
    a dict as in pytrec_eval, a list of (topic, document, value) rows, or a data frame. A dict from name to any of
    these names runs. `unjudged` is the label that means "pooled, not judged" (-1), "negative" for all negative ones,
    or None. `duplicates="first"` keeps the first of repeated documents. `depth` cuts every ranking. `nan="last"` ranks
    documents whose score is NaN last, as if it were -inf. `bad_runs="skip"` leaves out runs that cannot be read, are
    empty or have no topic of the judgments: a warning and `pool.left_out` name each and say why.
    `documents="judged"` saves memory: documents that the judgments do not list are counted, not kept.
    `progress` is called with how many run files are read and how many there are. With an `executor` (any
    `concurrent.futures.Executor`, such as a Dask client's), its workers read the run files, which they must see.

    >>> pool = read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"a": 0.9, "b": 0.8, "c": 0.7}}})
    >>> pool.score("AP").means().tolist()
    [[1.0]]
    """
    options = ReadingOptions(unjudged, duplicates, depth, nan, bad_runs)
    joined = join(qrels, runs, options, documents=documents, threads=threads, progress=progress, executor=executor)
    campaign = Campaign(joined.core, joined.runs, joined.warnings, joined.left_out)
    campaign.judgments = Judgments(campaign)
    campaign.warnings = warn_of((*joined.warnings, *doubts(campaign.judgments)))
    return campaign
