"""A hook of mkdocs: pages that are made from other files, or from the source, when the site is built.

None of them is kept in the repository, so nothing is written twice and none can be out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
# Pages of the repository's top folder, and what the site calls them.
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "CHANGELOG.md": "changelog.md",
}
sys.path.insert(0, str(DOCS))

from reference import commands_page, python_page  # noqa: E402


def _beside(name: str) -> str:
    """A page of the repository's top folder, with links as the site needs them."""
    text = (DOCS.parent / name).read_text("utf-8").replace("](docs/", "](")
    for top, page in BESIDE.items():
        text = text.replace(f"]({top})", f"]({page})")
    return text.replace("[how to cite](CITATION.cff)", "`CITATION.cff` for citing")


# The pages by name, and what makes them.
PAGES: dict[str, Callable[[], str]] = {
    "reference/python.md": python_page,
    "reference/commands.md": commands_page,
    **{name: partial(_beside, top) for top, name in BESIDE.items()},
}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that mkdocs found."""
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, name, content=page()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links to the repository's top folder into links to the site's pages."""
    up = "../" * page.file.src_uri.count("/")
    for top, name in BESIDE.items():
        markdown = markdown.replace(f"](../{up}{top})", f"]({up}{name})")
    return markdown
