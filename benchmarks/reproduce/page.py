"""Two pages of the docs: every item with its command and verdicts, and what was found on each set, row by row.

Both are made from a summary, which a run writes and the repository keeps: numbers over trials, never rows of the data.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path

from benchmarks.reproduce.findings import VERDICTS, Finding
from benchmarks.reproduce.items import ITEMS, NO_DATA, OTHERWISE, PRESENT, Item
from benchmarks.reproduce.notes import NOTES, SETS_USED

MARK = "<!-- found: "
SUMMARY = Path(__file__).parent / "found.json"
TITLES = {
    "B07": "Bompada et al. 2007 [B07]: robustness to missing labels",
    "Y08": "Yilmaz, Kanoulas and Aslam 2008 [Y08]: estimates from samples",
    "S07": "Sakai 2007 [S07]: condensed lists instead of bpref",
    "K09": "Kanoulas and Aslam 2009 [K09]: the best gains and discounts",
    "G20": "Gienapp et al. 2020 [G20]: negative labels",
}
ITEMS_INTRODUCTION = f"""# The papers, item by item

All formulas, protocols, tables, figures and claims of the five papers that the core follows, {len(ITEMS)} items.
Written by `docs/generate.py` from what the last `make reproduce DATA=...` found. Status: "present"; "no data", where
the command is there but not the paper's data; "otherwise", where we differ on purpose. `poolwise` goes before a
command, the files of the campaign and `-o DIR` after it; each leads to its [reference](reference/commands.md), a page
of the built site (`make docs`); `poolwise COMMAND --help` says the same. Where a set is named with topics, such as
robust03, 601-650, `--topics-in 601-650` chooses them. Verdicts are per set and lead to the numbers;
[the page of numbers](reproduction.md) says what they mean. Formulas and protocols have none; [tests](validation.md)
check them.
"""
FOUND_INTRODUCTION = """# The papers, repeated

What `make reproduce DATA=...` found for the [items](papers.md) of five papers on real campaigns, a line per item and
set. The data is not ours and not in the repository; what is at hand is not always what a paper used, and each section
says where. Verdicts are of this data and of nothing more, and of what the paper claims of such data. **Holds**: every
number in the line says so. **Partly**: some do, others say the contrary. **Fails**: some say the contrary, none says
so. **Undecided**: none says the contrary, but some lie within their errors. Our rule is in brackets where a claim
leaves open what would count. Lines without a verdict show numbers.

