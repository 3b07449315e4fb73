"""Makes messages of Digital Curling 3 from a match; numbers are rounded to float32, as the reference server's are."""

import numpy as np

from bonspiel.curling.ice.engines import Path
from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.ice.physics import physics_of
from bonspiel.curling.ice.sheet import TEAM_STONES
from bonspiel.curling.protocols import dc3
from bonspiel.curling.protocols.dc3_codec import stone_lists
from bonspiel.curling.records.match_data import Match, Throw
from bonspiel.curling.records.umpire import Outcome
from bonspiel.curling.server.referee import Referee, ThinkingTimes
from bonspiel.planners.model import Array

STEP = 0.001  # s, of the reference simulator
TEAMS: tuple[dc3.Team, dc3.Team] = ("team0", "team1")


def game_info(match: Match, times: ThinkingTimes) -> dc3.GameInfo:
    """Rules, physics and players of a match."""
    noise, player = noise_of(match.noise), dc3.IDENTICAL
    if any(noise.sds):
        player = dc3.Player("normal_dist", physics_of(match.physics).max_speed, noise.speed, noise.angle, None)
    five, (time, extra) = match.rule == "five_rock", (_seconds(limit, limit) for limit in times)
    setting = dc3.GameSetting(match.ends, five_rock_rule=five, thinking_time=time, extra_end_thinking_time=extra)
    players: dc3.PerTeam[dc3.Players] = dc3.PerTeam((player,) * 4, (player,) * 4)
    return dc3.GameInfo(setting=setting, simulator=dc3.Simulator(match.physics, STEP), players=players)


def update_message(referee: Referee, last_move: dc3.LastMove | None) -> dc3.Update:
    """The state of a match after a move; None before the first one."""
    result = referee.result
    game_result = None
    if result is not None:
        winner = None if result.winner is None else TEAMS[result.winner]
        game_result = dc3.GameResult(winner, result.reason)  # type: ignore[arg-type]
    team, hammer = (TEAMS[referee.team], TEAMS[referee.hammer]) if result is None else (None, None)
    stones, times = _stone_lists(referee.next_stones), _seconds(*referee.remaining)
    scores, extra = dc3.PerTeam(*map(tuple, referee.scores)), dc3.PerTeam(*referee.extra_score)
    state = dc3.State(referee.end, referee.shot, hammer, stones, scores, times, extra, game_result)
    return dc3.Update(team, state, last_move)


def shot_move(thrown: Throw) -> dc3.ShotMove:
    """A throw."""
    vx, vy, spin = thrown
    return dc3.ShotMove(dc3.Velocity(_float32(vx), _float32(vy)), "ccw" if spin > 0.0 else "cw")


def trajectory_message(start: Array, after: Outcome | None, steps: int) -> dc3.Trajectory:
    """The motion of the stones in a throw, with `steps` of the reference simulator between two frames; None: no throw.

    `start` are the stones at the release, [16, 2]; the thrown one lies at the origin.
    """
    frames = []
    before = _rounded(start)
    if after is not None and after.path is not None:
        for now in _rounded(_frame_positions(after.path, steps)):
            moved = np.flatnonzero((before != now).any(1) & ~(np.isnan(before) & np.isnan(now)).all(1)).tolist()
            listed = stone_lists(now)
            stones = [divmod(row, TEAM_STONES) for row in moved]
            frames.append(tuple(dc3.Difference(TEAMS[team], index, listed[team][index]) for team, index in stones))
            before = now
    finish = start if after is None else after.stones
    return dc3.Trajectory(_float32(STEP * steps), _stone_lists(start), tuple(frames), _stone_lists(finish))


def _frame_positions(path: Path, steps: int) -> Array:
    """The stones at regular intervals after the release, and at the end of the motion, [frames, 16, 2]."""
    end, interval = float(path.times[-1]), STEP * steps
    times = np.append(np.arange(1, np.ceil(end / interval)) * interval, end)
    after = np.searchsorted(path.times, times).clip(1, len(path.times) - 1) if len(path.times) > 1 else np.zeros(1, int)
    before = np.maximum(after - 1, 0)
    span = path.times[after] - path.times[before]
    weight = np.divide(times - path.times[before], span, out=np.ones_like(span), where=span > 0.0)[:, None, None]
    start, stop = path.positions[before], path.positions[after]
    # a stone that leaves is visible until then: at weight 1 the frame before does not count
    return np.where(weight < 1.0, start + weight * (stop - start), stop)


def _seconds(team0: int, team1: int) -> dc3.PerTeam[float]:
    return dc3.PerTeam(team0 / 1000.0, team1 / 1000.0)


def _stone_lists(stones: Array) -> dc3.PerTeam[dc3.Stones]:
    return stone_lists(_rounded(stones))


def _rounded(stones: Array) -> Array:
    return stones.astype(np.float32).astype(np.float64)


def _float32(number: float) -> float:
    return float(np.float32(number))
