"""Labels are dear: a file that holds some is not replaced by one that lacks them, unless that is asked for."""

from __future__ import annotations

import os

from poolwise.errors import InputError
from poolwise.read.problems import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolwise.cli.arguments import Namespace, Parser

OURS = ("# poolwise plan", "topic,document,label")  # how files begin that `plan` wrote, to be filled in


def add_overwrite(parser: Parser) -> None:
    """--overwrite."""
    parser.add_argument(
        "--overwrite", action="store_true", help="replace FILE even if labels that it holds are lost by that"
    )


def refuse_to_lose_labels(
    arguments: Namespace, kept: Iterable[tuple[str, str]], unjudged: int = -1, path: str | None = None
) -> None:
    """Refuse where a file (the output) holds labels of documents (topic, document) that are not among those kept."""
    path = path or arguments.output
    if not path or arguments.overwrite or not os.path.isfile(path):
        return
    lost = _labelled(path, unjudged)
    for document in kept:
        lost.pop(document, None)
    if lost:
        topic, name = next(iter(lost))
        raise InputError(
            f"{path}: holds {counted(len(lost), 'label')} that the new file would not have, such as that of document "
            f"{name!r} of topic {topic!r}; name another file, or --overwrite to replace this one"
        )


def _labelled(path: str, unjudged: int) -> dict[tuple[str, str], None]:
    """The documents that have a label in a file; none if it is no file of labels."""
    from poolwise.read.label_rows import label_rows

    try:
        rows = label_rows(path, unjudged=unjudged)
    except InputError as error:
        if _is_ours(path):
            raise InputError(f"{error}; it would be replaced: mend it, name another file, or --overwrite") from error
        return {}
    named = zip(rows.topic, rows.document, rows.label, strict=True)
    return {(topic, document): None for topic, document, label in named if label is not None}


def _is_ours(path: str) -> bool:
    from poolwise.read.text_files import file_text

    try:
        return file_text(path).startswith(OURS)
    except InputError:
        return False
