"""HOOT and POLY-HOOT against HOO as its paper states it: every bound anew at every choice."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from tests.planners.oracles import cells_of
from tests.planners.tiny_models import Bandit, Chain, Diamond, Duel, Handover, Target


def logarithmic(total):
    return math.sqrt(2.0 * math.log(total))


def polynomial(total):
    return float(total) ** 0.25


class Hoo:
    """Cells by the halves that lead to them: visits, mean, plays of the middle, and their mean."""

    def __init__(self, model, rng, bonus, exploration, nu, rho, depths):
        self.low, self.high = model.action_low, model.action_high
        self.rng, self.bonus, self.exploration, self.nu, self.rho = rng, bonus, exploration, nu, rho
        self.deepest, self.cells, self.total = depths, {}, 0

    def bound(self, cell):
        if cell not in self.cells:
            return math.inf
        visits, mean, _, _ = self.cells[cell]
        spread = self.exploration * self.bonus(2 ** self.total.bit_length())
        u = mean + spread * float(visits) ** -0.5 + self.nu * self.rho ** len(cell)
        return min(u, max(self.bound((*cell, 0)), self.bound((*cell, 1))))

    def choose(self):
        cell = ()
        while cell in self.cells and len(cell) < self.deepest:
            lower, upper = self.bound((*cell, 0)), self.bound((*cell, 1))
            cell = (*cell, int(self.rng.random() < 0.5 if lower == upper else upper > lower))
        return cell

    def middle(self, cell):
        """Bisection of the unit box, whose numbers are exact, and then of the model's."""
        low, high = np.zeros(len(self.low)), np.ones(len(self.low))
        for i, half in enumerate(cell):
            at = i % len(low)
            middle = 0.5 * (low[at] + high[at])
            low[at], high[at] = (middle, high[at]) if half else (low[at], middle)
        return self.low + (self.high - self.low) * (0.5 * (low + high))

    def update(self, cell, gain):
        self.total += 1
        for i in range(len(cell) + 1):
            known = self.cells.setdefault(cell[:i], [0, 0.0, 0, 0.0])
            known[0] += 1
            known[1] += (gain - known[1]) / known[0]
        known[2] += 1
        known[3] += (gain - known[3]) / known[2]

    def best(self):
        cell = ()
        while True:
            halves = [half for half in ((*cell, 0), (*cell, 1)) if half in self.cells]
            if not halves:
                return cell
            known = [self.cells[half][:2] for half in halves]
            equal = len(known) == 2 and known[0] == known[1]
            cell = halves[int(self.rng.random() < 0.5) if equal else known.index(max(known))]


def oracle(model, rng, simulations, bonus, exploration=1.0, nu=1.0, rho=None, halvings=8, cell_depth=4):
    """The root's HOO after these simulations, with one HOO for each abstract state and player."""
    dim, place = len(model.action_low), cells_of(model)
    trees = {}

    def simulate(state, left, root):
        mover = model.player(state, model.params) if hasattr(model, "player") else 1.0
        key = "root" if root else (place(state, cell_depth), mover)
        if key not in trees:
            scale = 4.0 ** (-1.0 / dim) if rho is None else rho
            trees[key] = Hoo(model, rng, bonus, exploration, nu, scale, halvings * dim)
        tree = trees[key]
        cell = tree.choose()
        after = np.empty_like(state)
        value, terminated = model.step(state, tree.middle(cell), after, model.params, rng)
        if left > 1 and not terminated:
            value += model.discount * simulate(after, left - 1, False)
        tree.update(cell, mover * value)
        return value

    for _ in range(simulations):
        simulate(model.initial_state(None), model.horizon, True)
    return trees["root"]


