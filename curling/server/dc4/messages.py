"""The messages of a server of Digital Curling 4 about a match."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, SET_UP_ROW, STONES, TEAM_STONES
from bonspiel.curling.match.mixed_doubles import decider_of
from bonspiel.curling.protocols.dc3 import PerTeam, Team
from bonspiel.curling.protocols.dc4 import MixedDoublesSettings
from bonspiel.curling.protocols.dc4_server import NewMatch, Places, SentState, SentStones, Shot
from bonspiel.curling.records.match_data import Match, Throw
from bonspiel.curling.server.dc4.referee import Dc4Referee
from bonspiel.curling.server.referee import Referee
from bonspiel.planners.model import Array

TEAMS: tuple[Team, Team] = ("team0", "team1")
RULE_NUMBERS = {"fgz_rule": 0, "no_tick_rule": 1, "modified_fgz_rule": 2}


def state_of_match(
    end: int,
    shot: int,
    team: int | None,
    clocks: Sequence[Sequence[int]],
    score: PerTeam[tuple[int, ...]],
    stones: Array,
    last_move: Shot | None = None,
    winner: int | None = None,
    settings: MixedDoublesSettings | None = None,
) -> SentState:
    """A state, still without the names of the teams.

    Args:
        end: number of the end, from 0.
        shot: number of the next shot, 0..16; in mixed doubles 0 before the set-up, then 6..16.
        team: that throws it; None if nobody does.
        clocks: ms left to each team for the regular ends, and for the extra ends.
        score: see `score_lists`.
        stones: [16, 2], m, NaN where absent.
        last_move: that made this state.
        winner: of the match; None until it is over.
        settings: of mixed doubles.
    """
    # the server's coordinates are float32
    places: Places = tuple({"x": x, "y": y} for x, y in np.nan_to_num(stones).astype(np.float32).tolist())
    state = SentState(
        winner_team=None if winner is None else TEAMS[winner],
        first_team_name=None,
        second_team_name=None,
        end_number=end,
        team_shot_number=shot // 2,
        total_shot_number=shot,
        next_shot_team=None if team is None else TEAMS[team],
        first_team_remaining_time=clocks[0][0] / 1000.0,
        second_team_remaining_time=clocks[0][1] / 1000.0,
        first_team_extra_end_remaining_time=clocks[1][0] / 1000.0,
        second_team_extra_end_remaining_time=clocks[1][1] / 1000.0,
        mixed_doubles_settings=settings,
        last_move=last_move,
        stone_coordinate=SentStones(PerTeam(places[:TEAM_STONES], places[TEAM_STONES:])),
        score=score,
    )
    return state if settings is None else _in_mixed_doubles(state, shot - MIXED_FIRST_SHOT)


def _in_mixed_doubles(state: SentState, shot: int) -> SentState:
    """A state in the form of mixed doubles, where a team has six slots, and the first is for the stone set up.

    As on the real server, the state after the set-up alone has eight; there are numbers from it to the last shot.
    """
    begun = 0 <= shot < STONES - MIXED_FIRST_SHOT
    slots = TEAM_STONES if shot == 0 else TEAM_STONES - SET_UP_ROW
    data = state.stone_coordinate.data
    first, second = ((places[SET_UP_ROW:] + places[:SET_UP_ROW])[:slots] for places in (data.team0, data.team1))
    return msgspec.structs.replace(
        state,
        team_shot_number=shot // 2 if begun else None,
        total_shot_number=shot if begun else None,
        next_shot_team=state.next_shot_team if begun else None,
        stone_coordinate=SentStones(PerTeam(first, second)),
    )


def settings_of(match: Match, referee: Dc4Referee | None) -> MixedDoublesSettings | None:
    """The settings of mixed doubles in the current end; None in standard games."""
    if not match.is_mixed:
        return None
    decider, plays = (1, [None, None]) if referee is None else (decider_of(referee.state), referee.power_plays)
    return MixedDoublesSettings(TEAMS[decider], match.pattern, PerTeam(*plays))


def score_lists(referee: Referee | None, ends: int) -> PerTeam[tuple[int, ...]]:
    """Points of each end, 0 until it is over, and of the extra end that decided the match."""
    if referee is None:
        return PerTeam((0,) * (ends + 1), (0,) * (ends + 1))
    regular, extra = referee.scores, referee.extra_score
    first, second = (tuple(points or 0 for points in (*regular[team], extra[team])) for team in (0, 1))
    return PerTeam(first, second)


def move_of(thrown: Throw) -> Shot:
    """A throw (vx, vy, spin), with its error."""
    vx, vy, spin = thrown
    return Shot(math.hypot(vx, vy), spin, math.atan2(vy, vx))


def description(match_id: str, new: NewMatch, names: Sequence[str | None], state: SentState) -> dict[str, Any]:
    """The answer to `GET /matches/{id}`."""
    return {
        "match_id": match_id,
        "match_name": new.match_name,
        "game_mode": new.game_mode,
        "first_team_name": names[0],
        "second_team_name": names[1],
        "winner_team": state.winner_team,
        "time_limit": new.time_limit,
        "extra_end_time_limit": new.extra_end_time_limit,
        "standard_end_count": new.standard_end_count,
        "applied_rule": RULE_NUMBERS[new.applied_rule],
        "score": state.score,
        "tournament": new.tournament,
        "simulator": new.simulator,
        "mixed_doubles_settings": state.mixed_doubles_settings,
    }
