"""The number of threads, and holding matrix products to one each."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from poolwise.basics.one_thread import one_thread_products
from poolwise.basics.settings import thread_count
from poolwise.errors import ArgumentError


def test_the_number_asked_for_else_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POOLWISE_THREADS", "3")
    assert thread_count() == 3
    assert thread_count(2) == 2
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ArgumentError, match="whole number"):
            thread_count(wrong)  # type: ignore[arg-type]
    for word in ("many", "\u00b2", "-1"):  # a raised 2 is a digit, and no number
        monkeypatch.setenv("POOLWISE_THREADS", word)
        with pytest.raises(ArgumentError, match=f"POOLWISE_THREADS='{word}' must be a whole number"):
            thread_count()


def numbers() -> list[int]:
    """How many threads each library of matrix products may use."""
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture
def two() -> Iterator[list[int]]:
    """Two threads for each library, set by a thread that has ended, as the one that sets a number keeps it."""

    def allow(number: int) -> None:
        with ThreadPoolExecutor(1) as executor:
            executor.submit(threadpool_limits, limits=number, user_api="blas").result()

    before = max(numbers())
    allow(2)
    yield [2] * len(numbers())
    allow(before)


def test_the_setting_is_restored_however_often_it_is_held(two: list[int]) -> None:
    def work(seed: int) -> list[int]:
        with one_thread_products():
            np.random.default_rng(seed).random((50, 50)) @ np.eye(50)
            return numbers()

    assert numbers() == two
    with ThreadPoolExecutor(4) as executor:
        found = list(executor.map(work, range(40)))
    assert {number for some in found for number in some} == {1}
    assert numbers() == two
    with pytest.raises(ZeroDivisionError), one_thread_products():
        1 / 0  # noqa: B018
    assert numbers() == two


def test_the_first_to_come_may_be_the_first_to_leave(two: list[int]) -> None:
    first_left, second_came = Event(), Event()

    def second() -> list[int]:
        with one_thread_products():
            second_came.set()
            assert first_left.wait(10)
            return numbers()

    with ThreadPoolExecutor(1) as executor:
        with one_thread_products():
            waiting = executor.submit(second)
            assert second_came.wait(10)
        first_left.set()
        assert set(waiting.result()) == {1}
    assert numbers() == two
