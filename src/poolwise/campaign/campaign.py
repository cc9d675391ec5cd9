"""`Campaign`: the pool as users hold it, with its judgments and the verbs of the later stations."""

from __future__ import annotations

from poolwise.basics.results import warn_of
from poolwise.basics.settings import choice, names, whole
from poolwise.errors import ArgumentError
from poolwise.pool.joining import join
from poolwise.pool.judgments import Judgments, check_whole
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool
from poolwise.scores.scoring import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.audits.holes import Holes
    from poolwise.comparisons.comparison import Comparison
    from poolwise.estimates.estimates import Estimate
    from poolwise.estimates.interim_looks import Looks
    from poolwise.measures.measure import Measure
    from poolwise.plans.plan import Plan
    from poolwise.scores.scores import Scores


class PartlyJudged(Pool):
    """A pool with judgments of some of its documents; `Campaign` is one, and adds what takes labels as they are."""

    judgments: Judgments
    _duplicates, _nan = "error", "error"  # how `read` was told to meet faults, which predictions follow

    def plan(
        self,
        *,
        budget: int | None = None,
        design: Literal["stratified", "model", "uniform", "depth", "depth_plus_random"] = "stratified",
        depth: int | None = None,
        edges: Sequence[int] | None = None,
        contributing: Sequence[str] | None = None,
        measure: str | Measure | Sequence[str | Measure] = "AP",
        difference: str | Sequence[str] | Sequence[tuple[str, str]] | None = None,
        target_width: float | None = None,
        level: float = 0.95,
        predictions: Any = None,
        costs: Any = None,
        columns: Mapping[str, str] | None = None,
        topic_shares: Literal["equal", "worth"] = "equal",
        forecast: bool = False,
        seed: int | Generator = 0,
    ) -> Plan:
        """Choose which documents to judge next, from the runs and what is judged already (`read(None, ...)`: nothing).

        The pool is what the contributing runs place in their top `depth`, and what the judgments list. It is split
        into strata by best rank. Topics get equal shares of the budget; within a topic it goes to the strata so that
        the variance of the estimate is least (Neyman allocation). Labels that are there tell how many relevant
        documents to expect; earlier labels, strata and rounds stay as they are.

        Parameters
        ----------
        budget : int, optional
            How many documents to judge now. If it is less than one for each topic, topics are drawn at random too.
        design : {"stratified", "model", "uniform", "depth", "depth_plus_random"}
            "model" sets strata not by best rank but by how much each label is expected to matter: p (1 - p) times the
            squared influence on the runs' scores, p from the relevance model fitted to the pilot (if that was drawn
            uniformly, or nothing is judged; else strata stay). For a first round "depth" is the deepest pool that the
            budget can judge in full (without a budget, all of the pool of `depth`), and "depth_plus_random" half the
            budget so, half at random below.
        depth : int, optional
            Of the pool; the measure's cut-off unless given, or where scores are relative to what is relevant, as
            those of nDCG, three times that for two runs and twice for three to nine. Without a cut-off it is 20 for
            RR and ERR, as deep as ranks count for RBP, and 100 for others.
        edges : sequence of int, optional
            The last rank of each stratum but the last; 5, 20 and 50 unless given, fewer with a small budget.
        contributing : sequence of str, optional
            The runs that make the pool; all unless given.
        measure : str, Measure or sequence of these
            What is to be estimated best: its mean over topics, for a typical run. Of several measures each counts the
            same in where labels go, and the pool is as deep as the deepest needs.
        difference : str, pair, or sequence of pairs, optional
            Two runs whose difference is to be estimated best instead, or several such pairs; one run: it and every
            other; "all": every pair, on average, which takes no longer than without. Then documents that all runs
            rank alike get few labels.
        target_width : float, optional
            Asks how many judgments an interval of that width needs (`plan.needed`), mean over runs or over the
            differences asked for, by the same forecast as `forecast`; without a budget that many are planned.
        level : float
            Of that interval.
        predictions : path, mapping, data frame or a list of these, optional
            Predicted labels, or several predictors; with those the relevance model knows more, which allocation and
            the strata of "model" follow. Give them to `estimate` too.
        costs : path, mapping or data frame, optional
            What it costs to judge each document, such as its length: rows of topic, document, cost. Rates go with the
            root of worth over cost, and the budget is in units of cost.
        columns : mapping, optional
            What columns of predictions and costs are called, as in `{"value": "llm_grade"}`: topic, document, value,
            cost.
        topic_shares : {"equal", "worth"}
            Whether topics get equal shares of the budget, or more where labels are worth more.
        forecast : bool
            Whether to say how wide intervals of estimates will be (`plan.forecast`): of each run and of differences,
            with this budget and others, by each measure.
        seed : int or Generator
            Of the draw.

        Returns
        -------
        Plan
            What to judge, in which order; `plan.write` makes the file.

        Examples
        --------
        >>> from poolwise import read
        >>> runs = {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "yours": {"1": {"c": 3.0, "d": 2.0}}}
        >>> plan = read(None, runs).plan(budget=2, seed=1)
        >>> plan
        <Plan: round 1, 2 of 4 pooled documents to judge>
        >>> plan.to_judge()
        [('1', 'b'), ('1', 'd')]
        """
        from poolwise.plans.make_plan import plan
        from poolwise.reading.predictions import renamed, renamed_costs

        costs = renamed_costs(costs, columns)
        predictions = renamed(predictions, columns, self._duplicates, self._nan)
        widths_of = None
        if forecast or target_width is not None:
            from poolwise.campaign.planned_estimates import PlannedEstimates

            widths_of = PlannedEstimates(self, predictions)
        return plan(
            self,
            self.judgments if len(self.judgments.classes) else None,
            budget=budget,
            design=design,
            depth=depth,
            edges=edges,
            contributing=contributing,
            measure=measure,
            difference=difference,
            target_width=target_width,
            level=level,
            predictions=predictions,
            costs=costs,
            topic_shares=topic_shares,
            forecast=forecast,
            seed=seed,
            widths_of=widths_of,
        )

    def estimate(
        self,
        *measures: str | Measure | Sequence[str | Measure],
        judgments: Judgments | None = None,
        level: float = 0.95,
        steadied: bool | None = None,
        runs: str | Sequence[str] | None = None,
        predictions: Any = None,
        columns: Mapping[str, str] | None = None,
        difference: Any = None,
        outside: Literal["range", "nonrelevant", "error"] = "range",
        looks: Looks | None = None,
        seed: int | Generator = 0,
        threads: int | None = None,
    ) -> Estimate:
        """Estimate what scores would be under complete judgments of the pool, from a sample, with intervals.

        What is estimated is the mean over these topics; the interval speaks of which documents were drawn for
        judging, not of other topics.

        Parameters
        ----------
        *measures : str, Measure or list of these
            Any that is a mean over topics, also one of your own.
        judgments : Judgments, optional
            The sample; what the pool was read with unless given.
        level : float
            Of the intervals.
        steadied : bool, optional
            Whether to steady each run's value by all others; from ten runs on unless given.
        runs : str or sequence of str, optional
            What is reported; all runs of the pool feed the relevance model.
        predictions : path, mapping, data frame or a list of these, optional
            Rows of topic, document, value that join the model, such as labels of a language model. Units and origin
            of values do not matter, unless all lie between 0 and 1: these are taken for probabilities.
        columns : mapping, optional
            What columns of predictions are called, as in `{"value": "llm_grade"}`: topic, document, value.
        difference : str, pair, or sequence of pairs, optional
            Differences to estimate: a run (against all others), a pair, pairs, or "all".
        outside : {"range", "nonrelevant", "error"}
            What becomes of documents within a measure's depth that are neither judged nor pooled, which no sample
            speaks for: the interval holds whatever labels they have, they count as non-relevant, or there must be
            none.
        looks : Looks, optional
            Where judging ends and the looks so far, as in `Looks(end=300)`: adds a band that holds at every look, and
            the widths to expect.
        seed : int or Generator
            Of what is drawn from the relevance model for measures without a formula, such as RR, bpref and one's own.
            The error of so few draws is in the interval.
        threads : int, optional
            How many to use; every core allowed unless given.

        Returns
        -------
        Estimate
            Scores with intervals of their means.

        References
        ----------
        docs/theory/assisted.md.

        Examples
        --------
        >>> from poolwise import read
        >>> pool = read({"1": {"a": 1, "b": 0, "c": 1}}, {"mine": {"1": {"a": 3, "b": 2, "c": 1}}})
        >>> pool.estimate("P@2").means().tolist()
        [[0.5]]
        """
        from poolwise.estimates.estimator import estimate
        from poolwise.reading.predictions import renamed

        return estimate(
            self,
            measures,
            self.judgments if judgments is None else judgments,
            level=level,
            steadied=steadied,
            runs=runs,
            predictions=renamed(predictions, columns, self._duplicates, self._nan),
            difference=difference,
            outside=outside,
            looks=looks,
            seed=seed,
            threads=threads,
        )

    def holes(
        self,
        measure: str | Measure = "nDCG@10",
        *,
        groups: Mapping[str, str] | None = None,
        level: float = 0.95,
        draws: int = 2000,
        seed: int | Generator = 0,
        threads: int | None = None,
    ) -> Holes:
        """Say what unjudged documents leave open in the scores of runs, as when old judgments meet new runs.

        A model of holes draws labels for them: a hole's chance to be relevant lies below the run's own precision, by
        an offset that is learned from runs of the pool that are judged in full, each left out in turn, or else taken
        from four other collections. What it says is a model's word; a few labels drawn from the holes (`plan`) give
        an interval that the draw guarantees (`estimate`).

        Parameters
        ----------
        measure : str or Measure
            What to score by; its cut-off is the depth to which unjudged documents are looked for (without one the
            pool's depth, or 100).
        groups : mapping, optional
            The group (team) of each run, for learning: runs of a group are left out together.
        level : float
            Of the model's intervals.
        draws : int
            Labels drawn from the model, so many times.
        seed : int or Generator
            Of the draws.
        threads : int, optional
            How many to use; every core allowed unless given.

        Returns
        -------
        Holes
            One row per run; `pairs` says which comparisons could turn, `settle` what to judge to settle one.

        References
        ----------
        docs/findings/holes.md.

        Examples
        --------
        >>> from poolwise import read
        >>> runs = {"new": {"1": {"x": 2.0, "a": 1.0}}, "old": {"1": {"b": 2.0, "a": 1.0}}}
        >>> missing = read({"1": {"a": 1, "b": 0}}, runs).holes("P@2")
        >>> missing.holes, missing.lowest.tolist(), missing.highest.tolist()
        ([1, 0], [0.5, 0.5], [1.0, 0.5])
        """
        from poolwise.audits.holes import find_holes

        return find_holes(self.judgments, measure, groups=groups, level=level, draws=draws, seed=seed, threads=threads)


