"""Estimates beside the judging: from every topic's first label on, with predictions, and what is missing until then."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kit.judging import judging, write_plan

import poolwise as pw
from poolwise.judging import numbers_worker
from poolwise.judging.events import new_id
from poolwise.judging.judging import Judging
from poolwise.judging.numbers_worker import LABELS_PER_TOPIC, JoinedRuns, answer

TOPICS, STRATA, POOLED = 4, 2, 20
pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def relevant(document: str) -> int:
    """A label that a good ranking could know: the first of every stratum."""
    return int(int(document.rpartition("-")[2]) < 3)


@pytest.fixture
def judged(tmp_path: Path) -> Judging:
    for name, step in (("good", 1), ("bad", 7)):
        lines = [
            f"{topic} Q0 d{topic}-{stratum}-{place:02} 0 {1000 - place * step % POOLED - stratum / 10} {name}\n"
            for topic in range(1, TOPICS + 1)
            for stratum in range(1, STRATA + 1)
            for place in range(POOLED)
        ]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    return judging(write_plan(tmp_path / "plan.txt"), "ann", scale="0-1")


def label(judged: Judging, number: int, action: str = "label") -> None:
    """Answer so many documents in the order of the work."""
    left = [entry for entry in judged.queue("ann") if judged.desk("ann").answer(entry) is None]
    for place, _ in left[:number]:
        given = {"label": relevant(judged.items[place].document)} if action == "label" else {}
        (said,) = judged.record("ann", [{"id": new_id(), "action": action, "item": place, "milliseconds": 1, **given}])
        assert "refused" not in said


def numbers(judged: Judging, joined: JoinedRuns | None = None, **more):
    folder = Path(judged.store.path).parent
    runs = [str(folder / "good.txt"), str(folder / "bad.txt")]
    request = {
        "store": judged.store.path, "runs": runs, "measure": "AP", "difference": ("good", "bad"), "level": 0.95,
        "unjudged": -1, "looks": [], **more,
    }  # fmt: skip
    return answer(request, joined or JoinedRuns())


def test_the_first_estimate_comes_with_every_topics_first_label_and_some_more(judged: Judging) -> None:
    enough = int(LABELS_PER_TOPIC * TOPICS)
    for done in range(enough):
        assert numbers(judged)["missing"] == enough - done
        assert numbers(judged)["rows"] == []
        label(judged, 1)
    found = numbers(judged)
    assert "missing" not in found
    (row,) = found["rows"]
    assert row["low"] <= row["value"] <= row["high"]
    assert found["labels"] == enough


def test_a_topic_whose_first_cannot_be_judged_waits_for_its_next(judged: Judging) -> None:
    label(judged, 1, "cannot")
    label(judged, TOPICS - 1)
    topic = judged.items[judged.queue("ann")[0][0]].topic
    later = [judged.items[number].topic for number, _ in judged.queue("ann")[TOPICS:]]
    enough = int(LABELS_PER_TOPIC * TOPICS) - (TOPICS - 1)
    assert numbers(judged)["missing"] == max(later.index(topic) + 1, enough)


def test_what_is_shown_is_what_estimate_says(judged: Judging) -> None:
    label(judged, 12)
    (row,) = numbers(judged)["rows"]
    folder = Path(judged.store.path).parent
    pool = pw.read(judged.store.path, folder / "good.txt", folder / "bad.txt")
    pair = pool.estimate("AP", difference=("good", "bad"), steadied=False).differences
    assert (row["value"], row["low"], row["high"]) == (pair.difference[0], pair.low[0], pair.high[0])


def test_a_label_that_is_taken_back_after_a_look_leaves_the_estimates(judged: Judging) -> None:
    """Elsewhere fewer labels than at the last look are refused; whoever judges mends labels."""
    label(judged, 12)
    look = numbers(judged)["look"]
    found = numbers(judged, looks=[{**look, "labels": look["labels"] + 1}])
    assert "error" not in found
    assert found["labels"] == 12
    assert [row["name"] for row in found["rows"]] == ["good - bad"]


def test_predictions_join_the_estimates(judged: Judging) -> None:
    label(judged, 24)
    folder = Path(judged.store.path).parent
    path = folder / "predictions.txt"
    path.write_text("".join(f"{topic} {document} {relevant(document)}\n" for topic, document, *_ in judged.work.rows))
    (plain,), (told,) = (numbers(judged, predictions=given)["rows"] for given in ([], [str(path)]))
    assert (told["low"], told["high"]) != (plain["low"], plain["high"])
    pool = pw.read(judged.store.path, folder / "good.txt", folder / "bad.txt")
    pair = pool.estimate("AP", difference=("good", "bad"), steadied=False, predictions=[path]).differences
    assert (told["value"], told["low"]) == (pair.difference[0], pair.low[0])


def test_run_files_are_read_again_only_when_they_change(judged: Judging, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the worker says with runs that it keeps is what it says when it reads all anew."""
    readings = []

    def counted(*given, **more):
        readings.append(given)
        return pw.read(*given, **more)

    monkeypatch.setattr(numbers_worker, "read", counted)
    joined = JoinedRuns()
    for times in range(1, 5):
        label(judged, 4)
        assert numbers(judged, joined) == numbers(judged, measure="AP")
        assert len(readings) == 1 + times  # one of the kept runs, one for each answer to compare with
    path = Path(judged.store.path).parent / "bad.txt"
    path.write_text("".join(path.read_text().splitlines(True)[::2]))
    changed = numbers(judged, joined)
    assert len(readings) == 6
    assert changed == numbers(judged)
    assert changed["rows"] != []


def test_a_run_that_is_gone_is_an_error_until_it_is_back(judged: Judging) -> None:
    label(judged, 12)
    joined, path = JoinedRuns(), Path(judged.store.path).parent / "bad.txt"
    expected = numbers(judged, joined)
    path.rename(path.with_suffix(".away"))
    assert "no such file" in numbers(judged, joined)["error"]
    path.with_suffix(".away").rename(path)
    assert numbers(judged, joined) == expected
