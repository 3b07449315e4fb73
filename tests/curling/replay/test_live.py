"""Matches that are watched while they are played, by HTTP and in a browser."""

import json
import socket
import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from urllib.parse import quote

import pytest

from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.replay import live_server
from bonspiel.curling.replay.page_events import record_events
from bonspiel.curling.server.pages import page_server
from bonspiel.curling.server.pages.page_server import VIEWERS
from bonspiel.curling.server.record_feed import KEPT_MATCHES, RecordFeed

MATCH = "dc3-1"


def items_of(record):
    """All items, in order, as a server publishes them."""
    items = [record.match]
    for shot in record.shots:
        items += [shot, record.ends[shot.end]] if shot.shot == STONES - 1 else [shot]
    return [*items, record.result]


@pytest.fixture(scope="module")
def items(played):
    return items_of(played)


@pytest.fixture
def feed():
    return RecordFeed()


@pytest.fixture
def watch(feed):
    found = live_server.LiveServer(feed, "127.0.0.1", 0)
    yield found
    found.close()


def ask(watch, path, method="GET", **headers):
    """Status and body."""
    with closing(HTTPConnection("127.0.0.1", watch.port, timeout=120)) as connection:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class Stream:
    """Events from an address, one by one."""

    def __init__(self, watch, path, last=None):
        self.socket = socket.create_connection(("127.0.0.1", watch.port), timeout=120)
        again = "" if last is None else f"Last-Event-ID: {last}\r\n"
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{again}\r\n".encode())
        self.file = self.socket.makefile("r", encoding="utf-8")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def next(self):
        """The data of the next event; None at the end."""
        for line in self.file:
            if line.startswith("data: "):
                return json.loads(line[6:])
        return None


def publish(feed, items, match_id=MATCH):
    for item in items:
        feed.publish(match_id, item)


def test_events_equal_those_of_the_replay(feed, watch, items, played, monkeypatch):
    monkeypatch.setattr(page_server, "PING", 1000.0)  # news do not wait for the next one
    publish(feed, items[:20])
    with Stream(watch, f"/events/{MATCH}") as stream:
        found = [stream.next() for _ in range(20)]
        time.sleep(0.3)  # so that it waits for news
        publish(feed, items[20:21])
        found.append(stream.next())
        publish(feed, items[21:])
        found += [stream.next() for _ in range(len(items) - 21)]
        assert stream.next() is None  # the match is over
    assert found == json.loads(json.dumps(record_events(played)[0]))


def test_earlier_items_are_served_too(feed, items):
    publish(feed, items[:3])
    watch = live_server.LiveServer(feed)
    try:
        with Stream(watch, f"/events/{MATCH}") as stream:
            assert [stream.next()["type"] for _ in range(3)] == ["match", "shot", "shot"]
    finally:
        watch.close()


def test_a_viewer_that_reconnects_continues(feed, watch, items):
    publish(feed, items)
    with Stream(watch, f"/events/{MATCH}", last=len(items) - 3) as stream:
        assert [stream.next()["type"], stream.next()["type"], stream.next()] == ["end", "result", None]
    for last in ("nonsense", "9" * 5000, "-1"):
        with Stream(watch, f"/events/{MATCH}", last=last) as stream:
            assert stream.next()["type"] == "match"


def test_the_list_follows_the_matches(feed, watch, items):
    with Stream(watch, "/events") as stream:
        assert stream.next() == []
        publish(feed, items[:20])
        found = stream.next()
        while not found or found[0]["end"] == 0:  # a version from in between
            found = stream.next()
        assert found == [
            {
                "id": MATCH,
                "players": ["rulebased", "rulebased"],
                "ends": 2,
                "over": False,
                "reason": None,
                "score": list(items[17].points),
                "end": 1,
            }
        ]
        publish(feed, items[20:])
        while not found[0]["over"]:
            found = stream.next()
        assert found[0]["reason"] == "score" and found[0]["score"] == list(items[-1].score)


def test_existing_and_unknown_pages(feed, watch, items):
    publish(feed, items[:2], "a b/ü<")
    assert ask(watch, "/")[0] == 200 and "Matches on this server" in ask(watch, "/")[1]
    status, text = ask(watch, "/match/" + quote("a b/ü<", safe=""))
    assert status == 200 and f'"/events/{quote("a b/ü<", safe="")}"' in text
    for path in (
        "/match/other",
        "/events/other",
        "/favicon.ico",
        "/match",
        "/../etc/passwd",
        "/match/%00",
        "//[",
        "/?/match/x%",
    ):
        assert ask(watch, path)[0] == (200 if path.startswith("/?") else 404)


@pytest.mark.parametrize(
    "host, status",
    [
        ("127.0.0.1:80", 200),
        ("localhost:8000", 200),
        ("[::1]:1", 200),
        ("evil.example", 403),
        ("localhost.evil.example:80", 403),
        ("", 403),
        ("[", 403),
        ("127.0.0.1.evil.example", 403),
    ],
)
def test_dns_rebinding_is_refused(watch, host, status):
    assert ask(watch, "/", Host=host)[0] == status


@pytest.mark.parametrize(
    "origin, status",
    [("http://localhost:8000", 405), ("http://evil.example", 403), ("https://localhost:8000", 403), ("null", 403)],
)
def test_other_sites_may_change_nothing(watch, origin, status):
    # a page that can be changed would be here; these can only be read
    assert ask(watch, "/", "POST", Host="localhost:8000", Origin=origin)[0] == status


def test_what_names_no_origin_may_change_nothing(watch):
    assert ask(watch, "/", "DELETE", Host="localhost:8000")[0] == 403


