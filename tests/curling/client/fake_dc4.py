"""A server that behaves towards players as Digital Curling 4's does by its source, with faults on demand."""

import asyncio
import base64
import json
import math
import time
import uuid
from typing import Any, Self

import numpy as np
from aiohttp import web

from curling.model import Curling
from curling.state import HAMMER, LEAD, TIME, stones_of, team_of
from curling.umpire import outcome

TEAMS = ("team0", "team1")
USERS = {"user0": "pass0", "user1": "pass1"}


class Match:
    """A match: its model, teams, states told so far in this end, and who listens."""

    def __init__(self, ends: int, seconds: float, extra_seconds: float) -> None:
        self.model = Curling(ends=ends, rule="five_rock", noise="none", extra_ends=20)
        self.state = self.model.initial_state(np.random.default_rng(0))
        self.score = [[0] * (ends + 1), [0] * (ends + 1)]
        self.clocks = [[seconds, seconds], [extra_seconds, extra_seconds]]  # regular, extra
        self.teams: dict[str, int] = {}  # of users
        self.listeners: dict[int, asyncio.Queue[dict[str, Any] | None]] = {}
        self.since = time.monotonic()
        self.winner: int | None = None
        self.told = [self.picture(stones_of(self.state), 0, 0, 0)]
        self.thrown: list[tuple[int, int, dict[str, float]]] = []  # (moment, team, body)

    def picture(self, stones: Any, end: int, shot: int, mover: int | None, last: Any = None) -> dict[str, Any]:
        """A state as the server tells it."""
        places = [{"x": float(x), "y": float(y)} for x, y in np.nan_to_num(stones)]
        return {
            "winner_team": None if self.winner is None else TEAMS[self.winner],
            "first_team_name": "one",
            "second_team_name": "other",
            "end_number": end,
            "team_shot_number": shot // 2,
            "total_shot_number": shot,
            "next_shot_team": None if mover is None else TEAMS[mover],
            "first_team_remaining_time": self.clocks[0][0],
            "second_team_remaining_time": self.clocks[0][1],
            "first_team_extra_end_remaining_time": self.clocks[1][0],
            "second_team_extra_end_remaining_time": self.clocks[1][1],
            "mixed_doubles_settings": None,
            "last_move": last,
            "stone_coordinate": {"data": {"team0": places[:8], "team1": places[8:]}},
            "score": {"team0": self.score[0][:], "team1": self.score[1][:]},
        }

    def tell(self, picture: dict[str, Any]) -> None:
        """Keep a state, and tell it to those who listen."""
        if picture["total_shot_number"] == 0:
            self.told.clear()
        self.told.append(picture)
        for queue in self.listeners.values():
            queue.put_nowait(picture)

    def throw(self, body: dict[str, float]) -> None:
        """Play a shot; the sign of its spin turns round."""
        team, (end, shot) = team_of(self.state), divmod(int(self.state[TIME]), 16)
        self.thrown.append((int(self.state[TIME]), team, body))
        clock = self.clocks[end >= self.model.ends]
        clock[team] -= time.monotonic() - self.since
        if clock[team] < 0.0:
            clock[team], self.winner = 0.0, 1 - team
        spin = body["angular_velocity"]
        spin = -math.copysign(min(max(abs(spin), math.pi / 6.0), math.pi / 2.0), spin)
        speed, angle = min(body["translational_velocity"], 4.0), body["shot_angle"]
        after = outcome(self.model, self.state, (speed * math.cos(angle), speed * math.sin(angle), spin))
        self.state = after.state
        if after.points is not None:
            place = min(end, self.model.ends)
            self.score[0][place], self.score[1][place] = after.points
            if after.over:
                self.winner = int(self.state[LEAD] < 0.0)
        self.tell(self.picture(after.stones, end, shot + 1, None if shot == 15 else 1 - team, body))
        if shot == 15 and self.winner is None:
            self.tell(self.picture(stones_of(self.state), end + 1, 0, 1 - int(self.state[HAMMER])))
        self.since = time.monotonic()


