"""One document as it is shown: title, address, text, and whatever else its record says."""

from __future__ import annotations

from dataclasses import dataclass, field

from poolwise.reading.json_objects import json_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Names by which a field is known, ours first.
ID = (
    "id", "docid", "_id", "doc_id", "docno", "document", "document_id", "passage_id", "chunk_id", "corpus-id",
    "corpus_id", "pid",
)  # fmt: skip
TEXT = ("text", "contents", "content", "body", "passage", "abstract")
TITLE = ("title", "headline", "name")
URL = ("url", "link")
IMAGES = ("image", "images")
LONGEST = 400_000  # characters of a text that are shown


@dataclass(frozen=True)
class DocumentText:
    """What an assessor sees of a document; all of it is text, none of it is ever run."""

    text: str
    title: str = ""
    url: str = ""
    more: dict[str, str] = field(default_factory=dict)
    images: tuple[str, ...] = ()

    def as_dict(self, images: bool = False) -> dict[str, Any]:
        """What the page is sent, long texts cut with a word about it."""
        text = self.text
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n\n[cut here: the text has {len(self.text)} characters]"
        return {
            "title": self.title,
            "url": self.url if self.url.startswith(("http://", "https://")) else "",
            "text": text,
            "more": self.more,
            "images": list(self.images) if images else [],
        }


def id_of(record: Mapping[str, Any]) -> str | None:
    """The id of a record, as text; None if it has none.

    >>> id_of({"_id": 7, "text": "..."})
    '7'
    """
    identifier = _first(record, ID)
    return None if identifier is None or identifier == "" else str(identifier)


def from_record(record: Mapping[str, Any]) -> DocumentText:
    """A record of any fields: known ones have their place, others are listed below the text.

    >>> from_record({"docid": "a", "title": "Bees", "contents": "Bees fly.", "year": 1999})
    DocumentText(text='Bees fly.', title='Bees', url='', more={'year': '1999'}, images=())
    """
    images = _first(record, IMAGES)
    listed = images if isinstance(images, (list, tuple)) else [images] if images else []
    known = {name for names in (ID, TEXT, TITLE, URL, IMAGES) for name in names}
    more = {str(name): _shown(value) for name, value in record.items() if name not in known and _worth(value)}
    return DocumentText(
        _shown(_first(record, TEXT)), _shown(_first(record, TITLE)), _shown(_first(record, URL)), more,
        tuple(map(str, listed)),
    )  # fmt: skip


def from_plain(text: str) -> DocumentText:
    """What a command printed: a JSON object with fields, or the text itself.

    >>> from_plain('{"title": "Bees", "text": "Bees fly."}').title, from_plain("Bees fly.").text
    ('Bees', 'Bees fly.')
    """
    if text.lstrip().startswith("{"):
        try:
            record = json_value(text)
        except ValueError:
            return DocumentText(text)
        if isinstance(record, dict) and _first(record, TEXT) is not None:
            return from_record(record)
    return DocumentText(text)


def from_html(text: str) -> DocumentText:
    """The words of a page, without its tags, scripts and styles.

    >>> from_html("<title>Bees</title><script>x()</script><p>Bees <b>fly</b>.</p>")
    DocumentText(text='Bees fly.', title='Bees', url='', more={}, images=())
    """
    from poolwise.judging.html_words import words_of

    title, words = words_of(text)
    return DocumentText(words, title)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "\n\n".join(_shown(part) for part in value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_shown(part)}" for name, part in value.items())
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _worth(value: Any) -> bool:
    return value is not None and value != "" and value != [] and value != {}
