"""How quick the judging page is: from a key to the next document, in a real browser.

    python -m benchmarks.judge_speed [--documents 1000000] [--plan 10000] [--presses 300] [--folder DIR]

Makes a file of documents and a plan of some of them, builds the index, starts `poolwise judge`, opens its page in
chromium and presses keys. A press is timed in the page, from the key to the frame in which the next document is drawn.
Says of each aim whether it is met; on a machine that others use, look at the processor time too. With --folder the
documents stay there for the next time. Needs chromium, chromedriver and selenium.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.kit.browser import chromium, wait

WORDS = (
    "river", "stone", "light", "winter", "harbour", "letter", "garden", "engine", "copper", "signal", "market",
    "window", "paper", "forest", "silver", "road",
)  # fmt: skip
TIMED = """
const [presses, done] = arguments;
const times = [];
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
(async () => {
  for (let number = 0; number < presses; number += 1) {
    const before = document.body.dataset.shown;
    const begin = performance.now();
    const key = String(number % 4);
    document.dispatchEvent(new KeyboardEvent("keydown", { key, code: `Digit${key}`, bubbles: true }));
    while (document.body.dataset.shown === before) await new Promise((resolve) => setTimeout(resolve, 0));
    const shown = performance.now();
    await frame();
    times.push([shown - begin, performance.now() - begin]);
  }
  done(times);
})();
"""


def write_documents(path: Path, count: int) -> None:
    chance = random.Random(1)
    with open(path, "w") as file:
        for number in range(count):
            text = " ".join(chance.choices(WORDS, k=60))
            file.write(json.dumps({"id": f"D{number:08}", "title": f"Document {number}", "text": text}) + "\n")


def write_plan(path: Path, documents: int, drawn: int, topics: int = 100, pooled: int = 10) -> None:
    """A plan whose pool is `pooled` times what is drawn."""
    chance = random.Random(2)
    numbers = chance.sample(range(documents), min(documents, drawn * pooled))
    share = len(numbers) // drawn
    lines = [
        f"{place % topics + 1} {int(place < drawn)} D{number:08} {place % share % 4 + 1} -1\n"
        for place, number in enumerate(numbers)
    ]
    path.write_text("".join(lines))


def memory(process: int) -> tuple[float, float]:
    """Resident memory of a process now and at most, in MB."""
    said = Path(f"/proc/{process}/status").read_text().splitlines()
    found = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in said if line.startswith(("VmRSS", "VmHWM"))}
    return found["VmRSS"], found["VmHWM"]


def processor(process: int) -> float:
    """Seconds of processor time that a process has used; on a busy machine the clock says more of others."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Served:
    """`poolwise judge` in a process of its own, and how long it took to say where it is."""

    def __init__(self, folder: Path) -> None:
        words = ["judge", "plan.txt", "--documents", "documents.jsonl", "--scale", "0-3", "--no-browser"]
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "poolwise", *words], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        self.address = self.process.stdout.readline().split()[0]
        self.seconds = time.perf_counter() - begin
        self.processor = processor(self.process.pid)

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()


AIMS = {
    "first page with the index there (start and opening), s": 2.0,
    "key to next document drawn, median, ms": 50.0,
    "memory of the server at most, MB": 300.0,
}


def measure(folder: Path, presses: int) -> list[float]:
    """Measure, print, and give what there are aims for."""
    first = Served(folder)
    print(f"first start, index built: {first.seconds:.1f} s")
    first.stop()
    served = Served(folder)
    print(
        f"start with the index there: {served.seconds:.2f} s to the address, "
        f"{served.processor:.2f} s of processor time (load {os.getloadavg()[0]:.1f})"
    )
    browser = chromium()
    try:
        begin = time.perf_counter()
        browser.get(served.address)
        wait(browser, "return document.getElementById('begin').open")
        browser.execute_script("document.getElementById('name').value = 'ann'")
        browser.execute_script("document.querySelector('#begin form').requestSubmit()")
        wait(browser, "return document.body.dataset.shown")
        opened = time.perf_counter() - begin
        print(
            f"page opened and first document shown: {opened:.2f} s, "
            f"{processor(served.process.pid) - served.processor:.2f} s of processor time in the server"
        )
        browser.set_script_timeout(600)
        times = browser.execute_async_script(TIMED, presses)
    finally:
        browser.quit()
    for name, column in (("shown", 0), ("drawn", 1)):
        values = sorted(pair[column] for pair in times)
        median, high = statistics.median(values), values[int(0.95 * len(values))]
        print(
            f"key to next document {name}: median {median:.1f} ms, 95 % within {high:.1f} ms, most {values[-1]:.1f} ms"
        )
    now, most = memory(served.process.pid)
    print(f"memory of the server: {now:.0f} MB, at most {most:.0f} MB")
    served.stop()
    return [served.seconds + opened, statistics.median(drawn for _, drawn in times), most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--plan", type=int, default=10_000)
    parser.add_argument("--presses", type=int, default=300)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as made:
        folder, kept = Path(made), Path(arguments.folder or made) / f"documents-{arguments.documents}.jsonl"
        if not kept.exists():
            write_documents(kept, arguments.documents)
        (folder / "documents.jsonl").symlink_to(kept.resolve())
        write_plan(folder / "plan.txt", arguments.documents, arguments.plan)
        print(
            f"{arguments.documents} documents ({kept.stat().st_size / 1e6:.0f} MB), {arguments.plan} of them to judge"
        )
        found = measure(folder, arguments.presses)
    for (what, most), value in zip(AIMS.items(), found, strict=True):
        print(f"{'met' if value <= most else 'NOT MET'}: {what}: {value:.2f} of {most:g}")
    sys.exit(any(value > most for most, value in zip(AIMS.values(), found, strict=True)))


if __name__ == "__main__":
    main()
