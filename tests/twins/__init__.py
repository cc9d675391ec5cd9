"""Slow literal twins of every measure: pure Python, written from the definitions alone.

They are the independent check of the compiled core, so they share nothing with it and prefer
the shape of the written formula to speed. A twin scores one topic of one run that has the topic;
a topic the run lacks scores 0 whatever a twin says of an empty list. A cut-off is taken by every
twin ("condense, cut, compute"), also where the measure is usually written without one.

A twin is called like its kernel and takes (topic, cutoff, *, parameters): by that it is found.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction, signature
from types import ModuleType

from . import cumulative_gain, diversity, estimators, preference, rank, sets
from .topic import Topic, sort_ranking


def twins_in(module: ModuleType) -> dict[str, Callable[..., float]]:
    """The twins that a module defines, by name."""
    own = {
        name: value for name, value in vars(module).items() if isfunction(value) and value.__module__ == module.__name__
    }
    return {name: value for name, value in own.items() if _is_twin(value)}


def _is_twin(function: Callable[..., float]) -> bool:
    """Whether it takes a topic and a cut-off, and all else by name; helpers of twins take more by place."""
    by_place = [name for name, each in signature(function).parameters.items() if each.kind is not each.KEYWORD_ONLY]
    return by_place == ["topic", "cutoff"]


TWINS = {
    name: twin
    for module in (rank, sets, cumulative_gain, diversity, preference, estimators)
    for name, twin in twins_in(module).items()
}

__all__ = ["TWINS", "Topic", "sort_ranking", "twins_in"]
