"""What a study is asked: fractions, measures and runs, checked once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from poolwise.basics.settings import campaign, fraction, whole
from poolwise.errors import ArgumentError, InputError
from poolwise.scores.scoring import check_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign
    from poolwise.measures.measure import Measure

# [B07] section 5: shares of the complete judgments.
FRACTIONS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# [B07] and [S07]: plain, made for missing judgments, estimated, and condensed.
MEASURES = ("AP", "bpref", "infAP", "nDCG", "AP'", "nDCG'", "Q'")
MOST_SIZES = 50  # numbers of topics at which error rates are counted


def checked_measures(measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """Measures, each once; one may stand alone."""
    return tuple(check_measures(measures))


def checked_fractions(fractions: Sequence[float]) -> tuple[float, ...]:
    """Fractions in ascending order, each once, above 0 and at most 1.

    >>> checked_fractions([0.5, 0.1, 0.5])
    (0.1, 0.5)
    """
    listed = [fractions] if isinstance(fractions, (int, float, str)) else list(fractions)
    try:
        shares = sorted({float(share) for share in listed})
    except (TypeError, ValueError):
        raise ArgumentError(f"fractions={fractions!r} are not shares; give numbers such as [0.1, 0.5]") from None
    wrong = [share for share in shares if not 0 < share <= 1]
    if wrong or not shares:
        raise ArgumentError(f"fractions are shares above 0 and at most 1; found {wrong[0] if wrong else 'none'}")
    return tuple(shares)


def checked_cutoffs(cutoffs: Sequence[int]) -> tuple[int, ...]:
    """Cut-offs in ascending order, each once.

    >>> checked_cutoffs([20, 5, 20])
    (5, 20)
    """
    chosen = tuple(sorted({whole("cutoffs", cutoff, 1) for cutoff in cutoffs}))
    if not chosen:
        raise ArgumentError("no cut-off was given; name at least one, such as 10")
    return chosen


def kept_runs(pool: Campaign, retrieved: float = 0.0, top: int | None = None) -> NDArray[np.intp]:
    """Places of the runs a study looks at.

    `retrieved` leaves out runs with fewer documents than this share of the most any run has ([B07]: 0.95), `top` keeps
    the best by AP ([S07, K09]: 30). Runs left out still made the pool.
    """
    campaign(pool)
    fraction("retrieved", retrieved)
    lengths = np.asarray(pool.retrieved()).sum(axis=1)
    kept = np.flatnonzero(lengths >= retrieved * lengths.max())
    if top is not None:
        whole("top", top, 2)
        means = pool.score("AP").means()[kept, 0]
        kept = np.sort(kept[np.argsort(-means, kind="stable")[:top]])
    if len(kept) < 2:
        raise InputError(f"a study needs at least two runs; {len(kept)} of {len(pool.runs)} are left")
    return kept


def numbers_of_topics(topics: int) -> list[int]:
    """The sizes of topic sets: every one up to 50 topics, then about 50 of them.

    >>> numbers_of_topics(3), numbers_of_topics(100)[:3], len(numbers_of_topics(100))
    ([1, 2, 3], [1, 3, 5], 50)
    """
    return np.unique(np.linspace(1, topics, min(topics, MOST_SIZES)).round().astype(int)).tolist()


def nearest(values: Sequence[float], wanted: float) -> int:
    """The place of the value that is nearest to the one wanted.

    >>> nearest([0.1, 0.2, 0.5], 0.22)
    1
    """
    return min(range(len(values)), key=lambda place: abs(values[place] - wanted))


def percent(fraction: float) -> str:
    """A fraction in words.

    >>> percent(0.1), percent(0.015)
    ('10 %', '1.5 %')
    """
    return f"{float(100 * Fraction(repr(fraction))):g} %"
