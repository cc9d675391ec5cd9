"""What a judging began with last time: kept beside the plan, so that `poolwise judge PLAN` goes on.

Who names a file of their own to keep what is judged (`--store`) has a judging of their own: team, links and settings
are kept beside that file. Who settles disagreements is not the team, whose names and links stay as they are.

Port and tokens stay the same, so that pages which were open find the server again after a restart, and what they could
not send is not lost. Only the owner may read the file.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, field, replace

from poolwise.assess.work import beside
from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.assess.opening_room import Wishes

ENDING = ".judging.json"
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


def last_time(path: str) -> LastTime:
    """Read what was kept; a file that makes no sense counts as none."""
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        tokens = {str(name): str(token) for name, token in kept["tokens"].items()}
        return LastTime(int(kept["port"]), tokens, dict(kept["wishes"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return LastTime()


def keep(wishes: Wishes, port: int, tokens: dict[str, str]) -> None:
    """Write port, tokens and wishes down."""
    path = settings_path(wishes)
    last = LastTime(port, tokens, _to_keep(wishes, path))
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(vars(last), file, indent=1)
        os.replace(part, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); check the folder") from error


def settings_path(wishes: Wishes) -> str:
    """Where it is kept what a judging began with."""
    return beside(wishes.store or wishes.plan, ENDING)


def _to_keep(wishes: Wishes, path: str) -> dict[str, Any]:
    """What is written down; while disagreements are settled, the team stays that of before."""
    kept = remembered(wishes)
    if wishes.adjudicate is None:
        return kept
    others = {name: value for name, value in kept.items() if name not in TEAM}
    return others | {name: value for name, value in last_time(path).wishes.items() if name in TEAM}


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
    last = last_time(settings_path(wishes))
    kept, settings = last.wishes, {}
    for names in REMEMBERED_TOGETHER:
        if names == TEAM and wishes.adjudicate is not None:
            continue
        if all(getattr(wishes, name) in (None, (), [], False) for name in names):
            settings.update({name: kept[name] for name in names if name in kept})
    return replace(wishes, **settings), last


def new_token() -> str:
    """A token nobody can guess: 192 random bits."""
    return secrets.token_urlsafe(24)


def _is_here(name: str, path: str) -> bool:
    return name == "outputs" or os.path.exists(path)
