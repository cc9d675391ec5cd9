"""The state follows from the events, whoever adds them and whenever they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kit.judging import judging, reopened, write_plan

from poolwise.errors import ArgumentError, InputError
from poolwise.judging.judging import Judging, check_names
from poolwise.judging.sharing import Rules
from poolwise.judging.work import open_work, read_work, scale_of
from poolwise.reading.judging_file import combined, standings


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_plan(tmp_path / "plan.txt")


def send(judged: Judging, name: str, action: str, item: int | None = None, id: str | None = None, **more):
    send.number = getattr(send, "number", 0) + 1
    given = {"id": id or f"event-{send.number:05}", "action": action, "item": item, **more}
    return judged.record(name, [given])[0]


def test_a_plan_wants_what_is_drawn_and_has_no_label(plan: Path) -> None:
    text = plan.read_text().splitlines()
    assert len(text) == 160
    plan.write_text("\n".join([*text[:-1], "9 2 x 1 3", "9 2 y 1 -1", "9 0 z 1 -1"]) + "\n")
    work = read_work(str(plan))
    assert len(work.items) == 41
    assert [item.document for item in work.items][-1] == "y"
    assert work.about["columns"] == "5"


def test_the_lines_that_begin_a_plan_stay_and_its_lines_keep_their_order(tmp_path: Path) -> None:
    import poolwise as pw

    runs = {"mine": {t: {f"{t}{d:02}": float(-d) for d in range(30)} for t in ("1", "2")}}
    path = tmp_path / "plan.txt"
    pw.read(None, runs).plan(budget=12, depth=30, seed=3).write(path)
    judged = judging(path, "ann")
    for number, _ in judged.queue("ann")[:7]:
        send(judged, "ann", "label", number, label=1)
    before, after = (text.splitlines() for text in (path.read_text(), judged.store.judgments().decode()))
    assert [line for line in after if line.startswith("#")] == [line for line in before if line.startswith("#")]
    assert [line.split()[2] for line in after if line[0] != "#"] == [
        line.split()[2] for line in before if line[0] != "#"
    ]
    read = pw.read(judged.store.path, runs)
    assert read.judgments.plan.number == pw.read(path, runs).judgments.plan.number
    assert read.judgments.count() == 7
    assert not any("have no label" in note for note in read.warnings)


def test_what_has_no_label_is_counted_alike_in_the_judging_file_and_merged(tmp_path: Path) -> None:
    """The file writes what nobody has reached as not drawn, but for topics of which some strata are begun."""
    import poolwise as pw

    runs = {
        name: {t: {f"{t}{(step * d) % 31:02}": float(-d) for d in range(1, 31)} for t in ("1", "2", "3")}
        for name, step in (("mine", 1), ("yours", 7))
    }
    path = tmp_path / "plan.txt"
    pw.read(None, runs).plan(budget=24, depth=30, seed=3).write(path)
    judged = judging(path, "ann")
    for number, _ in judged.queue("ann")[:2]:
        send(judged, "ann", "label", number, label=1)
    lines = judged.store.judgments().decode().splitlines()
    assert sum(line[0] != "#" and line.split()[1] != "0" for line in lines) < 24
    with pytest.warns(pw.PoolwiseWarning, match="22 of 24 drawn documents have no label yet; rates count"):
        pw.read(judged.store.path, runs)
    with pytest.warns(pw.PoolwiseWarning, match="^22 of 24 drawn documents have no label yet$"):
        merged = pw.merge(path, judged.store.path)
    with pytest.warns(pw.PoolwiseWarning, match="22 of 24 drawn documents have no label yet; rates count"):
        pw.read(merged, runs)


def test_a_pool_without_strata_is_judged_whole(tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    path.write_text("1 0 a -1\n1 0 b 1\n1 0 c -1\n")
    work, store = open_work(str(path))
    judged = Judging(work, store, scale_of())
    judged.share(Rules(("ann",)))
    assert [item.document for item in judged.items] == ["a", "c"]
    send(judged, "ann", "label", 1, label=1)
    assert store.judgments() == b"1 0 a -1\n1 0 b 1\n1 0 c 1\n"


def test_a_plan_without_anything_to_judge_says_so(tmp_path: Path) -> None:
    path = tmp_path / "done.txt"
    path.write_text("1 1 a 1 0\n1 0 b 1 -1\n")
    with pytest.raises(InputError, match=r"done\.txt: every drawn document has a label"):
        open_work(str(path))


def test_the_file_of_another_plan_is_not_written_to(plan: Path) -> None:
    open_work(str(plan))[1].close()
    write_plan(plan, drawn=(5, 5))
    with pytest.raises(InputError, match=r"plan\.sqlite: holds labels of another plan"):
        open_work(str(plan))
    open_work(str(plan), str(plan.with_name("other.sqlite")))[1].close()


def test_labels_in_the_plan_do_not_make_it_another_one(plan: Path) -> None:
    """Somebody fills in the file by hand as well; the file of events keeps what it was made with."""
    open_work(str(plan))[1].close()
    plan.write_text(plan.read_text().replace("1 1 d1-1-00 1 -1", "1 1 d1-1-00 1 2"))
    assert len(open_work(str(plan))[0].items) == 40


def test_the_file_itself_can_be_named(plan: Path) -> None:
    judged = judging(plan, "ann")
    send(judged, "ann", "label", 0, label=1)
    work, store = open_work(judged.store.path)
    assert work == judged.work
    assert len(store.events()) == 2


def test_labels_undo_later_and_cannot(plan: Path) -> None:
    judged = judging(plan, "ann")
    (first, _), (second, _), (third, _), *_ = judged.queue("ann")
    assert send(judged, "ann", "label", first, "the-first", label=3, milliseconds=800) == {"id": "the-first"}
    send(judged, "ann", "label", first, "the-second", label=0, replaces="the-first")
    send(judged, "ann", "cannot", second, note="torn page")
    send(judged, "ann", "later", third)
    desk = judged.desk("ann")
    assert desk.answer((first, False)).label == 0
    assert [desk.done((number, False)) for number in (first, second, third)] == [True, True, False]
    assert judged.progress("ann") == {"done": 2, "left": 38, "all_done": 2, "all": 40, "usual": 800}
    send(judged, "ann", "undo", replaces="the-second")
    assert desk.answer((first, False)).label == 3
    send(judged, "ann", "undo", replaces="the-first")
    assert desk.answer((first, False)) is None
    assert judged.progress("ann")["done"] == 1
    assert combined(judged.events()) == {(judged.items[second].topic, judged.items[second].document): None}


def test_the_state_is_the_same_after_a_restart(plan: Path) -> None:
    judged = judging(plan, "ann", "bob", overlap=0.2, repeat=0.1)
    for name in ("ann", "bob"):
        for number, again in judged.queue(name)[:12]:
            send(judged, name, "label", number, label=number % 4, again=again, milliseconds=1000)
    send(judged, "ann", "undo", replaces=judged.desk("ann").history[-2])
    send(judged, "ann", "note", judged.queue("ann")[0][0], note="odd")
    send(judged, "bob", "reading", topic=judged.items[judged.queue("bob")[0][0]].topic, note="as I see it")
    judged.join("cy")
    again = reopened(judged)
    assert again.desks == judged.desks
    assert again.shares == judged.shares
    assert [again.progress(name) for name in ("ann", "bob", "cy")] == [
        judged.progress(name) for name in ("ann", "bob", "cy")
    ]
    assert again.store.judgments() == judged.store.judgments()


def test_the_state_agrees_with_the_labels_that_follow_from_events(plan: Path) -> None:
    judged = judging(plan, "ann", "bob", overlap=0.5)
    for step, (number, again) in enumerate(judged.queue("ann") * 2):
        send(judged, "ann", ("label", "cannot", "later")[step % 3], number, label=step % 4, again=again)
        if step % 5 == 0:
            send(judged, "ann", "undo", replaces=judged.desk("ann").history[-1])
    expected = standings(judged.events())["ann"]
    for number, again in judged.desk("ann").answers:
        item = judged.items[number]
        standing = expected.get((item.topic, item.document))
        assert again or (standing.answer if standing else None) == judged.desk("ann").answer((number, False))


def test_another_process_adds_events(plan: Path) -> None:
    one = judging(plan, "ann")
    two = reopened(one)
    number = one.queue("ann")[0][0]
    send(one, "ann", "label", number, label=1)
    assert [event.label for _, event in two.news("ann", two.last)] == [1]
    assert two.desk("ann").done((number, False))


def test_an_event_that_is_sent_twice_counts_once(plan: Path) -> None:
    judged = judging(plan, "ann")
    number = judged.queue("ann")[0][0]
    for _ in range(3):
        assert send(judged, "ann", "label", number, "the-same-one", label=1) == {"id": "the-same-one"}
    assert len(judged.events()) == 2
    assert len(judged.desk("ann").history) == 1


@pytest.mark.parametrize(
    "other",
    [{"item": 2, "label": 0}, {"label": 0}, {"item": 2}, {"note": "other"}, {"action": "cannot", "label": None}],
)
def test_an_id_that_is_used_again_for_another_event_is_refused(plan: Path, other: dict) -> None:
    judged = judging(plan, "ann")
    first = {"id": "the-same-one", "action": "label", "item": 1, "label": 1}
    assert judged.record("ann", [first, {**first, "age": 5, "milliseconds": 7}]) == [{"id": "the-same-one"}] * 2
    (said,) = judged.record("ann", [{**first, **other}])
    assert "this id belongs to another event" in said["refused"]
    assert [(event.document, event.label) for event in judged.events()[1:]] == [(judged.items[1].document, 1)]


def test_notes_readings_and_undoing_may_be_sent_again(plan: Path) -> None:
    judged = judging(plan, "ann")
    topic = judged.items[0].topic
    events = [
        {"id": "the-label", "action": "label", "item": 0, "label": 1},
        {"id": "the-note", "action": "note", "item": 0, "note": "odd"},
        {"id": "the-reading", "action": "reading", "topic": topic, "note": "as asked"},
        {"id": "the-undoing", "action": "undo", "replaces": "the-label"},
    ]
    for _ in range(2):
        assert judged.record("ann", events) == [{"id": event["id"]} for event in events]
    assert len(judged.events()) == 5


def test_sharing_again_by_the_same_rules_changes_nothing(plan: Path) -> None:
    judged = judging(plan, "ann", "bob", overlap=0.1)
    judged.share(Rules(("ann", "bob"), 0.1))
    judged.join("bob")
    assert len(judged.events()) == 1


REFUSED = [
    ({"id": "short", "action": "label", "item": 0, "label": 1}, "an event needs an id"),
    ({"id": "../../etc/passwd", "action": "label", "item": 0, "label": 1}, "an event needs an id"),
    ({"action": "label", "item": 0, "label": 1}, "an event needs an id"),
    ({"id": "longenough", "action": "share", "note": "{}"}, "no such action"),
    ({"id": "longenough", "action": "settle", "item": 0, "label": 1}, "no such action"),
    ({"id": "longenough", "action": "label", "item": -1, "label": 1}, "item '-1' is not a number"),
    ({"id": "longenough", "action": "label", "item": 40, "label": 1}, "item '40' is not a number"),
    ({"id": "longenough", "action": "label", "item": "../x", "label": 1}, "item '../x' is not a number"),
    ({"id": "longenough", "action": "label", "item": 0, "label": 9}, "no such grade: '9'"),
    ({"id": "longenough", "action": "label", "item": 0, "label": True}, "no such grade"),
    ({"id": "longenough", "action": "label", "item": 0}, "no such grade"),
    ({"id": "longenough", "action": "label", "item": 0, "label": [1]}, "no such grade"),
    ({"id": "longenough", "action": "note", "item": 0, "note": "x" * 20_001}, "a note is a text"),
    ({"id": "longenough", "action": "note", "item": 0, "note": 7}, "a note is a text"),
    ({"id": "longenough", "action": "undo", "replaces": "nothing-here"}, "nothing of yours to undo"),
    ({"id": "longenough", "action": "reading", "topic": "77", "note": "x"}, "this topic is not part of your work"),
    ({"id": "longenough", "action": "later", "item": 0, "age": -5}, "age '-5' is not a number"),
    ({"id": "longenough", "action": "later", "item": 0, "milliseconds": float("nan")}, "milliseconds 'nan'"),
]


@pytest.mark.parametrize(("given", "reason"), REFUSED)
def test_what_cannot_be_is_refused_and_the_rest_is_kept(plan: Path, given: dict, reason: str) -> None:
    judged = judging(plan, "ann")
    good = {"id": "a-good-one", "action": "label", "item": 1, "label": 1}
    said = judged.record("ann", [given, good])
    assert reason in said[0]["refused"]
    assert said[1] == {"id": "a-good-one"}
    assert [event.id for event in judged.events()][1:] == ["a-good-one"]


def test_the_work_of_others_is_out_of_reach(plan: Path) -> None:
    judged = judging(plan, "ann", "bob")
    number = judged.queue("bob")[0][0]
    assert not judged.may_see("ann", number)
    assert "not part of your work" in send(judged, "ann", "label", number, label=1)["refused"]
    send(judged, "bob", "label", number, "of-bob-one", label=1)
    assert "nothing of yours" in send(judged, "ann", "undo", replaces="of-bob-one")["refused"]
    assert (
        "another assessor" in send(judged, "ann", "label", judged.queue("ann")[0][0], "of-bob-one", label=1)["refused"]
    )
    assert judged.desk("bob").answer((number, False)).label == 1


def test_what_was_ones_own_before_work_was_dealt_anew_is_kept(plan: Path) -> None:
    """Somebody judges on a train, and meanwhile a colleague joins: the labels arrive late and count."""
    judged = judging(plan, "ann")
    late = judged.queue("ann")[-1][0]
    judged.join("bob")
    assert judged.shares.first[late] == "bob"
    assert send(judged, "ann", "label", late, label=2) == {"id": f"event-{send.number:05}"}
    assert combined(judged.events())[judged.items[late].topic, judged.items[late].document] == 2


def test_settling_counts_before_all_labels(plan: Path) -> None:
    judged = judging(plan, "ann", "bob", overlap=1.0)
    number = judged.queue("ann")[0][0]
    for name, label in (("ann", 0), ("bob", 3)):
        send(judged, name, "label", number, label=label)
    settling = Judging(judged.work, judged.store, judged.scale, settle=[number])
    assert settling.queue("eve") == [(number, False)]
    assert "settled by a label" in send(settling, "eve", "cannot", number)["refused"]
    assert "not part of your work" in send(settling, "eve", "label", number + 1, label=1)["refused"]
    send(settling, "eve", "label", number, label=2)
    assert settling.progress("eve") == {"done": 1, "left": 0, "all_done": 1, "all": 1, "usual": None}
    item = judged.items[number]
    assert combined(settling.events()) == {(item.topic, item.document): 2}


@pytest.mark.parametrize("names", [["ann", "ann"], [""], ["a" * 61], ["a\nb"]])
def test_names_that_cannot_be_told_apart(names: list[str]) -> None:
    with pytest.raises(ArgumentError, match="assessor"):
        check_names(names)
