"""Logs of many topics: rows per second and peak memory, how they grow, and the same in polars and DuckDB.

    python benchmarks/scale.py [--topics 1000000] [--data FOLDER] [--growth] [--docs]

Makes a log of TOPICS x 50 labelled rows, as Parquet in 16 partitions and as gzipped TREC text, and has it scored by
nDCG@10 and AP, each way in a process of its own. With --growth, also 1/16 and 1/4 of the topics, and four runs on
1/16 of them. With --docs, the tables and the figure of docs/benchmarks-scale.md are written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

DEPTH = 50
PARTS = 16
ROOT = Path(__file__).parents[1]

POLARS = """
import sys, polars as pl
by = ["run", "topic"]
label = pl.col("label").sort_by(["score", "document"], descending=True)
rank = pl.int_range(1, pl.len() + 1)
discount = (rank + 1).log(2)
topics = pl.scan_parquet(sys.argv[1] + "/*.parquet").group_by(by).agg(
    dcg=(label / discount).head(10).sum(),
    best=(pl.col("label").sort(descending=True) / discount).head(10).sum(),
    precisions=((label >= 1).cum_sum() / rank * (label >= 1)).sum(),
    relevant=(label >= 1).sum(),
)
means = topics.select(
    "run",
    ndcg=pl.when(pl.col("best") > 0).then(pl.col("dcg") / pl.col("best")).otherwise(0.0),
    ap=pl.when(pl.col("relevant") > 0).then(pl.col("precisions") / pl.col("relevant")).otherwise(0.0),
).group_by("run").agg(pl.col("ndcg").mean(), pl.col("ap").mean()).sort("run").collect(engine="streaming")
print(means.rows()[0][1], means.rows()[0][2])
"""

DUCKDB = """
import sys, duckdb
print(*duckdb.sql(f'''
with ranked as (
    select run, topic, label,
        row_number() over (partition by run, topic order by score desc, document desc) as rank,
        sum((label >= 1)::int) over (
            partition by run, topic order by score desc, document desc rows unbounded preceding) as hits,
        row_number() over (partition by run, topic order by label desc) as ideal
    from read_parquet('{sys.argv[1]}/*.parquet')),
topics as (
    select run, topic,
        coalesce(sum(label / log2(rank + 1)) filter (rank <= 10), 0) as dcg,
        coalesce(sum(label / log2(ideal + 1)) filter (ideal <= 10), 0) as best,
        coalesce(sum(hits / rank) filter (label >= 1), 0) as precisions,
        sum((label >= 1)::int) as relevant
    from ranked group by run, topic)
select avg(case when best > 0 then dcg / best else 0 end),
    avg(case when relevant > 0 then precisions / relevant else 0 end)
from topics group by run order by run limit 1''').fetchall()[0])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, default=ROOT / "build" / "bench-scale")
    parser.add_argument("--growth", action="store_true", help="also smaller logs and more runs")
    parser.add_argument("--docs", action="store_true", help="write the tables and figure of the docs")
    arguments = parser.parse_args()
    found = [measured(arguments.data, arguments.topics, 1, WAYS)]
    if arguments.growth:
        for topics, runs in ((arguments.topics // 16, 1), (arguments.topics // 4, 1), (arguments.topics // 16, 4)):
            found.append(measured(arguments.data, topics, runs, OURS))
    (arguments.data / "results.json").write_text(json.dumps(found, indent=1))
    if arguments.docs:
        from scale_figure import figure

        (ROOT / "docs" / "images" / "scale.svg").write_text(figure(found))


def measured(data: Path, topics: int, runs: int, ways: dict[str, list[str]]) -> dict[str, object]:
    """Times and memory of every way to score one log."""
    folder = data / f"{topics}x{runs}"
    if not (folder / "ready").exists():
        make(folder, topics, runs)
    rows = topics * DEPTH * runs
    result: dict[str, object] = {"topics": topics, "runs": runs, "rows": rows, "sizes": sizes(folder), "ways": {}}
    print(f"\n{topics:,} topics x {DEPTH} documents x {runs} runs = {rows:,} rows; files: {result['sizes']}")
    print(f"{'':<22}{'seconds':>9}{'core s':>8}{'rows/s':>13}{'peak MB':>9}  nDCG@10, AP")
    for name, command in ways.items():
        words = [word.format(folder=folder, python=sys.executable) for word in command]
        words = [
            path for word in words for path in (sorted(map(str, folder.glob("run-*.gz"))) if word == "RUNS" else [word])
        ]
        seconds, cores, memory, values = timed(words)
        result["ways"][name] = {"seconds": seconds, "core_seconds": cores, "memory": memory, "values": values}  # type: ignore[index]
        print(
            f"{name:<22}{seconds:>9.1f}{cores:>8.1f}{rows / seconds:>13,.0f}{memory / 1e6:>9,.0f}  {values}", flush=True
        )
    return result


def timed(command: list[str]) -> tuple[float, float, int, str]:
    """Wall time, time of all cores, peak resident memory of the process itself, and the last two numbers it printed."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        return float("nan"), float("nan"), usage.ru_maxrss * 1024, f"failed with {process.returncode}"
    values = " ".join(re.findall(r"\d+\.\d+", output)[-2:])
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, values


def sizes(folder: Path) -> dict[str, str]:
    def total(pattern: str) -> str:
        return f"{sum(path.stat().st_size for path in folder.glob(pattern)) / 1e6:,.0f} MB"

    return {"parquet": total("log/*.parquet"), "text": total("*.gz")}


def make(folder: Path, topics: int, runs: int) -> None:
    """Write a log: 16 Parquet partitions, and the same rows as gzipped qrels and runs."""
    import numpy as np
    import pyarrow
    import pyarrow.compute as compute
    import pyarrow.parquet
    from isal import igzip

    (folder / "log").mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(topics)
    names = [f"run-{run}" for run in range(runs)]
    texts = {name: igzip.open(folder / f"{name}.txt.gz", "wb", compresslevel=1) for name in ("qrels", *names)}
    for part in range(PARTS):
        begin, end = part * topics // PARTS, (part + 1) * topics // PARTS
        writer = None
        for first in range(begin, end, 10_000):
            count = min(10_000, end - first)
            table = block(random, first, count, names)
            writer = writer or pyarrow.parquet.ParquetWriter(folder / "log" / f"{part:02d}.parquet", table.schema)
            writer.write_table(table)
            one = table.filter(compute.equal(table["run"], names[0]))
            texts["qrels"].write(lines(one["topic"], "0", one["document"], one["label"]))
            for name in names:
                of = table.filter(compute.equal(table["run"], name))
                texts[name].write(lines(of["topic"], "Q0", of["document"], "0", of["score"], "r"))
        if writer is not None:
            writer.close()
    for file in texts.values():
        file.close()
    (folder / "ready").touch()


def block(random, first: int, count: int, names: list[str]):  # type: ignore[no-untyped-def]
    """Rows of some topics: every run ranks the same 50 documents of a topic, in an order of its own."""
    import numpy as np
    import pyarrow
    import pyarrow.compute as compute

    runs, rows = len(names), count * DEPTH
    documents = random.integers(0, 10**9, size=(count, 1)) * DEPTH + np.arange(DEPTH)
    labels = random.choice(4, size=(count, DEPTH), p=[0.8, 0.12, 0.05, 0.03])
    shown = np.broadcast_to(documents[:, None], (count, runs, DEPTH)).reshape(count * runs, DEPTH)
    order = np.argsort(random.random((count * runs, DEPTH)) - 0.3 * np.repeat(labels, runs, axis=0), axis=1)
    scores = -np.sort(-random.random((count * runs, DEPTH)), axis=1).round(6)
    take = lambda values: np.take_along_axis(values, order, axis=1).ravel()  # noqa: E731
    ids = compute.binary_join_element_wise("D", pyarrow.array(take(shown)).cast("string"), "")
    return (
        pyarrow.table(
            {
                "topic": np.repeat(np.arange(first + 1, first + count + 1), runs * DEPTH),
                "run": pyarrow.DictionaryArray.from_arrays(
                    np.tile(np.repeat(np.arange(runs, dtype=np.int32), DEPTH), count), names
                ).cast("string"),
                "document": ids,
                "score": scores.ravel(),
                "label": take(np.repeat(labels, runs, axis=0)).astype(np.int32),
            }
        )
        if rows
        else None
    )


def lines(*columns) -> bytes:  # type: ignore[no-untyped-def]
    """Columns as lines of text."""
    import pyarrow
    import pyarrow.compute as compute

    cells = [column if isinstance(column, str) else column.combine_chunks().cast("large_string") for column in columns]
    cells = [pyarrow.scalar(cell, "large_string") if isinstance(cell, str) else cell for cell in cells]
    text = compute.binary_join_element_wise(*cells, pyarrow.scalar(" ", "large_string"))
    text = compute.binary_join_element_wise(
        text, pyarrow.scalar("", "large_string"), pyarrow.scalar("\n", "large_string")
    )
    return text.buffers()[2].to_pybytes()


MEASURES = ["-m", "nDCG@10", "-m", "AP", "--format", "csv"]
OURS = {
    "poolwise, Parquet": ["{python}", "-m", "poolwise", "score", "{folder}/log", *MEASURES],
    "poolwise, text.gz": [
        "{python}",
        "-m",
        "poolwise",
        "score",
        "--stream",
        "{folder}/qrels.txt.gz",
        "RUNS",
        *MEASURES,
    ],
}
WAYS = {
    **OURS,
    "polars, Parquet": ["{python}", "-c", POLARS.replace("{", "{{").replace("}", "}}"), "{folder}/log"],
    "DuckDB, Parquet": ["{python}", "-c", DUCKDB.replace("{", "{{").replace("}", "}}"), "{folder}/log"],
}

if __name__ == "__main__":
    main()
