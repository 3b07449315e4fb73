"""`bonspiel map`: what a planner chooses in a position of curling, and how its pre-search values every other aim."""

import json
from math import atan2, cos, hypot, isfinite, sin
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from curling import players, record, umpire
from curling.checks import check_match_state
from curling.dynamics import release
from curling.engines import make_engine
from curling.model import Curling
from curling.physics import law_index
from curling.sheet import STONES
from curling.shots import draw, reach
from curling.state import row_of, state_of, stones_of
from curling.umpire import Outcome, outcome
from planners.base import Array, Budget, Decision, Rng, require
from planners.presearch import Presearch, Sweep
from planners.registry import unknown
from runs.experiment import RunError, UsageError, number
from runs.files import check_writable, writing

KEYS = {"stones": None, "shot": None, "hammer": 1, "end": 0, "lead": 0, "ends": 1, "physics": "fcv1"}
THROWS, PLAYOUTS = 400, 2_000
LONGEST = 600_000.0  # ms
PICTURES = ".png", ".svg", ".pdf", ".jpg"
WARM = Budget(simulations=2_000)


class Position(NamedTuple):
    """A match, and its state before a shot."""

    match: Curling
    state: Array


class Analysis(NamedTuple):
    """What a planner makes of a position.

    Attributes:
        model: what the planner looks ahead with.
        state: the position.
        planner: its text, and its time if it has one.
        decision: what it chose.
        sweep: the values of the grid of aims, those of the player to move.
        paths: where the stones go if the shot is thrown as aimed, [T, 16, 2].
        throws: the stones at rest after throws of the shot with errors, by the rules, [THROWS, 16, 2].
        exactly: the stones at rest after the shot as aimed, by the rules, [16, 2].
        before: win probability of the team to move by playouts from the position.
        after: the same after throws of the shot with errors.
        exact: the same after the shot as aimed.
    """

    model: Curling
    state: Array
    planner: str
    decision: Decision
    sweep: Sweep
    paths: Array
    throws: Array
    exactly: Array
    before: float
    after: float
    exact: float


def chance(value: Any, model: Curling, state: Array) -> Any:
    """Win probability of the team to move, from values as seen by it: those of team 1 are the negative of team 0's."""
    return value if model.player(state, model.params) > 0.0 else 1.0 + value


def stops(model: Curling, actions: Array) -> Array:
    """Where thrown stones come to rest if nothing is in their way.

    All paths of a speed and a spin are the same, turned about the release point.

    Args:
        model: of the match; its actions are velocities in m/s.
        actions: [..., 3].

    Returns:
        (x, y) in m, [..., 2].
    """
    law, places = law_index(model.physics), np.empty((*actions.shape[:-1], 2))
    for at in np.ndindex(actions.shape[:-1]):
        vx, vy, side = actions[at]
        distance = reach(law, hypot(vx, vy))
        turn = atan2(vx, vy) - atan2(*draw(law, 0.0, distance, side))
        places[at] = distance * sin(turn), distance * cos(turn)
    return places


def from_record(path: Path, end: int, shot: int) -> Position:
    """The position before a shot of a game on record; ends and shots count from 1.

    Raises:
        ValueError: no record, or it has no such shot.
    """
    game = record.read(path)
    ends = 1 + max((shot.end for shot in game.shots), default=0)
    require(1 <= end <= ends, "end", end, f"from 1 to {ends}, the ends of this game")
    require(1 <= shot <= STONES, "shot", shot, f"from 1 to {STONES}")
    index = (end - 1) * STONES + shot - 1
    last = len(game.shots) - (end - 1) * STONES
    require(shot <= last, "shot", shot, f"at most {last}, the last of this end on record")
    return Position(game.match.model(), umpire.replay(game)[index])


