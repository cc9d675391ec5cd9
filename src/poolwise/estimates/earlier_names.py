"""What steadied values were called before: `pooled`, which means "in the pool" everywhere else."""

from __future__ import annotations

from poolwise.basics.results import warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NOW = {"pooled": "steadied", "pooled_low": "steadied_low", "pooled_high": "steadied_high"}


class EarlierNames:
    """Answers to the earlier names of `steadied`, `steadied_low` and `steadied_high`, with a note, in this release."""

    if not TYPE_CHECKING:  # type checkers know the new names only

        def __getattr__(self, name: str) -> Any:
            if name not in NOW:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            warn_of([earlier_name(name)])
            return getattr(self, NOW[name])


def earlier_name(name: str) -> str:
    """What to say to those who use it.

    >>> earlier_name("pooled")
    '`pooled` is called `steadied` now; the earlier name goes with the next release'
    """
    return f"`{name}` is called `{NOW[name]}` now; the earlier name goes with the next release"
