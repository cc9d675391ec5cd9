"""Whatever is asked of the judging server, by its own routes: it answers, refuses (4xx), or asks to try again (503)."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the server is built on starlette")
testclient = pytest.importorskip("starlette.testclient", reason="httpx drives the server")

from tests.kit.judging import judging, write_documents, write_plan, write_topics  # noqa: E402

from poolwise.judging.documents import open_documents  # noqa: E402
from poolwise.judging.guard import Access  # noqa: E402
from poolwise.judging.judging import JudgingSession  # noqa: E402
from poolwise.judging.topic_texts import read_topics  # noqa: E402
from poolwise.judging.web import application  # noqa: E402

SEED = os.environ.get("POOLWISE_SEED", "1")
CASES = int(os.environ.get("POOLWISE_CASES", "240")) * 5
TOGETHER = 100
TOKEN, HOST = "any-token-0123456789", "http://127.0.0.1:8000"
ODD: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e400, 2**31, 2**70, -(2**63), "", "x", "\ud800", "\0", "a" * 5000, "ann", "=1+1",
    [], {}, [None], {"a": 1}, "label", "undo", "note", "look", "share", "unsure", "skip", "0", "1e9", "\u202e",
    float("nan"),
]  # fmt: skip
FIELDS = ("id", "action", "item", "again", "label", "replaces", "note", "unsure", "seconds", "time", "name")
METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "FOO")


def routes(app: Any) -> list[str]:
    """The paths that the application declares."""
    while not hasattr(app, "routes"):
        app = next(value for value in vars(app).values() if callable(value) and not isinstance(value, type))
    return [route.path for route in app.routes]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[str], int]:
    folder = tmp_path_factory.mktemp("http")
    documents = open_documents([str(write_documents(folder / "documents.jsonl"))], None, set(), "")
    topics = read_topics(str(write_topics(folder / "topics.tsv")))
    app = application(
        JudgingSession(judging(write_plan(folder / "plan.txt")), documents, topics, "plan.txt", fixed=False),
        Access({TOKEN: ""}),
    )
    client = testclient.TestClient(app, base_url=HOST, follow_redirects=False)
    return client, routes(app), client.get(f"/{TOKEN}/start?name=zoe").json()["queue"][0][0]


def odd_event(chance: random.Random) -> Any:
    """An event some of whose fields are odd."""
    event: dict[str, Any] = {"id": f"event-{chance.randrange(10**6):08}", "action": "label", "item": 0, "label": 1}
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        event[chance.choice(FIELDS)] = chance.choice(ODD)
    return chance.choice((event, event, event, chance.choice(ODD)))


def odd_body(chance: random.Random) -> bytes:
    """What a page sends, or something else."""
    given: Any = {"events": [odd_event(chance) for _ in range(chance.choice((0, 1, 1, 3)))]}
    if chance.random() < 0.3:
        given[chance.choice(("after", "events", "name", "more"))] = chance.choice(ODD)
    body = json.dumps(given).encode()
    return chance.choice(
        (body, body, body, body[: chance.randrange(len(body))], b"", b"[" * 50_000, chance.randbytes(50))
    )


def odd_headers(chance: random.Random) -> dict[str, str]:
    """Headers as a page sends them, some of them odd."""
    headers = {"content-type": "application/json"}
    for name in chance.sample(("host", "origin", "content-type", "content-length", "accept-encoding", "cookie"), 1):
        if chance.random() < 0.3:
            headers[name] = chance.choice(
                ("[", "http://[", "", "x" * 3000, "127.0.0.1:8000", "evil.example", "-1", "null")
            )
    return headers


@pytest.mark.parametrize("number", range(CASES // TOGETHER))
def test_no_request_is_too_odd(number: int, asked: tuple[Any, list[str], int]) -> None:
    client, paths, _ = asked
    assert {"/", "/start", "/events", "/documents"} <= {*paths}
    for case in range(number * TOGETHER, (number + 1) * TOGETHER):
        chance = random.Random(f"{SEED} {case} http")
        path = chance.choice(paths)
        query = {chance.choice(("name", "items", "after", "x")): str(chance.choice(ODD)) for _ in range(2)}
        query = {name: value.encode("utf-8", "replace").decode() for name, value in query.items()}
        token = chance.choice((TOKEN, TOKEN, TOKEN, TOKEN, TOKEN, "none", "", "%00", ".."))
        method = "POST" if path == "/events" and chance.random() < 0.8 else chance.choice((*METHODS, *["GET"] * 9))
        answer = client.request(
            method, f"/{token}{path}", params=query, content=odd_body(chance), headers=odd_headers(chance)
        )
        right = answer.status_code < 500 or answer.status_code == 503
        assert right, (f"POOLWISE_SEED={SEED}, case {case}: {method} {path}", answer.status_code, answer.text[:500])


def test_labels_are_kept_after_all_that(asked: tuple[Any, list[str], int]) -> None:
    client, _, item = asked
    event = {"id": "a-last-event-1", "action": "label", "item": item, "label": 1}
    said = client.post(f"/{TOKEN}/events?name=zoe", json={"events": [event]})
    assert said.status_code == 200
    assert "refused" not in said.json()["said"][0]
