"""The design of a plan in columns, so that a table is the same plan as its file with comments.

Every row says it: the plan's number, how it was drawn, how many documents its stratum holds and how many of them each
round drew. A table that is sorted or cut is still known. Readers turn these columns into the comments that begin a
plan's own file (`poolwise.pool.plan_header`), so that there is one place where these are understood.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = [
    "DESIGN", "FACTS", "MARK", "NUMBER", "DesignCells", "drawn_text", "number_of", "number_text", "several_text",
]  # fmt: skip

MARK = "# poolwise plan "
NUMBER = "plan"
PREFIX = "p-"  # no program takes a number that begins with this for a quantity, and rounds it
FACTS = ("design", "seed", "depth", "rounds", "difference")  # one value for the whole plan
TOPICS = ("topics_drawn", "topics_pooled")
STRATUM = ("stratum_pooled", "stratum_drawn")
EARLIER, RUN = "earlier_plans", "pool_run"
DESIGN = {name: (name,) for name in (NUMBER, *FACTS, *TOPICS, *STRATUM, EARLIER, RUN)}  # and what they are called
OF_PLAN = (NUMBER, *FACTS, *TOPICS, EARLIER)
OF_STRATUM = ("topic", "stratum", *STRATUM)
BETWEEN = "%,"  # stands in no name of a run, of which each % is written as %25


class DesignCells:
    """The design of a plan, gathered from the rows of a table."""

    def __init__(self) -> None:
        self._facts: dict[tuple[str, ...], None] = {}
        self._strata: dict[tuple[str, ...], None] = {}
        self._runs: dict[str, None] = {}

    def see(self, cells: Mapping[str, Any]) -> None:
        """Take in a row, its cells by our names of columns."""
        if NUMBER not in cells:
            return
        self._facts[tuple([_text(cells.get(name)) for name in OF_PLAN])] = None
        self._strata[tuple([_text(cells.get(name)) for name in OF_STRATUM])] = None
        if run := _text(cells.get(RUN)):
            self._runs |= dict.fromkeys(run.split(BETWEEN))

    def lines(self) -> list[bytes]:
        """The comments of a plan's own file; none where the table does not tell a plan."""
        comments: dict[str, None] = {}
        ours = [facts for facts in self._facts if facts[0].startswith(PREFIX)]  # others are somebody else's plans
        for number, design, seed, depth, rounds, difference, *topics, earlier in ours:
            if not design:
                return []
            facts = {"format": "1", "number": number.removeprefix(PREFIX), "round": rounds, "design": design}
            facts |= {"seed": seed, "depth": depth, "topics": " of ".join(topics) if all(topics) else ""}
            facts |= {"difference": difference}
            comments |= {f"{name} {fact}": None for name, fact in facts.items() if fact}
            comments |= {f"earlier {each.removeprefix(PREFIX)}": None for each in earlier.split()}
        if not ours:
            return []
        comments |= {f"run {run}": None for run in self._runs}
        comments |= {
            f"stratum {topic} {stratum} pooled {pooled} drawn {drawn.replace('+', ' ')}": None
            for topic, stratum, pooled, drawn in filter(all, self._strata)
        }
        return [f"{MARK}{line}\n".encode("utf-8", "surrogateescape") for line in comments]


def number_of(cells: Mapping[str, Any]) -> str:
    """The number of the plan that a row was made for; nothing if it names none.

    >>> number_of({"plan": "p-3ab1f6253d121d2c"}), number_of({"plan": "monthly"})
    ('3ab1f6253d121d2c', '')
    """
    number = _text(cells.get(NUMBER))
    return number.removeprefix(PREFIX) if number.startswith(PREFIX) else ""


def number_text(number: str) -> str:
    """A plan's number as a cell, which a spreadsheet leaves as it is.

    >>> number_text("12e4567890123456")
    'p-12e4567890123456'
    """
    return f"{PREFIX}{number}"


def drawn_text(drawn: Iterable[int]) -> str:
    """How many documents each round drew, as a cell.

    >>> drawn_text((4, 3))
    '4+3'
    """
    return "+".join(map(str, drawn))


def several_text(names: Iterable[str]) -> str:
    """Several names of runs as one cell."""
    return BETWEEN.join(names)


def _text(value: Any) -> str:
    """A cell as text; nothing for an empty one."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else "" if value != value else repr(value)
    return str(value).strip() if isinstance(value, (str, int)) else ""