def test_every_answer_tells_browsers_to_protect_it(watch):
    for path, host in (("/", "localhost"), ("/match/other", "localhost"), ("/", "evil.example")):
        with closing(HTTPConnection("127.0.0.1", watch.port, timeout=120)) as connection:
            connection.request("GET", path, headers={"Host": host})
            headers = connection.getresponse().headers
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
            assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
            assert headers["Referrer-Policy"] == "no-referrer"


def test_a_viewer_that_reads_nothing_does_not_delay_the_match(feed, watch, items, monkeypatch):
    publish(feed, items[:1])
    stuck = [Stream(watch, f"/events/{MATCH}") for _ in range(5)]
    before = time.monotonic()
    publish(feed, items[1:-1] * 20)  # far more than the sockets hold
    assert time.monotonic() - before < 60
    for stream in stuck[:2]:
        stream.__exit__()
    publish(feed, items[:5], "another")
    with Stream(watch, "/events/another") as stream:
        assert stream.next()["type"] == "match"
    for stream in stuck[2:]:
        stream.__exit__()


def test_viewers_that_left_make_room_for_others(feed, watch, items):
    publish(feed, items[:1])
    for _ in range(2 * VIEWERS):
        with Stream(watch, f"/events/{MATCH}") as stream:
            assert stream.status == 200 and stream.next()["type"] == "match"


def test_too_many_viewers_are_refused(feed, watch, items):
    publish(feed, items[:1])
    with ExitStack() as viewers:
        for path in ["/events", f"/events/{MATCH}"] * (VIEWERS // 2):
            assert viewers.enter_context(Stream(watch, path)).next()
        assert ask(watch, "/events") == (503, f"{VIEWERS} viewers are already connected")


def test_closing_ends_all_streams_and_frees_the_port(feed, items, monkeypatch):
    monkeypatch.setattr(page_server, "PING", 1000.0)
    watch = live_server.LiveServer(feed)
    publish(feed, items[:1])
    with Stream(watch, f"/events/{MATCH}") as stream, Stream(watch, "/events") as index:
        assert stream.next()["type"] == "match" and index.next()
        time.sleep(0.3)  # so that they wait for news
        watch.close()
        assert stream.next() is None and index.next() is None
    publish(feed, items[1:])
    again = live_server.LiveServer(feed, "127.0.0.1", watch.port)
    again.close()


def test_a_match_is_told_to_its_end_when_the_server_is_closed(feed, items, monkeypatch):
    for patience in ("LAST_WORDS", "FAREWELL"):
        monkeypatch.setattr(page_server, patience, 30.0)
    watch = live_server.LiveServer(feed)
    publish(feed, items[:1])
    with Stream(watch, f"/events/{MATCH}") as stream:
        assert stream.next()["type"] == "match"
        publish(feed, items[1:])
        watch.close()
        assert [stream.next()["type"] for _ in items[1:]][-1] == "result"


def test_a_port_in_use_is_an_error(watch, feed):
    with pytest.raises(OSError):
        live_server.LiveServer(feed, "127.0.0.1", watch.port)


def test_the_oldest_finished_matches_are_dropped(feed, watch, items):
    publish(feed, items[:1], "in play")
    for number in range(KEPT_MATCHES + 5):
        publish(feed, [items[0], items[-1]], f"over {number}")
    names = "in play", *(f"over {number}" for number in (0, 5, 6, KEPT_MATCHES + 4))
    statuses = [ask(watch, f"/match/{quote(name)}")[0] for name in names]
    assert statuses == [200, 404, 404, 200, 200]


def test_the_page_shows_shots_as_they_come(feed, watch, items, look):
    page = look(watch.url)
    page.wait_for_selector("text=No match yet")
    publish(feed, items[:10])
    page.click("#matches a")
    page.wait_for_selector("#status.live")
    wait(page, lambda: page.evaluate("replay.count") == 9)
    assert page.evaluate("replay.position") >= 8  # with the match, not at its beginning
    publish(feed, items[10:12])
    wait(page, lambda: page.evaluate("replay.count") == 11)
    page.keyboard.press("Home")
    page.keyboard.press("Space")  # a pause, as a busy machine takes long to get the shots to come
    publish(feed, items[12:])
    wait(page, lambda: page.evaluate("replay.count") == 32)
    assert page.evaluate("replay.position") < 1  # those who look back are left alone
    page.click("#live")
    assert page.evaluate("replay.position") == 32
    assert page.inner_text("#score") == "{} : {}".format(*items[-1].score)
    assert page.locator("#banner").is_visible() and page.locator("#status.live").count() == 0


def test_the_page_shows_a_reconnection_before_new_events(feed, items, look):
    publish(feed, items[:10])
    watch = live_server.LiveServer(feed)
    page = look(f"{watch.url}match/{MATCH}")
    page.wait_for_selector("#status.live")
    watch.close()
    again = live_server.LiveServer(feed, "127.0.0.1", watch.port)
    try:
        page.wait_for_selector("text=Connection lost, trying again")
        page.wait_for_selector("#status.live")
        assert "lost" not in page.inner_text("#status")
    finally:
        again.close()


def wait(page, condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


def test_pages_are_shown_by_the_name_that_the_server_was_bound_to(monkeypatch):
    bind = page_server.listening_socket
    monkeypatch.setattr(page_server, "listening_socket", lambda host, port: bind("127.0.0.1", port))
    with closing(page_server.PageServer([], "Rink", 0)) as server:
        found = []
        for host in ("rink", "RINK", "localhost", "evil.example"):
            with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
                connection.request("GET", "/", headers={"Host": f"{host}:{server.port}"})
                found.append(connection.getresponse().status)
    assert found == [404, 404, 404, 403]
