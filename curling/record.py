"""Games on record: who played, each shot as aimed, as thrown and as it came to rest; see docs/match-records.md.

A record is a file of JSON lines: the match, then shots and ends in the order played, then the result.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from curling.engines.analytic import WORKSPACE, shoot
from curling.model import Curling
from curling.noise import Noise
from curling.sheet import STONES
from curling.state import FIRST_STONE, HAMMER, LAW, LEAD, row_of, settle, shot_of, stones_of, team_of
from planners.base import Array, require

FORMAT = 1

Place = tuple[float, float]
Throw = tuple[float, float, float]


@dataclass(frozen=True)
class Match:
    """What is played, and by whom; team 1 has the hammer in the first end.

    Attributes:
        players: who plays for team 0 and for team 1.
        physics: as of `curling.model.Curling`, like rule, noise, ends and extra_ends.
        rule: see physics; the simulator's own if None, like noise.
        noise: see physics.
        ends: see physics.
        extra_ends: see physics.
        tie: value of a draw for the team that would have the hammer in the next end; the other team gets the rest.
        budgets: what each team may spend on a shot, such as "100 ms"; None if that is not known.
        seed: root of all randomness of the tournament; None if that is not known.
        pair: number of the pair of games with the same errors of execution; None if there is none.
    """

    players: tuple[str, str]
    physics: str
    rule: str | None
    noise: str | Noise | None
    ends: int
    extra_ends: int = 0
    tie: float = 0.5
    budgets: tuple[str, str] | None = None
    seed: int | None = None
    pair: int | None = None

    def model(self) -> Curling:
        """The model of the match; its steps are what happens on the ice."""
        return Curling(ends=self.ends, rule=self.rule, noise=self.noise, physics=self.physics,  # type: ignore[arg-type]
                       extra_ends=self.extra_ends, reward="win", tie=self.tie)


class Shot(NamedTuple):
    """One shot.

    Attributes:
        end: number of the end, from 0.
        shot: number of the shot in its end, 0..15.
        team: who threw, 0 or 1.
        hammer: the team with the hammer in this end.
        aim: (vx, vy, rotation): velocity, m/s, and +1 for counter-clockwise or -1.
        thrown: (vx, vy, spin): velocity, m/s, with the error of the execution, and spin, rad/s.
        stones: 16 places (x, y) at rest after it, m, by the rules; None where absent. Rows 0-7 are team 0's.
        value: the thrower's estimate of what team 0 will get, 0 to 1; None if there is none.
        simulations: run for the decision.
        seconds: wall-clock time that the decision took.
    """

    end: int
    shot: int
    team: int
    hammer: int
    aim: Throw
    thrown: Throw
    stones: tuple[Place | None, ...]
    value: float | None
    simulations: int
    seconds: float


class End(NamedTuple):
    """An end that is over: its number, from 0, and the points of each team."""

    end: int
    points: tuple[int, int]


class Result(NamedTuple):
    """How the game ended.

    Attributes:
        score: points of each team.
        winner: 0 or 1; None for a draw.
        value: what team 0 gets: 1, 0, or what a draw is worth to it.
        reason: "score", "draw" or "forfeit".
        detail: why a game was forfeited; else None.
    """

    score: tuple[int, int]
    winner: int | None
    value: float
    reason: str
    detail: str | None = None


class Record(NamedTuple):
    """A game that is over."""

    match: Match
    shots: tuple[Shot, ...]
    ends: tuple[End, ...]
    result: Result


class Outcome(NamedTuple):
    """What a throw led to.

    Attributes:
        state: the next state, [state_dim].
        stones: at rest, by the rules, [16, 2], NaN where absent.
        points: of each team, if the end is over.
        reward: by the model, team 0's.
        over: whether the match is.
    """

    state: Array
    stones: Array
    points: tuple[int, int] | None
    reward: float
    over: bool


def outcome(model: Curling, state: Array, thrown: Throw) -> Outcome:
    """Play a throw, errors included, on the analytic engine and by the rules."""
    stones, next_state = stones_of(state), np.empty_like(state)
    shoot(stones, row_of(state), *thrown, int(model.params[LAW]), np.empty(WORKSPACE))
    reward, over = settle(state, stones, next_state, model.params)
    if shot_of(state) < STONES - 1:
        return Outcome(next_state, stones_of(next_state), None, reward, over)
    # the next state is an empty sheet, but no rule takes stones away after the last shot
    gain = int(next_state[LEAD] - state[LEAD])
    return Outcome(next_state, stones, (max(gain, 0), max(-gain, 0)), reward, over)


def places(stones: Array) -> tuple[Place | None, ...]:
    """Stones [16, 2], NaN where absent, as a shot keeps them."""
    return tuple(None if math.isnan(x) else (float(x), float(y)) for x, y in stones)


def board(shot: Shot) -> Array:
    """The stones of a shot, [16, 2], NaN where absent."""
    return np.array([(math.nan, math.nan) if place is None else place for place in shot.stones])


def write(path: Path, record: Record) -> None:
    """Write a record; the file has its name when it is complete."""
    draft = path.with_name(path.name + ".new")
    draft.write_text("".join(json.dumps(line, allow_nan=False) + "\n" for line in _lines(record)), encoding="utf-8")
    draft.replace(path)


def _lines(record: Record) -> Iterator[dict[str, Any]]:
    yield {"type": "match", "format": FORMAT, **asdict(record.match)}
    ends = {end.end: end for end in record.ends}
    for shot in record.shots:
        yield {"type": "shot", **shot._asdict()}
        if shot.shot == STONES - 1:
            yield {"type": "end", **ends[shot.end]._asdict()}
    yield {"type": "result", **record.result._asdict()}


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        ValueError: the file is no complete record of this format; the message names the line.
    """
    found: dict[str, list[Any]] = {"match": [], "shot": [], "end": [], "result": []}
    kinds: dict[str, Callable[..., Any]] = {"match": _match, "shot": _shot, "end": End, "result": Result}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
            kind = line.pop("type")
            found[kind].append(kinds[kind](**{key: _tuples(value) for key, value in line.items()}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}, line {number}: not a line of a record ({error})") from error
    if not (len(found["match"]) == len(found["result"]) == 1):
        raise ValueError(f"{path}: a record has one match line and one result line; this one is not complete")
    return Record(found["match"][0], tuple(found["shot"]), tuple(found["end"]), found["result"][0])


def _match(format: int, **given: Any) -> Match:
    require(format == FORMAT, "format", format, str(FORMAT))
    if isinstance(given.get("noise"), dict):
        given["noise"] = Noise(**given["noise"])
    missing = [field.name for field in fields(Match) if field.name not in given]
    require(not missing, "match", missing, "complete")
    return Match(**given)


def _shot(**given: Any) -> Shot:
    shot = Shot(**given)
    require(board(shot).shape == (STONES, 2), "stones", shot.stones, "16 places, each [x, y] or null")
    require(len(shot.aim) == len(shot.thrown) == 3, "aim, thrown", (shot.aim, shot.thrown), "three numbers each")
    return shot


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def replay(record: Record, tolerance: float = 1e-6) -> Array:
    """Play a record again, each throw from the stones on record before it.

    Args:
        record: the game.
        tolerance: largest distance between a stone and its place on record, m; for records of other simulators.

    Returns:
        The states before each shot and the final one, [shots + 1, state_dim].

    Raises:
        ValueError: a shot, an end or the score is not what the throws lead to; the message names the first one.
    """
    model = record.match.model()
    state, ends = model.initial_state(np.random.default_rng(0)), iter(record.ends)
    states, score = [state], np.zeros(2, int)
    for shot in record.shots:
        where = f"end {shot.end}, shot {shot.shot}"
        turn = *divmod(int(state[0]), STONES), team_of(state), int(state[HAMMER])
        require(turn == shot[:4], f"{where}: (end, shot, team, hammer)", shot[:4], f"{turn}")
        after, stones = outcome(model, state, shot.thrown), board(shot)
        apart = np.abs(after.stones - stones)
        same = (np.isnan(after.stones) == np.isnan(stones)).all() and not (apart > tolerance).any()
        require(bool(same), f"{where}: stones", shot.stones, f"those that the throw leads to, {places(after.stones)}")
        state = after.state
        if after.points is None:
            state[FIRST_STONE:] = np.nan_to_num(stones).ravel()
        else:
            end = next(ends, None)
            require(end == (shot.end, after.points), f"end {shot.end}", end, f"{End(shot.end, after.points)}")
            score += after.points
        states.append(state)
    require(record.result.score == tuple(score), "score", record.result.score, f"{tuple(map(int, score))}")
    return np.array(states)
