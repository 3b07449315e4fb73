"""Invalid and hostile requests to a server of Digital Curling 4: each must be answered with a 4xx and a reason."""

import base64
import json

from tests.curling.server.dc4_hosting import DRAW, FOUR, NEW, USERS

NOBODY = "00000000-0000-4000-8000-000000000000"
RAW = {"NaN": "NaN", "infinite": "Infinity", "too large": "1e999", "cut": '{"x"', "twice": "1 2", "single": "'x'"}
RAW |= {"long": "1" + "0" * 60_000, "half a character": '"\\ud800"', "control": '"\0"'}
WRONG = {
    "number": (None, "x", "1.0", [], {}, True, [1.0]),
    "count": (None, "x", [], {}, True, 2.5, 0, -1, 10**6, 10**40),
    "text": (None, 1, 2.5, [], {}, True, "x" * 300),
    "flag": (None, 1, "true", [], {}),
    "player": (1, "x", [], {}, {"player_name": "x"}),
    "group": (None, 1, "x", [], {}),
    "choice": (None, 1, "x", [], {}, True, "STANDARD"),
    "pattern": ("x", 1.5, [], {}, True),
}
KINDS = {
    "matches": (
        NEW,
        {"time_limit": "number", "extra_end_time_limit": "number", "standard_end_count": "count", "match_name": "text"}
        | {"tournament": "group", "simulator": "group", "game_mode": "choice", "applied_rule": "choice"}
        | {"positioned_stones_pattern": "pattern"},
    ),
    "store-team-config": (
        FOUR,
        {"use_default_config": "flag", "team_name": "text"} | {f"player{k}": "player" for k in (1, 2, 3, 4)},
    ),
    "shots": (DRAW, dict.fromkeys(DRAW, "number")),
}


def basic(text):
    return "Basic " + base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


USER = basic("user0:pass0")


def request(method, place, body=None, *, user=USER, kind="application/json", **headers):
    """A request as bytes."""
    lines = [f"{method} {place} HTTP/1.1", "Host: localhost", *(f"{name}: {text}" for name, text in headers.items())]
    lines += [f"Authorization: {user}"] if user else []
    lines += [f"Content-Type: {kind}"] if kind and body is not None else []
    lines += [f"Content-Length: {len(body)}"] if body is not None else []
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def attacks(match_id, rng):
    """(name, request) of each attack on a match in which it is team 1's turn; user0 plays for team 0."""
    places = {
        "matches": "/matches",
        "store-team-config": f"/store-team-config?match_id={match_id}&expected_match_team_name=team0",
        "shots": f"/shots?match_id={match_id}",
    }
    yield from wrong_values(places)
    yield from wrong_users(places, match_id)
    yield from wrong_places(match_id)
    yield from broken_bodies(places, rng)
    yield from broken_requests(rng)
    for number in range(10):
        shot = DRAW | {"translational_velocity": rng.uniform(-9, 9)}
        yield f"wrong turn {number}", request("POST", places["shots"], json.dumps(shot).encode())


def wrong_values(places):
    for name, (good, kinds) in KINDS.items():
        for field in good:
            kind = kinds.get(field)
            for value in WRONG.get(kind, ()):
                body = json.dumps(good | {field: value}).encode()
                yield f"{name}: {field}={value!r:.20}", request("POST", places[name], body)
            for label, raw in RAW.items():
                text = json.dumps({key: content for key, content in good.items() if key != field})
                body = f'{text[:-1]}, "{field}": {raw}}}'.encode()
                yield f"{name}: {field} {label}", request("POST", places[name], body)
            if kind and kind != "pattern" and field not in ("player3", "player4"):
                left = {key: content for key, content in good.items() if key != field}
                yield f"{name}: no {field}", request("POST", places[name], json.dumps(left).encode())
        for whole in (b"null", b"1", b'"x"', b"[]", b"{}", b"[{}]", b"true"):
            yield f"{name}: {whole!r}", request("POST", places[name], whole)
    player = FOUR["player1"]
    for field in player:
        for value in WRONG["text" if field == "player_name" else "number"]:
            body = json.dumps(FOUR | {"player2": player | {field: value}}).encode()
            yield f"player2.{field}={value!r:.20}", request("POST", places["store-team-config"], body)


def wrong_users(places, match_id):
    users = {
        "none": None,
        "wrong password": basic("user0:pass1"),
        "empty password": basic("user0:"),
        "unknown": basic("nobody:pass0"),
        "empty": basic(":"),
        "no colon": basic("user0"),
        "no base64": "Basic user0:pass0",
        "half base64": USER[:-3],
        "no text": basic(b"\xff\xfe:\xff"),
        "nothing": "Basic",
        "another scheme": "Bearer abc",
        "long": basic("u" * 5000 + ":" + "p" * 5000),
        "control": basic("user0\0:pass0"),
    }
    assert "user0" in USERS
    for label, user in users.items():
        for name, place in places.items():
            body = json.dumps(KINDS[name][0]).encode()
            yield f"{name}: user {label}", request("POST", place, body, user=user)
        yield f"stream: user {label}", request("GET", f"/matches/{match_id}/stream", user=user)
        yield f"setup: user {label}", request("POST", f"/matches/{match_id}/end-setup?request=pp_left", user=user)
    third = basic("user2:pass2")
    yield "stream: no seat", request("GET", f"/matches/{match_id}/stream", user=third)
    for name in ("store-team-config", "shots"):
        yield f"{name}: no seat", request("POST", places[name], json.dumps(KINDS[name][0]).encode(), user=third)


