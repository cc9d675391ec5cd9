"""`--difference` as commands take it: pairs of runs, `A all`, `all`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def spelled_pairs(given: list[list[str]] | None, runs: Sequence[str]) -> list[tuple[str, str]] | None:
    """Spell out `A all` and `all all`; a run against itself stays, to be refused where pairs are read."""
    if given is None:
        return None
    pairs: list[tuple[str, str]] = []
    for a, b in given:
        first = runs if a == "all" else [a]
        second = runs if b == "all" else [b]
        order = {run: number for number, run in enumerate(runs)}
        if "all" not in (a, b):
            pairs.append((a, b))
            continue
        pairs += [(x, y) for x in first for y in second if x != y and (a != b or order[x] < order[y])]
    return list(dict.fromkeys(pairs))
