"""Compact letters: runs that share a letter cannot be told apart.

A letter stands for a set of runs no two of which differ, and every pair that does not differ shares one.
The sets are grown one after the other from pairs that share none yet (Gramm et al. 2007, "Algorithms for
compact letter displays", clique growing), which keeps the number of letters small and the time polynomial.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]

__all__ = ["compact_letters", "letter"]


def compact_letters(different: Flags) -> list[str]:
    """Return the letters of each run, given a symmetric table of which runs differ, best run first.

    Letters are joined by commas once some have two characters.

    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = different[2, 0] = True
    >>> compact_letters(different)
    ['a', 'ab', 'b']
    """
    sets = _sets(~np.asarray(different, dtype=np.bool_))
    separator = "," if len(sets) > 26 else ""
    names = [letter(number) for number in range(len(sets))]
    return [
        separator.join(name for name, members in zip(names, sets, strict=True) if members[run])
        for run in range(len(different))
    ]


def letter(number: int) -> str:
    """Return the name of a letter: a, b, ... z, aa, ab, ...

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def _sets(alike: Flags) -> list[Flags]:
    """Sets of mutually alike runs that cover every alike pair, in the order of their best run."""
    runs = len(alike)
    open_pairs = alike.copy()
    np.fill_diagonal(open_pairs, True)  # a run alone still needs a letter
    sets = []
    for run in range(runs):
        while open_pairs[run, run:].any():
            partner = run + int(np.argmax(open_pairs[run, run:]))
            members = _grown(alike, open_pairs, run, partner)
            open_pairs[np.ix_(members, members)] = False
            sets.append(members)
    return sorted(sets, key=lambda members: np.flatnonzero(members).tolist())


def _grown(alike: Flags, open_pairs: Flags, run: int, partner: int) -> Flags:
    """A set that holds two runs and whoever is like all its members, those first who lack a letter most."""
    members = np.zeros(len(alike), dtype=np.bool_)
    members[[run, partner]] = True
    fits = alike[run] & alike[partner] & ~members
    while fits.any():
        gain = np.where(fits, open_pairs[:, members].sum(axis=1), -1)
        chosen = int(np.argmax(gain))
        members[chosen] = True
        fits &= alike[chosen]
        fits[chosen] = False
    return members
