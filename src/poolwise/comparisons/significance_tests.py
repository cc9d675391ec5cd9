"""All tests and corrections, each declared once; what each does is computed in the module that its row names.

The command line's choices and help, the sentence and the methods of a comparison, its warnings and the page of the
docs follow from these rows. Nothing here loads numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats


def holm(p: ArrayLike) -> Floats:
    """Return p values corrected by Holm 1979: the chance of even one false finding stays below alpha.

    >>> holm([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.04]
    """
    import numpy as np

    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    left = np.arange(values.size, 0, -1)
    stepped = np.maximum.accumulate(values[order] * left)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return p values corrected by Benjamini and Hochberg 1995: the share of false findings stays below alpha.

    >>> benjamini_hochberg([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.03]
    """
    import numpy as np

    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    index = np.arange(values.size, 0, -1)
    stepped = np.minimum.accumulate(values[order] * values.size / index)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def uncorrected(p: ArrayLike) -> Floats:
    """Return p values as they are.

    >>> uncorrected([0.01, 0.04]).tolist()
    [0.01, 0.04]
    """
    import numpy as np

    return np.array(p, dtype=np.float64)


class Test(NamedTuple):
    """A test as declared.

    `words` stand for it in a sentence, `summary` says in a line what it does. `function` is the module here and the
    function in it, which takes a `Problem` and gives an `Outcome`. `most_resamples` is up to how many resamples a
    correction may raise the usual number, `resamples` whether it draws any. The p values of a test that is
    `simultaneous` hold for all pairs together and are not corrected; where it is `of_all_runs`, also when only some
    pairs are compared. A test `of_estimates` speaks of which documents
    were drawn for judging, every other one of which topics were. `interval` says what bounds the mean difference.
    """

    name: str
    words: str
    summary: str
    function: str
    resamples: bool = False
    most_resamples: int = 0
    simultaneous: bool = False
    of_all_runs: bool = False
    of_estimates: bool = False
    interval: str = "Student's"
    citation: str = ""

    @property
    def run(self) -> Callable[[Any], Any]:
        """The function that tests: a `Problem` in, an `Outcome` out."""
        return _function(self.function)


class Correction(NamedTuple):
    """A correction for many pairs as declared; the function takes and gives p values."""

    name: str
    words: str
    summary: str
    function: str
    citation: str = ""

    @property
    def run(self) -> Callable[[Any], Any]:
        """The function that corrects."""
        return _function(self.function)


def _function(path: str) -> Callable[[Any], Any]:
    module, name = path.split(".")
    function: Callable[[Any], Any] = getattr(import_module(f"poolwise.comparisons.{module}"), name)
    return function


DEFAULT_TEST = "randomisation"
DEFAULT_CORRECTION = "holm"
TESTS = {
    test.name: test
    for test in (
        Test(
            "randomisation",
            "randomisation test",
            "mean difference against random flips of topics' signs",
            "resampling_tests.randomisation",
            resamples=True,
            most_resamples=500_000,
            citation="Fisher 1935; Smucker, Allan and Carterette 2007",
        ),
        Test(
            "bootstrap",
            "bootstrap test",
            "studentised mean difference against topics drawn anew",
            "resampling_tests.bootstrap",
            resamples=True,
            most_resamples=20_000,
            interval="bootstrap-t, symmetric",
            citation="Sakai 2006",
        ),
        Test(
            "t",
            "t test",
            "mean difference, taking differences as normal",
            "simple_tests.student",
            citation="Student 1908",
        ),
        Test(
            "wilcoxon",
            "Wilcoxon test",
            "ranks of the differences, zeros dropped",
            "simple_tests.signed_rank",
            citation="Wilcoxon 1945",
        ),
        Test(
            "sign",
            "sign test",
            "how many topics each run wins, ties dropped; exact",
            "simple_tests.sign",
            citation="Arbuthnott 1710; Conover 1999, section 3.4",
        ),
        Test(
            "tukey",
            "randomised Tukey test",
            "largest difference of any two runs under random renaming; only for runs that vary alike",
            "resampling_tests.tukey",
            resamples=True,
            simultaneous=True,
            of_all_runs=True,
            interval="for all pairs together",
            citation="Carterette 2012",
        ),
        Test(
            "max_t",
            "max-T test",
            "largest t of all pairs under random flips; also for runs that vary unlike",
            "resampling_tests.max_t",
            resamples=True,
            simultaneous=True,
            interval="for all compared pairs together",
            citation="Westfall and Young 1993",
        ),
        Test(
            "judgments",
            "estimated from sampled judgments",
            "estimates from a sample of judgments, for these topics only",
            "simple_tests.judgments",
            of_estimates=True,
            interval="that of the estimated difference",
        ),
    )
}
CORRECTIONS = {
    correction.name: correction
    for correction in (
        Correction(
            "holm",
            "Holm correction",
            "the chance of even one false finding stays below alpha",
            "significance_tests.holm",
            "Holm 1979",
        ),
        Correction(
            "bh",
            "Benjamini-Hochberg correction",
            "the share of false findings stays below alpha",
            "significance_tests.benjamini_hochberg",
            "Benjamini and Hochberg 1995",
        ),
        Correction("none", "no correction", "every pair by itself", "significance_tests.uncorrected"),
    )
}
