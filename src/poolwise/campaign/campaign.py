"""`Campaign`: the pool as users hold it, with its judgments and the verbs of the later stations."""

from __future__ import annotations

from poolwise.basics.results import warn_of
from poolwise.basics.settings import Lazy, choice, names, whole
from poolwise.errors import ArgumentError
from poolwise.pool.joining import join
from poolwise.pool.judgments import Judgments, check_whole, labels_at_ranks
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.audits import holes as finding
    from poolwise.comparisons.comparison import Comparison
    from poolwise.estimates import estimator
    from poolwise.measures.measure import Measure
    from poolwise.plans import make_plan
    from poolwise.plans.planned_widths import WidthsOf
    from poolwise.scores import scoring
    from poolwise.scores.scores import Scores


class Campaign(Pool):
    """A pool with the judgments it was read with; what `read` gives, and everything begins with.

    Attributes
    ----------
    runs, topics : list of str
        Names; runs stand in the order given, topics in numeric, then alphabetic order.
    judgments : Judgments
        What is known of the documents.
    warnings : tuple of str
        What to know before trusting scores.
    """

    judgments: Judgments
    _faults = ("error", "error")  # how `read` was told to meet repeated documents and NaN, which predictions follow

    if TYPE_CHECKING:
        score, estimate, plan, holes = scoring.score, estimator.estimate, make_plan.plan, finding.holes
    else:  # loaded at the first call
        score, estimate = Lazy("poolwise.scores.scoring"), Lazy("poolwise.estimates.estimator")
        plan, holes = Lazy("poolwise.plans.make_plan"), Lazy("poolwise.audits.holes")

    def compare(
        self,
        measure: str | Measure,
        *,
        test: str | None = None,
        correction: str | None = None,
        baseline: str | Sequence[str] | None = None,
        alpha: float = 0.05,
        resamples: int | None = None,
        seed: int | Generator = 0,
        judgments: Judgments | None = None,
        predictions: Any = None,
        threads: int | None = None,
    ) -> Comparison:
        """Score or estimate the runs, as the test needs it, and test which of them differ.

        Parameters
        ----------
        measure : str or Measure
            What to compare by.
        test : str, optional
            One of those of `poolwise.compare`; "judgments" estimates differences from sampled judgments.
        correction : str, optional
            For testing many pairs, as in `poolwise.compare`.
        baseline : str or sequence of str, optional
            Compare with these runs only.
        alpha : float
            The level of significance.
        resamples : int, optional
            Sign flips or bootstrap samples.
        seed : int or Generator
            Of the resamples.
        judgments : Judgments, optional
            Those the pool was read with unless given.
        predictions : path, mapping, data frame or a list of these, optional
            Rows of topic, document, value that join the model of a test of estimates, as in `estimate`.
        threads : int, optional
            How many to use; every core allowed unless given.

        Returns
        -------
        Comparison
            Every pair with its difference, p, corrected p and interval; groups; a conclusion in words.

        Examples
        --------
        >>> from poolwise import read
        >>> runs = {"mine": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, "yours": {"1": {"b": 2.0}, "2": {"b": 1.0}}}
        >>> pool = read({"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}, runs)
        >>> pool.compare("AP", test="judgments").difference.tolist()
        [1.0]
        """
        from poolwise.comparisons.compare_runs import compare
        from poolwise.comparisons.significance_tests import DEFAULT_CORRECTION, DEFAULT_TEST

        test = DEFAULT_TEST if test is None else test
        baseline = None if baseline is None else names("baseline", baseline)  # taken twice below
        scores = self.comparable(
            measure,
            test=test,
            baseline=baseline,
            judgments=judgments,
            predictions=predictions,
            seed=seed,
            threads=threads,
        )
        return compare(
            scores,
            measure,
            test=test,
            correction=DEFAULT_CORRECTION if correction is None else correction,
            baseline=baseline,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            threads=threads,
        )

    def comparable(
        self,
        *measures: str | Measure,
        test: str | None = None,
        baseline: str | Sequence[str] | None = None,
        judgments: Judgments | None = None,
        predictions: Any = None,
        seed: int | Generator = 0,
        threads: int | None = None,
    ) -> Scores:
        """Give what `poolwise.compare` needs for a test: scores, or estimates with the differences of the pairs.

        Parameters
        ----------
        *measures : str or Measure
            What to compare by.
        test : str, optional
            One of those of `poolwise.compare`.
        baseline : str or sequence of str, optional
            Runs to compare with.
        judgments : Judgments, optional
            Those the pool was read with unless given.
        predictions : path, mapping, data frame or a list of these, optional
            As in `estimate`.
        seed : int or Generator
            As in `estimate`.
        threads : int, optional
            How many to use; every core allowed unless given.

        Returns
        -------
        Scores
            Scores or estimates.
        """
        from poolwise.comparisons.significance_tests import DEFAULT_TEST, TESTS

        test = DEFAULT_TEST if test is None else choice("test", test, TESTS)
        if not TESTS[test].of_estimates:
            if predictions is not None:
                usable = " or ".join(f"test={name!r}" for name, each in TESTS.items() if each.of_estimates)
                raise ArgumentError(f"test={test!r} takes no predictions; use {usable}")
            return self.score(*measures, judgments=judgments, threads=threads)
        baselines = [] if baseline is None else names("baseline", baseline)
        # Only the pairs that are tested are estimated: errors of all of them take time.
        pairs = [(run, other) for other in baselines for run in self.runs if run != other]
        return self.estimate(
            *measures,
            judgments=judgments,
            steadied=False,
            predictions=predictions,
            difference=pairs or "all",
            seed=seed,
            threads=threads,
        )

    def _predicted(self, predictions: Any, columns: Mapping[str, str] | None) -> Any:
        """Predictions with names of columns and treatment of errors. None without predictions."""
        if predictions is None:
            return None
        from poolwise.reading.predictions import renamed

        return renamed(predictions, columns, *self._faults)

    def _widths_of(self, predictions: Any) -> WidthsOf:
        """Forecast widths of estimates, for plans."""
        from poolwise.campaign.planned_estimates import PlannedEstimates

        return PlannedEstimates(self, predictions)

    def label_matrix(self, depth: int) -> NDArray[Any]:
        """Give the labels along every ranking.

        Parameters
        ----------
        depth : int
            Down to which rank.

        Returns
        -------
        array
            int32, runs x topics x depth; the lowest number there is where a document is not judged or past the end.
        """
        import numpy as np

        check_whole(self)
        return np.asarray(labels_at_ranks(self.judgments, whole("depth", depth, 1, 2**31 - 1)))

    def label_counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The labels that occur, ascending, and how many documents of each every topic has (topics x labels)."""
        return self.judgments.label_counts()


def read(
    qrels: Any,
    *runs: Any,
    unjudged: int | str | None = -1,
    duplicates: Literal["error", "first"] = "error",
    depth: int | None = None,
    nan: Literal["error", "last"] = "error",
    bad_runs: Literal["error", "skip"] = "error",
    columns: Mapping[str, str] | None = None,
    subtopics: bool = False,
    prels: bool = False,
    documents: Literal["all", "judged"] = "judged",
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: Any = None,
) -> Campaign:
    """Read judgments and runs and join them.

    Parameters
    ----------
    qrels : path, dict, list, data frame, Plan or None
        Judgments: a path (TREC lines, CSV, TSV, three columns, JSON, JSON lines, Parquet; also gz, xz, bz2, zst, lz4),
        an id of ir_datasets, a dict as in pytrec_eval, a list of (topic, document, label) rows, a data frame, or None
        for none.
    *runs : path, dict, list or data frame
        Runs likewise; a path may be a directory or a glob. A dict from name to any of these names runs.
    unjudged : int, "negative" or None
        The label that means "pooled, not judged"; "negative" for all negative ones.
    duplicates : {"error", "first"}
        What to do with repeated documents: refuse, or keep the first; of predictions, with different values.
    depth : int, optional
        Cuts every ranking.
    nan : {"error", "last"}
        What to do with scores that are NaN: refuse, or rank their documents last, as if they were -inf; of predictions
        also with those that are infinite.
    bad_runs : {"error", "skip"}
        "skip" leaves out runs that cannot be read, are empty or have no topic of the judgments: a warning and
        `pool.left_out` name each and say why.
    columns : dict, optional
        What columns of tables are called, where it is not what other tools say: topic, document, score, rank, label,
        stratum, round, subtopic; or their numbers, from "1" on, in a table without a header.
    subtopics : bool
        Whether the second column of judgments names subtopics, to which a document may be relevant or not. Its label is
        the highest of those it has for subtopics.
    prels : bool
        Whether judgments are lines of topic, document, label, method and probability, as in TREC's Million Query track:
        each judged document with how likely it was to be judged. statAP takes these.
    documents : {"all", "judged"}
        Changes no number: runs are read once for the documents that the judgments list, and again, if some analysis
        needs all others, as soon as it asks; "all" keeps these from the first reading on.
    threads : int, optional
        How many to use; every core allowed unless given.
    progress : callable, optional
        Called with how many run files are read and how many there are.
    executor : concurrent.futures.Executor, optional
        Whose workers read the run files, which they must see, such as a Dask client's.

    Returns
    -------
    Campaign
        The pool with its judgments.

    Raises
    ------
    InputError
        If something is wrong with the data: says the file and line, what was found, and what to do.

    Examples
    --------
    >>> pool = read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"a": 0.9, "b": 0.8, "c": 0.7}}})
    >>> pool.score("AP").means().tolist()
    [[1.0]]
    """
    options = ReadingOptions(unjudged, duplicates, depth, nan, bad_runs, columns, subtopics, prels)
    whole = True if choice("documents", documents, ("all", "judged")) == "all" else None
    campaign = join(Campaign, qrels, runs, options, whole=whole, threads=threads, progress=progress, executor=executor)
    # Judgments are of a pool, so that the pool comes first.
    campaign.judgments = Judgments(campaign)
    campaign._faults = duplicates, nan
    campaign.warnings = warn_of((*campaign.warnings, *_doubts(campaign)))
    return campaign


def _doubts(campaign: Campaign) -> list[str]:
    """Notes on judgments in rounds, if there are rounds."""
    if not campaign.has_strata:
        return []
    from poolwise.pool.coverage import round_notes

    return round_notes(campaign.judgments)
