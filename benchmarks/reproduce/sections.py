"""A paper's claims beside what is found here, as Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.show.items import Figure

HOLDS, FAILS, PARTLY = "holds here", "fails here", "partly here"


@dataclass(frozen=True)
class Claim:
    """What a paper says, its figure, ours, whether it holds here, and by which rule where the claim leaves it open."""

    claim: str
    theirs: str
    ours: str
    verdict: str
    rule: str = ""

    def markdown(self) -> str:
        """A row of the table."""
        rule = f" ({self.rule})" if self.rule else ""
        return f"| {self.claim} | {self.theirs} | {self.ours} | **{self.verdict}**{rule} |"


@dataclass(frozen=True)
class Section:
    """A paper: on which data and how it was repeated, its claims, what explains differences, and figures by file."""

    title: str
    data: str
    how: str
    claims: list[Claim]
    notes: list[str]
    figures: dict[str, Figure]

    def markdown(self) -> str:
        """The section's text."""
        lines = [f"## {self.title}", "", self.how, "", "| claim | their figure | ours | verdict |", "|---|---|---|---|"]
        lines += [claim.markdown() for claim in self.claims]
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
