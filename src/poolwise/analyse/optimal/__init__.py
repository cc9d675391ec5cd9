"""The most stable gains and discounts of nDCG ([K09], analyses of Phi as a function of them)."""

from poolwise.analyse.optimal.both import optimal_both
from poolwise.analyse.optimal.discount import optimal_discount
from poolwise.analyse.optimal.gain import optimal_gain
from poolwise.analyse.optimal.held_out import HeldOut
from poolwise.analyse.optimal.result import Optimum, Start
from poolwise.analyse.optimal.shares import GradeShares, grade_shares

__all__ = [
    "GradeShares",
    "HeldOut",
    "Optimum",
    "Start",
    "grade_shares",
    "optimal_both",
    "optimal_discount",
    "optimal_gain",
]
