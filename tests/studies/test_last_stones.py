"""What planners lose against what can be forced with the last stones."""

from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.curling.benchmarks import last_stones as benchmark
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.last_stones import forced_scores
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from docs.studies import last_stones as study

EXACT, RNG = Curling(noise="none"), np.random.default_rng(0)
EMPTY = {stones: state_of(no_stones(), STONES - stones) for stones in (1, 2)}


def choosing(action):
    """A planner that finds its action by a function of model and state."""
    return SimpleNamespace(plan=lambda model, state, budget, rng: SimpleNamespace(action=action(model, state)))


@pytest.mark.parametrize(("stones", "lost"), [(1, 1.0), (2, 0.0)])
def test_a_stone_thrown_away_loses_the_point_of_the_last_stone_alone(stones, lost):
    """On an empty sheet the team with the hammer scores one, whatever the other team throws before."""
    position = study.Position(EMPTY[stones], 1, 0.0)
    through_the_house = choosing(lambda model, state: np.array([0.0, 3.5, 1.0]))
    assert study.losses(through_the_house, EXACT, [position], 1, RNG).tolist() == [lost]


def test_the_other_team_loses_what_the_team_with_the_hammer_gains():
    """Three stones of the team with the hammer count, and the last one adds to them if nobody interferes."""
    stones = no_stones()
    stones[8:11] = (0.9, 38.7), (-0.9, 38.7), (0.4, 39.6)
    state = state_of(stones, STONES - 2)
    points = forced_scores(EXACT, state).points
    assert points < 4
    through_the_house = choosing(lambda model, state: np.array([-0.5, 3.9, 1.0]))
    assert study.losses(through_the_house, EXACT, [study.Position(state, points, 0.0)], 1, RNG) == [4.0 - points]


def test_the_best_aims_lose_nothing():
    best = choosing(lambda model, state: forced_scores(model, state).best)
    for stones in (1, 2):
        found = list(study.positions(EXACT, stones, 6, seed=1))
        assert len({position.points for position in found}) > 1
        assert not study.losses(best, EXACT, found, 1, RNG).any()


def test_a_row_counts_what_is_kept_lost_and_found():
    found = study.row("one", np.array([0.0, 0.0, -1.0, 2.0]), RNG)
    assert found.startswith("| `one` | 0.750 [") and found.endswith("] | 0.250 |") and "| 0.25 [" in found


def test_a_small_study_has_a_table_for_each_number_of_stones(monkeypatch, capsys):
    monkeypatch.setattr(study.planners, "names_for", lambda model: ["sequential_halving"])
    line = ["--positions", "3", "--simulations", "50", "--noise", "normal_dist", "--seed", "2"]
    assert study.main(line) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 positions each, seed 2, 50 simulations, noise expected: normal_dist"
    assert [one for one in lines if one.startswith("##")] == ["## 1 to come", "## 2 to come", "## 3 to come"]
    names = [one.split("`")[1] for one in lines if one.startswith("| `")]
    assert names == 3 * ["random", "sequential_halving", "champion", "expectimax", "rulebased"]


def test_proofs_are_measured_for_one_to_three_stones(monkeypatch):
    monkeypatch.setattr(benchmark, "POSITIONS", 3)
    found = {one.env: one.value for one in benchmark.curling_proofs([])}
    assert list(found) == [f"{n} to come, {name} of 3" for n in (1, 2, 3) for name in ("median", "slowest")]
    assert all(0.0 < found[f"{n} to come, median of 3"] <= found[f"{n} to come, slowest of 3"] for n in (1, 2, 3))
