"""poolwise: how good are your search systems when only some documents are judged, and how sure is that?

What users may import is what this module, `poolwise.study` and the drop-ins of `poolwise.compat` export (`__all__`).
Every other module is private, and its path may change in any release. Names are loaded when first used, so that
starting costs little. Measures are named by their declarations. Types of all names stand in `__init__.pyi`, which
`python docs/generate.py` writes from these.
"""

__version__ = "0.1.0"

_HOMES = {
    "poolwise.audits.audit": ("Audit", "audit"),
    "poolwise.audits.holes": ("HolePairs", "Holes"),
    "poolwise.audits.settling": ("Settling",),
    "poolwise.campaign.assessor_effect": ("AssessorEffect", "assessor_effect"),
    "poolwise.campaign.campaign": ("Campaign", "read"),
    "poolwise.campaign.model_effect": ("ModelEffect", "model_effect"),
    "poolwise.campaign.participant_pages": ("report",),
    "poolwise.comparisons.compare_runs": ("compare",),
    "poolwise.comparisons.comparison": ("Comparison",),
    "poolwise.comparisons.decisions": ("Decisions", "decisions"),
    "poolwise.comparisons.discrimination": ("DiscriminativePower", "discriminative_power"),
    "poolwise.comparisons.topic_groups": ("TopicGroups", "topic_groups"),
    "poolwise.compat.ir_measures_name": ("as_ir_measure",),
    "poolwise.errors": ("ArgumentError", "InputError", "MissingDependency", "PoolwiseError", "PoolwiseWarning"),
    "poolwise.estimates.estimates": ("Estimate",),
    "poolwise.estimates.interim_looks": ("Looks",),
    "poolwise.judging.server": ("JudgingServer", "judge"),
    "poolwise.lab.simulate.drawing": ("Shape", "simulate"),
    "poolwise.lab.simulate.simulated": ("Simulated",),
    "poolwise.lab.study.result": ("Study",),
    "poolwise.lab.weights.both": ("optimal_both",),
    "poolwise.lab.weights.discount_gain": ("optimal_discount", "optimal_gain"),
    "poolwise.lab.weights.optimum": ("Optimum",),
    "poolwise.measures.measure": ("Measure",),
    "poolwise.measures.own_measures": ("define", "load_measures", "save_measures", "measure"),
    "poolwise.measures.registry": ("parse",),
    "poolwise.plans.merge": ("merge",),
    "poolwise.plans.plan": ("Plan",),
    "poolwise.pool.judgments": ("Judgments",),
    "poolwise.pool.pool": ("Pool",),
    "poolwise.rated_items.estimate_items": ("estimate_items",),
    "poolwise.rated_items.item_results": ("ItemDifferences", "ItemEstimate"),
    "poolwise.rated_items.plan_items": ("ItemPlan", "plan_items"),
    "poolwise.scores.partitioned": ("score_log",),
    "poolwise.scores.score_rows": ("Means",),
    "poolwise.scores.scores": ("Scores",),
    "poolwise.scores.stream": ("Streamed", "score_stream"),
    "poolwise.trust.error_rates": ("ErrorRates", "error_rates"),
    "poolwise.trust.generalizability": ("reliability",),
    "poolwise.trust.label_agreement": ("LabelAgreement", "label_agreement"),
    "poolwise.trust.rank_correlation": ("Overlap", "rank_biased_overlap"),
    "poolwise.trust.ranking_agreement": ("Agreement", "agreement", "knee"),
    "poolwise.trust.reliability": ("Reliability",),
    "poolwise.trust.topics_needed": ("TopicsNeeded", "topics_needed"),
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

    if name == "study":
        return import_module("poolwise.study")
    if name == "__all__":
        return ["__version__", "study", *_HOME_OF, *_measures()]
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif not name.startswith("_") and name in _measures():
        value = import_module("poolwise.measures.registry").parse(name)
    else:
        hint = f"; it is a verb of what is read: {_VERBS[name]}" if name in _VERBS else _nickname(name)
        raise AttributeError(f"module 'poolwise' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def _measures() -> list[str]:
    from importlib import import_module

    return list(import_module("poolwise.measures.registry").declared_names())


def _nickname(name: str) -> str:
    """Hint for a name that measures have in other tools."""
    from importlib import import_module

    if name.startswith("_"):
        return ""
    try:
        measure = import_module("poolwise.measures.registry").parse(name)
    except import_module("poolwise.errors").PoolwiseError:
        return ""
    return f"; the measure {measure} is written '{name}' in quotes, or poolwise.parse('{name}')"


def __dir__() -> list[str]:
    # The attributes that every module has; imports of this module are private.
    of_module = (name for name in globals() if name.startswith("__"))
    return sorted({*of_module, *__getattr__("__all__")})
