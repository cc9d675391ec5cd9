"""Published values of tau, tau_AP and rank-biased overlap.

Sources:
- ircor 1.0 (J. Urbano), the R package of Urbano and Marrero 2017, "The treatment of ties in AP correlation": its
  README and its tests (tests/testthat/test_tauAP.R, helper_data.R), four decimals.
- Webber, Moffat and Zobel 2010, "A similarity measure for indefinite rankings", with p = 0.9 the first ten
  ranks have 86 % of the weight.
- The tests of the code of Corsi and Urbano 2024, "The treatment of ties in rank-biased overlap" (rbo/test.csv): rows
  whose two rankings are equally long.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.twins.comparisons import overlap_weight

from poolwise.trust.rank_correlation import kendall_tau, kendall_tau_b, rank_biased_overlap, tau_ap, tau_ap_b

README_X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
README_Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])

# x, y, tauAP(x, y), tauAP_a(x, y rounded), tauAP_b(x, y), tauAP_b(both rounded)
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2504, 0.2692, 0.2880, 0.2970),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.6971, -0.5558, -0.6680, -0.7047),
    ),
]

# ranking, ranking, p, then extrapolated, lowest and highest value for ties w, a and b
CORSI_URBANO = [
    (
        "i3 (i1 i5 i7) i9",
        "(i1 i9) i7 i3 i4",
        0.930093081332594,
        {
            "w": (0.697096710334179, 0.35176094170816, 0.836304027811629),
            "a": (0.678580739450433, 0.333244970824414, 0.817788056927883),
            "b": (0.684614956129899, 0.339279187503881, 0.82382227360735),
        },
    ),
    (
        "i2 i5 i3 (i1 i4)",
        "i5 i8 i2 (i3 i9)",
        0.968922741966306,
        {
            "w": (0.580287544332462, 0.196704918554571, 0.917454802645556),
            "a": (0.580994268838527, 0.197411643060636, 0.918161527151621),
            "b": (0.583518284931614, 0.199935659153723, 0.920685543244708),
        },
    ),
]


def test_values_of_the_ircor_readme() -> None:
    assert kendall_tau(README_X, README_Y) == pytest.approx(0.7777778, abs=5e-8)
    assert tau_ap(README_X, README_Y) == pytest.approx(0.7491182, abs=5e-8)
    x, y = (np.round(values * 5) / 5 for values in (README_X, README_Y))
    assert kendall_tau(README_X, y) == pytest.approx(0.7111111, abs=5e-8)
    assert tau_ap(README_X, y) == pytest.approx(0.6074515, abs=5e-8)
    assert kendall_tau_b(x, y) == pytest.approx(0.75, abs=5e-8)
    assert tau_ap_b(x, y) == pytest.approx(0.6269841, abs=5e-8)


@pytest.mark.parametrize(("x", "y", "expected"), IRCOR)
def test_values_of_the_ircor_tests(x: list[float], y: list[float], expected: tuple[float, ...]) -> None:
    x_tied, y_tied = np.round(x, 1), np.round(y, 1)
    found = (tau_ap(x, y), tau_ap(x, y_tied), tau_ap_b(x, y), tau_ap_b(x_tied, y_tied))
    assert [float(value) for value in found] == pytest.approx(expected, abs=5.1e-5)


def test_weight_of_the_first_ranks_of_rank_biased_overlap() -> None:
    # Two rankings that agree on their first ten ranks overlap by at least the weight of these.
    low = rank_biased_overlap(np.arange(10), np.arange(10), 0.9).low
    assert round(float(low), 2) == 0.86
    assert low == pytest.approx(overlap_weight(0.9, 10))


@pytest.mark.parametrize(("first", "second", "p", "expected"), CORSI_URBANO)
def test_rank_biased_overlap_with_ties(
    first: str, second: str, p: float, expected: dict[str, tuple[float, ...]]
) -> None:
    a, b = _means(first, second)
    for ties, values in expected.items():
        found = rank_biased_overlap(a, b, p, ties)
        assert [float(value) for value in found] == pytest.approx(values, abs=1e-12)


def _means(*rankings: str) -> list[list[float]]:
    """Falling numbers for the items of each ranking, the same number for those in parentheses."""
    levels: list[dict[str, float]] = []
    for ranking in rankings:
        level, inside, found = 0.0, False, {}
        for word in ranking.split():
            if not inside:
                level -= 1
            inside = (inside or word.startswith("(")) and not word.endswith(")")
            found[word.strip("()")] = level
        levels.append(found)
    items = sorted(set().union(*levels))
    return [[found.get(item, np.nan) for item in items] for found in levels]
