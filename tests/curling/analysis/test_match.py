"""The judgements of the shots of a record."""

import numpy as np
import pytest

from bonspiel.curling.analysis import match
from bonspiel.curling.analysis.match import Judge, ThrownShot, judge_match, judge_shot, thrown_shots
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.sheet import no_stones, places
from bonspiel.curling.ice.shots import launched
from bonspiel.curling.match.state import HAMMER, LEAD, TIME, state_of
from bonspiel.curling.records import umpire
from bonspiel.curling.records.record import Match
from bonspiel.planners.core.code.cache import SAID
from bonspiel.planners.planner import Budget
from bonspiel.runs.experiment import RunError

QUICK = Judge("rulebased", Budget(simulations=50), seed=1)
AWAY = (*launched(law_index("fcv1"), 2.2, 38.405, 3.5, 1.0), 1.0)


def test_positions_are_those_of_the_replay(played):
    states, found = umpire.replay(played), thrown_shots(played)
    np.testing.assert_array_equal([shot.state for shot in found], states[:-1])
    np.testing.assert_array_equal([shot.next_state for shot in found], states[1:])
    ended = [shot.number for shot in found if shot.reward is not None]
    assert ended == [15, 31] and found[31].reward == played.result.value


def test_stones_of_another_simulator_are_taken_as_they_are(played):
    stones = np.full((16, 2), np.nan)
    stones[0] = 0.1, 37.0
    moved = played.shots[0]._replace(stones=places(stones))
    found = thrown_shots(played._replace(shots=(moved, played.shots[1])))
    np.testing.assert_array_equal(found[1].state[3:5], stones[0])


def test_shots_out_of_turn_and_after_the_end_are_refused(played):
    with pytest.raises(ValueError, match="the next shot"):
        thrown_shots(played._replace(shots=played.shots[1:]))
    after = played.shots[0]._replace(end=2, hammer=int(thrown_shots(played)[-1].next_state[HAMMER]))
    with pytest.raises(ValueError, match="the match is over"):
        thrown_shots(played._replace(shots=(*played.shots, after._replace(team=1 - after.hammer))))


def last_shot(aim):
    """The last stone of a level match, at the other team's stone on the tee."""
    stones = no_stones()
    stones[0] = 0.0, 38.405
    state = state_of(stones, 15, hammer=1, end=1)
    return ThrownShot(31, state, aim, state, 1.0)


def test_a_stone_thrown_away_is_a_blunder_and_the_judge_s_own_choice_loses_nothing():
    judge, played = QUICK._replace(budget=Budget(simulations=2_000)), Match(players=("a", "b"), ends=2)
    number, thrown_away = judge_shot(judge, played, last_shot(AWAY))
    assert number == 31 and thrown_away.is_blunder and thrown_away.played_name == "throw-away"
    assert thrown_away.aimed == 0.0 and thrown_away.loss == thrown_away.before > 0.5
    assert "red 1" in thrown_away.choice_name and thrown_away.luck == 0.0
    _, same = judge_shot(judge, played, last_shot(thrown_away.choice))
    assert same.choice == thrown_away.choice and (same.loss, same.loss_error) == (0.0, 0.0) and not same.is_blunder
    assert same.luck == -same.aimed  # team 1 threw, and team 0 won


def test_the_judgements_do_not_depend_on_the_number_of_workers(played):
    shots = [shot for shot in thrown_shots(played) if shot.number in (14, 29, 31)]
    found = judge_match(played, shots, QUICK, jobs=1)
    assert list(found) == [14, 29, 31]
    assert judge_match(played, shots, QUICK, jobs=2) == found
    for one in found.values():
        assert 0.0 <= min(one.before, one.aimed, one.after) and max(one.before, one.aimed, one.after) <= 1.0


def test_a_planner_that_fails_is_named(played, monkeypatch):
    class Broken:
        def plan(self, *_):
            raise RuntimeError("dropped the stone")

    monkeypatch.setattr(match.players, "parse", lambda text: Broken())
    with pytest.raises(RunError, match=r"broken fails in this match.*dropped the stone"):
        judge_match(played, thrown_shots(played)[:1], QUICK._replace(planner="broken"), jobs=1)


def test_the_lead_and_the_clock_of_the_next_end(played):
    after = thrown_shots(played)[15].next_state
    gain = played.ends[0].points[0] - played.ends[0].points[1]
    assert after[TIME] == 16 and after[LEAD] == gain and not after[3:].any()


def test_points_that_the_stones_do_not_count_are_said(played, monkeypatch, capfd):
    monkeypatch.delenv(SAID, raising=False)
    thrown_shots(played)
    assert not capfd.readouterr().err
    first = played.ends[0]._replace(points=(7, 0))
    thrown_shots(played._replace(ends=(first, *played.ends[1:])))
    assert "end 1 is 7 : 0 by its line on record, and" in capfd.readouterr().err
