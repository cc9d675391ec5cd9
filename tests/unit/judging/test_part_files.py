"""Unfinished files have names that nobody can foresee, and a link in their place is not followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from poolwise.errors import InputError
from poolwise.judging import events as new_database
from poolwise.judging import session as last_time
from poolwise.judging.session import JudgeOptions


def database(folder: Path) -> None:
    with new_database.new_database(str(folder / "new.sqlite"), "CREATE TABLE one (a);", "check the folder"):
        pass


def settings(folder: Path) -> None:
    last_time.keep(JudgeOptions(str(folder / "plan.txt")), 0, {})


@pytest.mark.parametrize("write", [database, settings])
def test_a_link_that_waits_at_the_usual_name_is_not_followed(tmp_path: Path, monkeypatch, write) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    victim = tmp_path / "victim"
    for name in ("new.sqlite", "plan.judging.json"):
        os.symlink(victim, tmp_path / f"{name}.{os.getpid()}.part")
    write(tmp_path)
    assert not victim.exists()


@pytest.mark.parametrize(("module", "write"), [(new_database, database), (last_time, settings)])
def test_a_name_that_is_taken_is_an_error(tmp_path: Path, monkeypatch, module, write) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    victim, taken = tmp_path / "victim", tmp_path / "taken.part"
    os.symlink(victim, taken)
    monkeypatch.setattr(module, "temporary_name", lambda target: str(taken))
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path)
    assert not victim.exists()
