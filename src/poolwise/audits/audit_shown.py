"""Page of an audit: the collection, the judged share of each run, the findings."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.show.figures import COLOURS, LEGEND, SYMBOLS, width_of_names
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.audits.audit import Audit


def audit_page(audit: Audit, command: str = "") -> Page:
    """Make the page: findings first, then facts, judged shares as a figure, and all numbers of the runs."""
    facts = audit.facts()
    parts: list[Table | Figure] = [
        Table("The collection", {"what": list(facts), "found": list(facts.values())}),
        *([faults_table(audit)] if audit.faults else []),
        *([judged_figure(audit)] if audit.judged else []),
        runs_table("Runs", audit),
    ]
    summary = [f"{audit.headline()}.", *([judged_words(audit)] if audit.judged else [])]
    return Page("Before scoring", summary, parts, how_made(command), audit.findings)


def faults_page(audit: Audit, command: str = "") -> Page:
    """Make a page of the faults alone."""
    number = len(audit.faults)
    words = f"{audit.headline()}. {counted(number, 'fault') if number else 'No faults'} found."
    return Page("Faults of runs", [words], [faults_table(audit)], how_made(command))


def faults_table(audit: Audit) -> Table:
    """Table of the faults for participants."""
    return Table("Faults", audit.fault_columns(), "One row per fault; where it is, and what to do.")


def runs_table(title: str, audit: Audit) -> Table:
    """Table of the runs, without columns that are empty for all of them."""
    silent = {"missing", "ties_move_AP", "duplicates", "unknown_topics", "same_as", "reversed_by"}
    columns = {name: values for name, values in audit.columns().items() if name not in silent or any(values)}
    return Table(title, columns, "What each run retrieved and how much of it is judged.", 3)


def judged_words(audit: Audit) -> str:
    """The judged shares of the runs' top documents in a sentence."""
    top, deep = (_span([100 * share for share in audit.judged_share[depth]]) for depth in (10, 100))
    return f"Of the top ten documents of a run {top} % are judged, of the top hundred {deep} %."


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


def judged_figure(audit: Audit) -> Figure:
    """The judged share of every run's top documents, the best judged run first."""
    order = sorted(range(len(audit.runs)), key=lambda run: -audit.judged_share[10][run])
    names = [audit.runs[run] for run in order]
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "meta": "runs",
            "name": f"top {depth}",
            "x": names,
            "y": [100 * shares[run] for run in order],
            "text": names,
            "marker": {"color": COLOURS[index], "symbol": SYMBOLS[index], "size": 13 - 3 * index},
            "hovertemplate": f"%{{text}}<br>%{{y:.1f}} % of the top {depth}<extra></extra>",
        }
        for index, (depth, shares) in enumerate(audit.judged_share.items())
        if depth == 10 or any(most > depth // 10 for most in audit.depth_most)
    ]
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": "% judged"}, "range": [0, 104]},
        "legend": LEGEND,
    }
    note = "Measures see only what is judged: where little is, scores of runs cannot be compared."
    return Figure("Judged documents", data, layout, note, width=width_of_names(len(names)))
