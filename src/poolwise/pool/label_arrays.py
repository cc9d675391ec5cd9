"""Labels, strata and rounds as arrays: how they come in, are looked at, and travel to other processes."""

from __future__ import annotations

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise import _core


def checked(values: Any, what: str, core: _core.Pool) -> NDArray[Any]:
    """Labels, strata or rounds as the core takes them: int32, one per listed document."""
    import numpy as np

    given = np.asarray(values)
    listed = core.offsets()[-1]
    if given.shape != (listed,):
        raise ArgumentError(f"{given.size} {what} do not fit a pool of {listed} listed documents; give one for each")
    try:
        with np.errstate(invalid="ignore"):
            converted = np.ascontiguousarray(given, dtype=np.int32)
        whole = given.dtype == converted.dtype or np.array_equal(given, converted)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or (what != "labels" and listed and converted.min() < 0):
        least = "" if what == "labels" else " from 0 on"
        raise ArgumentError(f"{what} are whole numbers of 32 bits{least}; other values were found")
    return converted


def owned(value: Any) -> Any:
    """What another process may have: an array of our own in place of a view of the core's memory."""
    if not isinstance(value, memoryview):
        return value
    from array import array

    return array("i" if value.itemsize == 4 else "q", value.tobytes())


def as_array(values: Any) -> NDArray[Any]:
    """An array to be looked at: who changes labels makes judgments of them."""
    import numpy as np

    view = np.asarray(values).view()
    view.flags.writeable = False
    return view
