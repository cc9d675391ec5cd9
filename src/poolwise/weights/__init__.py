"""The most stable gains and discounts of nDCG ([K09], analyses of Phi as a function of them)."""

from poolwise.weights.both import optimal_both
from poolwise.weights.discount import optimal_discount
from poolwise.weights.gain import optimal_gain
from poolwise.weights.held_out import HeldOut
from poolwise.weights.optimum import Optimum, Start
from poolwise.weights.shares import GradeShares, grade_shares

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
