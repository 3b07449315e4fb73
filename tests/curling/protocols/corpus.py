"""Nasty messages, as data: what a broken or hostile peer may send.

`CORPUS[protocol, sender]` lists them: protocol "dc3" or "dc2", sender "client" or "server". They have no terminator;
`wire` adds it. Broken ones are refused by the decoder of that sender; the others are well-formed and wrong where they
stand, or merely odd. Larger ones than MAX_..._LINE and MAX_TEXT are for the tests to make: they would fill memory here.
"""

import copy
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

TERMINATOR = {"dc3": b"\n", "dc2": b"\0"}


class Nasty(NamedTuple):
    name: str
    text: bytes  # without terminator; may have one inside, and then arrives as several messages
    broken: bool  # the decoder refuses it

    def wire(self, protocol: str) -> bytes:
        return self.text + TERMINATOR[protocol]


MISSING = object()
EVERYTHING = (None, True, -1, 0.5, 256, 10**30, "x", "", [], [0], {}, {"x": 1})


def _changed(message: dict[str, Any], path: str, value: Any) -> bytes:
    """The message with another value at a dotted path, or without it."""
    message = copy.deepcopy(message)
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    inner: Any = message
    for part in parents:
        inner = inner[part]
    if value is MISSING:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(message).encode()


def _variants(message: dict[str, Any], path: str, values: Iterable[Any]) -> Iterator[Nasty]:
    for value in values:
        text = "missing" if value is MISSING else json.dumps(value)
        shown = text if len(text) <= 30 else f"{text[:30]}... ({len(text)})"
        yield Nasty(f"{message['cmd']}: {path} {shown}", _changed(message, path, value), True)


def _named(broken: bool, given: dict[str, bytes]) -> list[Nasty]:
    return [Nasty(name, text, broken) for name, text in given.items()]


_DC_OK = {"cmd": "dc_ok", "name": "x"}
_READY_OK = {"cmd": "ready_ok", "player_order": [0, 1, 2, 3]}
_SHOT = {"cmd": "move", "move": {"type": "shot", "velocity": {"x": 0.13, "y": 2.39}, "rotation": "ccw"}}
_CONCEDE = {"cmd": "move", "move": {"type": "concede"}}

_DC = {"cmd": "dc", "version": {"major": 1, "minor": 0}, "game_id": "0", "date_time": "2026-01-01T00:00:00+00:00"}
_IS_READY = {
    "cmd": "is_ready",
    "team": "team0",
    "game": {
        "rule": "normal",
        "setting": {
            "max_end": 2,
            "sheet_width": 4.75,
            "five_rock_rule": True,
            "thinking_time": {"team0": 60.0, "team1": 60.0},
            "extra_end_thinking_time": {"team0": 20.0, "team1": 20.0},
        },
        "simulator": {"type": "fcv1", "seconds_per_frame": 0.001},
        "players": {"team0": [{"type": "identical"}] * 4, "team1": [{"type": "identical"}] * 4},
    },
}
_NEW_GAME = {"cmd": "new_game", "name": {"team0": "a", "team1": "b"}}
_STONE = {"position": {"x": 0.1, "y": 38.4}, "angle": 1.0}
_STATE = {
    "end": 0,
    "shot": 1,
    "hammer": "team1",
    "stones": {"team0": [_STONE] + [None] * 7, "team1": [None] * 8},
    "scores": {"team0": [None, None], "team1": [None, None]},
    "extra_end_score": {"team0": None, "team1": None},
    "thinking_time_remaining": {"team0": 59.0, "team1": 60.0},
    "game_result": None,
}
_UPDATE = {
    "cmd": "update",
    "next_team": "team1",
    "state": _STATE,
    "last_move": {
        "actual_move": {"type": "shot", "velocity": {"x": 0.13, "y": 2.39}, "rotation": "ccw"},
        "free_guard_zone_foul": False,
        "trajectory": {
            "seconds_per_frame": 0.2,
            "start": _STATE["stones"],
            "finish": _STATE["stones"],
            "frames": [[{"team": "team0", "index": 0, "value": _STONE}]],
        },
    },
}
_GAME_OVER = {"cmd": "game_over"}


