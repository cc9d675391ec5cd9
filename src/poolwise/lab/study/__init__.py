"""Studies: whole experiments on a campaign, from the papers and beyond.

Each is a function of a campaign and returns a `Study` with tables, figures and a summary:
`poolwise.study.robustness(pool, trials=10).report("out")`. `settings_as("B07", "robustness")` gives the settings with
which a study repeats a paper, `on_topics(pool, "601-650")` a campaign of some of the topics.

Each study is a module here with the suffix `_study`. May import: everything but judging and cli.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.lab.study.assessors_study import assessors as assessors
    from poolwise.lab.study.choices import on_topics as on_topics
    from poolwise.lab.study.decisions_study import decisions as decisions
    from poolwise.lab.study.discrimination_study import discrimination as discrimination
    from poolwise.lab.study.estimation_study import estimation as estimation
    from poolwise.lab.study.gain_discount_study import gain_discount as gain_discount
    from poolwise.lab.study.negative_study import negative as negative
    from poolwise.lab.study.protocols import settings_as as settings_as
    from poolwise.lab.study.reliability_study import reliability as reliability
    from poolwise.lab.study.reusability_study import reusability as reusability
    from poolwise.lab.study.robustness_study import robustness as robustness

# What each study answers, in the order a reader meets them; a study's function has its name, dashes aside.
STUDIES = {
    "robustness": "which measure keeps its ranking of runs when labels are missing",
    "decisions": "do significance tests decide the same with fewer labels",
    "discrimination": "how many pairs of runs a measure tells apart",
    "estimation": "how close estimates from sampled labels come, and whether their intervals cover",
    "reusability": "can these judgments score runs that did not make them",
    "assessors": "do scores, ranks and decisions stay when others judge",
    "reliability": "how many topics a comparison needs",
    "gain-discount": "which gains and discounts make nDCG most stable",
    "negative": "what negative labels do to nDCG",
}

HELPERS = {"on_topics": "choices", "settings_as": "protocols"}

__all__ = [*(name.replace("-", "_") for name in STUDIES), *HELPERS]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'poolwise.study' has no attribute {name!r}")
    home = HELPERS.get(name, f"{name}_study")
    value = getattr(import_module(f"poolwise.lab.study.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