def check(name, bonus, model, simulations, **given):
    for budget in (simulations // 10, simulations):
        rng, oracle_rng = np.random.default_rng(7), np.random.default_rng(7)
        decision = planners.make(name, **given).plan(model, model.initial_state(None), Budget(budget), rng)
        root = oracle(model, oracle_rng, budget, bonus, **given)
        played = {tuple(root.middle(cell)): known[2:] for cell, known in root.cells.items() if known[2]}
        found = zip(decision.actions.tolist(), decision.visits.tolist(), decision.values.tolist(), strict=True)
        assert {tuple(action): [visits, value] for action, visits, value in found} == played
        assert decision.action.tolist() == root.middle(root.best()).tolist()
        assert rng.bit_generator.state == oracle_rng.bit_generator.state


@dataclass(frozen=True)
class Plane:
    """Two steps of two coordinates with ranges of their own, in plain Python; noise and a peak at (0.3, -4)."""

    state_dim, horizon, time_index, discount, compiled = 2, 2, 1, 0.9, False
    params = np.zeros(0)
    action_low, action_high = np.array([0.0, -10.0]), np.array([1.0, 2.0])
    state_low, state_high = np.array([-2.0, 0.0]), np.array([2.0, 2.0])

    def initial_state(self, rng):
        return np.zeros(2)

    def sample_action(self, state, action, params, rng):
        action[:] = self.action_low + (self.action_high - self.action_low) * rng.random(2)

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state[0] + action[0] - 0.3, state[1] + 1.0
        return 1.0 - abs(next_state[0]) - 0.1 * abs(action[1] + 4.0) + 0.1 * rng.standard_normal(), False


MODELS = [Bandit(), Chain(), Diamond(), Handover(), Target(), Duel(), Plane(), envs.Trap()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_hoot_is_hoo_in_every_abstract_state(model):
    check("hoot", logarithmic, model, 150)
    check("hoot", logarithmic, model, 150, exploration=0.2, nu=0.5, rho=0.6, halvings=3, cell_depth=2)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_poly_hoot_is_hoo_with_a_polynomial_bonus(model):
    check("poly_hoot", polynomial, model, 150)
    check("poly_hoot", polynomial, model, 150, exploration=0.1, nu=0.5, rho=0.6, halvings=3, cell_depth=2)


def test_walks_on_in_the_plane_to_the_peak():
    decision = planners.make("hoot").plan(Plane(), np.zeros(2), Budget(2_000), np.random.default_rng(0))
    np.testing.assert_allclose(decision.action, [0.3, -4.0], atol=0.6)


class Flat(Plane):
    """The same with coordinates that have no width, at the ends and in the middle."""

    action_low, action_high = np.array([7.0, 0.0, 7.0, -10.0, 7.0]), np.array([7.0, 1.0, 7.0, 2.0, 7.0])

    def step(self, state, action, next_state, params, rng):
        return super().step(state, action[[1, 3]], next_state, params, rng)


@pytest.mark.parametrize("name", ["hoot", "poly_hoot"])
def test_coordinates_without_width_change_nothing(name):
    plane, flat = (
        planners.make(name).plan(model, np.zeros(2), Budget(200), np.random.default_rng(0))
        for model in (Plane(), Flat())
    )
    assert (flat.actions[:, [0, 2, 4]] == 7.0).all()
    np.testing.assert_array_equal(flat.actions[:, [1, 3]], plane.actions)
    assert flat.visits.tolist() == plane.visits.tolist() and flat.action[[1, 3]].tolist() == plane.action.tolist()


class Point(Plane):
    """With one action alone."""

    action_low, action_high = np.array([0.3, -4.0]), np.array([0.3, -4.0])


@pytest.mark.parametrize("name", ["hoot", "poly_hoot"])
def test_a_box_without_any_width_has_one_action(name):
    decision = planners.make(name).plan(Point(), np.zeros(2), Budget(50), np.random.default_rng(0))
    assert decision.actions.tolist() == [[0.3, -4.0]] and decision.visits.tolist() == [50]


@pytest.mark.parametrize(("growth", "decay"), [(0.5, 0.5), (0.3, 0.2)])
def test_a_bonus_that_does_not_fade_is_refused(growth, decay):
    with pytest.raises(ValueError, match=r"growth=.*below decay"):
        planners.make("poly_hoot", growth=growth, decay=decay)
