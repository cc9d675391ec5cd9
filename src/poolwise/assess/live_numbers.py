"""Estimates while judging: asked for after a pause, computed by another process, never waited for."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from contextlib import suppress

from poolwise.assess.opening_room import pair_of
from poolwise.assess.requests import new_id, now
from poolwise.errors import PoolwiseError
from poolwise.read.judging_events import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.assess.judging import Judging
    from poolwise.assess.opening_room import Wishes

PAUSE = 1.5  # seconds without an event before estimates are made
PATIENCE = 15.0  # seconds after which they are made although events keep coming
REST = 3  # times as long as the last estimates took, nothing is computed
LEAST_STEP = 0.005  # of the information fraction, between two looks that are told apart


class LiveNumbers:
    """What the labels so far say of the runs."""

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
        self._changed = asyncio.Event()
        self._found: dict[str, Any] | None = None
        self._busy, self._done = False, -1  # how many labels the estimates know of

    def changed(self) -> None:
        """Say that there are new labels; may be called from the event loop only."""
        self._changed.set()

    def shown(self) -> dict[str, Any]:
        """What is known by now: estimates, the looks before, and whether something is being computed."""
        looks = [{name: look[name] for name in ("labels", "width")} for look in self._looks() if look["width"]]
        # Labels that wait for their turn are work too: a page that is told so asks again instead of when news come.
        return {"found": self._found, "busy": self._busy or self._done != self._judging.all_done, "looks": looks}

    async def run(self) -> None:
        """Compute again and again, until cancelled."""
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "poolwise.assess.numbers_worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24,
        )  # fmt: skip
        try:
            await self._serve(worker)
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    async def _serve(self, worker: asyncio.subprocess.Process) -> None:
        while True:
            count = self._judging.all_done
            if count != self._done:
                self._done = count
                await self._compute(worker)
                await asyncio.sleep(REST * float((self._found or {}).get("seconds", 0.0)))
            await self._changed.wait()
            await self._pause()

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
        request = {**self._request, "looks": self._looks()}
        try:
            worker.stdin.write(json.dumps(request).encode() + b"\n")
            await worker.stdin.drain()
            line = await worker.stdout.readline()
            self._found = json.loads(line) if line else {"error": "the process that estimates has ended"}
        except (OSError, ValueError) as error:
            self._found = {"error": f"no estimates ({error})"}
        self._busy = False
        with suppress(PoolwiseError):  # another program is writing: the next look is kept
            await asyncio.to_thread(self._note)

    def _note(self) -> None:
        """Keep the look among the events, so that bands hold over restarts; looks next to one another count once."""
        numbers, looks = self._found or {}, self._looks()
        if numbers.get("width") is None or (looks and not _told_apart(looks[-1]["rows"], numbers["look"]["rows"])):
            return
        look = {**numbers["look"], "width": numbers["width"]}
        self._judging.add(Event(new_id(), now(), "", "", "", "look", note=json.dumps(look)))

    def _looks(self) -> list[dict[str, Any]]:
        return [json.loads(event.note or "{}") for event in self._judging.looks]


class NumbersAside:
    """Estimates made beside the work of a thread that has no event loop, as a terminal's."""

    def __init__(self, numbers: LiveNumbers) -> None:
        self._numbers, self._loop = numbers, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> NumbersAside:
        self._task = self._loop.create_task(self._numbers.run())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    def changed(self) -> None:
        """Say that there are new labels."""
        self._loop.call_soon_threadsafe(self._numbers.changed)

    def shown(self) -> dict[str, Any]:
        """What is known by now."""
        return self._numbers.shown()

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.close()


def live_numbers(judging: Judging, wishes: Wishes) -> LiveNumbers:
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
