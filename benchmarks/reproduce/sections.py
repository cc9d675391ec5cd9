"""A paper's claims beside what is found here, as Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.study.parts import Figure

HOLDS, FAILS, PARTLY = "holds", "does not hold", "partly"


@dataclass(frozen=True)
class Claim:
    """What a paper says, its figure, ours, and whether it holds here."""

    claim: str
    theirs: str
    ours: str
    verdict: str


@dataclass(frozen=True)
class Section:
    """A paper: how it was repeated, its claims, what explains differences, and figures by file name."""

    title: str
    how: str
    claims: list[Claim]
    notes: list[str]
    figures: dict[str, Figure]

    def markdown(self) -> str:
        """The section's text."""
        lines = [f"## {self.title}", "", self.how, "", "| claim | their figure | ours | verdict |", "|---|---|---|---|"]
        lines += [f"| {c.claim} | {c.theirs} | {c.ours} | **{c.verdict}** |" for c in self.claims]
        lines += [""]
        for note in self.notes:
            lines += [note, ""]
        for name, figure in self.figures.items():
            lines += [f"![{figure.title}](images/{name}.svg)", "", f"*{figure.title}.* {figure.note}".rstrip(), ""]
        return "\n".join(lines)


def verdict(*checks: bool) -> str:
    """Holds if all checks do, partly if some do."""
    return HOLDS if all(checks) else PARTLY if any(checks) else FAILS


def rows(study, table: str) -> list[dict]:
    """A study's table as rows."""
    columns = study.tables[table].columns
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