def from_json(path: Path) -> Position:
    """The position of a file that holds one JSON object.

    Its keys are those of `KEYS`: stones, 16 places [x, y] in m or null; the number of the shot; and, where they are not
    as in `KEYS`, hammer, end, lead (as of `curling.state.state_of`), ends and physics (as of `Curling`).

    Raises:
        ValueError, UsageError: no such object, or no position of such a match.
    """
    given = json.loads(path.read_text(encoding="utf-8"))
    require(isinstance(given, dict), "position", given, f"a JSON object with the keys {', '.join(KEYS)}")
    for key in given:
        if key not in KEYS:
            raise unknown("key of a position", key, KEYS)
    for key, allowed in (("stones", f"{STONES} places, each [x, y] or null"), ("shot", f"0 to {STONES - 1}")):
        if key not in given:
            raise UsageError(f"{key} is missing ({allowed})")
    full = KEYS | given
    stones, match = full["stones"], Curling(ends=full["ends"], physics=full["physics"])
    listed = isinstance(stones, list) and len(stones) == STONES
    pairs = listed and all(place is None or (isinstance(place, list) and len(place) == 2) for place in stones)
    require(pairs, "stones", stones, f"{STONES} places, each [x, y] or null")
    for i, place in enumerate(stones):
        require(place is None or all(map(_finite, place)), f"stones[{i}]", place, "two finite numbers or null")
    places = np.array([(np.nan, np.nan) if place is None else place for place in stones], np.float64)
    numbers = {key: number(key, full[key], -1_000, 1_000, whole=True) for key in ("shot", "hammer", "end", "lead")}
    require(numbers["end"] < match.ends, "end", numbers["end"], f"below ends={match.ends}, as it counts from 0")
    return Position(match, state_of(places, **numbers))


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def read(path: Path, end: int | None, shot: int | None) -> Position:
    """The position of a JSON file, or of a record before a shot.

    Raises:
        UsageError: there is none, or no match can come to it.
    """
    try:
        if path.suffix == ".json":
            if end is not None or shot is not None:
                raise UsageError("--end and --shot are given for records alone (.jsonl); a .json file is one position")
            found = from_json(path)
        else:
            path.stat()  # a name that is wrong comes before what else is missing
            if end is None or shot is None:
                raise UsageError("not .json, so a record of a game: choose a position of it with --end N --shot N")
            found = from_record(path, end, shot)
        return found._replace(state=check_match_state(found.match, found.state))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, UsageError) as error:
        named = str(error).startswith(str(path))  # with the line, by the reader of records
        raise UsageError(str(error) if named else f"{path}: {error}") from error


def presearch(text: str) -> Presearch:
    """The planner of this text, which must be a pre-search.

    Raises:
        UsageError: it is something else.
    """
    try:
        planner = players.parse(text)
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error
    if not isinstance(planner, Presearch):
        raise UsageError(f"{text} has no values of aims to show: give presearch, or presearch:inner=(...),...")
    return planner


def playouts(model: Curling, state: Array, n: int, rng: Rng) -> float:
    """Mean value for team 0 of n playouts by the default policy."""
    scratch = np.empty(model.state_dim)
    return float(np.mean([model.rollout(state.copy(), scratch, STONES, model.params, rng) for _ in range(n)]))


def analyse(position: Position, planner: Presearch, name: str, budget: Budget, rng: Rng) -> Analysis:
    """Let the planner choose a shot, and look at what it leads to."""
    model, state = position.match.planning(), position.state
    planner.plan(model, state, WARM, np.random.default_rng(0))  # what is compiled or loaded once is then there
    decision, sweep = planner.plan_with_sweep(model, state, budget, rng)

    def worth(after: Outcome, n: int) -> float:
        return after.reward if after.over else playouts(model, after.state, n, rng)

    vx, vy, side = decision.action.tolist()
    aimed = vx, vy, model.law.launch_spin * (1.0 if side >= 0.0 else -1.0)
    exactly = outcome(model, state, aimed)
    throws = [outcome(model, state, release(decision.action, model.params, rng)) for _ in range(THROWS)]
    values = (
        playouts(model, state, PLAYOUTS, rng),
        np.mean([worth(after, PLAYOUTS // THROWS) for after in throws]),
        worth(exactly, PLAYOUTS),
    )
    film = make_engine("analytic", physics=model.physics).unchecked_path(
        stones_of(state), row_of(state), np.array([vx, vy]), aimed[2]
    )[1]
    sign = model.player(state, model.params)
    before, noisy, exact = (float(chance(sign * value, model, state)) for value in values)
    return Analysis(
        model,
        state,
        name,
        decision,
        sweep,
        film.positions,
        np.array([after.stones for after in throws]),
        exactly.stones,
        before,
        noisy,
        exact,
    )


def main(
    path: Path,
    end: int | None,
    shot: int | None,
    text: str,
    milliseconds: float,
    budget: int | None,
    seed: int,
    out: Path,
) -> int:
    """Write the picture of a position, and print what it shows in short.

    Args:
        path: a record of a game, or a position as a JSON file.
        end: of the record, from 1.
        shot: see end.
        text: the planner, a pre-search.
        milliseconds: its time.
        budget: simulations instead, or None.
        seed: of the planner.
        out: the picture's file.

    Raises:
        UsageError: something is not there or out of range.
        RunError: the planner failed.
    """
    from runs.curling import value_map_picture

    check_writable(out, PICTURES)
    if budget is None:
        spend = Budget(seconds=number("milliseconds", milliseconds, 1, LONGEST, whole=False) / 1000.0)
        name = f"{text}, {milliseconds:g} ms"
    else:
        spend = Budget(simulations=number("budget", budget, 1, 1e12, whole=True))
        name = text
    rng = np.random.default_rng(number("seed", seed, 0, 2**32 - 1, whole=True))
    planner, position = presearch(text), read(path, end, shot)
    try:
        found = analyse(position, planner, name, spend, rng)
    except (ValueError, TypeError) as error:
        raise RunError(f"{text} cannot play this position: {error}") from error
    with writing(out):
        value_map_picture.save(found, out)
    print(f"{value_map_picture.situation(found)}\n{value_map_picture.choice(found)}\n{out}")
    return 0
