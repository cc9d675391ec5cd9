"""Slow literal twins of every measure: pure Python, written from the definitions alone.

They are the independent check of the compiled core, so they share nothing with it and prefer
the shape of the written formula to speed. A twin scores one topic of one run that has the topic;
a topic the run lacks scores 0 whatever a twin says of an empty list. A cut-off is taken by every
twin ("condense, cut, compute"), also where the measure is usually written without one.
"""

from __future__ import annotations

from collections.abc import Callable

from .estimators import infAP, infAP_variance, infNDCG, iP, xinfAP
from .preference import (
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
from .rank import (
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
from .topic import Topic, sort_ranking

TWINS: dict[str, Callable[..., float]] = {
    "P": P,
    "R": R,
    "Rprec": Rprec,
    "RR": RR,
    "Success": Success,
    "AP": AP,
    "Judged": Judged,
    "ERR": ERR,
    "RBP": RBP,
    "RBPres": RBPres,
    "NumQ": NumQ,
    "NumRet": NumRet,
    "NumRel": NumRel,
    "NumRelRet": NumRelRet,
    "nDCG": nDCG,
    "Q": Q,
    "bpref": bpref,
    "bpref_R": bpref_R,
    "bpref_N": bpref_N,
    "bpref_old": bpref_old,
    "bpref10": bpref10,
    "bpref_relative": bpref_relative,
    "rpref_N": rpref_N,
    "rpref_relative": rpref_relative,
    "rpref_relative2": rpref_relative2,
    "infAP": infAP,
    "infAP_variance": infAP_variance,
    "xinfAP": xinfAP,
    "infNDCG": infNDCG,
    "iP": iP,
}

__all__ = [
    "AP",
    "ERR",
    "RBP",
    "RR",
    "TWINS",
    "Judged",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "RBPres",
    "Rprec",
    "Success",
    "Topic",
    "bpref",
    "bpref10",
    "bpref_N",
    "bpref_R",
    "bpref_old",
    "bpref_relative",
    "iP",
    "infAP",
    "infAP_variance",
    "infNDCG",
    "nDCG",
    "rpref_N",
    "rpref_relative",
    "rpref_relative2",
    "sort_ranking",
    "xinfAP",
]
