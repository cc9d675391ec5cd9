"""Everything poolwise raises or warns with.

PoolwiseError
    InputError          a file or table is wrong (exit code 1)
    ArgumentError       an argument, option or measure is wrong (exit code 2); also a ValueError
    MissingDependency   an optional library is not installed (exit code 1); also an ImportError

PoolwiseWarning         a doubtful result or something left out; also stored on the result it concerns
"""

__all__ = ["ArgumentError", "InputError", "MissingDependency", "PoolwiseError", "PoolwiseWarning"]


class PoolwiseError(Exception):
    """Base class of all errors that poolwise raises on purpose."""


class InputError(PoolwiseError):
    """A file or table cannot be used; the message says where, what was found and what to do."""


class ArgumentError(PoolwiseError, ValueError):
    """An argument, option or measure is wrong; the message lists what is allowed."""


class MissingDependency(PoolwiseError, ImportError):
    """An optional library is needed and not installed; the message says how to install it."""


class PoolwiseWarning(UserWarning):
    """A result is doubtful, or part of the input was left out."""