class FakeServer:
    """The server, on a port of this machine, any free one if it is 0.

    Attributes:
        matches: by id.
        faults: what becomes of the next throws, in order: a status refuses one, "hang up" loses it, "deaf" plays it and
            loses the answer; None plays it.
        bad_events: texts sent to listeners instead of states.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.matches: dict[str, Match] = {}
        self.faults: list[int | str | None] = []
        self.bad_events: list[str] = []
        self.refused = self.connections = 0
        app = web.Application()
        app.add_routes(
            [
                web.post("/matches", self._create),
                web.post("/store-team-config", self._join),
                web.get("/matches/{id}/stream", self._stream),
                web.post("/shots", self._shot),
            ]
        )
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Be gone."""
        self.hang_up()
        await self._runner.cleanup()

    def open(self, ends: int = 1, seconds: float = 200.0, extra_seconds: float = 20.0) -> str:
        """A new match; its id."""
        match_id = str(uuid.uuid4())
        self.matches[match_id] = Match(ends, seconds, extra_seconds)
        return match_id

    def hang_up(self) -> None:
        """End all streams."""
        for match in self.matches.values():
            for queue in match.listeners.values():
                queue.put_nowait(None)

    def _user(self, request: web.Request) -> str:
        text = request.headers.get("Authorization", "Basic ").removeprefix("Basic ")
        user, _, password = base64.b64decode(text).decode().partition(":")
        if USERS.get(user) != password:
            self._deny("Invalid password" if user in USERS else "Invalid username")
        return user

    @staticmethod
    def _deny(detail: str) -> None:
        raise web.HTTPUnauthorized(
            text=json.dumps({"detail": detail}), content_type="application/json", headers={"WWW-Authenticate": "Basic"}
        )

    @staticmethod
    def _conflict(detail: str, status: int = 409) -> web.Response:
        return web.json_response({"detail": detail}, status=status)

    async def _create(self, request: web.Request) -> web.Response:
        self._user(request)
        body = await request.json()
        assert body["applied_rule"] in ("fgz_rule", "no_tick_rule")
        assert body["simulator"] == {"simulator_name": "fcv1"} and body["game_mode"] == "standard"
        settings = body["standard_end_count"], body["time_limit"], body["extra_end_time_limit"]
        return web.json_response(self.open(*settings))

    async def _join(self, request: web.Request) -> web.Response:
        user, match = self._user(request), self.matches.get(request.query["match_id"])
        if match is None:
            self._deny("Invalid match data")
        wanted = TEAMS.index(request.query["expected_match_team_name"])
        free = [team for team in (wanted, 1 - wanted) if team not in match.teams.values()]
        if user not in match.teams and not free:
            self._deny("Invalid match data")
        return web.json_response(TEAMS[match.teams.setdefault(user, *free[:1])])

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        user, match = self._user(request), self.matches[request.match_info["id"]]
        if user not in match.teams:
            self._deny("Invalid match data")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        self.connections += 1
        queue = match.listeners[match.teams[user]] = asyncio.Queue()
        while len(match.listeners) < 2:
            await response.write(b": ping\n\n")
            await asyncio.sleep(0.05)
        if int(match.state[TIME]) == 0:
            match.since = time.monotonic()
        for text in self.bad_events:
            await response.write(f"event: latest_state_update\ndata: {text}\n\n".encode())
        for picture in match.told[:]:
            kind = "latest_state_update" if picture is match.told[-1] else "state_update"
            await response.write(f"event: {kind}\ndata: {json.dumps(picture)}\n\n".encode())
            await asyncio.sleep(0.02)  # the server reads each from its database
        while (told := await queue.get()) is not None:
            await response.write(f": ping\n\nevent: latest_state_update\ndata: {json.dumps(told)}\n\n".encode())
        if match.listeners.get(match.teams[user]) is queue:
            del match.listeners[match.teams[user]]
        return response

    async def _shot(self, request: web.Request) -> web.StreamResponse:
        user, match = self._user(request), self.matches[request.query["match_id"]]
        body = await request.json()
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, int):
            return self._conflict("not today", fault)
        mine = match.teams[user] == team_of(match.state)
        if fault == "hang up" or (fault == "deaf" and mine):
            if fault == "deaf":
                match.throw(body)
            assert request.transport is not None
            request.transport.close()
        elif match.winner is not None or not mine:
            self.refused += 1
            return self._conflict("Match already finished." if match.winner is not None else "Not your turn.")
        else:
            match.throw(body)
        return web.json_response(None)
