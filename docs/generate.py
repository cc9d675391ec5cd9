"""Write what is derived from the source: the page of all measures, the front page, the tutorial as a notebook.

python docs/generate.py
"""

from __future__ import annotations

from pathlib import Path

from errors import errors_page
from notebook import notebook

from poolwise.cli.measures import pattern
from poolwise.score.measure import UNJUDGED, Declaration
from poolwise.score.registry import ALIASES, measures, parse

DOCS = Path(__file__).parent


def entry(declaration: Declaration) -> str:
    """One measure."""
    lines = [
        f"### {declaration.name}",
        "",
        f"`{pattern(declaration)}`: {declaration.summary}.",
        "",
        declaration.description,
    ]
    if declaration.parameters:
        lines += ["", "| parameter | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{p.name}` | {'' if p.default is None else f'`{p.show(p.default)}`'} | {p.allowed()} | {p.help} |"
            for p in declaration.parameters
        ]
    aliases = [alias for alias, meaning in ALIASES.items() if parse(meaning.format(1)).name == declaration.name]
    if aliases:
        lines += ["", "Also called: " + ", ".join(f"`{alias.replace('{}', 'k')}`" for alias in aliases) + "."]
    return "\n".join([*lines, "", f"Source: {declaration.citation}.", ""])


def measures_page() -> str:
    """All measures by how they treat unjudged documents."""
    parts = [
        "# Measures",
        "",
        "Generated from the registry by `docs/generate.py`. `[@k]` takes a cut-off, `[']` a prime, which condenses the",
        "list: unjudged documents are removed before anything else. R is the number of judged relevant documents of a",
        "topic (label at least `rel`), N that of judged non-relevant ones.",
        "",
    ]
    for rule in UNJUDGED:
        group = [each for each in measures() if each.unjudged == rule and each.function is None]
        parts += [f"## Unjudged documents {rule}", "", *map(entry, group)]
    return "\n".join(parts)


def front_page() -> str:
    """The README with links as the docs need them."""
    text = (DOCS.parent / "README.md").read_text("utf-8").replace("](docs/", "](")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        text = text.replace(f"]({name})", f"]({name.lower()})")
    return text.replace("[how to cite](CITATION.cff)", "`CITATION.cff` for citing")


def pages() -> dict[str, str]:
    """All generated pages by file name."""
    return {
        "measures.md": measures_page(),
        "errors.md": errors_page(),
        "index.md": front_page(),
        "contributing.md": (DOCS.parent / "CONTRIBUTING.md").read_text("utf-8").replace("](docs/", "]("),
        "changelog.md": (DOCS.parent / "CHANGELOG.md").read_text("utf-8"),
        "tutorial.ipynb": notebook((DOCS / "tutorial.md").read_text("utf-8")),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, "utf-8")
