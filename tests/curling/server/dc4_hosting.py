"""A practice server of Digital Curling 4 within the process of a test, and its clients."""

import asyncio
import json
from contextlib import asynccontextmanager

import aiohttp

from bonspiel.curling.protocols.dc4_server import Player
from bonspiel.curling.server.asgi_server import listening_socket, serving
from bonspiel.curling.server.dc4.app import application
from bonspiel.curling.server.dc4.matches import Dc4Matches
from tests.curling.server.hosting import PATIENCE, context_of

USERS = {"user0": "pass0", "user1": "pass1", "user2": "pass2"}
EXACT = Player(4.0, 0.0, 0.0, "exact")
NEW = {
    "game_mode": "standard",
    "tournament": {"tournament_name": "a tournament"},
    "simulator": {"simulator_name": "fcv1"},
    "applied_rule": "fgz_rule",
    "time_limit": 219.0,
    "extra_end_time_limit": 21.9,
    "standard_end_count": 1,
    "match_name": "a match",
    "positioned_stones_pattern": None,
}
PLAYER = {"max_velocity": 4.0, "shot_std_dev": 0.0, "angle_std_dev": 0.0, "player_name": "somebody"}
TEAM = {"use_default_config": True, "team_name": "a team", "player1": PLAYER, "player2": PLAYER}
FOUR = TEAM | {"use_default_config": False, "player3": PLAYER, "player4": PLAYER}
DRAW = {"translational_velocity": 2.4033, "angular_velocity": -1.5708, "shot_angle": 1.51597}  # to the tee
THROUGH = {"translational_velocity": 4.0, "angular_velocity": 1.5708, "shot_angle": 1.4}  # over the side line


class Events:
    """An open stream of a match."""

    def __init__(self, response):
        self.response = response

    async def next(self):
        """The next event: (name, state), or ("ping", None); None at the end."""
        async with asyncio.timeout(PATIENCE):
            text = (await self.response.content.readuntil(b"\n\n")).decode()
        if not text:
            return None
        if text == ": ping\n\n":
            return "ping", None
        name, data, *rest = text.split("\n")
        assert rest == ["", ""] and name.startswith("event: ") and data.startswith("data: ")
        return name[7:], json.loads(data[6:])

    async def state(self):
        """The next state that is the latest."""
        while (event := await self.next())[0] != "latest_state_update":
            pass
        return event[1]

    def close(self):
        self.response.close()


class User:
    """A client with a name and its password; None for nobody."""

    def __init__(self, host, name, password=None):
        self.host, self.name = host, name
        self.auth = name and aiohttp.BasicAuth(name, password or USERS.get(name, "?"))

    async def ask(self, method, place, body=None, **given):
        """The status and the content of an answer."""
        async with asyncio.timeout(PATIENCE):
            auth = {"auth": self.auth} if self.auth else {}
            answer = self.host.session.request(method, self.host.url + place, json=body, **auth, **given)
            async with answer as response:
                assert response.status < 400 or response.content_type == "application/json"
                refused = response.status == 401
                assert response.headers.get("WWW-Authenticate") == ("Basic" if refused else None)
                return response.status, await response.json()

    async def post(self, place, body=None, **query):
        return await self.ask("POST", place, body, params=query)

    async def create(self, **changes):
        status, match_id = await self.post("/matches", NEW | changes)
        assert status == 200
        return match_id

    async def join(self, match_id, team=0, config=TEAM):
        return await self.post("/store-team-config", config, match_id=match_id, expected_match_team_name=f"team{team}")

    async def throw(self, match_id, shot=DRAW):
        return await self.post("/shots", shot, match_id=match_id)

    async def listen(self, match_id, place="stream"):
        auth = {"auth": self.auth} if self.auth else {}
        response = await self.host.session.get(f"{self.host.url}/matches/{match_id}/{place}", **auth)
        assert response.status == 200 and response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-cache"
        self.host.streams.append(Events(response))  # one that is forgotten warns that it was not closed
        return self.host.streams[-1]


class Host:
    """A server; `told` is what it says on its console."""

    def __init__(self, port, matches, told, session):
        self.port, self.matches, self.told, self.session = port, matches, told, session
        self.streams = []
        self.url = f"http://127.0.0.1:{port}"

    def user(self, name, password=None):
        return User(self, name, password)


@asynccontextmanager
async def hosting(default=EXACT, late_shots=False, most=None, limits=None, mixed=None, context=None, names=(), **given):
    told, listener = [], listening_socket("127.0.0.1", 0)
    context = context or context_of(report=told.append, **given)
    matches = Dc4Matches(context, default, late_shots, most, mixed)
    async with (
        serving(application(matches, USERS, names), [listener], told.append, limits),
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session,
    ):
        host = Host(listener.getsockname()[1], matches, told, session)
        try:
            yield host
        finally:
            for stream in host.streams:
                stream.close()
            await matches.close()


async def begun(host, configs=(TEAM, TEAM), **changes):
    """A match that has begun: its id, two users with a seat, and their streams, which have told nothing yet."""
    users = [host.user("user0"), host.user("user1")]
    match_id = await users[0].create(**changes)
    for team, user in enumerate(users):
        named = configs[team] | {"team_name": f"team {team}"}
        assert await user.join(match_id, team, named) == (200, f"team{team}")
    return match_id, users, [await user.listen(match_id) for user in users]


async def play_end(match_id, users, streams, state, shots):
    """Throw one shot after the other; the states told after each, as both players saw them."""
    told = []
    for shot in shots:
        mover = int(state["next_shot_team"] == "team1")
        assert await users[mover].throw(match_id, shot) == (200, None)
        first, second = [await stream.state() for stream in streams]
        assert first == second
        state = first
        told.append(state)
    return told


def run(scenario, seconds=3 * PATIENCE):
    async def bounded():
        async with asyncio.timeout(seconds):
            return await scenario()

    return asyncio.run(bounded())
