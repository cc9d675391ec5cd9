"""`poolwise items`: a package, as its name is also that of a room and of what pages show."""

from __future__ import annotations

from poolwise.cli.items.item_commands import EXAMPLE, add_arguments, run

__all__ = ["EXAMPLE", "add_arguments", "run"]
