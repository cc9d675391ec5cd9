"""At a terminal the same keys make the same events."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tests.kit.judging import judging, write_documents, write_plan

from poolwise.judging.documents import open_documents
from poolwise.judging.session import Room
from poolwise.judging.terminal_twin import TerminalTwin
from poolwise.judging.topic_texts import TopicText
from poolwise.reading.judging_file import given_in_view, standings


@pytest.fixture
def room(tmp_path: Path) -> Room:
    judged = judging(write_plan(tmp_path / "plan.txt"), "ann")
    documents = open_documents([str(write_documents(tmp_path / "documents.jsonl"))], None, set(), "")
    topics = {str(topic): TopicText(f"what is {topic}", f"Say of {topic}.", "At length.") for topic in range(1, 5)}
    return Room(judged, documents, topics, "plan.txt", guidelines="Be kind.")


def press(room: Room, *keys: str, lines: tuple[str, ...] = (), colour: bool = False) -> str:
    screen, written = io.StringIO(), iter(lines)
    screen.isatty = lambda: True
    TerminalTwin(room, "ann", iter(keys), lambda question: next(written), screen, colour).run()
    return screen.getvalue()


def answers(room: Room) -> list[tuple[str, int | None, bool]]:
    own = standings(room.judging.events()).get("ann", {})
    found = {pair: standing.answer for pair, standing in own.items() if standing.answer}
    queue = [room.judging.items[number] for number, _ in room.judging.queue("ann")]
    listed = [found.get((item.topic, item.document)) for item in queue]
    return [(answer.action, answer.label, answer.unsure) for answer in listed if answer]


def test_a_key_labels_saves_and_moves_on(room: Room) -> None:
    seen = press(room, "3", "s", "0", "c", "l", "2", "q", "1")
    assert answers(room) == [
        ("label", 3, False),
        ("label", 0, True),
        ("cannot", None, False),
        ("later", None, False),
        ("label", 2, False),
    ]
    number = room.judging.queue("ann")[0][0]
    item = room.judging.items[number]
    assert f"what is {item.topic}" in seen
    assert f"of topic {item.topic}." in seen
    assert "4 of 40" in seen  # what was put off is not done


def test_undo_goes_back_to_the_document_again_and_again(room: Room) -> None:
    press(room, "3", "2", "1", "u", "backspace", "u", "u", "0")
    assert answers(room) == [("label", 0, False)]
    assert [event.action for event in room.judging.events()].count("undo") == 3


def test_one_may_look_back_and_change_ones_mind(room: Room) -> None:
    press(room, "1", "1", "left", "left", "3", "right")
    assert answers(room) == [("label", 3, False), ("label", 1, False)]
    labels = [event for event in room.judging.events() if event.action == "label"]
    assert labels[-1].replaces == labels[0].id
    press(room, *["left"] * 50)


def test_notes_and_readings(room: Room) -> None:
    number = room.judging.queue("ann")[0][0]
    topic = room.judging.items[number].topic
    seen = press(room, "n", "r", lines=("torn", "only bees"))
    assert room.judging.desk("ann").notes == {number: "torn"}
    assert room.judging.desk("ann").readings == {topic: "only bees"}
    assert "note: torn" in seen
    assert "I read it as: only bees" in seen


def test_pages_of_help_and_guidelines_take_one_key(room: Room) -> None:
    seen = press(room, "g", "1", "?", "1", "1")
    assert "Be kind." in seen
    assert "u or Backspace" in seen
    assert answers(room) == [("label", 1, False)]


def test_what_was_put_off_comes_at_the_end_and_then_all_is_done(room: Room) -> None:
    seen = press(room, "l", *["1"] * 39)
    assert len(answers(room)) == 40
    assert answers(room)[0] == ("later", None, False)
    assert "All done" not in seen
    seen = press(room, "2", "1", "l")
    assert "All done" in seen
    assert answers(room)[0] == ("label", 2, False)


def test_long_texts_scroll_and_words_are_marked(room: Room, monkeypatch) -> None:
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "60")
    from poolwise.judging.document_text import DocumentText

    class Long:
        def get(self, document: str) -> DocumentText:
            return DocumentText("\n".join(f"line {number} what" for number in range(200)))

    room.documents = Long()
    first, second = press(room), press(room, " ")
    assert "line 0 " in first
    assert "... space shows more" in first
    assert "line 199" not in second
    assert len(second.split("\033[2J")[-1].splitlines()) <= 24
    marked = press(room, "h", colour=True)
    assert "\033[1mwhat\033[0m" in marked
    assert "line 0 " in press(room, " ", "b").split("\033[2J")[-1]


def test_a_document_cannot_command_the_terminal(room: Room) -> None:
    from poolwise.judging.document_text import DocumentText

    class Hostile:
        def get(self, document: str) -> DocumentText:
            return DocumentText("a\x1b]0;owned\x07b\x1b[2Jc\rd", "t\x1b[31m")

    room.documents = Hostile()
    seen = press(room).replace("\033[2J\033[H", "")
    assert "\x1b" not in seen
    assert "\x07" not in seen
    assert "\r" not in seen


def test_missing_texts_and_topics_show_ids(room: Room) -> None:
    room.documents, room.topics = open_documents([], None, set(), ""), {}
    item = room.judging.items[room.judging.queue("ann")[0][0]]
    seen = press(room)
    assert item.document in seen
    assert "No text was found" in seen


class Told:
    """Estimates that are there."""

    def __init__(self) -> None:
        self.news = 0

    def changed(self) -> None:
        self.news += 1

    def shown(self, values: bool) -> dict:
        return {"found": {"missing": 3}, "busy": False, "next": 3 + values}


def test_estimates_stand_above_the_topic_until_hidden(room: Room) -> None:
    screen, told = io.StringIO(), Told()
    TerminalTwin(room, "ann", iter(["3", "v", "2", "v"]), str, screen, False, told).run()
    screens = screen.getvalue().split(" of 40\n")[1:]
    said = "no estimate yet: the first comes in 3 labels\nwhat is "
    assert [said in screen.replace("\n  ", " ") for screen in screens] == [True, True, False, False, True]
    assert told.news == 2


def test_values_stand_there_when_they_are_asked_for_and_that_is_kept(room: Room) -> None:
    screen = io.StringIO()
    TerminalTwin(room, "ann", iter(["3", "e", "2", "e"]), str, screen, False, Told()).run()
    screens = screen.getvalue().split(" of 40\n")[1:]
    assert [("in 4 labels" in screen, "in 3 labels" in screen) for screen in screens] == [
        (False, True), (False, True), (True, False), (True, False), (False, True),
    ]  # fmt: skip
    assert given_in_view(room.judging.events()) == (1, 2)