def wrong_places(match_id):
    ids = "", "x", "1", NOBODY, "%00", "../../etc/passwd", "%2e%2e", match_id[:-1], match_id + "0", "x" * 3000, "%ff%fe"
    shot, team = json.dumps(DRAW).encode(), json.dumps(FOUR).encode()
    for one in ids:
        yield f"shots: id {one:.20}", request("POST", f"/shots?match_id={one}", shot)
        where = f"/store-team-config?match_id={one}&expected_match_team_name=team1"
        yield f"team: id {one:.20}", request("POST", where, team)
        for ending in ("/stream", "/viewer", "/score", "/stone-coordinate/latest", ""):
            if one or ending:
                yield f"GET{ending}: id {one:.20}", request("GET", f"/matches/{one}{ending}")
        yield f"setup: id {one:.20}", request("POST", f"/matches/{one}/end-setup?request=pp_left")
    for side in ("", "team2", "TEAM0", "0", "team0%00"):
        where = f"/store-team-config?match_id={match_id}&expected_match_team_name={side}"
        yield f"team: side {side}", request("POST", where, team)
    for setup in ("", "center", "pp_up", "center_guard%20"):
        yield f"setup: {setup}", request("POST", f"/matches/{match_id}/end-setup?request={setup}")
    yield "setup: standard", request("POST", f"/matches/{match_id}/end-setup?request=pp_left")
    yield "shots: no id", request("POST", "/shots", shot)
    yield "team: no query", request("POST", "/store-team-config", team)
    for place in ("/", "/shots/", "//shots", "/docs", "/matches/", "/admin", "/x" * 900, "/matches/a/b/c", "*"):
        yield f"POST {place:.20}", request("POST", place, shot)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "CONNECT", "BREW"):
        for place in ("/shots", "/matches", f"/matches/{match_id}/stream", f"/matches/{match_id}"):
            yield f"{method} {place:.20}", request(method, place, b"")


def broken_bodies(places, rng):
    for name, (good, _) in KINDS.items():
        whole, place = json.dumps(good).encode(), places[name]
        for cut in sorted(rng.sample(range(len(whole)), min(len(whole), 100))):
            yield f"{name}: cut at {cut}", request("POST", place, whole[:cut])
        for number in range(30):
            yield f"{name}: random {number}", request("POST", place, rng.randbytes(rng.randrange(1, 2000)))
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", None):
            yield f"{name}: {kind}", request("POST", place, whole, kind=kind)
        yield f"{name}: no UTF-8", request("POST", place, whole.replace(b'"', b'"\xff', 1))
        for depth in (100, 5_000, 30_000):
            yield f"{name}: {depth} deep", request("POST", place, b"[" * depth + b"]" * depth)
            yield f"{name}: {depth} deep objects", request("POST", place, b'{"a":' * depth)
        for size in (70_000, 1_000_000, 20_000_000):
            yield f"{name}: {size} bytes", request("POST", place, whole[:-1] + b" " * size + b"}")
        yield (
            f"{name}: said to be long",
            request("POST", place, b"", **{"X-Nothing": "x"}).replace(
                b"Content-Length: 0", b"Content-Length: 99999999999999"
            ),
        )


def broken_requests(rng):
    for number in range(100):
        yield f"noise {number}", rng.randbytes(rng.randrange(1, 300)) + b"\r\n\r\n"
    good = request("POST", "/matches", json.dumps(NEW).encode())
    head = good.index(b"\r\n\r\n") + 4
    for number in range(60):
        at = rng.randrange(0, 20)
        yield f"broken line {number}", good[:at] + bytes([rng.choice((0, 10, 13, 32, 127, 255))]) * 2 + good[at:]
    yield "two lengths", good.replace(b"Content-Length", b"Content-Length: 1\r\nContent-Length")
    yield "negative length", good.replace(b"Content-Length: ", b"Content-Length: -")
    yield "no length", b"POST /matches HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"
    yield "long line", b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n"
    yield "long header", good[: head - 2] + b"X: " + b"x" * 100_000 + b"\r\n\r\n"
    yield "many headers", good[: head - 2] + b"".join(b"X-%d: x\r\n" % n for n in range(20_000)) + b"\r\n"
    yield "wrong chunk", b"POST /matches HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    yield "another coding", b"POST /matches HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n"
    yield "no version", good.replace(b" HTTP/1.1", b"")


def slow_requests(match_id):
    """(name, pieces): requests whose pieces come one a second, and never end."""
    shot = request("POST", f"/shots?match_id={match_id}", json.dumps(DRAW).encode())
    head = shot.index(b"\r\n\r\n") + 4
    yield "a slow head", [bytes([byte]) for byte in shot[:head]]
    yield "a slow body", [shot[:head], *(bytes([byte]) for byte in shot[head:-1])]
    yield "half a head", [shot[: head // 2]]
    yield "no body", [shot[:head]]
    yield (
        "slow chunks",
        [b"POST /shots HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"1\r\n \r\n"] * 60],
    )
