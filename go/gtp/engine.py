"""A planner as an engine of the Go Text Protocol, version 2: lines of commands in, answers out."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bonspiel.go.board import LARGEST
from bonspiel.go.checks import check_move
from bonspiel.go.estimate import dead_stones, final_lead
from bonspiel.go.model import SMALLEST, Go
from bonspiel.go.state import KO, MOVER, NONE, PASSES
from bonspiel.go.vertices import COLUMNS, index_of, vertex_of
from bonspiel.planners.contract.decisions import CheckedSearch
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Planner

COLOURS = {"b": 1.0, "black": 1.0, "w": -1.0, "white": -1.0}
STONES = {0.0: ".", 1.0: "X", -1.0: "O"}
MOVES_AHEAD = 30  # for which the main time has to last
COMMANDS = {  # name -> its arguments
    "protocol_version": "",
    "name": "",
    "version": "",
    "known_command": "NAME",
    "list_commands": "",
    "quit": "",
    "boardsize": "SIZE",
    "clear_board": "",
    "komi": "KOMI",
    "play": "COLOUR VERTEX",
    "genmove": "COLOUR",
    "undo": "",
    "showboard": "",
    "final_score": "",
    "final_status_list": "STATUS",
    "time_settings": "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES",
    "time_left": "COLOUR SECONDS STONES",
}


class TimeLimits(NamedTuple):
    """The settings of a clock.

    Attributes:
        main: seconds of a game.
        byo_yomi: seconds of each period after that.
        stones: of a period; 0 for none.
    """

    main: float
    byo_yomi: float
    stones: int


def budget_within(budget: Budget, seconds: float, stones: int) -> Budget:
    """A time budget within the clock, which has `seconds` for the next `stones`, or for the game if these are 0."""
    if budget.seconds is None:
        return budget
    return Budget(seconds=max(0.001, min(budget.seconds, seconds / (stones or MOVES_AHEAD))))


class GTPEngine:
    """A game that commands play and a planner plays in; `answer` takes one line after the other.

    Each method named as in COMMANDS carries that command out with its arguments, and returns the text of its answer.

    Args:
        planner: decides the moves.
        model: the game; "boardsize" and "komi" change it.
        budget: of a decision; one of time is cut where the clock leaves less.
        rng: the source of every random draw.
        version: the answer to the command of this name.

    Attributes:
        is_open: False after "quit".
    """

    def __init__(self, planner: Planner, model: Go, budget: Budget, rng: Rng, version: str) -> None:
        self._planner, self._model, self._budget, self._rng = planner, model, budget, rng
        self._version = version
        self._states, self._search = [model.initial_state(rng)], CheckedSearch(planner, model)
        self._limits: TimeLimits | None = None
        self._clocks: dict[float, tuple[float, int]] = {}
        self.is_open = True

    def answer(self, line: str) -> str:
        """The answer to a line, which ends with an empty line; nothing to a line without a command."""
        words = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.partition("#")[0]).split()
        number = words.pop(0) if words and words[0].isascii() and words[0].isdecimal() else ""
        if not words:
            return ""
        try:
            return f"={number} {self._command(words[0], words[1:])}".rstrip() + "\n\n"
        except ValueError as error:
            return f"?{number} {' '.join(str(error).split())}\n\n"

    def _command(self, name: str, given: list[str]) -> str:
        if name not in COMMANDS:
            raise ValueError("unknown command")
        if len(given) != len(COMMANDS[name].split()):
            raise ValueError(f"syntax error: {name} {COMMANDS[name]}".rstrip())
        method: Callable[..., str] = getattr(self, name)
        return method(*given)

    @property
    def _state(self) -> Array:
        return self._states[-1]

    def protocol_version(self) -> str:
        """The version of the protocol."""
        return "2"

    def name(self) -> str:
        """The engine's name."""
        return "bonspiel"

    def version(self) -> str:
        """The engine's version."""
        return self._version

    def known_command(self, name: str) -> str:
        """Return "true" if a command is known, else "false"."""
        return "true" if name in COMMANDS else "false"

    def list_commands(self) -> str:
        """All commands, one a line."""
        return "\n".join(COMMANDS)

    def quit(self) -> str:
        """End the session after this answer."""
        self.is_open = False
        return ""

    def boardsize(self, size: str) -> str:
        """Begin a game on a board of another size."""
        if not re.fullmatch("[0-9]{1,2}", size) or not SMALLEST <= int(size) <= LARGEST:
            raise ValueError(f"unacceptable size: {SMALLEST} to {LARGEST} are played")
        return self._begin(replace(self._model, size=int(size)))

    def clear_board(self) -> str:
        """Begin a game."""
        return self._begin(self._model)

    def komi(self, komi: str) -> str:
        """Change the points that White is given."""
        self._model = replace(self._model, komi=_number("KOMI", komi))
        self._search = CheckedSearch(self._planner, self._model)
        return ""

    def play(self, colour: str, vertex: str) -> str:
        """Play a move of either player."""
        mover, index = _colour(colour), index_of(vertex, self._model.size)
        self._play(self._state_for(mover), index)
        return ""

    def genmove(self, colour: str) -> str:
        """Decide on a move and play it."""
        mover = _colour(colour)
        state = self._state_for(mover)
        index = self._model.area
        if self._model.steps_left(state) > 0:
            start = time.perf_counter()
            index = self._decide(state, budget_within(self._budget, *self._clocks.get(mover, (np.inf, 0))))
            self._count_down(mover, time.perf_counter() - start)
        self._play(state, index)
        return vertex_of(index, self._model.size)

    def undo(self) -> str:
        """Take the last move back."""
        if len(self._states) == 1:
            raise ValueError("cannot undo: no move has been played")
        self._states.pop()
        self._search = CheckedSearch(self._planner, self._model)  # searches go on in time
        return ""

    def showboard(self) -> str:
        """The board as text: X is Black, O White."""
        size, letters = self._model.size, f"   {' '.join(COLUMNS[: self._model.size])}"
        rows = self._state[: size * size].reshape(size, size)
        lines = [f"{size - row:2} {' '.join(STONES[stone] for stone in stones)}" for row, stones in enumerate(rows)]
        return "\n".join(["", letters, *lines, letters])

    def final_score(self) -> str:
        """The result, such as B+3.5, once dead stones are taken off."""
        lead = final_lead(self._model, self._state, self._rng)
        return f"{'B' if lead > 0.0 else 'W'}+{abs(lead):g}" if lead else "0"

    def final_status_list(self, status: str) -> str:
        """The stones that are dead, or alive; none is said to be in seki."""
        dead = dead_stones(self._model, self._state, self._rng)
        alive = np.setdiff1d(np.flatnonzero(self._state[: self._model.area]), dead)
        lists = {"dead": dead, "alive": alive, "seki": dead[:0]}
        if status not in lists:
            raise ValueError(f"syntax error: STATUS is one of {', '.join(lists)}")
        return " ".join(vertex_of(int(index), self._model.size) for index in lists[status])

    def time_settings(self, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> str:
        """Set both clocks."""
        main, byo_yomi = _number("MAIN_TIME", main_time), _number("BYO_YOMI_TIME", byo_yomi_time)
        stones = int(_number("BYO_YOMI_STONES", byo_yomi_stones))
        no_limit = stones == 0 and byo_yomi > 0.0
        self._limits = None if no_limit else TimeLimits(main, byo_yomi, stones)
        self._clocks = self._new_clocks()
        return ""

    def time_left(self, colour: str, seconds: str, stones: str) -> str:
        """Set the clock of one player: seconds for the next stones, or for the game if these are 0."""
        self._clocks[_colour(colour)] = _number("SECONDS", seconds), int(_number("STONES", stones))
        return ""

    def _begin(self, model: Go) -> str:
        self._model, self._states, self._clocks = model, [model.initial_state(self._rng)], self._new_clocks()
        self._search = CheckedSearch(self._planner, model)
        return ""

    def _new_clocks(self) -> dict[float, tuple[float, int]]:
        limits = self._limits
        if limits is None:
            return {}
        clock = (limits.main, 0) if limits.main > 0.0 or limits.stones == 0 else (limits.byo_yomi, limits.stones)
        return {1.0: clock, -1.0: clock}

    def _count_down(self, mover: float, seconds: float) -> None:
        """Take a move's time from a clock, as far as the controller does not tell the time that is left."""
        if mover not in self._clocks:
            return
        limits, (left, stones) = self._limits, self._clocks[mover]
        left, stones = left - seconds, stones - 1
        is_over = stones == 0 or (stones < 0 and left <= 0.0)  # a period, or the main time
        if is_over and limits is not None and limits.stones > 0:
            left, stones = limits.byo_yomi, limits.stones
        self._clocks[mover] = max(left, 0.0), max(stones, 0)

    def _state_for(self, mover: float) -> Array:
        """The state with this player to move, who may be either; a game that was passed to its end goes on."""
        state, area = self._state.copy(), self._model.area
        if state[area + MOVER] != mover:
            state[area + MOVER], state[area + KO] = mover, NONE
        if state[area + PASSES] >= 2.0:
            state[area + PASSES] = 0.0
        return state

    def _decide(self, state: Array, budget: Budget) -> int:
        """The planner's move; a pass where it chose one that is illegal."""
        try:
            decision = self._search.plan(state, budget, self._rng)
        except Exception as error:
            raise ValueError(f"the planner failed: {error}") from error
        try:
            return check_move(self._model, state, decision.action)
        except ValueError:
            return self._model.area

    def _play(self, state: Array, index: int) -> None:
        if self._model.horizon <= state[self._model.time_index]:
            raise ValueError(f"illegal move: the game has {self._model.horizon} plies at most")
        try:
            check_move(self._model, state, index)
        except ValueError as error:
            raise ValueError(f"illegal move: {error}") from error
        after = np.empty_like(state)
        self._model.step(state, np.array([float(index)]), after, self._model.params, self._rng)
        self._states.append(after)


def _colour(text: str) -> float:
    if text.lower() not in COLOURS:
        raise ValueError("syntax error: COLOUR is black or white")
    return COLOURS[text.lower()]


def _number(name: str, text: str) -> float:
    """A finite number of at least 0, or a komi."""
    if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", text) or (text[0] == "-" and name != "KOMI"):
        raise ValueError(f"syntax error: {name} is a number")
    return float(text)
