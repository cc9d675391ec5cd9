"""What a judging began with last time: kept in the user's own state folder, so that `poolwise judge PLAN` goes on.

The folder of a plan may come from somebody else, so nothing in it says which command is run, who may judge, or which
files are written. What is kept belongs to the absolute path of the plan, and counts as long as labels are there.

Who names a file of their own to keep what is judged (`--store`) has a judging of their own, with its own team, links
and settings. Who settles disagreements is not the team, whose names and links stay as they are.

Port and tokens stay the same, so that pages which were open find the server again after a restart, and what they could
not send is not lost. Only the owner may read the files.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b

from poolwise.basics.writing import temporary_name
from poolwise.errors import InputError
from poolwise.judging.work import ENDING, beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.judging.opening_room import Wishes

FOLDER = os.path.join("poolwise", "judge")
TEAM = ("assessors", "overlap", "per_document", "repeat")
# What `poolwise judge PLAN` knows of last time; of each line all is taken from there, or nothing.
REMEMBERED_TOGETHER = (
    ("documents", "documents_from"),
    ("topics",),
    ("runs", "difference", "predictions", "columns", "hide_scores"),
    ("measure",),
    ("grades", "scale"),
    ("guidelines",),
    TEAM,
    ("outputs",),
)
REMEMBERED = {name for names in REMEMBERED_TOGETHER for name in names}


@dataclass
class LastTime:
    """What a judging began with last time: the port, a token per assessor, and what the user asked for."""

    port: int = 0
    tokens: dict[str, str] = field(default_factory=dict)
    wishes: dict[str, Any] = field(default_factory=dict)

    def tokens_for(self, names: Sequence[str], renew: bool) -> dict[str, str]:
        """A token per assessor, the old one where there is one."""
        return {name: (None if renew else self.tokens.get(name)) or new_token() for name in names}


def last_time(wishes: Wishes) -> LastTime:
    """Read what was kept; a file that makes no sense counts as none, and so does that of labels which are gone."""
    try:
        with open(state_path(wishes, ".json"), encoding="utf-8") as file:
            kept = json.load(file)
        tokens = {str(name): str(token) for name, token in kept["tokens"].items()}
        last = LastTime(int(kept["port"]), tokens, dict(kept["wishes"]))
        subject = wishes.store or wishes.plan
        places = [subject if wishes.store else beside(subject, ENDING), beside(subject, ".judged.txt")]
        return last if any(map(os.path.exists, [*places, *last.wishes.get("outputs", ())])) else LastTime()
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return LastTime()


def keep(wishes: Wishes, port: int, tokens: dict[str, str]) -> None:
    """Write port, tokens and wishes down."""
    last = LastTime(port, tokens, _to_keep(wishes))
    subject = os.path.abspath(wishes.store or wishes.plan)
    _write(state_path(wishes, ".json"), json.dumps({"of": subject, **vars(last)}, indent=1))


def page_that_leads_to(address: str, wishes: Wishes) -> str:
    """Write a page that leads to an address: a browser that is handed its name shows the token to no other user."""
    from html import escape

    path = state_path(wishes, ".html")
    to = escape(address, quote=True)
    _write(
        path,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={to}"><title>Judging</title></head>\n'
        f'<body><a href="{to}">Begin judging</a></body></html>\n',
    )
    return path


def state_path(wishes: Wishes, ending: str) -> str:
    """A file of the user's state folder that belongs to this judging."""
    subject = os.path.realpath(beside(wishes.store or wishes.plan, ""))
    number = blake2b(os.fsencode(subject), digest_size=8).hexdigest()
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(home, FOLDER, f"{os.path.basename(subject)}-{number}{ending}")


def _write(path: str, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    part, folder = temporary_name(path), os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({error.strerror}); name a folder that you may write to with XDG_STATE_HOME"
        ) from error
    finally:
        with suppress(OSError):
            os.remove(part)


def _to_keep(wishes: Wishes) -> dict[str, Any]:
    """What is written down; while disagreements are settled, the team stays that of before."""
    kept = remembered(wishes)
    if wishes.adjudicate is None:
        return kept
    others = {name: value for name, value in kept.items() if name not in TEAM}
    return others | {name: value for name, value in last_time(wishes).wishes.items() if name in TEAM}


def remembered(wishes: Wishes) -> dict[str, Any]:
    """What is worth remembering for the next time, paths spelt out."""
    kept = {name: value for name, value in asdict(wishes).items() if name in REMEMBERED and value not in (None, (), [])}
    for name in ("topics", "grades", "guidelines"):
        if name in kept and os.path.exists(kept[name]):
            kept[name] = os.path.abspath(kept[name])
    for name in ("documents", "runs", "predictions", "outputs"):
        if name in kept:
            kept[name] = [os.path.abspath(path) if _is_here(name, path) else path for path in kept[name]]
    return kept


def as_last_time(wishes: Wishes) -> tuple[Wishes, LastTime]:
    """Wishes with what was not said filled in from last time; who names runs anew says anew what is hidden."""
    last = last_time(wishes)
    kept, settings = last.wishes, {}
    for names in REMEMBERED_TOGETHER:
        if names == TEAM and wishes.adjudicate is not None:
            continue
        if all(getattr(wishes, name) in (None, (), [], False) for name in names):
            settings.update({name: kept[name] for name in names if name in kept})
    return replace(wishes, **settings), last


def command_of_last_time(given: Wishes, wishes: Wishes) -> Iterator[str]:
    """Name a command that will be run though nobody named it this time."""
    if wishes.documents_from and not given.documents_from:
        yield (
            f"texts come from the command of last time: {wishes.documents_from}; name another with --documents-from, "
            "or files with --documents"
        )


def new_token() -> str:
    """A token nobody can guess: 192 random bits."""
    return secrets.token_urlsafe(24)


def _is_here(name: str, path: str) -> bool:
    return name == "outputs" or os.path.exists(path)
