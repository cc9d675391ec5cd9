"""What a page says of where it comes from."""

from __future__ import annotations

import hashlib

from poolwise.show.page import how_made, today


def test_input_is_named_with_its_digest_and_output_is_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "b").write_text("two")
    (tmp_path / "runs" / "a").write_text("one")
    (tmp_path / "page.html").write_text("an older page")
    command = "poolwise compare 'my qrels.txt' runs -m AP -o page.html"
    labels, runs = (hashlib.sha256(text).hexdigest()[:12] for text in (b"1 0 a 1\n", b"onetwo"))
    assert how_made(command) == [
        f"Command: {command}",
        f"Input: my qrels.txt (sha256 {labels}); runs (2 files, sha256 {runs}).",
    ]
    assert how_made("") == []


def test_a_folder_called_as_the_command_is_no_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "page").write_text("an older page")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    assert "report (" not in how_made("poolwise report qrels -o report")[1]


def test_files_in_one_word_are_all_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("ann.txt", "bob.txt"):
        (tmp_path / name).write_text(name)
    digests = [hashlib.sha256(name.encode()).hexdigest()[:12] for name in ("ann.txt", "bob.txt")]
    said = how_made("poolwise study assessors --labels ann.txt,bob.txt,carol.txt")[1]
    assert said == f"Input: ann.txt (sha256 {digests[0]}); bob.txt (sha256 {digests[1]})."


def test_the_day_can_be_set(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == "1970-01-02"
