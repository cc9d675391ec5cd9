"""The page of the five papers: every item with its status, its command, and what was found on each set."""

from __future__ import annotations

from collections import Counter

from benchmarks.reproduce.findings import FAILS, HOLDS, PARTLY, Finding
from benchmarks.reproduce.items import ITEMS, NO_DATA, OTHERWISE, PRESENT, Item

TITLES = {
    "B07": "Bompada et al. 2007 [B07]: robustness to missing labels",
    "Y08": "Yilmaz, Kanoulas and Aslam 2008 [Y08]: estimates from samples",
    "S07": "Sakai 2007 [S07]: condensed lists instead of bpref",
    "K09": "Kanoulas and Aslam 2009 [K09]: the best gains and discounts",
    "G20": "Gienapp et al. 2020 [G20]: negative labels",
}
INTRODUCTION = """# The papers, item by item

`make reproduce DATA=...` repeats five papers on real campaigns, item by item, and writes this page. The data is not
ours and not in the repository. Each item has a status ("present"; "no data", where all is there but data that nobody
here has; "otherwise", where we differ on purpose), the command that makes it (`poolwise` goes before it, `QRELS RUNS -o
DIR` after it), and what was found on every set that fits, with a verdict for each set: **holds** if every number says
so, **partly** if some do, **fails** if none does; our rule is in brackets where a claim leaves open what would count.
Numbers are means over trials ± their standard error; every trial draws labels anew, and pairs of runs too. Where no
number of trials is given, nothing was drawn, or once, as is said.
"""


def page(
    findings: list[Finding], images: dict[str, list[tuple[str, str, str]]], missing: list[str] | None = None
) -> str:
    """The whole page; images by paper, each with its file, title and note; and studies that were not done."""
    missing = missing or []
    lines = [INTRODUCTION, *_counts(findings), ""]
    for paper, title in TITLES.items():
        lines += [
            f"## {title}",
            "",
            "| item | what | in print | status | command | found |",
            "|---|---|---|---|---|---|",
        ]
        for item in ITEMS:
            if item.paper == paper:
                lines.append(_row(item, [each for each in findings if each.item == item.name]))
        lines.append("")
        for file, name, note in images.get(paper, ()):
            lines += [f"![{name}](images/{file})", "", f"*{name}.* {note}".rstrip(), ""]
    if missing:
        kept = "Their cells are empty; [an earlier run](reproduction.md) has some of their numbers."
        lines.insert(1, f"\nThis run was cut short; not done in it: {', '.join(missing)}. {kept}\n")
    return "\n".join(lines).rstrip() + "\n"


def _counts(findings: list[Finding]) -> list[str]:
    """How many items of each status, and verdicts, by paper."""
    heads = (PRESENT, NO_DATA, OTHERWISE, HOLDS, PARTLY, FAILS)
    lines = ["| paper | items | " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) + 1)]
    paper_of = {item.name: item.paper for item in ITEMS}
    for paper in TITLES:
        items = [item for item in ITEMS if item.paper == paper]
        found = Counter(item.status for item in items)
        found.update(each.verdict for each in findings if paper_of[each.item] == paper)
        lines.append(f"| [{paper}] | {len(items)} | " + " | ".join(str(found[head]) for head in heads) + " |")
    return lines


def _row(item: Item, found: list[Finding]) -> str:
    remark = f" ({item.remark})" if item.remark else ""
    text = "<br>".join(each.markdown() for each in found).replace("|", "\\|")
    return f"| {item.name} | {item.what} | {item.printed} | {item.status}{remark} | `{item.command}` | {text} |"
