"""Estimates while judging: made at the ends of blocks of labels, by another process, never waited for.

They are kept among the events as a look, so that pages, servers and restarts show the same until the next block ends.

Who sees a value change after a label is told which run had found the document. So estimates are made at the ends of
blocks of labels only, nobody is shown values who did not ask for them, which is an event, and then runs have neutral
names: X and Y in an order that depends on the plan, or numbers.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress
from hashlib import blake2b

from poolwise.errors import PoolwiseError
from poolwise.judging.events import new_id, now
from poolwise.judging.session import pair_of
from poolwise.reading.judging_file import Event
from poolwise.sampling.hashed_random import HashedRandom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.judging.judging import Judging
    from poolwise.judging.session import JudgeOptions

BLOCK = 25  # labels from one estimate to the next, and from the last but one to the end
PRECISION = ("measure", "level", "labels", "missing", "error", "width", "forecast", "enough")


def in_view(found: Mapping[str, Any] | None, values: bool, plan: str) -> dict[str, Any] | None:
    """Estimates as they may be seen: of a known list of facts, with the values of runs or without."""
    if found is None:
        return None
    seen = {name: found[name] for name in PRECISION if name in found}
    if values and found.get("rows"):
        seen |= {"rows": _neutral(found, HashedRandom(plan)), "left_out": found["left_out"]}
    return seen


def is_due(labels: int, before: int | None, left: int) -> bool:
    """Whether estimates are made at so many labels, after those `before`: a block after them, and one before the end.

    >>> is_due(30, None, 70), is_due(50, 30, 50), is_due(55, 30, 45), is_due(80, 55, 20), is_due(100, 55, 0)
    (True, False, True, False, True)
    """
    return (before is None or labels - before >= BLOCK) and (left == 0 or left >= BLOCK)


def until_next(step: int, left: int) -> int:
    """How many labels it takes to the next estimates, if these need so many; 0 if none are to come.

    >>> until_next(25, 70), until_next(24, 45), until_next(5, 10), until_next(-3, 0)
    (25, 45, 10, 0)
    """
    return max(step, 0) if left - max(step, 0) >= BLOCK else left


def _neutral(found: Mapping[str, Any], chance: HashedRandom) -> list[dict[str, Any]]:
    rows: Sequence[dict[str, Any]] = found["rows"]
    if found["pair"]:
        return [_turned(row) if chance.number("X and Y") % 2 else {**row, "name": "X \N{MINUS SIGN} Y"} for row in rows]
    order = sorted(found["names"], key=lambda name: chance.number("run in view", name))
    return [{**row, "name": f"run {order.index(row['name']) + 1}"} for row in rows]


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """The difference the other way round."""
    ends = {"value": "value", "low": "high", "high": "low", "band_low": "band_high", "band_high": "band_low"}
    turned = {name: None if row[end] is None else -row[end] for name, end in ends.items()}
    return {"name": "X \N{MINUS SIGN} Y", **turned}


PAUSE = 1.5  # seconds without an event before estimates are made
PATIENCE = 15.0  # seconds after which they are made although events keep coming
REST = 3  # times as long as the last estimates took, nothing is computed
LEAST_STEP = 0.005  # of the information fraction, between two looks that are told apart


class LiveNumbers:
    """Estimates from the labels so far, made again as labels come."""

    def __init__(
        self,
        judging: Judging,
        runs: Sequence[str],
        measure: str,
        difference: tuple[str, str] | None,
        level: float = 0.95,
        predictions: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self._judging = judging
        self._request = {
            "store": judging.store.path,
            "runs": list(runs),
            "measure": measure,
            "difference": difference,
            "level": level,
            "predictions": list(predictions),
            "columns": None if columns is None else dict(columns),
            "unjudged": int(judging.work.about["unjudged"]),
        }
        self._key = blake2b(json.dumps(self._request, sort_keys=True).encode(), digest_size=8).hexdigest()
        self._changed = asyncio.Event()
        self._why: dict[str, Any] | None = None  # there are no estimates yet
        self._busy, self._tried_at = False, -1  # how many labels there were when estimates were last tried
        self._looks: list[dict[str, Any]] = []

    def changed(self) -> None:
        """Say that there are new labels; may be called from the event loop only."""
        self._changed.set()

    def shown(self, values: bool = False) -> dict[str, Any]:
        """The state of the estimates for a page: how precise they are, with their values if these were asked for."""
        last, judging = self._last(), self._judging
        widths = [{name: look[name] for name in ("labels", "width")} for look in self._seen() if look["width"]]
        return {
            "found": in_view(self._why if last is None else last["found"], values, judging.work.plan),
            # Labels that wait for their turn are work too: a page that is told so asks again, not when news come.
            "busy": self._busy or self._is_due(),
            "next": until_next(
                self._missing() if last is None else BLOCK - judging.labels_so_far + last["given"], judging.left
            ),
            "left": judging.left,
            "values": values,
            "looks": widths,
        }

    async def run(self) -> None:
        """Compute again and again, until cancelled."""
        # A session of its own: Ctrl-C at the terminal is for the server, which ends the worker.
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "poolwise.judging.numbers_worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24, start_new_session=True,
        )  # fmt: skip
        try:
            await self._serve(worker)
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    async def _serve(self, worker: asyncio.subprocess.Process) -> None:
        while True:
            if self._is_due():
                self._tried_at, begin = self._judging.labels_so_far, time.monotonic()
                await self._compute(worker)
                await asyncio.sleep(REST * (time.monotonic() - begin))
            await self._changed.wait()
            await self._pause()

    def _missing(self) -> int:
        """How many labels the first estimates still need, as far as is known."""
        return (self._why or {}).get("missing", 0) - (self._judging.labels_so_far - self._tried_at)

    def _is_due(self) -> bool:
        last, judging = self._last(), self._judging
        before = None if last is None else last["given"]
        return judging.labels_so_far != self._tried_at and is_due(judging.labels_so_far, before, judging.left)

    async def _pause(self) -> None:
        """Wait until nothing has come for a while, but not for ever."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while self._changed.is_set() and loop.time() < end:
            self._changed.clear()
            await asyncio.sleep(PAUSE)

    async def _compute(self, worker: asyncio.subprocess.Process) -> None:
        if worker.stdin is None or worker.stdout is None:
            return
        self._busy = True
        looks = [look for look in self._seen() if look["rows"]]
        try:
            worker.stdin.write(json.dumps({**self._request, "looks": looks}).encode() + b"\n")
            await worker.stdin.drain()
            line = await worker.stdout.readline()
            found = json.loads(line) if line else {"error": "the process that estimates has ended"}
        except (OSError, ValueError) as error:
            found = {"error": f"no estimates ({error})"}
        self._why = found
        if found.get("rows"):
            with suppress(PoolwiseError):  # another program is writing: they are made again after the next label
                # Labels that came meanwhile may be among those that were read.
                await asyncio.to_thread(self._note, found, self._judging.labels_so_far, looks)
        self._busy = False

    def _note(self, found: dict[str, Any], labels: int, looks: Sequence[Mapping[str, Any]]) -> None:
        """Keep the look among the events, so that bands hold over restarts; looks next to one another count once."""
        look = found.pop("look")
        record = {**look, "width": found["width"], "of": self._key, "given": labels, "found": found}
        if looks and not _told_apart(looks[-1]["rows"], look["rows"]):
            record |= {"rows": {}, "width": None}
        self._judging.add(Event(new_id(), now(), "", "", "", "look", note=json.dumps(record)))

    def _seen(self) -> list[dict[str, Any]]:
        """All looks, by whomever."""
        known, looks = self._looks, self._judging.looks
        if len(known) < len(looks):
            self._looks = known = known + [json.loads(event.note or "{}") for event in looks[len(known) :]]
        return known

    def _last(self) -> dict[str, Any] | None:
        """The last look of ours, which may be that of another server, or of last time."""
        return next((look for look in reversed(self._seen()) if look.get("of") == self._key), None)


def live_numbers(judging: Judging, wishes: JudgeOptions) -> LiveNumbers:
    """Estimates as a user wishes them."""
    measure = wishes.measure or "AP"
    pair = pair_of(wishes, judging.work)
    return LiveNumbers(judging, wishes.runs, measure, pair, wishes.level, wishes.predictions, wishes.columns)


def _told_apart(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether information has grown, or something is seen that was not seen before.

    >>> _told_apart({"AP a": [0.3, 0.1, 3.0]}, {"AP a": [0.302, 0.1, 3.0]})
    False
    """
    return any(key not in before or tau - before[key][0] >= LEAST_STEP for key, (tau, *_) in after.items())
