"""Old judgments, new runs: the offset of holes, and how near the model comes.

    python benchmarks/holes.py FOLDER offsets|model [--seed 1]

FOLDER holds the sets trec8, trec-covid5, dl19, robust03 and covid-holes. `offsets` leaves out groups of runs on the
first four and prints the offsets that their holes show, which the default is made of. `model` prints what the model
says of covid-holes by that default, and on the four others how often its interval holds the score by all labels: by
the mean of the other three, and by what the remaining runs of the same set show. What a few labels of holes give is
asked by `hole_labels.py`.
"""

from __future__ import annotations

import argparse
import csv
import re
import warnings
from pathlib import Path

import numpy as np
from reproduce.data import campaign

import poolwise as pw
from poolwise.holes.hole_scores import HoleDraws
from poolwise.holes.listed_holes import list_holes
from poolwise.holes.offsets import DEFAULT, STRETCH, LeftOut, Offset, combined, left_out_offsets, model_ends
from poolwise.score.scoring import score_values

SETS = ("trec8", "trec-covid5", "dl19", "robust03")
DEPTHS = (10, 20, 100)
FEWEST = 4  # groups
TEAMS = r"(ICT|TUW19|UNH|bm25base|bm25tuned|idst|p_|runid|srchvrs|test|ms_duet|TUA)"  # of dl19, by their runs' names


def groups(folder: Path, runs: list[str]) -> dict[str, str]:
    """The team of each run."""
    if folder.name == "trec8":
        return dict(line.split()[:2] for line in (folder / "runs-pids").read_text().splitlines())
    if folder.name == "trec-covid5":
        with open(folder / "official.csv") as file:
            return {row["tag"]: row["team"] for row in csv.DictReader(file)}
    if folder.name == "dl19":
        found = {run: re.match(TEAMS, run) for run in runs}
        return {run: match.group(1) if match else "later" for run, match in found.items()}
    return {run: run for run in runs}


def offsets_of(folder: Path) -> dict[int, LeftOut]:
    """Offsets of a set's left-out runs, by depth of pool and scores."""
    pool = campaign(folder)
    team = groups(folder, pool.runs)
    found = {depth: left_out_offsets(pool.judgments, depth, team, depth) for depth in DEPTHS}
    return {depth: left for depth, left in found.items() if len(set(left.groups)) >= FEWEST}


def default_of(sets: dict[str, dict[int, LeftOut]]) -> Offset:
    """The default that some sets make: mean over sets, its error for one more set, the runs' spread."""
    means = [np.mean([combined(left)[0] for left in found.values()]) for found in sets.values()]
    spreads = [np.mean([combined(left)[2] for left in found.values()]) for found in sets.values()]
    error = float(np.std(means, ddof=1) * np.sqrt(1 + 1 / len(means)))
    return Offset(float(np.mean(means)), error, len(means) - 1.0, float(np.mean(spreads)), "sets")


def print_offsets(folder: Path) -> dict[str, dict[int, LeftOut]]:
    print("| set | depth | groups | runs | mean | error | spread of runs |\n|---|---|---|---|---|---|---|")
    sets = {name: offsets_of(folder / name) for name in SETS}
    for name, found in sets.items():
        for depth, left in found.items():
            mean, error, spread = combined(left)
            counts = f"{len(set(left.groups))} | {len(left.runs)}"
            print(f"| {name} | {depth} | {counts} | {mean:.2f} | {error:.2f} | {spread:.2f} |")
    made = default_of(sets)
    print(f"\nall: mean {made.mean:.2f}, error {made.error:.2f} (df {made.df:g}), spread {made.spread:.2f}")
    return sets