def _not_json(valid: dict[str, Any]) -> list[Nasty]:
    """What is broken whoever sends it."""
    text = json.dumps(valid).encode()
    return _named(
        True,
        {
            "empty line": b"",
            "blank line": b"   \t ",
            "lone carriage return": b"\r",
            "one NUL": b"\0",
            "only NULs": b"\0" * 1000,
            "words": b"this is not json",
            "another protocol": b"BESTSHOT -0.990740 -29.559774 0",
            "HTTP": b"GET / HTTP/1.1\r",
            "TLS hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            "SSH": b"SSH-2.0-OpenSSH_9.2\r",
            "every byte": bytes(b for b in range(256) if b != 10),
            "invalid UTF-8": b'{"cmd": "\xff\xfe"}',
            "UTF-16": text.decode().encode("utf-16"),
            "byte order mark": b"\xef\xbb\xbf" + text,
            "overlong UTF-8": b'{"cmd": "\xc0\xaf"}',
            "surrogate in UTF-8": b'{"cmd": "\xed\xa0\x80"}',
            "lone surrogate escape": b'{"cmd": "\\ud800"}',
            "bad escape": b'{"cmd": "\\x41"}',
            "cut in half": text[: len(text) // 2],
            "cut by one": text[:-1],
            "first byte only": text[:1],
            "first byte lost": text[1:],
            "unterminated string": b'{"cmd": "mo',
            "trailing garbage": text + b"x",
            "two in one line": text + text,
            "in an array": b"[" + text + b"]",
            "in a string": json.dumps(text.decode()).encode(),
            "null": b"null",
            "true": b"true",
            "number": b"7",
            "string": b'"move"',
            "array": b"[]",
            "object": b"{}",
            "NaN alone": b"NaN",
            "infinity alone": b"-Infinity",
            "single quotes": text.replace(b'"', b"'"),
            "comment": text + b" // done",
            "trailing comma": text[:-1] + b",}",
            "unquoted key": text.replace(b'"cmd"', b"cmd"),
            "deep arrays": b"[" * 60000,
            "deep objects": b'{"a":' * 10000,
            "deep closed arrays": b"[" * 5000 + b"]" * 5000,
            "deep in an unknown field": text[:-1] + b', "z": ' + b"[" * 30000,
            "long number": b"9" * 10000,
            "long fraction": b"0." + b"9" * 10000,
            "huge exponent": b"1e99999",
            "long word": b"a" * 60000,
            "no cmd": b'{"name": "x"}',
            "cmd null": b'{"cmd": null}',
            "cmd number": b'{"cmd": 1}',
            "cmd array": b'{"cmd": ["move"]}',
            "cmd object": b'{"cmd": {"cmd": "move"}}',
            "cmd empty": b'{"cmd": ""}',
            "cmd unknown": b'{"cmd": "shutdown"}',
            "cmd in capitals": b'{"cmd": "MOVE"}',
            "cmd with NUL": b'{"cmd": "move\\u0000"}',
            "cmd with line feed": b'{"cmd": "mo\\nve"}',
            "cmd with escapes of a terminal": b'{"cmd": "\\u001b[2J\\u001b]0;x\\u0007"}',
            "cmd very long": b'{"cmd": "' + b"move" * 10000 + b'"}',
            "cmd twice": text[:-1] + b', "cmd": "nothing"}',
        },
    )


def _dc3_client() -> list[Nasty]:
    found = _not_json(_SHOT)
    found += _variants(_DC_OK, "name", (MISSING, *(v for v in EVERYTHING if not isinstance(v, str))))
    found += _variants(
        _READY_OK,
        "player_order",
        (
            MISSING,
            *EVERYTHING,
            [0, 1, 2],
            [0, 1, 2, 3, 3],
            [0, 1, 2, 2],
            [1, 2, 3, 4],
            [-1, 0, 1, 2],
            [0.5, 1, 2, 3],
            ["0", "1", "2", "3"],
            [10**30, 1, 2, 3],
            [0] * 5000,
            [[0], [1], [2], [3]],
        ),
    )
    found += _variants(_SHOT, "move", (MISSING, *EVERYTHING))
    found += _variants(_SHOT, "move.type", (MISSING, *EVERYTHING, "Shot", "draw"))
    found += _variants(_SHOT, "move.velocity", (MISSING, *EVERYTHING, [0.1, 2.4], {"x": 0.1}, {"y": 2.4}))
    for axis in "xy":
        found += _variants(_SHOT, f"move.velocity.{axis}", (MISSING, None, True, "2.4", [], [2.4], {}))
        for number in (
            "1.7e308",
            "-1e308",
            "1001",
            "NaN",
            "Infinity",
            "-Infinity",
            "1e400",
            "-1e400",
            "9" * 400,
            "2,4",
            "0x10",
            "+2.4",
            "2.",
            ".4",
            "02",
        ):
            text = _changed(_SHOT, f"move.velocity.{axis}", 12345).replace(b"12345", number.encode())
            found.append(Nasty(f"move: move.velocity.{axis} is {number[:12]}", text, True))
    found += _variants(_SHOT, "move.rotation", (MISSING,))
    found += _named(
        False,
        {
            "dc_ok at any time": json.dumps(_DC_OK).encode(),
            "ready_ok at any time": json.dumps(_READY_OK).encode(),
            "move at any time": json.dumps(_SHOT).encode(),
            "concede at any time": json.dumps(_CONCEDE).encode(),
            "many in one packet": b"\n".join([json.dumps(_SHOT).encode()] * 50),
            "empty name": b'{"cmd": "dc_ok", "name": ""}',
            "name of NULs": b'{"cmd": "dc_ok", "name": "\\u0000\\u0000"}',
            "long name": b'{"cmd": "dc_ok", "name": "' + b"x" * 60000 + b'"}',
            "name with line feeds": b'{"cmd": "dc_ok", "name": "a\\nb\\rc"}',
            "name as a path": b'{"cmd": "dc_ok", "name": "../../x"}',
            "name as HTML": b'{"cmd": "dc_ok", "name": "<script>alert(1)</script>"}',
            "name in Japanese": '{"cmd": "dc_ok", "name": "カーリング"}'.encode(),
            "backwards": _changed(_SHOT, "move.velocity.y", -3.0),
            "standing still": _changed(_SHOT, "move.velocity", {"x": 0, "y": 0}),
            "a speed far beyond any throw": _changed(_SHOT, "move.velocity", {"x": 999.0, "y": -999.0}),
            "denormal speed": _changed(_SHOT, "move.velocity", {"x": 5e-324, "y": 1e-310}),
            "rotation unknown": _changed(_SHOT, "move.rotation", "sideways"),
            "rotation null": _changed(_SHOT, "move.rotation", None),
            "rotation object": _changed(_SHOT, "move.rotation", {"cw": True}),
            "unknown fields": _changed(_SHOT, "z", [[[{"a": None}]]]),
            "concede with a velocity": _changed(_SHOT, "move.type", "concede"),
            "carriage return": json.dumps(_SHOT).encode() + b"\r",
            "move twice in the object": json.dumps(_SHOT).encode()[:-1] + b', "move": {"type": "concede"}}',
        },
    )
    return found + [
        Nasty(f"a server's {m['cmd']}", json.dumps(m).encode(), True)
        for m in (_DC, _IS_READY, _NEW_GAME, _UPDATE, _GAME_OVER)
    ]


def _dc3_server() -> list[Nasty]:
    found = _not_json(_UPDATE)
    found += _variants(_DC, "version", (MISSING, *EVERYTHING))
    found += _variants(_IS_READY, "team", (MISSING, *EVERYTHING, "team2", 0))
    found += _variants(_IS_READY, "game", [v for v in EVERYTHING if not isinstance(v, dict)])
    found += _variants(_IS_READY, "game.setting.max_end", (None, "10", 256, -1, 10**30, 0.5, []))
    found += _variants(_IS_READY, "game.players.team0", (None, {}, [{}], ["identical"], [{"type": "identical"}] * 300))
    found += _variants(_NEW_GAME, "name", (MISSING, *EVERYTHING, {"team0": "a"}, ["a", "b"]))
    found += _variants(_UPDATE, "next_team", (MISSING, *(v for v in EVERYTHING if v is not None), "team2"))
    found += _variants(_UPDATE, "state", (MISSING, *EVERYTHING))
    for field in ("end", "shot", "hammer", "stones", "scores", "thinking_time_remaining"):
        found += _variants(_UPDATE, f"state.{field}", (MISSING, [], {}, "x", -1, 16.5, 10**30))
    found += _variants(_UPDATE, "state.shot", (16, 17, 255))
    found += _variants(
        _UPDATE, "state.stones.team0", (MISSING, None, [None] * 7, [None] * 9, [None] * 5000, [0] * 8, {})
    )
    found += _variants(_UPDATE, "state.stones.team0.0", (0, "x", [], {}, {"position": None}, {"position": [0, 38]}))
    found += _variants(_UPDATE, "state.stones.team0.0.position.x", (MISSING, None, "0", 1e300, -1e5, 10**400))
    found += _variants(_UPDATE, "state.scores.team1", (None, [-1], [256], [0.5], ["1"], [None] * 300))
    found += _variants(_UPDATE, "state.thinking_time_remaining.team0", (MISSING, None, "60", []))
    found += _variants(
        _UPDATE,
        "state.game_result",
        (0, "score", {}, {"winner": "team0"}, {"winner": 2, "reason": "score"}, {"winner": "team0", "reason": "luck"}),
    )
    found += _variants(_UPDATE, "last_move", (0, "x", [], {}, {"actual_move": {"type": "sweep"}}))
    found += _variants(_UPDATE, "last_move.actual_move.rotation", (MISSING, None, 1, "sideways"))
    found += _variants(_UPDATE, "last_move.trajectory", (0, [], {}, {"frames": []}))
    found += _variants(_UPDATE, "last_move.trajectory.frames", (MISSING, None, 0, [None], [[None]], [[{"index": 8}]]))
    for number in ("NaN", "Infinity", "-Infinity", "1e400", "9" * 400):
        text = _changed(_UPDATE, "state.stones.team0.0.position.y", 12345).replace(b"12345", number.encode())
        found.append(Nasty(f"update: a stone's y is {number[:12]}", text, True))
    over = {"winner": "team0", "reason": "score"}
    found += _named(
        False,
        {
            "dc at any time": json.dumps(_DC).encode(),
            "is_ready at any time": json.dumps(_IS_READY).encode(),
            "new_game at any time": json.dumps(_NEW_GAME).encode(),
            "update at any time": json.dumps(_UPDATE).encode(),
            "game_over at any time": json.dumps(_GAME_OVER).encode(),
            "dc of another version": _changed(_DC, "version.major", 99),
            "is_ready without game": _changed(_IS_READY, "game", MISSING),
            "is_ready with another simulator": _changed(_IS_READY, "game.simulator", {"type": "fcv9", "gravity": 1.6}),
            "is_ready with another rule": _changed(_IS_READY, "game.rule", "mixed_doubles"),
            "is_ready with another player": _changed(
                _IS_READY, "game.players.team0.0", {"type": "drunk", "stddev_speed": 9.0}
            ),
            "is_ready without players": _changed(_IS_READY, "game.players", {"team0": [], "team1": []}),
            "is_ready without ends": _changed(_IS_READY, "game.setting.max_end", 0),
            "update for nobody before the end": _changed(_UPDATE, "next_team", None),
            "update for the wrong team": _changed(_UPDATE, "next_team", "team0"),
            "update without hammer": _changed(_UPDATE, "state.hammer", None),
            "update of a far end": _changed(_UPDATE, "state.end", 999),
            "update without time": _changed(_UPDATE, "state.thinking_time_remaining", {"team0": 0.0, "team1": 0.0}),
            "update with time below 0": _changed(
                _UPDATE, "state.thinking_time_remaining", {"team0": -5.0, "team1": -1e300}
            ),
            "update with endless time": _changed(
                _UPDATE, "state.thinking_time_remaining", {"team0": 1e308, "team1": 1e308}
            ),
            "update without scores": _changed(_UPDATE, "state.scores", {"team0": [], "team1": []}),
            "update with scores of one team": _changed(_UPDATE, "state.scores", {"team0": [1], "team1": []}),
            "update with impossible scores": _changed(
                _UPDATE, "state.scores", {"team0": [255, 255], "team1": [255, 255]}
            ),
            "update with a result and a next team": _changed(_UPDATE, "state.game_result", over),
            "update with a stone thrown later": _changed(_UPDATE, "state.stones.team1.7", _STONE),
            "update with stones in one place": _changed(_UPDATE, "state.stones.team0", [_STONE] * 8),
            "update with a stone far behind": _changed(
                _UPDATE, "state.stones.team0.0.position", {"x": -999, "y": -999}
            ),
            "update with a stone at the release": _changed(_UPDATE, "state.stones.team0.0.position", {"x": 0, "y": 0}),
            "carriage return": json.dumps(_UPDATE).encode() + b"\r",
        },
    )
    return found + [Nasty(f"a client's {m['cmd']}", json.dumps(m).encode(), True) for m in (_DC_OK, _READY_OK, _SHOT)]


_NO_STONES = b"POSITION" + b" 0.000000" * 32


def _not_text() -> list[Nasty]:
    return _named(
        True,
        {
            "empty": b"",
            "blank": b"   ",
            "line feeds": b"\n\n\n",
            "only NULs": b"\0" * 1000,
            "one high byte": b"\xff",
            "every byte": bytes(range(1, 256)),
            "UTF-8": "BESTSHOT ä ö ü".encode(),
            "JSON": json.dumps(_SHOT).encode(),
            "HTTP": b"GET / HTTP/1.1\r\n\r\n",
            "unknown word": b"HELLO",
            "small letters": b"concede",
            "half a word": b"CONC",
            "long word": b"A" * 4000,
            "a thousand words": b"A " * 1000,
            "tabs": b"BESTSHOT\t1\t2\t0",
            "terminal": b"\x1b[2J",
            "two glued": b"READYOKREADYOK",
            "line feed inside": b"READYOK\nREADYOK",
        },
    )


def _dc2_client() -> list[Nasty]:
    found = _not_text()
    found += _named(
        True,
        {
            f"broken {text[:40].decode()}": text
            for text in (
                b"LOGIN",
                b"LOGIN a",
                b"LOGIN a b",
                b"LOGIN a b c d",
                b"LOGIN OK",
                b"READYOK now",
                b"CONCEDE 1",
                b"BESTSHOT",
                b"BESTSHOT 1",
                b"BESTSHOT 1 2",
                b"BESTSHOT 1 2 0 0",
                b"BESTSHOT 1 2 2",
                b"BESTSHOT 1 2 -1",
                b"BESTSHOT 1 2 0.5",
                b"BESTSHOT 1 2 x",
                b"BESTSHOT 1 2 true",
                b"BESTSHOT 1 2 nan",
                b"BESTSHOT nan 2 0",
                b"BESTSHOT 1 NaN 0",
                b"BESTSHOT inf 2 0",
                b"BESTSHOT 1 -inf 1",
                b"BESTSHOT Infinity 2 0",
                b"BESTSHOT 1e400 2 0",
                b"BESTSHOT 1.7e308 2 0",
                b"BESTSHOT 1 -1001 0",
                b"BESTSHOT 1 -1e400 0",
                b"BESTSHOT 1_0 2 0",
                b"BESTSHOT 0x1 2 0",
                b"BESTSHOT 1,5 2 0",
                b"BESTSHOT 1 2 " + b"9" * 3000,
                b"BESTSHOT x y z",
                b"BESTSHOT " + b"9" * 3000 + b" 2 0",
                b"BESTSHOT null null null",
                b"BESTSHOT -- 2 0",
                b"bestshot 1 2 0",
                b"CONNECTED",
                b"ISREADY",
                b"GO 1 1",
                b"SCORE 8",
                b"GAMEOVER WIN",
                b"SETSTATE 0 0 2 0",
                b"RUNSHOT 1 2 0",
                _NO_STONES,
            )
        },
    )
    return found + _named(
        False,
        {
            "login at any time": b"LOGIN alice pw alice",
            "login with odd names": b"LOGIN ../../x <b>&amp; %s%n",
            "long login": b"LOGIN " + b"a" * 1000 + b" " + b"b" * 1000 + b" " + b"c" * 1000,
            "ready at any time": b"READYOK",
            "concede at any time": b"CONCEDE",
            "shot at any time": b"BESTSHOT -0.990740 -29.559774 0",
            "shot without decimals": b"BESTSHOT 1 -30 1",
            "shot with exponents": b"BESTSHOT 1e-3 -3.0E1 1",
            "shot backwards": b"BESTSHOT 0.0 30.0 0",
            "no speed": b"BESTSHOT 0.0 0.0 0",
            "far beyond any throw": b"BESTSHOT 999 -999 1",
            "wide spaces": b"  BESTSHOT   1.0   -30.0   1  ",
            "line feed at the end": b"READYOK\r\n",
            "many in one packet": b"\0".join([b"BESTSHOT 1.0 -30.0 1"] * 50),
        },
    )


def _dc2_server() -> list[Nasty]:
    found = _not_text()
    found += _named(
        True,
        {
            f"broken {text[:40].decode()} ({len(text)})": text
            for text in (
                b"CONNECTED 1",
                b"LOGIN",
                b"LOGIN NG",
                b"LOGIN OK 1",
                b"ISREADY 1",
                b"NEWGAME",
                b"NEWGAME a",
                b"NEWGAME a b c",
                b"POSITION",
                b"POSITION 1",
                _NO_STONES[:-9],
                _NO_STONES + b" 0.0",
                _NO_STONES[:-8] + b"nan",
                _NO_STONES[:-8] + b"inf",
                _NO_STONES[:-8] + b"1e400",
                _NO_STONES[:-8] + b"x",
                _NO_STONES[:-8] + b"-1e30",
                _NO_STONES[:-8] + b"9" * 500,
                b"SETSTATE",
                b"SETSTATE 0 0 2",
                b"SETSTATE 0 0 2 0 0",
                b"SETSTATE 16 0 2 0",
                b"SETSTATE -1 0 2 0",
                b"SETSTATE 0 -1 2 0",
                b"SETSTATE 0 0 -2 0",
                b"SETSTATE 0 0 2 2",
                b"SETSTATE 0 0 2 -1",
                b"SETSTATE 0.5 0 2 0",
                b"SETSTATE x 0 2 0",
                b"SETSTATE 0 0 99999999999999999999 0",
                b"GO",
                b"GO 1",
                b"GO 1 2 3",
                b"GO x y",
                b"GO nan 1",
                b"GO 1.5 1",
                b"GO 1 99999999999999999999",
                b"RUNSHOT 1 2",
                b"RUNSHOT 1 2 2",
                b"RUNSHOT nan 2 0",
                b"SCORE",
                b"SCORE 9",
                b"SCORE -9",
                b"SCORE 1.5",
                b"SCORE x",
                b"TOTALSCORE 1",
                b"TOTALSCORE -1 0",
                b"TOTALSCORE x y",
                b"GAMEOVER",
                b"GAMEOVER win",
                b"GAMEOVER LOST",
                b"GAMEOVER WIN WIN",
                b"DISCONNECT now",
                b"TIMEOUT",
                b"TIMEOUT a b",
                b"BESTSHOT 1 2 0",
                b"READYOK",
                b"LOGIN a b c",
                b"CONCEDE",
            )
        },
    )
    return found + _named(
        False,
        {
            "greeting at any time": b"CONNECTED",
            "login accepted at any time": b"LOGIN OK",
            "ready question at any time": b"ISREADY",
            "match at any time": b"NEWGAME a b",
            "stones at any time": _NO_STONES,
            "state at any time": b"SETSTATE 0 0 2 0",
            "state of an end after the last": b"SETSTATE 0 999 2 0",
            "turn without a state": b"GO 60000 60000",
            "turn without time": b"GO 0 0",
            "turn with time below 0": b"GO -5 -5",
            "turn with endless time": b"GO 999999999 999999999",
            "shot at any time": b"RUNSHOT 1.0 -30.0 0",
            "score at any time": b"SCORE 8",
            "total at any time": b"TOTALSCORE 0 0",
            "end at any time": b"GAMEOVER DRAW",
            "goodbye at any time": b"DISCONNECT",
            "time up at any time": b"TIMEOUT alice",
            "stones in one place": b"POSITION" + b" 2.375 4.88" * 16,
            "stones far away": b"POSITION" + b" -999 999" * 16,
            "line feed at the end": b"ISREADY\r\n",
            "names of one letter": b"NEWGAME x x",
        },
    )


CORPUS: dict[tuple[str, str], list[Nasty]] = {
    ("dc3", "client"): _dc3_client(),
    ("dc3", "server"): _dc3_server(),
    ("dc2", "client"): _dc2_client(),
    ("dc2", "server"): _dc2_server(),
}
