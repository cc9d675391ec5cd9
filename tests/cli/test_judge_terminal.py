"""`poolwise judge --terminal`: keys from a pipe and from a terminal, estimates beside them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.kit.judging_server import labels_in, until

from poolwise.reading.judging_file import opened


def test_the_terminal_takes_keys_from_a_pipe(folder: Path) -> None:
    words = [
        "judge",
        "plan.txt",
        "--terminal",
        "--documents",
        "documents.jsonl",
        "--scale",
        "0-3",
        "--assessors",
        "ann",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "poolwise", *words],
        cwd=folder,
        input="3\n2u1clq",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "3 of 40 documents judged; plan.judged.txt written" in done.stdout
    assert labels_in(folder / "plan.judged.txt") == ["1", "3"]


def test_the_terminal_says_what_to_know_at_the_start(folder: Path) -> None:
    """As the server does: labels outside a new scale, on the screen until a key is pressed."""
    words = [sys.executable, "-m", "poolwise", "judge", "plan.txt", "--terminal", "--assessors", "ann"]
    first, second = (
        subprocess.run([*words, "--scale", scale], cwd=folder, input=keys, capture_output=True, text=True, check=True)
        for scale, keys in (("0-3", "3210q"), ("0-1", "1q"))
    )
    assert "outside the scale" not in first.stdout
    assert "note: no texts are named, so documents are shown by their ids alone" in first.stdout
    said = "note: 2 of 4 labels given so far are outside the scale, which has 0, 1; they stay as they are"
    assert second.stdout.count(said) == 1


def test_the_terminal_shows_estimates_without_waiting_for_them(folder: Path) -> None:
    for name, step in (("one", 1), ("two", 7)):
        ranked = [(t, s, p) for t in range(1, 5) for s in (1, 2) for p in range(20)]
        lines = [f"{t} Q0 d{t}-{s}-{p:02} 0 {99 - p * step % 20} {name}\n" for t, s, p in ranked]
        (folder / f"{name}.txt").write_text("".join(lines))
    (folder / "predictions.txt").write_text("".join(f"{t} d{t}-{s}-00 1\n" for t in range(1, 5) for s in (1, 2)))
    words = ["judge", "plan.txt", "--terminal", "--scale", "0-3", "--assessors", "ann", "--runs", "one.txt", "--runs"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "poolwise", *words, "two.txt", "--predictions", "predictions.txt"],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    seen, sent, pressed = "", [], iter("012301")
    while "X \N{MINUS SIGN} Y" not in seen:
        # A key that does nothing shows what is there by now; values are asked for when there is a width.
        asked = "e" if "wide from 6 labels" in " ".join(seen.split()) and "e" not in sent else " "
        sent.append(next(pressed, asked))
        process.stdin.write(sent[-1] + "\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("u undo"):
            assert line, f"the command ended: {seen}"
            seen += line
        time.sleep(0.05)
    told, _ = process.communicate("q")
    assert "no estimate yet: " in seen
    assert "one - two" not in seen
    assert [event.note for event in opened(str(folder / "plan.sqlite")).events() if event.action == "view"] == [
        "values"
    ]
    assert "6 of 40 documents judged" in told


def test_the_terminal_reads_keys_of_a_terminal(folder: Path) -> None:
    pty = pytest.importorskip("pty")
    main_end, other_end = pty.openpty()
    words = ["judge", "plan.txt", "--terminal", "--documents", "documents.jsonl", "--assessors", "ann"]
    process = subprocess.Popen(
        [sys.executable, "-m", "poolwise", *words], cwd=folder, stdin=other_end, stdout=other_end, stderr=other_end
    )
    for key in (b"1", b"\x1b[D", b"0", b"\x7f", b"1", b"n", b"odd\n", b"0", b"q"):
        wait_for(main_end, b"note: " if key == b"odd\n" else b"help")
        os.write(main_end, key)
    until(lambda: process.poll() is not None, 20)
    os.close(other_end)
    os.close(main_end)
    assert process.returncode == 0
    assert labels_in(folder / "plan.judged.txt") == ["0", "1"]


def wait_for(terminal: int, words: bytes) -> None:
    import select

    seen = b""
    while words not in seen:
        ready, _, _ = select.select([terminal], [], [], 20)
        assert ready, f"{words!r} does not come after {seen[-300:]!r}"
        seen += os.read(terminal, 1 << 16)
