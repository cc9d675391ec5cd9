"""Connections that ask for nothing, and programs that write elsewhere, stop nobody's work."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn", reason="the server is built on uvicorn")

from tests.kit.judging import write_all

from poolwise.judging import guard as connections
from poolwise.judging.server import JudgingServer, judge

IDLE, HALF = b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
REFUSED = b"GET /no-token/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[JudgingServer]:
    write_all(tmp_path)
    with judge(tmp_path / "plan.txt", documents=tmp_path / "documents.jsonl") as running:
        yield running


def address(server: JudgingServer) -> str:
    return server.addresses[""]


def asked(server: JudgingServer, what: str, body: bytes | None = None) -> int:
    request = urllib.request.Request(address(server) + what, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        answer.read()
        return answer.status


def connected(server: JudgingServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(address(server)).port), timeout=20)


@pytest.mark.parametrize("sent", [IDLE, HALF, REFUSED], ids=["idle", "half", "refused"])
def test_no_number_of_connections_locks_anybody_out(server: JudgingServer, sent: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(connections.MOST + 50):
            stack.enter_context(closing(connected(server))).sendall(sent)
        assert [asked(server, "start?name=ann") for _ in range(5)] == [200] * 5


def test_connections_of_who_works_are_kept_before_others(server: JudgingServer) -> None:
    own = f"GET {urlsplit(address(server)).path}start?name=ann HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with ExitStack() as stack:
        mine = stack.enter_context(closing(connected(server)))
        for _ in range(2):
            mine.sendall(own)
            assert mine.recv(12) == b"HTTP/1.1 200"
            while not mine.recv(1 << 16).endswith(b"}"):
                pass
            for _ in range(connections.MOST + 50):
                stack.enter_context(closing(connected(server)))


def test_a_connection_that_asks_for_nothing_is_closed_after_a_while(server: JudgingServer, monkeypatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.4)
    for sent in (IDLE, HALF):
        with closing(connected(server)) as waiting:
            begin = time.monotonic()
            waiting.sendall(sent)
            with suppress(ConnectionResetError):
                assert waiting.recv(100) == b""
            assert 0.3 < time.monotonic() - begin < 15


def test_a_request_that_takes_long_is_not_cut_off(server: JudgingServer, monkeypatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    usual = server.room.documents.get

    def slow(document: str):
        time.sleep(0.8)
        return usual(document)

    monkeypatch.setattr(server.room.documents, "get", slow)
    asked(server, "start?name=ann")
    assert asked(server, f"documents?name=ann&items={server.room.judging.queue('ann')[0][0]}") == 200


def test_a_program_that_writes_elsewhere_stops_nobody(server: JudgingServer) -> None:
    asked(server, "start?name=ann")
    item = server.room.judging.queue("ann")[0][0]
    event = {"id": "event-0001", "action": "label", "item": item, "label": 1}
    said: list[int] = []
    with closing(sqlite3.connect(server.room.judging.store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        body = json.dumps({"events": [event]}).encode()
        waiting = threading.Thread(target=lambda: said.append(asked(server, "events?name=ann", body)))
        waiting.start()
        time.sleep(0.5)
        begin = time.monotonic()
        assert asked(server, "icon.svg") == asked(server, f"documents?name=ann&items={item}") == 200
        assert time.monotonic() - begin < 3
        assert not said
        other.execute("ROLLBACK")
        waiting.join()
    assert said == [200]
    assert server.room.judging.all_done == 1