Numbers are means ± their standard error. "30 drawn" says over how many: trials, each with new labels and new pairs of
runs; seeds of a bootstrap; or halves that an optimum is fitted to. Where it is not said nothing is drawn. A number says
so clearly, or the contrary, if it does by more than two standard errors: of differences within trials, or of both sides
where these have no trials in common. "Over resamples of topics" means that the topics are drawn anew 1000 times for the
error.
"""


@dataclass
class Summary:
    """What a run found: rows, figures by paper (file, title, note), tables by name, and what it took."""

    findings: list[Finding]
    images: dict[str, list[tuple[str, str, str]]]
    tables: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    seconds: float = 0.0
    processor_seconds: float = 0.0
    machine: str = ""

    def write(self, path: Path) -> None:
        """As JSON, which the repository keeps."""
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", "utf-8")


def read_summary(path: Path = SUMMARY) -> Summary:
    """The summary that a run wrote."""
    found = json.loads(path.read_text("utf-8"))
    return Summary(**{**found, "findings": [Finding(**each) for each in found["findings"]]})


def papers_pages(docs: Path, summary: Summary | None = None) -> dict[str, str]:
    """The two pages, and those that repeat their numbers, by file name."""
    found = summary or read_summary()
    pages = {"papers.md": items_page(found), "reproduction.md": found_page(found)}
    for path in sorted((docs / "findings").glob("*.md")):
        text = path.read_text("utf-8")
        if MARK in text:
            pages[f"findings/{path.name}"] = filled(text, found)
    return pages


def items_page(summary: Summary) -> str:
    """The page of all items."""
    lines = [ITEMS_INTRODUCTION, *_counts(summary.findings), ""]
    for paper, title in TITLES.items():
        lines += [f"## {title}", "", *_head("item", "what", "in print", "status", "command", "verdicts")]
        lines += [
            _item_row(item, [each for each in summary.findings if each.item == item.name])
            for item in ITEMS
            if item.paper == paper
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def found_page(summary: Summary) -> str:
    """The page of what was found."""
    lines = [FOUND_INTRODUCTION, *_missing(summary), *_counts(summary.findings), ""]
    lines += [_took(summary), ""] if summary.machine else []
    for paper, title in TITLES.items():
        lines += [f"## {title}", "", SETS_USED[paper], ""]
        for item in (each for each in ITEMS if each.paper == paper):
            lines += _found_rows(item, [each for each in summary.findings if each.item == item.name])
        lines += [NOTES[paper], *_figures(summary.images.get(paper, ()))]
    return "\n".join(lines).rstrip() + "\n"


def filled(text: str, summary: Summary) -> str:
    """A page in which the parts between `<!-- found: NAME -->` and `<!-- end -->` are those of the summary."""

    def part(found: re.Match[str]) -> str:
        table = summary.tables.get(found[2])
        return f"{found[1]}\n{table}\n\n{found[3]}" if table else found[0]

    return re.sub(r"(<!-- found: (.+?) -->\n).*?(<!-- end -->)", part, text, flags=re.DOTALL)


def _figures(images: Iterable[Sequence[str]]) -> list[str]:
    """Figures with what they show, side by side where there is room."""
    lines = ['<div class="grid" markdown>', ""]
    for file, name, note in images:
        caption = f"{name}. {note}".rstrip()
        # With lines between, as readers of Markdown without the extension would else take the picture for text.
        lines += ["<figure markdown>", "", f"![{name}](images/{file})", ""]
        lines += [f"<figcaption>{escape(caption, quote=False)}</figcaption>", "</figure>", ""]
    return [*lines, "</div>", ""] if len(lines) > 2 else []


def _took(summary: Summary) -> str:
    """What the run took, and where; by the clock it is as long as others let it."""
    return f"The run took {summary.processor_seconds / 60:.0f} minutes of processor time on {summary.machine}."


def _head(*names: str) -> list[str]:
    return [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]


def _missing(summary: Summary) -> list[str]:
    if not summary.missing:
        return []
    return [f"This run was cut short; not done in it: {', '.join(summary.missing)}.", ""]


def _counts(findings: list[Finding]) -> list[str]:
    """How many items of each status, and verdicts, by paper."""
    heads = (PRESENT, NO_DATA, OTHERWISE, *VERDICTS)
    lines = ["| paper | items | " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) + 1)]
    paper_of = {item.name: item.paper for item in ITEMS}
    total: Counter[str] = Counter()
    for paper in TITLES:
        items = [item for item in ITEMS if item.paper == paper]
        found = Counter(item.status for item in items)
        found.update(each.verdict for each in findings if paper_of[each.item] == paper)
        total += found
        lines.append(f"| [{paper}] | {len(items)} | " + " | ".join(str(found[head]) for head in heads) + " |")
    return [*lines, f"| all | {len(ITEMS)} | " + " | ".join(str(total[head]) for head in heads) + " |"]


def _item_row(item: Item, found: list[Finding]) -> str:
    remark = f" ({item.remark})" if item.remark else ""
    command = f"[`{item.command}`](reference/commands.md#poolwise-{item.command.split()[0]})"
    cells = (item.name, item.what, item.printed, item.status + remark, command, _verdicts(item, found))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _verdicts(item: Item, found: list[Finding]) -> str:
    """Verdicts by set, each verdict of a set once, with a link to the numbers."""
    said = Counter((each.data, each.verdict) for each in found if each.verdict)
    texts = [f"{data}: **{verdict}**" + f" ({count} times)" * (count > 1) for (data, verdict), count in said.items()]
    if not found:
        return ""
    return "; ".join([*texts, f"[numbers](reproduction.md#{item.name.lower()})"])


def _found_rows(item: Item, found: list[Finding]) -> list[str]:
    """What the item is, and a line per finding; words of many lengths are no table, least of all on a phone."""
    if not found:
        return []
    what = item.what.removesuffix(".")  # of "et al."
    lines = [f'<span id="{item.name.lower()}"></span>**{item.name}.** {what}. In print: {item.printed}.', ""]
    for each in found:
        drawn = f", {each.trials} drawn" if each.trials else ""
        rule = f" ({each.rule})" if each.rule else ""
        said = f" **{each.verdict}**{rule}." if each.verdict else ""
        lines.append(f"- *{each.data}{drawn}*: {each.text}.{said}")
    return [*lines, ""]
