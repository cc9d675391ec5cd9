"""What a page is told of estimates that are on their way."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from poolwise.judging.live_numbers import LiveNumbers


def test_labels_that_wait_for_their_turn_are_work(monkeypatch) -> None:
    judging = SimpleNamespace(
        store=SimpleNamespace(path="none"), work=SimpleNamespace(about={"unjudged": -1}, plan="a plan"),
        labels_so_far=3, left=97, looks=[],
    )  # fmt: skip
    numbers = LiveNumbers(judging, [], "AP", None)
    computed = []

    async def compute(worker) -> None:
        computed.append(judging.labels_so_far)
        if len(computed) == 2:
            raise asyncio.CancelledError

    monkeypatch.setattr(numbers, "_compute", compute)
    monkeypatch.setattr("poolwise.judging.live_numbers.PAUSE", 0.0)

    async def story() -> None:
        serving = asyncio.create_task(numbers._serve(None))
        assert numbers.shown()["busy"]  # nothing was computed yet
        while not computed:
            await asyncio.sleep(0.001)
        assert not numbers.shown()["busy"]
        judging.labels_so_far, judging.left = 4, 96
        assert numbers.shown()["busy"]  # a page asks again instead of leaving it at three labels
        numbers.changed()
        await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(story())
    assert computed == [3, 4]
