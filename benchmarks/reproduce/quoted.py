"""Tables that other pages of the docs repeat, so that a number stands in one place only."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.reproduce.findings import Finding, mean_error
from benchmarks.reproduce.items import ITEMS
from benchmarks.reproduce.plan import COVID, TREC8, Workbench
from benchmarks.reproduce.seeds import SHOWN, Powers
from benchmarks.reproduce.y08 import SHARES, Estimates


def quoted(bench: Workbench, findings: Sequence[Finding]) -> dict[str, str]:
    """Tables by name, as the pages ask for them."""
    found = {
        "gains and discounts": claims(findings, ("K7", "K9", "K11", "K14", "K19")),
        "held-out gains and discounts": claims(findings, ("K21",)),
    }
    if all(bench.has(name, TREC8) for name in ("y08-intervals", "y08-dependent")):
        found["coverage of infAP"] = coverage(bench)
    if all(bench.has("s07-discrimination", data) for data in (TREC8, COVID)):
        found["discriminative power"] = power(bench)
    return found


def claims(findings: Sequence[Finding], items: Sequence[str]) -> str:
    """Items with what was found on each set."""
    what = {item.name: item.what for item in ITEMS}
    parts = []
    for name in items:
        lines = [f"- *{each.data}*: {each.text}. **{each.verdict}**." for each in findings if each.item == name]
        parts.append("\n".join([f"{name}, {what[name]}:", "", *lines]))
    return "\n\n".join(parts)


def coverage(bench: Workbench) -> str:
    """How often the 95 % intervals of mean infAP and statAP hold the true mean, in percent."""
    made, dependent = Estimates(bench, "y08-intervals"), Estimates(bench, "y08-dependent")
    rows = []
    for share, design in SHARES.items():
        values = (made.coverage("infAP", design), dependent.coverage("infAP", design), made.coverage("statAP", design))
        rows.append(f"| {share} % | " + " | ".join(mean_error(100 * each, 1) for each in values) + " |")
    head = (
        f"| judged | infAP ({made.trials} trials) | infAP, dependent ({dependent.trials} trials) | "
        f"statAP ({made.trials} trials) |"
    )
    return "\n".join([head, "|---|---|---|---|", *rows])


def power(bench: Workbench) -> str:
    """Discriminative power and the difference required, over bootstrap seeds."""
    sets = {data: Powers(bench, "power-seeds", data, SHOWN) for data in (TREC8, COVID)}
    head = "| measure | " + " | ".join(f"{data}: power | difference required" for data in sets) + " |"
    rows = [
        f"| {measure} | "
        + " | ".join(f"{mean_error(p.power(measure))} | {mean_error(p.required(measure))}" for p in sets.values())
        + " |"
        for measure in SHOWN
    ]
    return "\n".join([head, "|---|" + "---:|" * (2 * len(sets)), *rows])
