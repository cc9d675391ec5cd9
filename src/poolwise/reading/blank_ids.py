"""Document ids with a blank in them: a line of a run has a field too many then, and all after the id is misread."""

from __future__ import annotations

from poolwise.errors import InputError
from poolwise.reading.foreign_text import is_number
from poolwise.reading.opening import STREAM, opened_lines, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.reading.sources import Source

FIELDS = 6  # topic Q0 document rank score tag


def blank_id(source: Source) -> tuple[int, str] | None:
    """The first line with a field too many that looks as if its document's id had a blank: its number and words.

    That is one with words where the rank should be, or in a file whose other lines have no field too many. Ranks are
    not looked at in scoring, as by trec_eval, so that such a line may pass unseen: what follows the first blank of the
    id is taken for the rank, the rank for the score.
    """
    if source.path is None or source.once:
        return None
    try:
        with opened_lines(source, STREAM, labels=False) as (file, kind):
            return None if kind == "parquet" else _first(whole(file))
    except InputError:
        return None


def _first(text: bytes) -> tuple[int, str] | None:
    """The same in a text.

    >>> _first(b"401 Q0 doc1 1 3.0 tag\\n401 Q0 doc 2 2 2.0 tag\\n")
    (2, '401 Q0 doc 2 2 2.0 tag')
    >>> _first(b"401 Q0 doc1 1 3.0 my tag\\n401 Q0 doc2 2 2.0 my tag\\n")
    """
    lines = [(number, line.split()) for number, line in enumerate(text.split(b"\n"), 1) if not line.startswith(b"#")]
    usual = any(len(words) == FIELDS for _, words in lines)
    for number, words in lines:
        if len(words) > FIELDS and (usual or not is_number(words[3])):
            return number, b" ".join(words).decode("utf-8", "replace")
    return None
