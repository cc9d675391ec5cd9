"""Every command on a simulated campaign, and what it wrote: text as it is, numbers to a relative 1e-12.

    python tests/golden/commands.py --write         today's outputs into tests/golden/outputs
    python tests/golden/commands.py                 what differs from them

A line is a name and a command; `{}` stands for the output. Commands run in one folder, one after the other: a plan is
drawn, filled and estimated from.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

OUTPUTS = Path(__file__).with_name("outputs")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
CLOSE, NEAR_ZERO = 1e-12, 1e-13
LOOSE = {
    "gain-discount": 1e-6
}  # what a search ends at, by how a name begins: last digits follow the processor's kernels
ALL, TWO = "c/qrels.txt c/runs", "c/runs/sim02a.txt c/runs/sim01d.txt"
COMMANDS = f"""
campaign        simulate -o c --runs 8 --topics 10 --depth 50 --seed 3
score.csv       score {ALL} -m AP -m nDCG@10 -m RR -m P@10 -m bpref -m ERR@10 -m RBP -m Q -m Rprec -q -o {{}}
score-topics.csv    score {ALL} -m AP -m nDCG@10 --interval topics -o {{}}
score-bounds.csv    score {ALL} -m AP -m nDCG@10 -m RR --interval bounds -o {{}}
score-ties.csv      score {ALL} -m AP -m nDCG@10 --ties expected -o {{}}
score.md        score {ALL} -m nDCG@10 -o {{}}
trec.txt        trec_eval -q c/qrels.txt c/runs/sim01d.txt
measures.txt    measures
check.csv       check {ALL} -o {{}}
compare.csv     compare {ALL} -m AP -m nDCG@10 --seed 1 -o {{}}
compare-t.csv   compare {ALL} -m AP --test t --baseline sim01d -o {{}}
compare-tukey.csv   compare {ALL} -m AP --test tukey --seed 1 -o {{}}
compare-max.csv     compare {ALL} -m AP --test max_t --seed 1 -o {{}}
compare-boot.csv    compare {ALL} -m AP --test bootstrap --seed 1 -o {{}}
compare-sign.csv    compare {ALL} -m AP --test sign --correction bh -o {{}}
compare-wilcoxon.csv compare {ALL} -m AP --test wilcoxon --correction none -o {{}}
plan.txt        plan c/runs --budget 150 -m nDCG@10 --seed 5 -o {{}} --to-judge todo.csv
plan-model.txt  plan c/runs --budget 150 -m nDCG@10 --design model --seed 5 -o {{}}
plan-uniform.txt    plan c/runs --budget 150 -m AP --design uniform --depth 20 --seed 5 -o {{}}
plan-depth.txt  plan c/runs --design depth --depth 5 -m AP -o {{}}
plan-random.txt plan c/runs --budget 150 -m AP --design depth_plus_random --depth 30 --seed 5 -o {{}}
plan-pair.txt   plan {TWO} --budget 100 -m nDCG@10 --difference sim02a sim01d --seed 5 -o {{}}
plan-topics.txt plan c/runs --budget 8 -m P@10 --seed 5 -o {{}}
forecast.csv    plan c/runs --budget 150 -m nDCG@10 --seed 5 --forecast {{}} -o p2.txt
judged.txt      merge plan.txt c/truth.txt --drawn-only -o {{}}
judged-model.txt    merge plan-model.txt c/truth.txt --drawn-only -o {{}}
judged-uniform.txt  merge plan-uniform.txt c/truth.txt --drawn-only -o {{}}
judged-pair.txt merge plan-pair.txt c/truth.txt --drawn-only -o {{}}
judged-topics.txt   merge plan-topics.txt c/truth.txt --drawn-only -o {{}}
judged-random.txt   merge plan-random.txt c/truth.txt --drawn-only -o {{}}
round2.txt      plan c/runs --budget 80 -m nDCG@10 --pilot judged.txt --seed 6 -o {{}}
judged2.txt     merge round2.txt c/truth.txt --drawn-only -o {{}}
estimate.csv    estimate judged.txt c/runs -m AP -m nDCG@10 -m RR -m bpref -m P@10 -m ERR@10 -q -o {{}}
estimate-all.csv    estimate judged2.txt c/runs -m nDCG@10 --difference all -o {{}}
estimate-model.csv  estimate judged-model.txt c/runs -m nDCG@10 -m AP --difference all -o {{}}
estimate-uniform.csv estimate judged-uniform.txt c/runs -m AP -m Rprec -m Q -o {{}}
estimate-pair.csv   estimate judged-pair.txt {TWO} -m nDCG@10 --difference sim02a sim01d -o {{}}
estimate-topics.csv estimate judged-topics.txt c/runs -m P@10 -o {{}}
estimate-random.csv estimate judged-random.txt c/runs -m AP --difference all -o {{}}
estimate-predicted.csv estimate judged.txt c/runs -m nDCG@10 --predictions c/truth.txt -o {{}}
compare-judged.csv  compare judged.txt c/runs -m nDCG@10 --test judgments -o {{}}
gate.csv        gate {TWO} --qrels c/qrels.txt -m nDCG@10 --margin 0.05 -o {{}}
gate-judged.csv gate {TWO} --qrels judged-pair.txt -m nDCG@10 --margin 0.05 -o {{}}
holes.csv       holes judged.txt c/runs -m nDCG@10 --seed 1 -o {{}}
sample.txt      sample {ALL} --design uniform --fraction 0.3 --seed 2 -o {{}}
sample-strata.txt   sample {ALL} --design stratified --depth 20 --budget 150 --seed 2 -o {{}}
infer.csv       score sample.txt c/runs -m infAP -m xinfAP -m infNDCG -m statAP -o {{}}
agreement.csv   agreement c/qrels.txt c/truth.txt sample.txt -o {{}}
reliability.csv reliability {ALL} -m AP -o {{}}
items-means.csv items estimate items.csv --difference a b -o {{}}
items-both.csv  items estimate items.csv --interval both --share-from 1 -o {{}}
items-plan.csv  items plan items.csv --budget 30 --seed 4 -o {{}}
robustness      study robustness {ALL} --trials 2 --seed 1 -o {{}}
decisions       study decisions {ALL} --trials 1 --seed 1 -o {{}}
discrimination  study discrimination {ALL} --seed 1 -o {{}}
estimation      study estimation {ALL} --trials 2 --seed 1 -o {{}}
reusability     study reusability {ALL} --seed 1 -o {{}}
reliability     study reliability {ALL} --seed 1 -o {{}}
gain-discount   study gain-discount {ALL} --seed 1 --cutoffs 10 -o {{}}
"""


def lines() -> dict[str, list[str]]:
    """Commands by name, in their order."""
    return {line.split()[0]: line.split()[1:] for line in COMMANDS.strip().splitlines()}


def outputs() -> dict[str, str]:
    """Run all commands in a folder of their own; what each wrote, or printed if it wrote nothing."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _items()
            return {name: text for line, words in lines().items() for name, text in _run(line, words).items()}
        finally:
            os.chdir(before)


