"""The server gives documents, keeps answers, and refuses whatever does not come from its own page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the server is built on starlette")
testclient = pytest.importorskip("starlette.testclient", reason="httpx drives the server")

from starlette.websockets import WebSocketDisconnect  # noqa: E402
from tests.kit.judging import judging, write_documents, write_plan, write_topics  # noqa: E402

from poolwise.judging import judging as judging_module  # noqa: E402
from poolwise.judging.documents import open_documents  # noqa: E402
from poolwise.judging.guard import LARGEST, Access  # noqa: E402
from poolwise.judging.judging import JudgingSession  # noqa: E402
from poolwise.judging.topic_texts import read_topics  # noqa: E402
from poolwise.judging.web import PARTS, application  # noqa: E402

JSON = {"content-type": "application/json"}
HOST = "http://127.0.0.1:8000"
ANN, BOB, ANYONE = "ann-token-0123456789", "bob-token-0123456789", "any-token-0123456789"


def room(folder: Path, *names: str, **more) -> JudgingSession:
    judged = judging(write_plan(folder / "plan.txt"), *names)
    documents = open_documents([str(write_documents(folder / "documents.jsonl"))], None, set(), "")
    topics = read_topics(str(write_topics(folder / "topics.tsv")))
    return JudgingSession(judged, documents, topics, "plan.txt", fixed=bool(names), **more)


def client_of(found: JudgingSession, **access):
    names = {ANN: "ann", BOB: "bob"} if found.fixed else {ANYONE: ""}
    return testclient.TestClient(application(found, Access(names, **access)), base_url=HOST, follow_redirects=False)


@pytest.fixture
def alone(tmp_path: Path):
    return client_of(room(tmp_path))


@pytest.fixture
def team(tmp_path: Path):
    return client_of(room(tmp_path, "ann", "bob"))


def label(item: int, id: str = "event-0001", **more) -> dict:
    return {"id": id, "action": "label", "item": item, "label": 1, **more}


def test_the_page_and_its_parts_are_served_under_the_token(alone) -> None:
    page = alone.get(f"/{ANYONE}/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    for name in PARTS:
        assert alone.get(f"/{ANYONE}/{name}").status_code == 200, name
    named = set(re.findall(r'(?:src|href)="([^"]+)"', page.text)) | {
        part for name in PARTS for part in re.findall(r'from "\./(.+?)"', alone.get(f"/{ANYONE}/{name}").text)
    }
    assert named == set(PARTS)


def test_an_address_without_its_last_slash_is_led_there(alone) -> None:
    answer = alone.get(f"/{ANYONE}")
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{ANYONE}/"


def test_nothing_in_the_page_needs_another_site_or_runs_inline(alone) -> None:
    for name in ("", *PARTS):
        text = alone.get(f"/{ANYONE}/{name}").text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(?:src|href|url\(|fetch\()\s*=?\s*[\"'(]?\s*https?://", text), name
        assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|style=", text), name
        assert "innerHTML" not in text
        assert "eval(" not in text


def test_every_answer_carries_a_strict_policy(alone) -> None:
    for path in (f"/{ANYONE}/", f"/{ANYONE}/start?name=ann", "/", f"/{ANYONE}/nothing-here"):
        headers = alone.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_images_of_others_are_allowed_only_when_asked_for(tmp_path: Path) -> None:
    with_images = client_of(room(tmp_path), images=True)
    assert "img-src 'self' https: http: data:" in with_images.get(f"/{ANYONE}/").headers["content-security-policy"]


def test_somebody_names_themselves_and_begins(alone) -> None:
    assert alone.get(f"/{ANYONE}/start").json() == {"who": True}
    start = alone.get(f"/{ANYONE}/start?name=zoë").json()
    assert start["assessor"] == "zoë"
    assert len(start["queue"]) == len(start["topics"]) == 40
    assert start["progress"]["left"] == 40
    again = alone.get(f"/{ANYONE}/start?name=zoë").json()
    assert again == start
    assert alone.get(f"/{ANYONE}/start?name={'x' * 99}").status_code == 400


def test_documents_come_with_what_their_topic_asks(alone) -> None:
    start = alone.get(f"/{ANYONE}/start?name=ann").json()
    item, topic = start["queue"][0][0], start["topics"][0]
    found = alone.get(f"/{ANYONE}/documents?name=ann&items={item},{item},99,-1,x,1e3,99999999999").json()
    assert set(found["documents"]) == {str(item)}
    shown = found["documents"][str(item)]
    assert shown["topic"] == topic
    assert shown["shown"]["text"].endswith(f"of topic {topic}.")
    assert found["topics"] == {topic: {"title": f"what is {topic}", "description": "", "narrative": ""}}


def test_a_page_is_told_nothing_of_strata_rounds_or_runs(alone) -> None:
    start = alone.get(f"/{ANYONE}/start?name=ann").text
    documents = alone.get(f"/{ANYONE}/documents?name=ann&items=0,1,2").text
    for word in ("stratum", "round", "rank", 'score"', "run"):
        assert word not in documents
        assert f'"{word}' not in start.replace('"scores"', "")


def test_missing_text_shows_the_id(tmp_path: Path) -> None:
    found = room(tmp_path)
    found.documents = open_documents([], None, set(), "")
    found.topics = {}
    shown = client_of(found).get(f"/{ANYONE}/start?name=ann").json()["queue"][0][0]
    answer = client_of(found).get(f"/{ANYONE}/documents?name=ann&items={shown}").json()
    assert answer["documents"][str(shown)]["shown"] is None
    assert answer["documents"][str(shown)]["id"].startswith("d")
    assert answer["topics"] == {}


def test_answers_are_kept_and_others_are_told(alone) -> None:
    start = alone.get(f"/{ANYONE}/start?name=ann").json()
    item = start["queue"][0][0]
    sent = {"events": [label(item, unsure=True, milliseconds=700)], "after": start["last"]}
    first = alone.post(f"/{ANYONE}/events?name=ann", json=sent).json()
    assert first["said"] == [{"id": "event-0001"}]
    assert first["progress"]["done"] == 1
    again = alone.post(f"/{ANYONE}/events?name=ann", json=sent).json()
    assert again["last"] == first["last"]
    other_tab = alone.post(f"/{ANYONE}/events?name=ann", json={"events": [], "after": start["last"]}).json()
    assert other_tab["news"] == [["event-0001", item, 0, "label", 1, 1, None, None]]
    assert alone.get(f"/{ANYONE}/start?name=ann").json()["history"] == other_tab["news"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{}", b'{"events": 7}', b'{"events": [7]}', b'{"events": [], "after": "x"}',
        b'{"events": [], "after": Infinity}', b"[" * 50_000,
    ],
)  # fmt: skip
def test_what_the_page_would_not_send_is_refused(alone, body: bytes) -> None:
    answer = alone.post(f"/{ANYONE}/events?name=ann", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400


def test_a_disk_that_cannot_be_written_is_an_error_the_page_can_wait_for(tmp_path: Path) -> None:
    found = room(tmp_path)
    client = client_of(found)
    start = client.get(f"/{ANYONE}/start?name=ann").json()
    found.judging.store.connection.execute("PRAGMA query_only = ON")
    sent = {"events": [label(start["queue"][0][0])]}
    answer = client.post(f"/{ANYONE}/events?name=ann", json=sent)
    assert answer.status_code == 503
    assert "cannot be written" in answer.json()["error"]
    found.judging.store.connection.execute("PRAGMA query_only = OFF")
    assert client.post(f"/{ANYONE}/events?name=ann", json=sent).json()["said"] == [{"id": "event-0001"}]


# ---- Attacks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/start", "/events", "/page.js", "/wrong-token/", f"/{ANYONE[:-1]}/", f"/{ANYONE}x/", "//"]
)
def test_without_the_token_nothing_is_given_out(alone, path: str) -> None:
    answer = alone.get(path)
    assert answer.status_code == 403
    assert "token" in answer.text
    assert alone.post(path, json={"events": []}).status_code == 403


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8000", True),
        ("localhost:8000", True),
        ("[::1]:8000", True),
        ("192.168.1.7:8000", True),  # an address cannot be made to point elsewhere, as a name can
        ("judge.example.org", True),
        ("evil.example.com", False),
        ("127.0.0.1.evil.example.com", False),
        ("localhost.evil.example.com:8000", False),
        ("evil.example.com@127.0.0.1", False),
        ("evil.example.com#127.0.0.1", False),
        ("", False),
    ],
)
def test_a_foreign_name_is_refused(tmp_path: Path, host: str, allowed: bool) -> None:
    client = client_of(room(tmp_path), public="https://judge.example.org/x/")
    assert (client.get(f"/{ANYONE}/", headers={"host": host}).status_code == 200) is allowed


@pytest.mark.parametrize("wrong", [{"host": "["}, {"host": "[::1"}, {"origin": "http://["}])
def test_names_that_cannot_be_read_are_refused(alone, wrong: dict[str, str]) -> None:
    assert alone.get(f"/{ANYONE}/", headers=wrong).status_code == 400
    assert alone.get("/", headers=wrong).status_code == 400


@pytest.mark.parametrize(
    ("public", "host", "origin", "allowed"),
    [
        ("https://judge.example.org/x/", "judge.example.org", "https://judge.example.org", True),
        ("https://judge.example.org/x/", "judge.example.org", "http://judge.example.org", False),
        ("http://judge.example.org/", "judge.example.org", "https://judge.example.org", False),
        ("https://judge.example.org/x/", "127.0.0.1:8000", "https://judge.example.org", True),  # Host is not passed on
        ("https://judge.example.org/x/", "127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("", "127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("", "127.0.0.1:8000", "https://127.0.0.1:8000", True),  # a proxy that nobody told of
        ("", "127.0.0.1:8000", "ftp://127.0.0.1:8000", False),
        ("", "127.0.0.1:8000", "://", False),
    ],
)
def test_a_page_has_the_scheme_of_the_proxy(public: str, host: str, origin: str, allowed: bool) -> None:
    assert Access({}, public=public).knows_origin(origin, host) is allowed


@pytest.mark.parametrize(
    "unkept",
    [
        {"replaces": "\ud800\udc00\ud800"},
        {"replaces": "\ud800aaaaaaa"},
        {"replaces": 7},
        {"id": "aaaaaaa\ud800"},
        {"item": 1.5},
        {"milliseconds": 1e300},
        {"milliseconds": float("nan")},
        {"note": ["\ud800"]},
        {"label": 2**70},
    ],
)
def test_what_cannot_be_kept_is_refused_for_itself(tmp_path: Path, unkept: dict) -> None:
    found = room(tmp_path)
    client = client_of(found)
    client.get(f"/{ANYONE}/start?name=ann")
    one, two, three = (item for item, _ in found.judging.queue("ann")[:3])
    events = [label(one, "event-0001"), {**label(two, "event-0002"), **unkept}, label(three, "event-0003")]
    said = client.post(f"/{ANYONE}/events?name=ann", content=json.dumps({"events": events}), headers=JSON).json()[
        "said"
    ]
    assert ["refused" in each for each in said] == [False, True, False]
    assert [event.id for event in found.judging.events() if event.action == "label"] == ["event-0001", "event-0003"]


def test_what_a_file_cannot_hold_blocks_no_batch(tmp_path: Path, monkeypatch) -> None:
    """Whatever gets past the checks."""
    found = room(tmp_path)
    client = client_of(found)
    client.get(f"/{ANYONE}/start?name=ann")
    usual = judging_module.event_from

    def unchecked(given, name, judged):
        event = usual(given, name, judged)
        return replace(event, note="\ud800") if given["id"] == "event-0001" else event

    monkeypatch.setattr(judging_module, "event_from", unchecked)
    items = [item for item, _ in found.judging.queue("ann")[:2]]
    events = [label(item, f"event-000{number}") for number, item in enumerate(items, 1)]
    said = client.post(f"/{ANYONE}/events?name=ann", json={"events": events}).json()["said"]
    assert said == [{"id": "event-0001", "refused": "it holds what no file can keep"}, {"id": "event-0002"}]


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (HOST, True),
        ("https://judge.example.org", True),
        ("https://evil.example.com", False),
        ("http://127.0.0.1:9999", False),
        ("http://localhost:8000", False),  # another origin than the page was loaded from
        ("https://judge.example.org.evil.example.com", False),
        ("null", False),
        ("", False),
    ],
)
def test_a_foreign_site_may_not_speak_to_the_server(tmp_path: Path, origin: str, allowed: bool) -> None:
    found = room(tmp_path)
    client = client_of(found, public="https://judge.example.org/x/")
    client.get(f"/{ANYONE}/start?name=ann")
    item = found.judging.queue("ann")[0][0]
    answer = client.post(f"/{ANYONE}/events?name=ann", json={"events": [label(item)]}, headers={"origin": origin})
    assert answer.status_code == (200 if allowed else 403)
    assert found.judging.all_done == int(allowed)
    assert "access-control-allow-origin" not in answer.headers


def test_forms_of_other_sites_are_refused(alone) -> None:
    answer = alone.post(f"/{ANYONE}/events?name=ann", data={"events": "[]"})
    assert answer.status_code == 415
    plain = alone.post(f"/{ANYONE}/events?name=ann", content=b'{"events": []}', headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    crossed = alone.post(f"/{ANYONE}/events?name=ann", json={"events": []}, headers={"sec-fetch-site": "cross-site"})
    assert crossed.status_code == 403
    assert alone.put(f"/{ANYONE}/events?name=ann", json={}).status_code == 405
    assert alone.delete(f"/{ANYONE}/events").status_code == 405


def test_large_requests_are_refused(alone) -> None:
    large = b'{"events": [' + b" " * (10 << 20) + b"]}"
    headers = {"content-type": "application/json"}
    assert alone.post(f"/{ANYONE}/events?name=ann", content=large, headers=headers).status_code == 413

    def pieces():
        for _ in range(40):
            yield b" " * (LARGEST // 20)

    assert alone.post(f"/{ANYONE}/events?name=ann", content=pieces(), headers=headers).status_code == 413
    assert alone.get(f"/{ANYONE}/documents?items={'1,' * 9000}").status_code == 414
    many = {"events": [label(0, f"event-{number:04}") for number in range(900)]}
    assert len(alone.post(f"/{ANYONE}/events?name=ann", json=many).json()["said"]) == 500


@pytest.mark.parametrize(
    "path",
    [
        "../../plan.sqlite",
        "..%2f..%2fplan.sqlite",
        "%2e%2e/plan.sqlite",
        "page/../../serving.py",
        "serving.py",
        "page.html/",
    ],
)
def test_no_path_leads_to_other_files(alone, path: str) -> None:
    assert alone.get(f"/{ANYONE}/{path}").status_code in (403, 404)


def test_an_assessor_sees_only_their_own_work(team) -> None:
    ann, bob = (team.get(f"/{token}/start").json() for token in (ANN, BOB))
    assert (ann["assessor"], bob["assessor"]) == ("ann", "bob")
    foreign = bob["queue"][0][0]
    assert team.get(f"/{ANN}/documents?items={foreign}").json() == {"documents": {}, "topics": {}}
    assert "not part of your work" in team.post(f"/{ANN}/events", json={"events": [label(foreign)]}).text
    # Who has a token of their own cannot pass for another.
    assert team.get(f"/{ANN}/start?name=bob").json()["assessor"] == "ann"
    own = team.post(f"/{BOB}/events", json={"events": [label(foreign, "bobs-event")]}).json()
    assert own["said"] == [{"id": "bobs-event"}]
    undo = {"id": "anns-undo", "action": "undo", "replaces": "bobs-event"}
    assert "nothing of yours" in team.post(f"/{ANN}/events", json={"events": [undo]}).text
    assert team.post(f"/{ANN}/events", json={"events": [], "after": 0}).json()["news"] == []


def test_text_that_looks_like_code_stays_text(tmp_path: Path) -> None:
    found = room(tmp_path)
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    documents = tmp_path / "hostile.jsonl"
    records = [{"id": item.document, "title": hostile, "text": hostile} for item in found.judging.items]
    documents.write_text("".join(json.dumps(record) + "\n" for record in records))
    found.documents = open_documents([str(documents)], None, set(), "")
    client = client_of(found)
    item = client.get(f"/{ANYONE}/start?name=ann").json()["queue"][0][0]
    answer = client.get(f"/{ANYONE}/documents?name=ann&items={item}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["documents"][str(item)]["shown"]["text"] == hostile


def test_web_sockets_are_not_spoken(alone) -> None:
    with pytest.raises(WebSocketDisconnect), alone.websocket_connect(f"/{ANYONE}/events"):
        pass


def test_a_token_is_compared_in_full() -> None:
    access = Access({ANN: "ann", BOB: "bob"})
    assert access.assessor(ANN) == "ann"
    assert access.assessor(BOB) == "bob"
    assert access.assessor("") is None
    assert access.assessor(ANN + "é") is None


def test_numbers_are_given_only_where_they_may_be_seen(alone) -> None:
    assert alone.get(f"/{ANYONE}/numbers").json() == {"numbers": None}
