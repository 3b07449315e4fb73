"""A game of curling in a browser: on this machine, or on a phone in the same network."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future, wait
from contextlib import closing, suppress
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from curling.replay.page_events import Event, PageEvents
from curling.replay.pages import play_page
from curling.replay.tracks import stone_tracks
from curling.server.page_server import EventStream, PageServer, first_event
from curling.umpire import outcome
from planners.core.search import INTERRUPT_SECONDS
from runs.curling.play.aim import WEIGHTS, Aim
from runs.curling.play.game import InteractiveGame
from runs.curling.play.ideas import best_ideas
from runs.curling.play.report import game_record
from runs.experiment import RunError

TICK = 0.02  # s between two looks at the planner
TOKEN_BYTES = 9
PARTS = {"x": "target across, m", "y": "target along, m", "side": "spin", "weight": "weight"}

T = TypeVar("T")


class AimMessage(msgspec.Struct):
    """Where a person aims: the target in m, the spin (1 counter-clockwise, -1 clockwise), an index into WEIGHTS."""

    x: float
    y: float
    side: int
    weight: int


class ThrowMessage(AimMessage):
    """A throw; `shot` is its number in the match, from 0."""

    shot: int


def play_in_web(game: InteractiveGame, host: str = "127.0.0.1", port: int = 0) -> None:
    """Serve the page of a game until Ctrl-C; who knows its address may throw.

    Raises:
        RunError: the planner failed, or the address cannot be served.
    """
    ended, token = Future[None](), secrets.token_urlsafe(TOKEN_BYTES)
    try:
        server = GameServer(game, ended, f"/{token}", host, port)
    except OSError as error:
        raise RunError(f"{host}, port {port}: cannot serve the page ({error.strerror}); choose another") from error
    with closing(server), suppress(KeyboardInterrupt):
        print(f"play at {server.url}{token} (Ctrl-C ends the game)", flush=True)
        while not wait([ended], INTERRUPT_SECONDS).done:
            pass  # without end the wait would not hear a Ctrl-C that the system hands to another thread
        ended.result()


class GameServer(PageServer):
    """Serves the page of a game; everything but the planner runs in the event loop of the pages.

    Args:
        game: to play.
        ended: gets the error of a planner that fails.
        root: the path of the page, without the last slash.
        host: address to bind to.
        port: 0 is any free one.

    Raises:
        OSError: the port is in use, or the address is not one of this machine.
    """

    def __init__(self, game: InteractiveGame, ended: Future[None], root: str, host: str, port: int) -> None:
        self._game, self._ended, self._root, self._maker = game, ended, root, PageEvents(game.match)
        self._events, self._changed = [self._maker.match_event()], asyncio.Event()
        self._turn_began = time.monotonic()
        self._publish_turn()
        changes = {"aim": self._aim, "throw": self._throw, "next": self._next_end}
        routes = [Route(root, self._page), Route(f"{root}/", self._page), Route(f"{root}/events", self._stream)]
        routes += [Route(f"{root}/{name}", change, methods=["POST"]) for name, change in changes.items()]
        super().__init__(routes, host, port)
        self.call(self._begin)

    def _begin(self) -> None:
        self._playing = asyncio.ensure_future(self._play())

    async def _play(self) -> None:
        """Bring stones to rest at once, as the page shows how they move, and throw what the planner has chosen."""
        try:
            while True:
                if self._game.phase == "flight":
                    self._rest()
                elif self._game.tick(time.monotonic()):
                    self._publish_shot()
                await asyncio.sleep(TICK)
        except Exception as error:
            self._ended.set_exception(error)

    async def _page(self, _: Request) -> HTMLResponse:
        game = self._game
        play = {
            "root": self._root,
            "me": game.me,
            "shots": len(game.shots),
            "weights": [name for name, _ in WEIGHTS],
            "aim": _aim_data(game.aim),
        }
        return HTMLResponse(play_page(game.names, f"{self._root}/events", play))

    async def _stream(self, request: Request) -> EventStream:
        return EventStream(self._messages(first_event(request)), self)

    async def _messages(self, number: int) -> AsyncIterator[str]:
        while True:
            while number < len(self._events):
                event = self._events[number]
                if event["type"] == "turn":
                    event = {**event, "seconds": time.monotonic() - self._turn_began}
                yield f"id: {number}\ndata: {json.dumps(event, separators=(',', ':'), allow_nan=False)}\n\n"
                number += 1
            await self._changed.wait()

    async def _aim(self, request: Request) -> JSONResponse:
        """Take an aim, and answer with the paths of the stones that it would cause without noise."""
        told = self._take_aim(await _message(request, AimMessage))
        game, law = self._game, self._game.model.law
        tracks = None
        if game.velocity is not None:
            thrown = *game.velocity, law.launch_spin * game.aim.side
            path = outcome(game.model, game.state, thrown, trajectory=True).path
            assert path is not None
            tracks = stone_tracks(path, 1.0)
        return JSONResponse({"aim": _aim_data(game.aim), "told": told, "tracks": tracks})

    async def _throw(self, request: Request) -> JSONResponse:
        asked = await _message(request, ThrowMessage)
        if asked.shot != len(self._game.shots):
            raise HTTPException(HTTPStatus.CONFLICT, f"shot {asked.shot + 1} is not the next one")
        told = self._take_aim(asked)
        if self._game.velocity is None:
            raise HTTPException(HTTPStatus.CONFLICT, "no throw of this weight reaches the target")
        now = time.monotonic()
        self._game.press(now, now - self._turn_began)
        self._publish_shot()
        return JSONResponse({"told": told})

    async def _next_end(self, _: Request) -> JSONResponse:
        if self._game.phase != "end":
            raise HTTPException(HTTPStatus.CONFLICT, "no end is over")
        self._game.press(time.monotonic())
        self._turn_began = time.monotonic()
        self._publish_turn()
        return JSONResponse({"told": []})

    def _take_aim(self, asked: AimMessage) -> list[str]:
        """Aim as asked, or at the nearest that is allowed; what was changed, in words."""
        if self._game.phase != "aim":
            raise HTTPException(HTTPStatus.CONFLICT, "it is not your turn")
        weight, side = min(max(asked.weight, 0), len(WEIGHTS) - 1), 1.0 if asked.side >= 0 else -1.0
        self._game.take_aim(Aim(asked.x, asked.y, side, weight))
        taken = _aim_data(self._game.aim)
        return [
            f"{words}: {getattr(asked, name):.4g} is out of range, {taken[name]:.4g} is taken"
            for name, words in PARTS.items()
            if getattr(asked, name) != taken[name]
        ]

    def _publish_shot(self) -> None:
        self._publish(self._maker.next_event(self._game.shots[-1]))

    def _rest(self) -> None:
        """Bring the stones of the shot under way to rest, which lets a planner think, and publish what follows."""
        game = self._game
        game.press(time.monotonic())
        self._turn_began = time.monotonic()
        if game.phase in ("end", "over"):
            self._publish(self._maker.next_event(game_record(game).ends[-1]), self._review())
        self._publish_turn()
        if game.phase == "over":
            self._publish(self._maker.next_event(game_record(game).result))

    def _review(self) -> Event:
        """What the planner thought of its shots in the last end."""
        game, end = self._game, len(self._game.ends) - 1
        thoughts = [
            {"number": number, "ideas": [idea._asdict() for idea in best_ideas(game.model, state, decision)]}
            for number, (state, decision) in game.decisions.items()
            if game.shots[number].end == end
        ]
        return {"type": "review", "end": end, "thoughts": thoughts}

    def _publish_turn(self) -> None:
        game = self._game
        used = [sum(shot.seconds for shot in game.shots if shot.team == team) for team in (0, 1)]
        turn = {"phase": game.phase, "shots": len(game.shots), "used": used, "end": len(game.ends)}
        self._publish({"type": "turn", **turn})

    def _publish(self, *events: Event) -> None:
        self._events += events
        self._changed.set()
        self._changed = asyncio.Event()


def _aim_data(aim: Aim) -> dict[str, Any]:
    return {"x": aim.x, "y": aim.y, "side": int(aim.side), "weight": aim.weight}


async def _message(request: Request, kind: type[T]) -> T:
    """The body of a request.

    Raises:
        HTTPException: it is not of this kind.
    """
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.DecodeError as error:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
