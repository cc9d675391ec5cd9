"""`Campaign`: the pool as users hold it, with its judgments and the verbs of the later stations."""

from __future__ import annotations

from poolwise.basics.settings import choice, names, whole
from poolwise.campaign.partly_judged import PartlyJudged
from poolwise.errors import ArgumentError
from poolwise.pool.judgments import Judgments, check_whole
from poolwise.scores.scoring import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.comparisons.comparison import Comparison
    from poolwise.measures.measure import Measure
    from poolwise.scores.scores import Scores


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
