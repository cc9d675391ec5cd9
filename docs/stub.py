"""The types of what `poolwise` exports, for editors and type checkers: its names are loaded when first used."""

from __future__ import annotations

from pathlib import Path

import poolwise as pw
from poolwise.measures.registry import declared_names

STUB = Path(__file__).parent.parent / "src" / "poolwise" / "__init__.pyi"  # the source, not what is installed


def stub() -> str:
    """The text of `__init__.pyi`."""
    imports = [("poolwise", "study"), *((home, name) for name, home in pw._HOME_OF.items())]
    return "\n".join(
        [
            '"""What users may import, written by docs/generate.py."""',
            "",
            *(f"from {home} import {name} as {name}" for home, name in sorted(imports)),
            "",
            "__version__: str",
            "__all__: list[str]",
            "",
            *(f"{name}: Measure" for name in declared_names()),
            "",
        ]
    )
