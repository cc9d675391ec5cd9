"""poolwise: how good are your search systems when only some documents are judged, and how sure is that?

What users may import is what this module and `poolwise.study` export (`__all__`); every other module is private, and
its path may change in any release. Names are loaded when first used, so that starting costs little.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise import study
    from poolwise.agree.agreement import Agreement, agreement, knee
    from poolwise.agree.overlap import Overlap, rank_biased_overlap
    from poolwise.audit import Audit, audit
    from poolwise.campaign import Campaign, read
    from poolwise.compare import Comparison, compare
    from poolwise.compare.decisions import Decisions, decisions
    from poolwise.compare.discrimination import DiscriminativePower, discriminative_power
    from poolwise.errors import ArgumentError, InputError, MissingDependency, PoolwiseError, PoolwiseWarning
    from poolwise.estimate.estimates import Estimate
    from poolwise.ir_measures_name import as_ir_measure
    from poolwise.judge.judgments import Judgments
    from poolwise.plan.judging_plan import Plan
    from poolwise.pool.pool import Pool
    from poolwise.reliability.error_rate import ErrorRates, error_rates
    from poolwise.reliability.generalizability import Reliability, reliability
    from poolwise.reliability.topics_needed import TopicsNeeded, topics_needed
    from poolwise.score.estimators import infAP, infNDCG, iP, xinfAP
    from poolwise.score.measure import Measure
    from poolwise.score.named_measures import define, load_measures, save_measures
    from poolwise.score.partitioned import score_log
    from poolwise.score.preference import (
        bpref,
        bpref10,
        bpref_N,
        bpref_old,
        bpref_R,
        bpref_relative,
        rpref_N,
        rpref_relative,
        rpref_relative2,
    )
    from poolwise.score.rank import (
        AP,
        ERR,
        RBP,
        RR,
        Judged,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        Q,
        R,
        RBPres,
        Rprec,
        Success,
        nDCG,
    )
    from poolwise.score.registry import parse
    from poolwise.score.scores import Scores
    from poolwise.score.stream import Means, Streamed, score_stream
    from poolwise.score.user_measures import measure
    from poolwise.simulate import Shape, Simulated, simulate
    from poolwise.study.shared.study_result import Study
    from poolwise.weights import Optimum, optimal_both, optimal_discount, optimal_gain

__version__ = "0.1.0"

_HOMES = {
    "poolwise.agree.agreement": ("Agreement", "agreement", "knee"),
    "poolwise.agree.overlap": ("Overlap", "rank_biased_overlap"),
    "poolwise.audit": ("Audit", "audit"),
    "poolwise.campaign": ("Campaign", "read"),
    "poolwise.compare": ("Comparison", "compare"),
    "poolwise.compare.decisions": ("Decisions", "decisions"),
    "poolwise.compare.discrimination": ("DiscriminativePower", "discriminative_power"),
    "poolwise.errors": ("ArgumentError", "InputError", "MissingDependency", "PoolwiseError", "PoolwiseWarning"),
    "poolwise.estimate.estimates": ("Estimate",),
    "poolwise.ir_measures_name": ("as_ir_measure",),
    "poolwise.judge.judgments": ("Judgments",),
    "poolwise.plan.judging_plan": ("Plan",),
    "poolwise.pool.pool": ("Pool",),
    "poolwise.reliability.error_rate": ("ErrorRates", "error_rates"),
    "poolwise.reliability.generalizability": ("Reliability", "reliability"),
    "poolwise.reliability.topics_needed": ("TopicsNeeded", "topics_needed"),
    "poolwise.score.measure": ("Measure",),
    "poolwise.score.named_measures": ("define", "load_measures", "save_measures"),
    "poolwise.score.partitioned": ("score_log",),
    "poolwise.score.registry": ("parse",),
    "poolwise.score.scores": ("Scores",),
    "poolwise.score.stream": ("Means", "Streamed", "score_stream"),
    "poolwise.score.user_measures": ("measure",),
    "poolwise.simulate": ("Shape", "Simulated", "simulate"),
    "poolwise.study.shared.study_result": ("Study",),
    "poolwise.weights": ("Optimum", "optimal_both", "optimal_discount", "optimal_gain"),
    "poolwise.score.rank": (
        "AP", "ERR", "Judged", "NumQ", "NumRel", "NumRelRet", "NumRet", "P", "Q", "R", "RBP", "RBPres", "RR", "Rprec",
        "Success", "nDCG",
    ),
    "poolwise.score.preference": (
        "bpref", "bpref10", "bpref_N", "bpref_R", "bpref_old", "bpref_relative", "rpref_N", "rpref_relative",
        "rpref_relative2",
    ),
    "poolwise.score.estimators": ("iP", "infAP", "infNDCG", "xinfAP"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", "study", *_HOME_OF]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "study":  # a folder whose functions users call: `poolwise.study.robustness(...)`
        return import_module("poolwise.study")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'poolwise' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


class _Package(type(sys)):  # type: ignore[misc]
    """Keeps a name of ours when the import system would bind a folder of the same name, as it does with `read`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOME_OF or not isinstance(value, type(sys)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