def _items() -> None:
    """A table of items: two systems, five labels in six empty, strata and predictions."""
    rows = ["item,system,score,prediction,stratum"]
    for number in range(180):
        for system, shift in (("a", 0), ("b", 1)):
            value = (number * 7 + shift * 3) % 4
            label = value if number % 6 == 0 else ""
            rows.append(f"i{number},{system},{label},{(value + number % 3) / 5},{number % 3}")
    Path("items.csv").write_text("\n".join(rows) + "\n", "utf-8")


def _run(name: str, words: list[str]) -> dict[str, str]:
    from poolwise.cli.main import main

    printed, told = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(told), warnings.catch_warnings():
        code = main([word.format(name) for word in words])
        printed.flush()
    assert code in (0, 1, 3), (name, code, told.getvalue())
    if Path(name).is_dir():
        return {f"{name}/{path.name}": path.read_text("utf-8") for path in sorted(Path(name).glob("tables/*.csv"))}
    return {name: Path(name).read_text("utf-8") if Path(name).exists() else printed.buffer.getvalue().decode()}


def difference(name: str, before: str, now: str) -> str:
    """The first place where two outputs differ, if they do."""
    tolerance = next((value for start, value in LOOSE.items() if name.startswith(start)), CLOSE)
    old, new = before.splitlines(), now.splitlines()
    for number, (one, other) in enumerate(zip(old, new, strict=False), 1):
        if one != other and not _close(one, other, tolerance):
            return f"{name}:{number}\n  was {one}\n  is  {other}"
    return "" if len(old) == len(new) else f"{name}: {len(old)} lines were, {len(new)} are"


def _close(one: str, other: str, tolerance: float) -> bool:
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other)), strict=True)
    return all(a == b or abs(a - b) <= max(tolerance * max(abs(a), abs(b)), NEAR_ZERO) for a, b in pairs)


def kept() -> dict[str, str]:
    """The outputs that are kept."""
    return {
        path.relative_to(OUTPUTS).as_posix().removesuffix(".gz"): gzip.decompress(path.read_bytes()).decode()
        for path in sorted(OUTPUTS.rglob("*.gz"))
    }


def write() -> None:
    """Keep today's outputs."""
    for name, text in outputs().items():
        path = OUTPUTS / f"{name}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write()
    else:
        before, now = kept(), outputs()
        print("\n".join(f"{name}: one of them only" for name in before.keys() ^ now.keys()))
        print(
            "\n".join(filter(None, (difference(name, before[name], now[name]) for name in before.keys() & now.keys())))
        )
