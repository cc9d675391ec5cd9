"""A hook of mkdocs: pages that are made from other files, or from the source, when the site is built.

None of them is kept in the repository, so nothing is written twice and none can be out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from generate import front_page  # noqa: E402
from reference import commands_page, python_page  # noqa: E402


def built() -> dict[str, str]:
    """The pages by name."""
    return {
        "index.md": front_page(),
        "reference/python.md": python_page(),
        "reference/commands.md": commands_page(),
        **{name.lower(): _beside(name) for name in ("CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md")},
    }


def _beside(name: str) -> str:
    """A page of the repository's top folder, with links as the site needs them."""
    text = (DOCS.parent / name).read_text("utf-8").replace("](docs/", "](")
    return text.replace("](CODE_OF_CONDUCT.md)", "](code_of_conduct.md)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that mkdocs found."""
    from mkdocs.structure.files import File

    for name, text in built().items():
        files.append(File.generated(config, name, content=text))
    return files