def print_model(folder: Path, seed: int) -> None:
    before = campaign(folder / "covid-holes", "qrels-incomplete.txt")
    after = campaign(folder / "covid-holes", "qrels-complete.txt")
    found = before.holes("nDCG@10", seed=seed)
    truth = after.score("nDCG@10").means()[:, 0]
    print("| run | worthless | condensed | model | interval | complete |\n|---|---|---|---|---|---|")
    for run, *values in zip(
        found.runs, found.worthless, found.condensed, found.model, found.model_low, found.model_high, truth, strict=True
    ):
        a, b, c, low, high, d = values
        print(f"| {run} | {a:.4f} | {b:.4f} | {c:.4f} | {low:.4f} to {high:.4f} | {d:.4f} |")
    print(f"\noffset {DEFAULT.mean}, error {DEFAULT.error}, spread {DEFAULT.spread}\n")
    sets = {name: offsets_of(folder / name) for name in SETS}
    print("| set | measure | offset from | runs | held | mean width | mean error | as worthless | condensed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in SETS:
        others = default_of({other: found for other, found in sets.items() if other != name})
        _print_held(folder / name, "nDCG@10", {"other sets": others, "same set": None}, seed)


def _print_held(folder: Path, measure: str, sources: dict[str, Offset | None], seed: int, depth: int = 10) -> None:
    """Leave out every group; is the score by all labels within the model's interval?"""
    pool = campaign(folder)
    team = groups(folder, pool.runs)
    asked = pw.parse(measure)
    judged = pool.score(f"Judged@{depth}", missing="skip").means()[:, 0]
    made = [run for run, share in zip(pool.runs, judged, strict=True) if share >= 0.98]
    shown = left_out_offsets(pool.judgments, depth, team, depth)
    rows: dict[str, list[list[float]]] = {source: [] for source in sources}
    for group in dict.fromkeys(shown.groups):
        members = [run for run, own in zip(shown.runs, shown.groups, strict=True) if own == group]
        everyone = [run for run in made if team.get(run, run) == group]
        left = pool.judgments.sample("without", runs=everyone, depth=depth, contributing=made)
        listed, numbers = list_holes(left, depth, members), pool.run_numbers(members)
        # Holes that nobody judged at all stay worthless in truth and draws alike: they are no part of the question.
        values = [
            np.asarray(score_values(pool, [asked, asked.on_judged_only()], [labels], 1))[0].mean(axis=-1)[:, numbers]
            for labels in (pool.judgments, left)
        ]
        for source, offset in sources.items():
            own = offset if offset is not None else _remaining(shown, group)
            sample = HoleDraws(listed, own, 100, seed).scores(asked, 1)
            _, low, high = model_ends(sample, 0.95, own.stretch, np.zeros(len(members)), np.ones(len(members)))
            for place in range(len(members)):
                truth = values[0][0][place]
                rows[source].append(
                    [low[place] <= truth <= high[place], high[place] - low[place], abs(sample[:, place].mean() - truth),
                     abs(values[1][0][place] - truth), abs(values[1][1][place] - truth)]
                )  # fmt: skip
    for source, found in rows.items():
        held, *rest = np.mean(found, axis=0)
        numbers = " | ".join(f"{value:.4f}" for value in rest)
        print(f"| {folder.name} | {measure} | {source} | {len(found)} | {100 * held:.0f} % | {numbers} |", flush=True)


def _remaining(shown: LeftOut, group: str) -> Offset:
    """What the other groups of the set show."""
    kept = np.array([own != group for own in shown.groups])
    rest = LeftOut(
        [own for own in shown.groups if own != group],
        [run for run, keep in zip(shown.runs, kept, strict=True) if keep],
        shown.holes[kept],
        shown.offset[kept],
    )
    mean, error, spread = combined(rest)
    return Offset(mean, error, max(len(set(rest.groups)) - 1.0, 1.0), spread, "runs left out", 1, STRETCH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", choices=("offsets", "model"))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    if asked.what == "offsets":
        print_offsets(asked.folder)
    else:
        print_model(asked.folder, asked.seed)


if __name__ == "__main__":
    main()
