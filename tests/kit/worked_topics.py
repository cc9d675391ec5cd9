"""Topics small enough to work out every measure by hand."""

from __future__ import annotations

from tests.twins import TWINS, Topic

# The worked example. Rank 1 to 7: a(0) u(outside) b(2) c(-2) p(pooled) d(1) e(0);
# never retrieved: m(3) n(0) q(pooled). R = 3 (b d m), N = 4 (a c e n), pool of 9, 7 judged.
# Condensed list: a(0) b(2) c(-2) d(1) e(0).
WORKED = Topic(
    ranking=["a", "u", "b", "c", "p", "d", "e"],
    labels={"a": 0, "b": 2, "c": -2, "d": 1, "e": 0, "m": 3, "n": 0},
    pooled={"p", "q"},
    strata={"a": 1, "b": 1, "m": 1, "p": 1, "c": 2, "d": 2, "e": 2, "n": 2, "q": 2},
    top=3,
)
# Condensed list A(1) B(3) C(2), and D(0) is judged but not retrieved.
GRADED = Topic(ranking=["A", "B", "C"], labels={"A": 1, "B": 3, "C": 2, "D": 0}, top=3)
# Stratum 3 (f g) has nothing judged. Rank 1 to 8: f b c (pooled) a(1) v(outside) d(2) e(0) j(1).
STRATIFIED = Topic(
    ranking=["f", "b", "c", "a", "v", "d", "e", "j"],
    labels={"a": 1, "h": 1, "d": 2, "e": 0, "j": 1},
    pooled={"b", "c", "i", "f", "g"},
    strata={"a": 1, "b": 1, "h": 1, "c": 2, "d": 2, "e": 2, "i": 2, "j": 2, "f": 3, "g": 3},
    top=2,
)


def score(measure: str, topic: Topic, cutoff: int | None = None, **parameters: object) -> float:
    return TWINS[measure](topic, cutoff, **parameters)
