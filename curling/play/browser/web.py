"""A game of curling against a planner in a browser: on this machine, or on a phone in the same network."""

import asyncio
import secrets
import time
from concurrent.futures import Future, wait
from contextlib import closing, suppress
from http import HTTPStatus
from typing import NamedTuple

import numpy as np
from starlette.exceptions import HTTPException

from bonspiel.curling.analysis.shot_names import shot_name
from bonspiel.curling.match.state import team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.play.browser.throwing_page import TOKEN_BYTES, ThrowingPage
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.play.report import game_record
from bonspiel.curling.replay.page_events import Event, PageEvents
from bonspiel.curling.server.pages.page_server import PageServer
from bonspiel.planners.core.search import INTERRUPT_SECONDS
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Decision
from bonspiel.runs.experiment import RunError

TICK = 0.02  # s between two looks at the planner
IDEAS = 3
NAMED = 60  # of the most visited shots; many have the same name


def play_in_web(game: InteractiveGame, host: str = "127.0.0.1", port: int = 0) -> None:
    """Serve the page of a game until Ctrl-C; anyone who knows its address may throw.

    Raises:
        RunError: the planner failed, or the address cannot be served.
    """
    ended, token = Future[None](), secrets.token_urlsafe(TOKEN_BYTES)
    try:
        server = serve_game(game, ended, f"/{token}", host, port)
    except OSError as error:
        raise RunError(f"{host}, port {port}: cannot serve the page ({error.strerror}); choose another") from error
    with closing(server), suppress(KeyboardInterrupt):
        print(f"play at {server.url}{token} (Ctrl-C ends the game)", flush=True)
        while not wait([ended], INTERRUPT_SECONDS).done:
            pass  # without end the wait would not hear a Ctrl-C that the system hands to another thread
        ended.result()


def serve_game(game: InteractiveGame, ended: Future[None], root: str, host: str, port: int) -> PageServer:
    """Serve the page of a game; see `GamePage`.

    Raises:
        OSError: the port is in use, or the address is not one of this machine.
    """
    page = GamePage(game, ended, root)
    server = PageServer(page.routes, host, port)
    server.call(page.begin)
    return server


class GamePage(ThrowingPage):
    """The page of a game against a planner.

    Args:
        game: to play.
        ended: gets the error of a planner that fails.
        root: the path of the page, without the last slash.
    """

    def __init__(self, game: InteractiveGame, ended: Future[None], root: str) -> None:
        super().__init__(root, game.me, False, game.model, time.monotonic)
        self._game, self._ended, self._maker = game, ended, PageEvents(game.match)
        self._setups = 0  # that are published
        self.publish(self._maker.match_event())
        self._begin_turn()

    def begin(self) -> None:
        """Let the planner play."""
        self._playing = asyncio.ensure_future(self._play())

    @property
    def title(self) -> str:
        """See `ThrowingPage`."""
        return " against ".join(self._game.names)

    @property
    def state(self) -> Array:
        """See `ThrowingPage`."""
        return self._game.state

    @property
    def shots(self) -> int:
        """See `ThrowingPage`."""
        return len(self._game.shots)

    @property
    def may_throw(self) -> bool:
        """See `ThrowingPage`."""
        return self._game.phase == "aim"

    def throw(self, velocity: tuple[float, float]) -> None:
        """See `ThrowingPage`."""
        now = self._clock()
        self._game.take_aim(self.aim)
        self._game.press(now, now - self._turn_began)
        self._publish_shot()

    @property
    def may_set_up(self) -> bool:
        """See `ThrowingPage`."""
        return self._game.phase == "setup"

    def set_up(self, choice: str) -> None:
        """See `ThrowingPage`."""
        self._game.setup = choice
        self._game.press(self._clock())
        self._begin_turn()

    def go_on(self) -> None:
        """Begin the next end."""
        if self._game.phase != "end":
            raise HTTPException(HTTPStatus.CONFLICT, "no end is over")
        self._game.press(self._clock())
        self._begin_turn()

    async def _play(self) -> None:
        """Bring stones to rest at once, as the page shows their ways, and throw the planner's shot."""
        try:
            while True:
                if self._game.phase == "flight":
                    self._rest()
                elif self._game.tick(self._clock()):
                    self._publish_shot()
                await asyncio.sleep(TICK)
        except Exception as error:
            self._ended.set_exception(error)

    def _publish_shot(self) -> None:
        self.publish(self._maker.next_event(self._game.shots[-1]))

    def _rest(self) -> None:
        """Bring the stones of the shot under way to rest, which lets a planner think, and publish what follows."""
        game = self._game
        game.press(self._clock())
        if game.phase in ("end", "over"):
            self.publish(self._maker.next_event(game_record(game).ends[-1]), self._review())
        self._begin_turn()
        if game.phase == "over":
            self.publish(self._maker.next_event(game_record(game).result))

    def _review(self) -> Event:
        """The event with the planner's ideas for its shots in the last end."""
        game, end = self._game, len(self._game.ends) - 1
        thoughts = [
            {"number": number, "ideas": [idea._asdict() for idea in best_ideas(game.model, state, decision)]}
            for number, (state, decision) in game.decisions.items()
            if game.shots[number].end == end
        ]
        return {"type": "review", "end": end, "thoughts": thoughts}

    def _begin_turn(self) -> None:
        """Publish the turn that begins now, and the set-up of the end."""
        self._turn_began, game = self._clock(), self._game
        for setup in game.setups[self._setups :]:
            self.publish(self._maker.next_event(setup))
        self._setups = len(game.setups)
        used = [sum(shot.seconds for shot in game.shots if shot.team == team) for team in (0, 1)]
        more = {"used": used, "setups": self._maker.setups()} if game.phase == "setup" else {"used": used}
        self.publish_turn(game.phase, len(game.shots), len(game.ends), self._turn_began, **more)


class Idea(NamedTuple):
    """A shot that a planner considered.

    Attributes:
        name: such as "draw".
        chance: the win probability of its team after it, None where the planner has none.
        visits: simulations of this very shot.
    """

    name: str
    chance: float | None
    visits: int


def best_ideas(model: Curling, state: Array, decision: Decision) -> list[Idea]:
    """The chosen shot and the next best of other names by their visits, at most IDEAS.

    Args:
        model: of the match.
        state: before the shot, [state_dim].
        decision: of a planner whose values are win probabilities of team 0, or less one those of team 1.
    """
    chosen = (decision.actions == decision.action).all(axis=1)
    visits = np.append(decision.visits[chosen].max(initial=0), np.where(chosen, 0, decision.visits))
    actions, values = np.vstack([decision.action, decision.actions]), np.append(decision.value, decision.values)
    tried = 1 + np.flatnonzero(visits[1:])
    order = 0, *tried[np.argsort(-visits[tried], kind="stable")][:NAMED]
    ideas: dict[str, Idea] = {}
    for i in order:
        vx, vy, spin = actions[i].tolist()
        name = shot_name(model, state, (vx, vy, 1.0 if spin >= 0.0 else -1.0))
        chance = float(values[i]) + int(team_of(state))
        ideas.setdefault(name, Idea(name, chance if np.isfinite(chance) else None, int(visits[i])))
        if len(ideas) == IDEAS:
            break
    return [*ideas.values()]
