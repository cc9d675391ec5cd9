"""Studies: whole experiments on a campaign, from the papers and beyond.

Each is a function of a campaign and returns a `Study` with tables, figures and a summary:
`poolwise.study.robustness(pool, trials=10).report("out")`.

May import: everything up to analyse, and campaign.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.study.decisions import decisions as decisions
    from poolwise.study.discrimination import discrimination as discrimination
    from poolwise.study.estimation import estimation as estimation
    from poolwise.study.gain_discount import gain_discount as gain_discount
    from poolwise.study.negative import negative as negative
    from poolwise.study.reliability import reliability as reliability
    from poolwise.study.robustness import robustness as robustness

# What each study answers, in the order a reader meets them; a study's function has its name, dashes aside.
STUDIES = {
    "robustness": "which measure keeps its ranking of runs when labels are missing",
    "decisions": "do significance tests decide the same with fewer labels",
    "discrimination": "how many pairs of runs a measure tells apart",
    "estimation": "how close estimates from sampled labels come, and whether their intervals cover",
    "reliability": "how many topics a comparison needs",
    "gain-discount": "which gains and discounts make nDCG most stable",
    "negative": "what negative labels do to nDCG",
}

__all__ = [name.replace("-", "_") for name in STUDIES]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'poolwise.study' has no attribute {name!r}")
    value = getattr(import_module(f"poolwise.study.{name}"), name)
    globals()[name] = value
    return value


class _Studies(ModuleType):
    """A study's function has the name of its module, and is what the name means, whoever imports the module."""

    def __setattr__(self, name: str, value: object) -> None:
        is_study = name in __all__ and isinstance(value, ModuleType)
        super().__setattr__(name, getattr(value, name) if is_study else value)


sys.modules[__name__].__class__ = _Studies
