"""The file game.dcl2 of the Digital Curling 3 server, version 1.2.0, for the match of a transcript.

Made as src/log.cpp and src/game.cpp of that server write it: one object per line, the message under "log"; `is_ready`
has no team, moves have one, an update comes without the trajectory, and remarks of the server stand between.
"""

import itertools
import json
from pathlib import Path
from typing import Any

AIMED = 0.001  # m/s by which team 1, whose aims the transcript lacks, aimed to the left of its throws


def server_log(transcript: Path) -> str:
    """The text of game.dcl2 of the same match."""
    entries = [json.loads(line) for line in transcript.read_text().splitlines()]
    said = [entry["msg"] for entry in entries if "msg" in entry]
    (ready,) = (message for message in said if message["cmd"] == "is_ready")
    (begins,) = (message for message in said if message["cmd"] == "new_game")
    updates = [message for message in said if message["cmd"] == "update"]
    moves = [message["move"] for message in said if message["cmd"] == "move"]
    teams, own = ("team0", "team1"), ready["team"]
    logged = [said[0], {"cmd": "meta", "meta": "spec", "host_name": "a host"}]
    logged.append({"cmd": "meta", "meta": "config", "config": {"game": ready["game"]}, "config_all": {"version": 1}})
    logged += [{"cmd": "dc_ok", "name": begins["name"][team], "team": team} for team in teams]
    logged.append({**ready, "team": None})
    logged += [{"cmd": "ready_ok", "player_order": [0, 1, 2, 3], "team": team} for team in teams]
    logged += [begins, updates[0]]
    for before, update in itertools.pairwise(updates):
        team = before["next_team"]
        move = moves.pop(0) if team == own else _aimed(update["last_move"]["actual_move"])
        without = {key: value for key, value in update["last_move"].items() if key != "trajectory"}
        logged += [{"cmd": "move", "move": move, "team": team}, {**update, "last_move": without}]
    logged += [message for message in said if message["cmd"] == "game_over"]
    lines = [_line(number, "gam", message) for number, message in enumerate(logged)]
    return "".join([*lines, _line(len(lines), "err", "client 0: disconnected at inappropriate time")])


def _aimed(thrown: dict[str, Any]) -> dict[str, Any]:
    velocity = thrown["velocity"]
    return {**thrown, "velocity": {"x": velocity["x"] - AIMED, "y": velocity["y"]}}


def _line(number: int, tag: str, log: Any) -> str:
    header = {"ver": [1, 1], "tag": tag, "id": number, "date_time": "2026-11-21T02:54:21", "thread": "7f0a"}
    return json.dumps({**header, "log": log}, separators=(",", ":")) + "\n"
