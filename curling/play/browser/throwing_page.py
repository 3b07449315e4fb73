"""The page on which a person throws: aims and throws come in, previews and events go out."""

import asyncio
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from bonspiel.curling.match.mixed_doubles import allowed_choices
from bonspiel.curling.model import Curling
from bonspiel.curling.play.aim import WEIGHTS, Aim
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.records.umpire import outcome, turn_of
from bonspiel.curling.replay.page_events import Event
from bonspiel.curling.replay.pages import play_page
from bonspiel.curling.replay.tracks import Track, stone_tracks
from bonspiel.curling.server.pages.page_server import EventStream, first_event
from bonspiel.planners.model import Array

TOKEN_BYTES = 9  # of the part of a page's address that is drawn anew
PARTS = {"x": "target across, m", "y": "target along, m", "side": "spin", "weight": "weight"}

T = TypeVar("T")


class AimMessage(msgspec.Struct):
    """A person's aim: the target in m, the spin (1 counter-clockwise, -1 clockwise), the weight as in `Aim`."""

    x: float
    y: float
    side: float
    weight: float


class ThrowMessage(AimMessage):
    """A throw; `shot` is its number in the match, from 0."""

    shot: int


class SetupMessage(msgspec.Struct):
    """A set-up of the end, from 0, in mixed doubles: one of `curling.match.setup_value.CHOICES`."""

    end: int
    choice: str


