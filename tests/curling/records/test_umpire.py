import math
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.curling.ice.sheet import places
from bonspiel.curling.model import Curling
from bonspiel.curling.records import umpire
from bonspiel.curling.records.record import Match, Record, RecordedShot, Result
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game

RANDOM = Side("random", 1, "simulations")


def game(**match):
    return play_game(CurlingGame(**{"ends": 1, **match}), ScheduledGame((RANDOM, RANDOM), 3, 0, 0))


@pytest.fixture(scope="module")
def played():
    return game(extra_ends=5)


def test_the_engine_named_in_the_record_moves_the_stones(played):
    state = played.match.model().initial_state(None)
    thrown = played.match.model().law.tee_draw
    by = {
        name: umpire.outcome(played.match.model(), state, (*thrown, 1.57), name, trajectory=True)
        for name in ("analytic", "box2d")
    }
    assert 0.0 < abs(by["analytic"].stones - by["box2d"].stones)[0].max() < 0.01
    for found in by.values():
        assert found.path is not None and abs(found.path.positions[-1] - found.stones)[0].max() < 1e-9
    assert umpire.outcome(played.match.model(), state, (*thrown, 1.57)).path is None


def test_a_record_replays_on_its_own_engine():
    match = Match(players=("", ""), physics="fcv1", rule=None, noise=None, ends=1, engine="box2d")
    state, shots = match.model().initial_state(None), []
    for number, vy in enumerate((2.42, 2.6)):
        aim, thrown = (0.13, vy, 1.0), (0.13, vy, 1.57)
        after = umpire.outcome(match.model(), state, thrown, "box2d")
        shots.append(RecordedShot(0, number, number, 1, aim, thrown, places(after.stones), None, None, 0.0))
        state = after.state
    found = Record(match, tuple(shots), (), Result((0, 0), None, None, "unfinished"))
    assert len(umpire.replay(found)) == 3
    with pytest.raises(ValueError, match="stones"):
        umpire.replay(found._replace(match=replace(match, engine="analytic")))


def test_a_record_does_not_contradict_itself_unless_it_was_changed(played):
    assert umpire.contradictions(played) == []
    first, second = played.result.score
    loser = int(first > second)
    for changed, words in (
        (played._replace(ends=(played.ends[0]._replace(points=(2, 2)), *played.ends[1:])), "end 1 has 2 : 2 points"),
        (
            played._replace(result=played.result._replace(score=(0, 9))),
            f"the score is 0 : 9, by its ends {first} : {second}",
        ),
        (
            played._replace(ends=(played.ends[0]._replace(points=played.ends[0].points[::-1]), *played.ends[1:])),
            f"end 1 is {played.ends[0].points[1]} : {played.ends[0].points[0]} by its line on record, and "
            f"{played.ends[0].points[0]} : {played.ends[0].points[1]} by its stones",
        ),
        (
            played._replace(match=replace(played.match, ends=3 + len(played.ends))),
            f"the match is played out after {len(played.ends)} of {3 + len(played.ends)} ends",
        ),
        (played._replace(result=played.result._replace(winner=loser)), f"team {loser} wins at {first} : {second}"),
        (played._replace(result=played.result._replace(value=0.3)), "the value of the result is 0.3 for team 0"),
        (played._replace(ends=(played.ends[0]._replace(end=5), *played.ends[1:])), "ends are numbered 6"),
        (played._replace(shots=(played.shots[0]._replace(value=7.5),)), "the estimate is 7.5 in shot 1 of end 1"),
        (played._replace(shots=(played.shots[0]._replace(seconds=-0.5),)), "-0.5 s were used in shot 1 of end 1"),
    ):
        assert any(line.startswith(words) for line in umpire.contradictions(changed))


def test_a_foul_is_reported():
    model = Match(players=("", ""), physics="fcv1", rule=None, noise="none", ends=1).model()
    state = model.initial_state(None)
    guard = umpire.outcome(model, state, (0.1317, 2.26, 1.5708))
    hit = next(
        found
        for vx in range(60)
        for found in [umpire.outcome(model, guard.state, (vx / 400, 3.2, 1.5708))]
        if found.foul
    )
    assert not guard.foul and (hit.stones[0] == guard.stones[0]).all()


def changed(played, **fields):
    return played._replace(result=played.result._replace(**fields))


@pytest.mark.parametrize(
    "fields, named",
    [
        ({"score": (9, 9)}, "score"),
        ({"winner": None}, "winner"),
        ({"value": 0.5}, "value"),
        ({"reason": "draw"}, "reason"),
        ({"reason": "concede"}, "reason"),
        ({"reason": "abandoned", "winner": None, "value": None}, "reason"),
    ],
)
def test_replay_notices_a_wrong_result(played, fields, named):
    with pytest.raises(ValueError, match=f"^{named}="):
        umpire.replay(changed(played, **fields))


def test_replay_notices_the_wrong_winner(played):
    with pytest.raises(ValueError, match=r"^winner="):
        umpire.replay(changed(played, winner=1 - played.result.winner))


@pytest.mark.parametrize(
    "fields, named",
    [
        ({"reason": "score", "winner": 0, "value": 1.0}, "reason"),
        ({"reason": "concede", "winner": None}, "winner"),
        ({"reason": "time_limit", "winner": 1, "value": 1.0}, "value"),
        ({"reason": "abandoned", "winner": 1, "value": None}, "winner"),
        ({"reason": "unfinished", "winner": None, "value": 0.5}, "value"),
    ],
)
def test_replay_notices_a_wrong_result_of_a_match_cut_short(played, fields, named):
    short = changed(played._replace(shots=played.shots[:7], ends=()), score=(0, 0), **fields)
    with pytest.raises(ValueError, match=f"^{named}="):
        umpire.replay(short)


@pytest.mark.parametrize("reason, winner", [("forfeit", 0), ("concede", 1), ("time_limit", 0)])
def test_a_match_cut_short_replays(played, reason, winner):
    short = changed(
        played._replace(shots=played.shots[:7], ends=()), score=(0, 0), reason=reason, winner=winner, value=1.0 - winner
    )
    assert len(umpire.replay(short)) == 8


def test_replay_notices_shots_after_the_match_and_extra_ends(played):
    with pytest.raises(ValueError, match="over"):
        umpire.replay(played._replace(shots=played.shots + played.shots[:1]))
    with pytest.raises(ValueError, match="ends="):
        umpire.replay(played._replace(ends=played.ends * 2))


def test_the_exact_throw_of_an_aim_is_no_faster_than_its_thrower():
    model = Curling(max_speed=3.0)
    state = model.initial_state(np.random.default_rng(0))
    vx, vy, _ = umpire.exact_in(model, state, (0.4, 3.9, -1.0))
    assert math.hypot(vx, vy) == pytest.approx(3.0) and vx / vy == pytest.approx(0.4 / 3.9)
    assert umpire.exact_in(model, state, (0.1, 2.4, 1.0)) == umpire.exact(model, (0.1, 2.4, 1.0))
