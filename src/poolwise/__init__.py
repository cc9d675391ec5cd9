"""poolwise: how good are your search systems when only some documents are judged, and how sure is that?

What users may import is what this module, `poolwise.study` and the drop-ins of `poolwise.compat` export (`__all__`);
every other module is private, and its path may change in any release. Names are loaded when first used, so that
starting costs little. Measures are named by their declarations. Types of all names stand in `__init__.pyi`, which
`python docs/generate.py` writes from these.
"""

import sys

__version__ = "0.1.0"

_HOMES = {
    "poolwise.agree.assessors": ("LabelAgreement", "label_agreement"),
    "poolwise.agree.ranking_agreement": ("Agreement", "agreement", "knee"),
    "poolwise.agree.overlap": ("Overlap", "rank_biased_overlap"),
    "poolwise.assess.server": ("JudgingServer", "judge"),
    "poolwise.audit": ("Audit", "audit"),
    "poolwise.campaign": ("Campaign", "read"),
    "poolwise.compare": ("Comparison", "compare"),
    "poolwise.compare.decisions": ("Decisions", "decisions"),
    "poolwise.compare.topic_groups": ("TopicGroups", "topic_groups"),
    "poolwise.compare.discrimination": ("DiscriminativePower", "discriminative_power"),
    "poolwise.effects.assessor_effect": ("AssessorEffect", "assessor_effect"),
    "poolwise.effects.model_effect": ("ModelEffect", "model_effect"),
    "poolwise.errors": ("ArgumentError", "InputError", "MissingDependency", "PoolwiseError", "PoolwiseWarning"),
    "poolwise.estimate.estimates": ("Estimate",),
    "poolwise.estimate.seen_looks": ("Looks",),
    "poolwise.holes.find_holes": ("HolePairs", "Holes"),
    "poolwise.holes.settling": ("Settling",),
    "poolwise.ir_measures_name": ("as_ir_measure",),
    "poolwise.items.estimate_items": ("estimate_items",),
    "poolwise.items.item_results": ("ItemDifferences", "ItemEstimate"),
    "poolwise.items.plan_items": ("ItemPlan", "plan_items"),
    "poolwise.judge.judgments": ("Judgments",),
    "poolwise.plan.judging_plan": ("Plan",),
    "poolwise.plan.merging": ("merge",),
    "poolwise.pool.pool": ("Pool",),
    "poolwise.reliability.dependable_scores": ("Reliability",),
    "poolwise.reliability.error_rate": ("ErrorRates", "error_rates"),
    "poolwise.reliability.generalizability": ("reliability",),
    "poolwise.reliability.topics_needed": ("TopicsNeeded", "topics_needed"),
    "poolwise.report.participant_pages": ("report",),
    "poolwise.score.measure": ("Measure",),
    "poolwise.score.named_measures": ("define", "load_measures", "save_measures"),
    "poolwise.score.partitioned": ("score_log",),
    "poolwise.score.registry": ("parse",),
    "poolwise.score.scores": ("Scores",),
    "poolwise.score.means": ("Means",),
    "poolwise.score.stream": ("Streamed", "score_stream"),
    "poolwise.score.user_measures": ("measure",),
    "poolwise.simulate": ("Shape", "Simulated", "simulate"),
    "poolwise.study.shared.study_result": ("Study",),
    "poolwise.weights": ("Optimum", "optimal_both", "optimal_discount", "optimal_gain"),
}
# Verbs of what `read` gives, which people look for here, and how they are written.
_VERBS = {
    "score": "pw.read(qrels, runs).score('AP')",
    "estimate": "pw.read(qrels, runs).estimate('AP')",
    "holes": "pw.read(qrels, runs).holes('nDCG@10')",
    "plan": "pw.read(None, runs).plan(budget=500)",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "study":  # a folder whose functions users call: `poolwise.study.robustness(...)`
        return import_module("poolwise.study")
    if name == "__all__":
        return ["__version__", "study", *_HOME_OF, *_measures()]
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif not name.startswith("_") and not _is_module(name) and name in _measures():
        value = import_module("poolwise.score.registry").parse(name)
    else:
        hint = f"; it is a verb of what is read: {_VERBS[name]}" if name in _VERBS else _nickname(name)
        raise AttributeError(f"module 'poolwise' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def _measures() -> list[str]:
    from importlib import import_module

    return list(import_module("poolwise.score.registry").declared_names())


def _nickname(name: str) -> str:
    """What to write for a name that measures have elsewhere."""
    from importlib import import_module

    if name.startswith("_") or _is_module(name):
        return ""
    try:
        measure = import_module("poolwise.score.registry").parse(name)
    except import_module("poolwise.errors").PoolwiseError:
        return ""
    return f"; the measure {measure} is written '{name}' in quotes, or poolwise.parse('{name}')"


def _is_module(name: str) -> bool:
    """Whether `from poolwise import name` asks for a file of ours, before which measures need not be loaded."""
    import os

    return os.path.exists(os.path.join(__path__[0], f"{name}.py"))


class _Verb(type(sys)):  # type: ignore[misc]
    """A folder that is called as a verb is: who calls it is told how."""

    def __call__(self, *_: object, **__: object) -> None:
        name = self.__name__.rpartition(".")[2]
        raise TypeError(f"poolwise.{name} is no function; it is a verb of what is read: {_VERBS[name]}")


class _Package(type(sys)):  # type: ignore[misc]
    """Keeps a name of ours when the import system would bind a folder of the same name, as it does with `read`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _VERBS and isinstance(value, type(sys)):
            value.__class__ = _Verb
        if name not in _HOME_OF or not isinstance(value, type(sys)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    own = (
        name for name in globals() if name.startswith("__")
    )  # what modules have; imports of ours are nobody's concern
    return sorted({*own, *__getattr__("__all__")})