class ThrowingPage(ABC):
    """A page at an address that only the person knows; all of it runs in the event loop of a server of pages.

    What the page does is under ROOT/NUMBER, so that a page that still shows an earlier match is refused.

    Args:
        root: the path of the page, without the last slash.
        me: the person's team, 0 or 1.
        seated: whether the person plays match after match, each with clocks that count.
        model: of the match; of the one to come, before it begins.
        clock: s, by which turns begin.

    Attributes:
        number: of the match on the page, from 0.
        aim: the last one.
    """

    def __init__(self, root: str, me: int, seated: bool, model: Curling, clock: Callable[[], float]) -> None:
        self.root, self.me, self.seated, self.model, self.number = root, me, seated, model, 0
        self._clock = clock
        self.aim = Aim(0.0, model.law.sheet.tee)
        self._events: list[Event] = []
        self._turn: Event = {}  # the newest
        self._changed = asyncio.Event()

    @property
    def routes(self) -> list[Route]:
        """The addresses of the page; `_check_root` checks their first part."""
        pages = [Route(path, self._page) for path in ("/{root}", "/{root}/")]
        match = "/{root}/{match}"
        changes = {"aim": self._take_aim, "throw": self._throw, "setup": self._set_up, "next": self._next}
        posts = [Route(f"{match}/{name}", change, methods=["POST"]) for name, change in changes.items()]
        return [*pages, Route(f"{match}/events", self._stream), *posts]

    @property
    @abstractmethod
    def title(self) -> str:
        """The title of the page."""

    @property
    @abstractmethod
    def state(self) -> Array:
        """The state before the next shot."""

    @property
    def engine(self) -> str:
        """The engine that throws."""
        return "analytic"

    @property
    @abstractmethod
    def shots(self) -> int:
        """The number of shots thrown so far."""

    @property
    @abstractmethod
    def may_throw(self) -> bool:
        """True if it is the person's turn."""

    @abstractmethod
    def throw(self, velocity: tuple[float, float]) -> None:
        """Throw at (vx, vy), m/s, with the spin of the aim; called if `may_throw`."""

    @property
    @abstractmethod
    def may_set_up(self) -> bool:
        """True if the person has to set up the end."""

    @abstractmethod
    def set_up(self, choice: str) -> None:
        """Set up the end by one of the allowed choices; called if `may_set_up`."""

    @abstractmethod
    def go_on(self) -> None:
        """Begin the next end, or a match, as the person asks for.

        Raises:
            HTTPException: there is nothing to begin.
        """

    def publish(self, *events: Event) -> None:
        """Send events to all viewers of this match."""
        self._events += events
        self._wake()

    def publish_turn(self, phase: str, shots: int, end: int, since: float, **more: Any) -> None:
        """Send that a turn began at the time `since` of the clock, after `shots` shots, in an end, from 0."""
        self._turn = {"type": "turn", "phase": phase, "shots": shots, "end": end, "since": since, **more}
        self.publish(self._turn)

    def clear(self) -> None:
        """Begin the next match, which has no events yet."""
        self.number += 1
        self._events = []
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _page(self, request: Request) -> HTMLResponse:
        self._check_root(request)
        home = f"{self.root}/{self.number}"
        play = {
            "root": home,
            "me": self.me,
            "seat": self.seated,
            "shots": self.shots,
            "weights": [name for name, _ in WEIGHTS],
            "aim": _aim_data(self.aim),
        }
        return HTMLResponse(play_page(self.title, f"{home}/events", play))

    async def _stream(self, request: Request) -> EventStream:
        self._check(request)
        return EventStream(self._messages(self._events, first_event(request)), plays=True)

    async def _messages(self, events: list[Event], number: int) -> AsyncIterator[str]:
        while events is self._events:
            while number < len(events):
                event = events[number]
                if event["type"] == "turn":
                    seconds = self._clock() - event["since"]
                    event = {**event, "seconds": seconds, "past": event is not self._turn}
                yield f"id: {number}\ndata: {json.dumps(event, separators=(',', ':'), allow_nan=False)}\n\n"
                number += 1
            await self._changed.wait()

    async def _take_aim(self, request: Request) -> JSONResponse:
        """Take an aim, and answer with the paths of the stones that it would cause without noise."""
        corrections = self._aim_at(await self._message(request, AimMessage))
        aim, law, tracks = self.aim, self.model.law, None
        if (velocity := aim.velocity(law)) is not None:
            thrown = *velocity, law.launch_spin * aim.side
            # a slow engine must not keep other pages waiting
            tracks = await asyncio.to_thread(preview, self.model, self.state, self.engine, thrown)
        return JSONResponse({"aim": _aim_data(aim), "told": corrections, "tracks": tracks})

    async def _throw(self, request: Request) -> JSONResponse:
        asked = await self._message(request, ThrowMessage)
        if asked.shot != self.shots:
            raise HTTPException(HTTPStatus.CONFLICT, f"shot {asked.shot + 1} is not the next one")
        corrections = self._aim_at(asked)
        velocity = self.aim.velocity(self.model.law)
        if velocity is None:
            raise HTTPException(HTTPStatus.CONFLICT, "no throw of this weight reaches the target")
        self.throw(velocity)
        return JSONResponse({"told": corrections})

    async def _set_up(self, request: Request) -> JSONResponse:
        asked = await self._message(request, SetupMessage)
        if not self.may_set_up or asked.end != turn_of(self.state)[0]:
            raise HTTPException(HTTPStatus.CONFLICT, "it is not your turn to set up this end")
        allowed = allowed_choices(self.state, self.model.params)
        if asked.choice not in allowed:
            raise HTTPException(HTTPStatus.CONFLICT, f"choice={asked.choice:.20}: must be {' or '.join(allowed)}")
        self.set_up(asked.choice)
        return JSONResponse({"told": []})

    async def _next(self, request: Request) -> JSONResponse:
        self._check(request)
        self.go_on()
        return JSONResponse({"told": []})

    def _aim_at(self, asked: AimMessage) -> list[str]:
        """Aim as asked, or at the nearest aim that is allowed; returns the corrections in words."""
        if not self.may_throw:
            raise HTTPException(HTTPStatus.CONFLICT, "it is not your turn")
        side = 1.0 if asked.side >= 0 else -1.0
        self.aim = Aim(asked.x, asked.y, side, asked.weight).on(self.model.law.sheet)
        taken = _aim_data(self.aim)
        return [
            f"{words}: {getattr(asked, name):.15g} is out of range, {taken[name]:.15g} is taken"
            for name, words in PARTS.items()
            if getattr(asked, name) != taken[name]
        ]

    async def _message(self, request: Request, kind: type[T]) -> T:
        """The body of a request about the match on the page.

        Raises:
            HTTPException: it is about another match, or not of this kind.
        """
        self._check(request)
        try:
            return msgspec.json.decode(await request.body(), type=kind)
        except RecursionError as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, "JSON is nested too deeply") from error
        except msgspec.DecodeError as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error

    def _check(self, request: Request) -> None:
        self._check_root(request)
        if request.path_params["match"] != str(self.number):
            raise HTTPException(HTTPStatus.NOT_FOUND, "that match is over, load the page again")

    def _check_root(self, request: Request) -> None:
        """Refuse a request with another address; the comparison takes the same time however much of it is right."""
        if not secrets.compare_digest(f"/{request.path_params['root']}".encode(), self.root.encode()):
            raise HTTPException(HTTPStatus.NOT_FOUND)


def preview(model: Curling, state: Array, engine: str, thrown: Throw) -> list[Track]:
    """The tracks of the stones of a throw, (vx, vy, spin), at the pace of the model's clock."""
    path = outcome(model, state, thrown, engine, trajectory=True).path
    assert path is not None
    return stone_tracks(path, 1.0)


def _aim_data(aim: Aim) -> dict[str, Any]:
    return {"x": aim.x, "y": aim.y, "side": int(aim.side), "weight": aim.weight}
