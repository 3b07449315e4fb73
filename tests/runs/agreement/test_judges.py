"""Which actions agree, what they lose, and how many are better."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.planners import Decision
from bonspiel.planners.core.actions import action_set
from bonspiel.planners.wrappers.root.similarity import Kernel
from bonspiel.runs.agreement import measure
from bonspiel.runs.agreement.measure import by_optimum, by_search, known_optimum

TRAP = envs.Trap(noise_range=0.1)
START = np.zeros(2)
INF = np.array([np.inf])


def decision(best, actions, visits, values):
    actions = np.array(actions, float)
    return Decision(actions[best], values[best], 1, 0.0, actions, np.array(visits), np.array(values, float))


def test_every_first_action_from_70_to_90_is_best_in_trap():
    actions = np.array([[0.69], [0.71], [0.8], [0.89], [0.92], [0.3]])
    agrees, lost = by_optimum(TRAP, START, None, actions)
    assert agrees.tolist() == [False, True, True, True, False, False]
    assert lost[[2, 5]] == pytest.approx([0.0, 0.3], abs=1e-6)


def test_the_best_of_a_fixed_set_is_its_best_by_q():
    fixed = np.array([[0.1], [0.3], [0.95]])
    at = np.array([0.95, 1.0])  # one step left, from 0.95: 0.95 reaches 1.7, 0.1 the trap
    agrees, lost = by_optimum(TRAP, at, fixed, fixed)
    assert agrees.tolist() == [False, False, True]
    assert lost == pytest.approx([1.0, 1.0, 0.0])


def test_a_set_that_holds_no_best_action_is_judged_by_itself():
    fixed = np.array([[0.1], [0.3]])
    agrees, lost = by_optimum(TRAP, START, fixed, fixed)
    assert agrees.all() and lost == pytest.approx([0.0, 0.0])
    short = np.array([[0.05], [0.8]])  # after 0.8 no step of the set is sure to cross the trap
    assert by_optimum(TRAP, START, short, short)[1][0] < 0.1 < by_optimum(TRAP, START, None, short)[1][0]
    eight = action_set(TRAP, 8)
    assert eight[by_optimum(TRAP, START, eight, eight)[0] == 1.0, 0].tolist() == [0.8125]


@pytest.mark.parametrize("scale", [1e-6, 1e9])
def test_what_counts_as_best_depends_on_the_size_of_rewards(monkeypatch, scale):
    actions = np.array([[0.3], [0.8], [0.5]])
    expected = [by_optimum(TRAP, START, listed, actions) for listed in (None, actions)]
    solve = measure.solve

    def scaled(*given):
        optimum = solve(*given)
        return SimpleNamespace(
            value=lambda state: scale * optimum.value(state),
            q_values=lambda state, actions: scale * optimum.q_values(state, actions),
        )

    monkeypatch.setattr(measure, "solve", scaled)
    for listed, (best, _) in zip((None, actions), expected, strict=True):
        assert by_optimum(TRAP, START, listed, actions)[0].tolist() == best.tolist()


def test_actions_of_equal_values_are_all_best_whatever_rounding_says(monkeypatch):
    near = SimpleNamespace(value=lambda state: 7.0 + 2e-15, q_values=lambda state, actions: np.full(len(actions), 7.0))
    monkeypatch.setattr(measure, "solve", lambda *_: near)
    assert by_optimum(TRAP, START, None, np.array([[0.3], [0.8]]))[0].all()


def test_a_search_agrees_with_equal_actions_of_a_fixed_set():
    actions = [[0.1], [0.2], [0.3]]
    values = decision(1, [[0.2], [0.3]], [5, 5], [2.0, 1.5])
    reference = decision(1, actions, [20, 50, 30], [0.0, 0.0, 0.0])
    agrees, lost = by_search(reference, None, values, np.array(actions))
    assert agrees.tolist() == [False, True, False]
    assert lost[1:].tolist() == [0.0, 0.5] and math.isnan(lost[0])


def test_a_search_agrees_with_sampled_actions_within_h_the_short_way_round():
    reference = decision(0, [[3.1]], [1], [0.0])
    near = Kernel(np.array([0.1]), INF)
    agrees, lost = by_search(reference, near, None, np.array([[3.0], [3.19], [2.99], [-3.1]]))
    assert agrees.tolist() == [True, True, False, False]
    assert np.isnan(lost).all()
    round_trip = Kernel(np.array([0.1]), np.array([2.0 * math.pi]))
    assert by_search(reference, round_trip, None, np.array([[-3.1], [-3.0]]))[0].tolist() == [True, False]


def test_the_optimum_of_a_track_is_not_known():
    assert known_optimum(TRAP)
    assert not known_optimum(envs.make_model("racetrack"))
