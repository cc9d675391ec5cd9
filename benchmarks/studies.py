"""How long a whole study takes, from files to its page, and what a Dask cluster of this machine costs.

    python benchmarks/studies.py [QRELS RUNS] [--trials 1000]

Without files a campaign of 129 runs x 50 topics x 1000 documents is simulated. Prints: [B07]'s study (17 fractions, 10
trials, seven measures) from files to page, and the loop over pytrec_eval for the three measures that it has, one
evaluation timed and multiplied; the page's size and how soon a browser has drawn it; a study of many trials on two
threads and on two local Dask workers.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import pytrec_eval

from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.study.choices import FRACTIONS, MEASURES

THEIRS = {"map", "bpref", "ndcg"}


def study(qrels: Path, runs: Path, folder: Path, *options: str) -> float:
    shutil.rmtree(folder, ignore_errors=True)
    start = time.perf_counter()
    command = [sys.executable, "-m", "poolwise", "study", "robustness", str(qrels), str(runs), "-o", str(folder)]
    subprocess.run([*command, "--threads", "2", *options], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def one_evaluation(qrels: Path, run: Path) -> float:
    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        ranking = pytrec_eval.parse_run(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, THEIRS)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        evaluator.evaluate(ranking)
        times.append(time.perf_counter() - start)
    return min(times)


def opening(page: Path) -> str:
    """Seconds until every figure is drawn in Chromium."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return "not measured, selenium is missing"
    if not shutil.which("chromedriver"):
        return "not measured, no browser"
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    drawn = "return [...document.querySelectorAll('.figure')].every(b => b.querySelector('.main-svg'))"
    times = []
    for _ in range(3):
        start = time.perf_counter()
        driver.get(page.as_uri())
        while not driver.execute_script(drawn):
            time.sleep(0.01)
        times.append(time.perf_counter() - start)
    driver.quit()
    return f"{min(times):.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", nargs="?", type=Path)
    parser.add_argument("runs", nargs="?", type=Path)
    parser.add_argument("--trials", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.qrels is None:
            simulate(runs=129, topics=50, depth=1000, seed=1, negative=0.0).write(folder / "campaign")
            asked.qrels, asked.runs = folder / "campaign" / "qrels.txt", folder / "campaign" / "runs"
        paths = sorted(asked.runs.iterdir())
        seconds = study(asked.qrels, asked.runs, folder / "study")
        loop = one_evaluation(asked.qrels, paths[0]) * len(paths) * len(FRACTIONS) * 10
        page = folder / "study" / "index.html"
        print(f"## A study of {len(paths)} runs, {len(FRACTIONS)} fractions, 10 trials, {', '.join(MEASURES)}\n")
        print(f"poolwise, files to page: {seconds:.1f} s")
        print(
            f"pytrec-eval-terrier {version('pytrec-eval-terrier')}, only {', '.join(sorted(THEIRS))}, without "
            f"reading: {loop:.0f} s, {loop / seconds:.0f}x (one evaluation x {len(paths) * len(FRACTIONS) * 10})"
        )
        print(f"page: {page.stat().st_size / 1e6:.1f} MB, drawn by Chromium in {opening(page)}")
        print(f"\n## {asked.trials} trials\n")
        many = ["--trials", str(asked.trials)]
        threads = study(asked.qrels, asked.runs, folder / "threads", *many)
        cluster = study(asked.qrels, asked.runs, folder / "dask", *many, "--dask", "local")
        same = all(
            (folder / "dask" / "tables" / path.name).read_bytes() == path.read_bytes()
            for path in (folder / "threads" / "tables").iterdir()
        )
        print(f"two threads: {threads:.1f} s; two local Dask workers: {cluster:.1f} s ({cluster / threads:.2f}x)")
        print(json.dumps({"same tables": same}))


if __name__ == "__main__":
    main()
