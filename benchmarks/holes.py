"""Old judgments, new runs: the offset of holes, and how near the model comes.

    python benchmarks/holes.py FOLDER offsets|model [--seed 1]

FOLDER holds the sets trec8, trec-covid5, dl19, robust03 and covid-holes. `offsets` leaves out groups of runs on the
first four and prints the offsets that their holes show, which the default is made of. `model` prints what the model
says of covid-holes by that default, and on the four others how often its interval holds the score with a run's own
holes judged: by the mean of the other three, and by what the remaining runs of the same set show; and with which
stretch it would. What a few labels of holes give is asked by `hole_labels.py`.
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
from poolwise.audits.hole_model import DEFAULT, STRETCH, LeftOut, Offset, combined, left_out_offsets
from poolwise.audits.hole_scores import HoleDraws, Listed, list_holes
from poolwise.scores.scoring import score_values

SETS = ("trec8", "trec-covid5", "dl19", "robust03")
DEPTHS = (10, 20, 100)
FEWEST = 4  # groups
MEASURES = ("nDCG@10", "P@10", "AP")
MOST_OF_GROUP = 3  # runs of a group that are looked at; they are much alike
Floats = np.ndarray
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
    print("| set | depth | measure | offset from | runs | held | held, stretched | asked for | width | mean error |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    asked: dict[tuple[str, str], Floats] = {}
    for name in SETS:
        others = default_of({other: found for other, found in sets.items() if other != name})
        for measure in MEASURES:
            _print_held(folder / name, measure, others, seed)
            asked[name, measure] = _print_held(folder / name, measure, None, seed)
    _print_held(folder / "trec8", "AP", None, seed, depth=100)
    print("\n| set | measure | largest stretch that the others ask for | held with it |\n|---|---|---|---|")
    for (name, measure), own in asked.items():
        rest = [np.quantile(far, 0.95) for (other, same), far in asked.items() if same == measure and other != name]
        print(f"| {name} | {measure} | {max(rest):.2f} | {100 * np.mean(own <= max(rest)):.0f} % |")


def _print_held(folder: Path, measure: str, offset: Offset | None, seed: int, depth: int = 10) -> Floats:
    """Print how often the interval holds the score with a left-out group's own holes judged; how far it lies off."""
    far, width, error = left_out_errors(folder, measure, offset, seed, depth)
    source, stretch = ("same set", STRETCH) if offset is None else ("other sets", 1.0)
    held = f"{100 * np.mean(far <= 1):.0f} % | {100 * np.mean(far <= stretch):.0f} % | {np.quantile(far, 0.95):.2f}"
    numbers = f"{len(far)} | {held} | {stretch * width.mean():.4f} | {error.mean():.4f}"
    print(f"| {folder.name} | {depth} | {measure} | {source} | {numbers} |", flush=True)
    return far


def left_out_errors(
    folder: Path, measure: str, offset: Offset | None, seed: int, depth: int = 10
) -> tuple[Floats, Floats, Floats]:
    """Leave out every group; compare the score with its own holes judged with the model's interval.

    Returns the distance of the score from the model's mean in half-widths of the interval, the widths, and the errors.
    """
    pool = campaign(folder)
    team, asked = groups(folder, pool.runs), pw.parse(measure)
    judged = pool.score(f"Judged@{depth}", missing="skip").means()[:, 0]
    made = [run for run, share in zip(pool.runs, judged, strict=True) if share >= 0.98]
    shown = left_out_offsets(pool.judgments, depth, team, depth)
    known = {topic: pool.judgments.of(topic) for topic in pool.topics}
    rows = []
    for group in dict.fromkeys(shown.groups):
        members = [run for run, of in zip(shown.runs, shown.groups, strict=True) if of == group][:MOST_OF_GROUP]
        everyone = [run for run in made if team.get(run, run) == group]
        left = pool.judgments.sample("without", runs=everyone, depth=depth, contributing=made)
        listed = list_holes(left, depth, members)
        truth = _own_holes_judged(listed, asked, known)
        sample = HoleDraws(listed, offset or _remaining(shown, group), 100, seed).scores(asked, 1)
        middle, (low, high) = sample.mean(axis=0), np.quantile(sample, [0.025, 0.975], axis=0)
        half = np.where(truth > middle, high - middle, middle - low)
        rows += list(
            zip(np.abs(truth - middle) / np.maximum(half, 1e-9), high - low, np.abs(middle - truth), strict=True)
        )
    far, width, error = np.array(rows).T
    return far, width, error


def _own_holes_judged(listed: Listed, measure: pw.Measure, known: dict[str, dict[str, int]]) -> Floats:
    """Each run's score once its own holes are judged; those that nobody judged at all are non-relevant."""
    found = []
    for run in range(len(listed.pool.runs)):
        of_run = np.unique(listed.label_indices[run][listed.is_hole[run]])
        labels = [max(known[topic].get(document, 0), 0) for topic, document in listed.named(of_run)]
        values = score_values(listed.pool, [measure], [listed.with_labels(of_run, labels)], 1, runs=[run])
        found.append(np.asarray(values)[0, 0, 0].mean())
    return np.array(found)


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
