"""Compact letters: runs that share a letter cannot be told apart.

A letter stands for a set of runs no two of which differ, and every pair that does not differ shares one. The sets are
grown one after the other from pairs that share none yet (Gramm et al. 2007, "Algorithms for compact letter displays",
clique growing), those runs first that still need a letter with the best run of the set, in the order of the ranking.
Where runs are alike if their means lie close, this gives the fewest letters: one per longest stretch of the ranking.
Sets of runs are the bits of whole numbers, so that meeting and parting thousands of runs is one step.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    sets = sorted(_sets(~np.asarray(different, dtype=np.bool_)))
    letters: list[list[str]] = [[] for _ in different]
    for number, members in enumerate(sets):
        name = letter(number)
        for run in members:
            letters[run].append(name)
    separator = "," if len(sets) > 26 else ""
    return [separator.join(names) for names in letters]


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


def _sets(alike: Flags) -> Iterator[list[int]]:
    """Sets of mutually alike runs that cover every alike pair, each from its best run down."""
    fellows = _as_bits(alike | np.eye(len(alike), dtype=np.bool_))  # a run alone still needs a letter
    lacking = list(fellows)  # whom a run still lacks a letter with
    for run in range(len(fellows)):
        while wanted := lacking[run] >> run << run:
            runs, others = _grown(fellows, run, wanted)
            for member in runs:
                lacking[member] &= others
            yield sorted(runs)


def _grown(fellows: list[int], run: int, wanted: int) -> tuple[list[int], int]:
    """A run and whoever is like all of them, those wanted first; and the bits of everybody else."""
    runs: list[int] = []
    others, fits = -1, fellows[run]
    for some in (wanted, -1):
        left = fits & some & others
        while left:
            bit = left & -left  # the best of them
            others ^= bit
            runs.append(bit.bit_length() - 1)
            fits &= fellows[runs[-1]]
            left &= fits & others
    return runs, others


def _as_bits(table: Flags) -> list[int]:
    """Every row of a table of flags as a whole number, its first flag in the lowest bit.

    >>> _as_bits(np.array([[True, True, False], [False, True, True]]))
    [3, 6]
    """
    packed = np.packbits(table, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
