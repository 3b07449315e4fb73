"""A match as messages of Digital Curling 3 tell it; numbers are rounded to float32, as the reference server's are."""

import numpy as np

from curling.match_data import Match, Throw
from curling.noise import Noise, noise_of
from curling.physics import physics_of
from curling.protocols import dc3
from curling.server.match import Referee, Times
from curling.server.trajectory import STEP, positions
from curling.sheet import TEAM_STONES
from curling.umpire import Outcome
from planners.base import Array

TEAMS: tuple[dc3.Team, dc3.Team] = ("team0", "team1")


def game_of(match: Match, times: Times) -> dc3.Game:
    """What is played."""
    noise = noise_of(match.noise)
    player = (
        dc3.IDENTICAL
        if noise == Noise()
        else dc3.Player("normal_dist", physics_of(match.physics).max_speed, noise.speed, noise.angle, None)
    )
    setting = dc3.Setting(
        max_end=match.ends,
        five_rock_rule=match.rule == "five_rock",
        thinking_time=_seconds(times.match, times.match),
        extra_end_thinking_time=_seconds(times.extra_end, times.extra_end),
    )
    return dc3.Game(
        setting=setting, simulator=dc3.Simulator(match.physics, STEP), players=dc3.PerTeam((player,) * 4, (player,) * 4)
    )


def update_of(referee: Referee, last: dc3.LastMove | None) -> dc3.Update:
    """Where the match stands after a move; None before the first one."""
    over = referee.result is not None
    return dc3.Update(None if over else TEAMS[referee.team], _state(referee), last)


def shot_of(thrown: Throw) -> dc3.Shot:
    """A throw."""
    vx, vy, spin = thrown
    return dc3.Shot(dc3.Velocity(_float32(vx), _float32(vy)), "ccw" if spin > 0.0 else "cw")


def trajectory_of(start: Array, after: Outcome | None, steps: int) -> dc3.Trajectory:
    """The way of the stones after a move.

    Args:
        start: stones when the thrown one was released, [16, 2]; it lies at the origin.
        after: what the throw led to, with its path; None if no stone was thrown.
        steps: of the reference simulator between two frames.
    """
    frames = []
    before = _rounded(start)
    if after is not None and after.path is not None:
        for now in _rounded(positions(after.path, steps)):
            moved = np.flatnonzero((before != now).any(1) & ~(np.isnan(before) & np.isnan(now)).all(1))
            listed = dc3.stones_of(now)
            frames.append(
                tuple(
                    dc3.Difference(
                        TEAMS[row // TEAM_STONES], row % TEAM_STONES, listed[row // TEAM_STONES][row % TEAM_STONES]
                    )
                    for row in moved.tolist()
                )
            )
            before = now
    return dc3.Trajectory(
        _float32(STEP * steps),
        dc3.stones_of(_rounded(start)),
        tuple(frames),
        dc3.stones_of(_rounded(start if after is None else after.stones)),
    )


def _state(referee: Referee) -> dc3.State:
    result, extra = referee.result, referee.extra_score
    told = None
    if result is not None:
        winner = None if result.winner is None else TEAMS[result.winner]
        told = dc3.GameResult(winner, result.reason)  # type: ignore[arg-type]
    return dc3.State(
        end=referee.end,
        shot=referee.shot,
        hammer=TEAMS[referee.hammer] if result is None else None,
        stones=dc3.stones_of(_rounded(referee.board)),
        scores=dc3.PerTeam(tuple(referee.scores[0]), tuple(referee.scores[1])),
        thinking_time_remaining=_seconds(*referee.remaining),
        extra_end_score=dc3.PerTeam(*extra),
        game_result=told,
    )


def _seconds(team0: int, team1: int) -> dc3.PerTeam[float]:
    return dc3.PerTeam(team0 / 1000.0, team1 / 1000.0)


def _rounded(stones: Array) -> Array:
    return stones.astype(np.float32).astype(np.float64)


def _float32(number: float) -> float:
    return float(np.float32(number))
