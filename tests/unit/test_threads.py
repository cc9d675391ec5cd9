"""The number of threads, and holding matrix products to one each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

from poolwise.errors import ArgumentError
from poolwise.one_thread import _product_threads, one_thread_products
from poolwise.threads import thread_count


def test_the_number_asked_for_else_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POOLWISE_THREADS", "3")
    assert thread_count() == 3
    assert thread_count(2) == 2
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ArgumentError, match="whole number"):
            thread_count(wrong)  # type: ignore[arg-type]


def test_the_setting_is_restored_however_often_it_is_held() -> None:
    _, number = _product_threads()
    before = number()

    def work(seed: int) -> int:
        with one_thread_products():
            numpy.random.default_rng(seed).random((50, 50)) @ numpy.eye(50)
            return int(number())

    with ThreadPoolExecutor(4) as executor:
        assert set(executor.map(work, range(40))) == {1}
    assert number() == before
    with pytest.raises(ZeroDivisionError), one_thread_products():
        1 / 0  # noqa: B018
    assert number() == before