class Campaign(PartlyJudged):
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

    def score(
        self,
        *measures: str | Measure | Sequence[str | Measure],
        judgments: Judgments | Sequence[Judgments] | None = None,
        missing: Literal["zero", "skip"] = "zero",
        threads: int | None = None,
        interval: Literal["judgments", "topics", "both", "bounds"] | None = None,
        level: float = 0.95,
        seed: int | Generator = 0,
        resamples: int = 10_000,
        dependent: bool = False,
        executor: Any = None,
        ties: Literal["id", "expected", "range"] = "id",
    ) -> Scores:
        """Score every run on every topic by every measure.

        Parameters
        ----------
        *measures : str, Measure or list of these
            What to score by.
        judgments : Judgments or sequence of them, optional
            Those the pool was read with unless given; a sample of them, or many samples at once.
        missing : {"zero", "skip"}
            Whether a topic that a run lacks scores 0, or is left out of its mean.
        threads : int, optional
            How many to use; every core allowed unless given.
        interval : {"judgments", "topics", "both", "bounds"}, optional
            Adds lower and upper ends (`scores.low`, `.high`, `.mean_low`, `.mean_high`). "judgments": given these
            topics, from the sampling of judgments; infAP, as [Y08] has it, and statAP only. In simulations it held the
            truth far less often than its level says, as the warning tells; the intervals of `estimate` hold it.
            "topics": given these labels, from the choice of topics, by a studentised bootstrap of the mean; single
            topics have none. "both": of these two measures only; the spread over topics, which holds the noise of
            judgments already. "bounds": the lowest and highest score that unjudged retrieved documents leave possible.
        level : float
            Of the intervals.
        seed : int or Generator
            Of the bootstrap.
        resamples : int
            Of topics.
        dependent : bool
            Whether "judgments" takes precisions at different ranks as dependent.
        executor : concurrent.futures.Executor, optional
            Whose workers score many samples, such as a Dask client's.
        ties : {"id", "expected", "range"}
            How documents of one score are ordered: "id" by their ids, descending, as trec_eval does. "expected" gives
            the mean score over all orders of them. "range" keeps the order by id and adds the lowest and highest
            score over orders as an interval.

        Returns
        -------
        Scores
            Runs x topics x measures, with a leading axis of samples if there are many.

        Examples
        --------
        >>> from poolwise import read
        >>> pool = read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 0.9, "a": 0.8}}})
        >>> pool.score("AP", "RR", "P@1").to_dict()
        {'mine': {'AP': 0.5, 'RR': 0.5, 'P@1': 0.0}}
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
            ties=ties,
        )

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
        return np.asarray(self.core.label_matrix(self.judgments.buffer, whole("depth", depth, 1, 2**31 - 1)))

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
    documents: Literal["all", "judged"] = "all",
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
        "judged" saves memory: documents that the judgments do not list are counted, not kept.
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
    joined = join(qrels, runs, options, documents=documents, threads=threads, progress=progress, executor=executor)
    campaign = Campaign(joined.core, joined.runs, joined.warnings, joined.left_out, joined.stratum_rates)
    campaign.judgments = Judgments(campaign)
    campaign._duplicates, campaign._nan = duplicates, nan
    campaign.warnings = warn_of((*joined.warnings, *_doubts(campaign)))
    return campaign


def _doubts(campaign: Campaign) -> list[str]:
    """What to know of judgments in rounds, if there are rounds."""
    if not campaign.has_strata:
        return []
    from poolwise.sampling.rounds import doubts

    return doubts(campaign.judgments)
