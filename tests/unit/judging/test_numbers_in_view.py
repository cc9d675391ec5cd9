"""Judging is blind unless somebody asks: nothing that a page is told says which way a label moved a run."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the server is built on uvicorn")

from tests.kit.judging import write_documents, write_plan
from tests.kit.judging_page import runs_of
from tests.kit.judging_server import until

import poolwise as pw
from poolwise.judging import live_numbers
from poolwise.judging.live_numbers import BLOCK, in_view, is_due
from poolwise.judging.server import JudgingServer, judge
from poolwise.reading.judging_file import given_in_view

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
DRAWN = (10, 10)  # of 4 topics: 80 documents


class Page:
    """What a page does: labels in the order of the work, and looks at the numbers."""

    def __init__(self, server: JudgingServer, name: str = "ann") -> None:
        self.server, self.name = server, name
        self.queue = self._asked("start")["queue"]
        self.done = 0

    def label(self, count: int) -> None:
        items = [item for item, _ in self.queue[self.done : self.done + count]]
        self.send(*({"action": "label", "item": item, "label": item % 7 % 2} for item in items))
        self.done += count

    def send(self, *events: dict) -> None:
        named = [{"id": live_numbers.new_id(), **event} for event in events]
        assert all("refused" not in said for said in self._asked("events", {"events": named})["said"])

    def numbers(self) -> dict:
        """When nothing is being computed any more."""
        until(lambda: not self._asked("numbers")["numbers"]["busy"])
        return self._asked("numbers")["numbers"]

    def _asked(self, what: str, body: dict | None = None):
        (address,) = self.server.addresses.values()
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{address}{what}?name={self.name}", data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


@pytest.fixture
def page(tmp_path: Path, monkeypatch) -> Iterator[Page]:
    monkeypatch.setattr(live_numbers, "PAUSE", 0.05)
    monkeypatch.setattr(live_numbers, "REST", 0)
    plan = write_plan(tmp_path / "plan.txt", drawn=DRAWN)
    write_documents(tmp_path / "documents.jsonl")
    with judge(plan, documents=tmp_path / "documents.jsonl", runs=runs_of(tmp_path), measure="P@10") as server:
        yield Page(server)


def truth(page: Page) -> list[float]:
    """What must not be seen: the difference, its interval and the scores of the runs, as they are by now."""
    path = Path(page.server.room.judging.store.path)
    found = pw.read(str(path), path.parent / "good.txt", path.parent / "bad.txt").estimate(
        "P@10", difference=("good", "bad")
    )
    pair = found.differences
    numbers = [*pair.difference, *pair.low, *pair.high, *found.means()[:, 0], *found.mean_low()[:, 0]]
    return [float(number) for number in [*numbers, *found.mean_high()[:, 0]] if abs(number) not in (0, 1)]


def numbers_in(value) -> list[float]:
    """All numbers of a JSON, wherever they are."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers_in(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers_in(each)]
    return [] if isinstance(value, (str, bool)) or value is None else [abs(float(value))]


def steady(numbers: dict) -> dict:
    """All but how many labels are left, to the next estimates and to the end."""
    return {name: value for name, value in numbers.items() if name not in ("next", "left")}


def test_no_value_is_sent_that_nobody_asked_for_and_nothing_moves_with_a_label(page: Page) -> None:
    page.label(10)
    first = page.numbers()
    seen = [first]
    for place in range(10, 80):
        page.label(1)
        seen.append(page.numbers())
        told = json.dumps(seen[-1])
        assert not [name for name in ("good", "bad", '"rows"', '"value"', "band", '"low"', "high") if name in told]
        if place in (10, 33, 34, 79):
            hidden = truth(page)
            assert hidden
            assert not [number for number in numbers_in(seen[-1]) for true in hidden if abs(number - abs(true)) < 1e-9]
    changes = [10 + at for at in range(1, len(seen)) if steady(seen[at]) != steady(seen[at - 1])]
    assert changes == [10 + BLOCK, 80]  # and not at 60: so few were left that the last one could be told by the end
    assert [(each["next"], each["left"]) for each in seen[:3]] == [(25, 70), (24, 69), (23, 68)]
    assert seen[-1]["found"]["labels"] == 80
    assert seen[-1]["found"]["enough"] is True


def test_values_are_shown_when_asked_for_without_names_and_that_is_recorded(page: Page, capsys) -> None:
    page.label(10)
    before = page.numbers()
    page.send({"action": "view", "values": True})
    (row,) = page.numbers()["found"]["rows"]
    value = truth(page)[0]
    assert row["name"] == "X \N{MINUS SIGN} Y"
    assert abs(row["value"]) == pytest.approx(abs(value), abs=1e-12)
    assert row["low"] <= row["value"] <= row["high"]
    assert "good" not in json.dumps(page.numbers())
    page.label(3)
    assert page.numbers()["found"]["rows"] == [row]  # of the block that has ended
    assert "rows" not in Page(page.server, "bob").numbers()["found"]
    page.send({"action": "view", "values": False})
    assert steady(page.numbers()) == steady(before)
    page.label(4)
    events = page.server.room.judging.events()
    assert given_in_view(events) == (3, 17)
    page.server.stop()
    folder = Path(page.server.room.judging.store.path).parent
    words = "3 of 17 labels were given with values of runs in view"
    for judged in ("plan.sqlite", "plan.judged.txt"):
        found = pw.read(str(folder / judged), folder / "good.txt", folder / "bad.txt").estimate("P@10")
        assert words in found.warnings, judged


def test_who_starts_again_sees_what_was_seen(page: Page, tmp_path: Path) -> None:
    """Or a restart after each label would do what the page does not."""
    page.label(10)
    before = page.numbers()
    page.label(7)
    page.server.stop()
    with judge(tmp_path / "plan.txt") as again:
        assert steady(Page(again).numbers()) == steady(before)


def test_estimates_are_a_block_apart_also_at_the_end() -> None:
    for total in range(1, 120):
        made: list[int] = []
        for given in range(7, total + 1):
            if is_due(given, made[-1] if made else None, total - given):
                made.append(given)
        assert made[-1:] == ([total] if total >= 7 else [])
        assert all(after - before >= BLOCK for before, after in pairwise(made))


def test_several_runs_have_numbers_for_names_that_stay() -> None:
    rows = [{"name": name, "value": place / 10} for place, name in enumerate("abc")]
    found = {"rows": rows, "names": list("abcd"), "pair": False, "left_out": 1, "measure": "AP", "look": {"secret": 1}}
    seen = in_view(found, True, "a plan")
    assert sorted(row["name"] for row in seen["rows"])[0].startswith("run ")
    assert len({row["name"] for row in seen["rows"]}) == 3
    fewer = in_view({**found, "rows": rows[:2]}, True, "a plan")
    assert fewer["rows"] == seen["rows"][:2]
    assert in_view(found, False, "a plan") == {"measure": "AP"}


def test_which_of_two_runs_is_x_depends_on_the_plan() -> None:
    row = {"name": "a - b", "value": 0.2, "low": 0.1, "high": 0.4, "band_low": None, "band_high": None}
    found = {"rows": [row], "names": ["a", "b"], "pair": True, "left_out": 0}
    ends = {
        tuple(in_view(found, True, f"plan {n}")["rows"][0][end] for end in ("value", "low", "high")) for n in range(20)
    }
    assert ends == {(0.2, 0.1, 0.4), (-0.2, -0.4, -0.1)}
