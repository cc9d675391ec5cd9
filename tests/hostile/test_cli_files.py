"""Whatever is in a file that an option names: the command does its work, or says in words what is wrong.

Calls are checked against the declarations of all options, so that a new option that reads a file needs a call. The
day's seed in `make hostile`; POOLWISE_SEED and POOLWISE_CASES repeat it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from tests.hostile.cli_calls import CALLS, commands_that_read, files_of, reading_options, write_files
from tests.hostile.damage import damage
from tests.hostile.forked import fresh_copy, run

SEED = os.environ.get("POOLWISE_SEED", "1")
CASES = int(os.environ.get("POOLWISE_CASES", "200"))
TOGETHER = 10


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "files"
    folder.mkdir()
    write_files(folder)
    return folder


def test_every_option_that_reads_a_file_is_in_a_call(files: Path) -> None:
    named = {(words[0], option) for words in map(str.split, CALLS) for option, _ in files_of(words, files)}
    every = {(command, option) for command in commands_that_read() for option in reading_options(command)}
    assert every - named == set()


@pytest.mark.parametrize("call", CALLS)
def test_calls_work_as_they_are(call: str, files: Path, tmp_path: Path) -> None:
    ended = run(call.split(), fresh_copy(files, tmp_path / "files"))
    assert ended.is_right, ended.said
    assert ended.code in (0, 3) or call.startswith("gate"), ended.said


@pytest.mark.parametrize("number", range(CASES // TOGETHER))
def test_damaged_files_are_told_of(number: int, files: Path, tmp_path: Path) -> None:
    for case in range(number * TOGETHER, (number + 1) * TOGETHER):
        chance = random.Random(f"{SEED} {case} files")
        words = CALLS[case % len(CALLS)].split()
        folder = fresh_copy(files, tmp_path / str(case))
        option, name = chance.choice(files_of(words, folder))
        how = damage(folder / name, chance)
        ended = run(words, folder)
        what = f"POOLWISE_SEED={SEED}, case {case}: {' '.join(words)}: {option} {name}: {how}"
        assert ended.is_right, (what, ended.code, ended.said[-3000:])
