"""Rollouts that meet a reward or a state that is not finite, or an exception: one rule for every planner."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.core.jit.validity import MARGIN
from bonspiel.planners.core.search import Stopped, progress_to
from bonspiel.planners.jit import compiled
from bonspiel.planners.planner import traits_of
from tests.planners.tiny_models import UnitBox, python_twin

NAN, INF, MINUS_INF, STATE, RAISE = range(5)
KINDS = {"nan": NAN, "inf": INF, "-inf": MINUS_INF, "state": STATE, "raise": RAISE}
SIMULATIONS = 200


@compiled("sample_action")
def sample(state, action, params, rng):
    action[0] = 2.0 * rng.random() - 1.0


@compiled("step")
def cliff_step(state, action, next_state, params, rng):
    """The farther left the better, by rewards that are all negative, and all invalid beyond a place."""
    kind, edge, chance = params[0], params[1], params[2]
    next_state[0] = state[0] + action[0]
    next_state[1] = state[1] + 1.0
    over = next_state[1] == 4.0
    reward = -10.0 - next_state[0]
    invalid = next_state[0] < edge
    if chance > 0.0:
        invalid = rng.random() < chance
    if invalid:
        if kind == 0.0:
            return np.nan, over
        if kind == 1.0:
            return np.inf, over
        if kind == 2.0:
            return -np.inf, over
        if kind == 3.0:
            next_state[0] = np.nan
            return reward, False
        raise ValueError("integrator diverged")
    return reward, over


@compiled("rollout")
def cliff_rollout(state, scratch, depth, params, rng):
    """Goes on as it stands; invalid where it starts too near."""
    if params[2] == 0.0 and state[0] < params[1] + 0.2:
        return np.nan
    return depth * (-10.0 - state[0])


@dataclass(frozen=True)
class Cliff(UnitBox):
    kind: int = NAN
    edge: float = -0.2
    chance: float = 0.0

    state_dim = 2
    horizon = 4
    time_index = 1
    action_low = -np.ones(1)
    action_high = np.ones(1)
    state_low = np.array([-4.0, 0.0])
    state_high = np.array([4.0, 4.0])
    step = staticmethod(cliff_step)
    sample_action = staticmethod(sample)
    rollout = staticmethod(cliff_rollout)

    @property
    def params(self):
        return np.array([float(self.kind), self.edge, self.chance])


LEAVES = ("uct:leaf=rollout", "uct:leaf=rollout,playouts=5", "dpw:leaf=rollout", "kr_uct:leaf=rollout")
WRAPPED = (
    "root:inner=dpw,combine=max,workers=3,share=split",
    "root:inner=abstraction,combine=tries,workers=3,rounds=2",
    "threads:inner=dpw,threads=2",
    "cem:repeats=3",
    "cmcgs:final=best",
    "abstraction:root=trie",
)
NAMES = [
    *(
        name
        for name in planners.names()
        if name not in ("random", "do_nothing") and not planners.unsupported(planners.make(name), Cliff())
    ),
    *LEAVES,
    *WRAPPED,
]
every_planner = pytest.mark.parametrize("name", NAMES)
ANY_KIND = "uct", "cem", "abstraction"  # of a tree, of sequences and of cells; steps are judged in one place for all
every_kind = pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, id=f"{said}-{name}")
        for said, kind in KINDS.items()
        for name in NAMES
        if kind in (NAN, RAISE) or name in ANY_KIND
    ],
)


def plan(name, model, seed=0, simulations=SIMULATIONS):
    """Plan; with more simulations where threads share them, one of which may wait while others add no actions."""
    planner = planners.parse(name)
    simulations *= 1 if traits_of(planner).reproducible else 20
    return planner.plan(model, model.initial_state(None), Budget(simulations), np.random.default_rng(seed))


def forms(name, model):
    """The model compiled, and as plain Python where the planner searches such a one."""
    yield model
    if planners.unsupported(planners.parse(name), python_twin(model)) is None:
        yield python_twin(model)


def check_values(decision, low, high):
    tried = decision.visits > 0
    values = np.append(decision.values[tried], decision.value)
    assert np.isfinite(decision.action).all()
    assert ((low - 1e-9 <= values) & (values <= high + 1e-9)).all(), values


@every_kind
def test_actions_into_an_invalid_region_are_avoided(name, kind):
    """Four in ten actions are invalid at once, the best ones beside them, and of those after them more."""
    found = []
    for model in forms(name, Cliff(kind)):
        decision = plan(name, model)
        assert 0 < decision.invalid <= decision.simulations
        assert decision.action[0] >= -0.2
        check_values(decision, -4 * 12.5 * (1.0 + MARGIN), -4 * 9.0)
        found.append((decision.action.tolist(), decision.value, decision.invalid, decision.values.tolist()))
    if traits_of(planners.parse(name)).reproducible:
        assert all(str(one) == str(found[0]) for one in found)


@every_planner
@pytest.mark.parametrize("seed", range(2))
def test_the_first_rollouts_may_be_invalid(name, seed):
    """Every second action is invalid, and its return would be better than all others if it were 0."""
    decision = plan(name, Cliff(NAN, 0.0), seed, 400)
    assert decision.invalid > 0
    assert decision.action[0] >= 0.0


@every_kind
def test_a_rare_invalid_rollout_is_counted_and_hardly_matters(name, kind):
    for model in forms(name, Cliff(kind, chance=0.01)):
        decision = plan(name, model)
        assert 0 < decision.invalid <= 0.15 * decision.simulations
        assert decision.action[0] < 0.6
        check_values(decision, -4 * 14.0, -4 * 6.0)


@every_kind
def test_where_all_rollouts_are_invalid_the_error_names_state_and_action(name, kind):
    said = {
        NAN: "reward=nan",
        INF: "reward=inf",
        MINUS_INF: "reward=-inf",
        STATE: r"next_state=\[nan,  ?1\.\]",
        RAISE: r"raises ValueError: integrator diverged in tests/planners/test_invalid_rollouts\.py, line \d+",
    }[kind]
    for model in forms(name, Cliff(kind, edge=9.0)):
        line = rf"^all rollouts of the model are invalid: in state=\[0\., 0\.\] action=\[-?\d\S*\] .*{said}"
        with pytest.raises(ValueError, match=line) as caught:
            plan(name, model, simulations=20)
        assert "\n" not in str(caught.value)
        if kind == RAISE:
            assert isinstance(caught.value.__cause__, ValueError)


class Counting:
    """A Python model that counts its invalid results; `fails` says which steps fail, by their numbers."""

    compiled = False

    def __init__(self, fails, error=RuntimeError):
        self.model, self.fails, self.error = python_twin(Cliff(edge=-math.inf)), fails, error
        self.steps, self.failed = 0, 0

    def __getattr__(self, name):
        return getattr(self.__dict__["model"], name)

    def step(self, state, action, next_state, params, rng):
        self.steps += 1
        if self.fails(self.steps):
            self.failed += 1
            raise self.error("integrator diverged")
        return self.model.step(state, action, next_state, params, rng)


def keeps_outcomes(name):
    return any(planner in name for planner in ("dpw", "voot", "crave", "kr_uct"))


def python_planners():
    return [name for name in NAMES if planners.unsupported(planners.parse(name), Counting(bool)) is None]


@pytest.mark.parametrize("name", python_planners())
def test_every_invalid_result_of_a_search_is_counted_once(name):
    """And once more for each rollout that ends in an outcome kept from an earlier one."""
    model = Counting(lambda number: number % 50 == 49)
    decision = plan(name, model)
    assert decision.invalid == model.failed > 0 or (keeps_outcomes(name) and decision.invalid > model.failed)
    assert decision.simulations <= SIMULATIONS * traits_of(planners.parse(name)).budget_multiple


@pytest.mark.parametrize(
    ("name", "error"),
    [*((name, KeyboardInterrupt) for name in python_planners()), ("uct", SystemExit), ("uct", Stopped)],
)
def test_an_interruption_is_no_invalid_rollout(name, error):
    with pytest.raises(error):
        plan(name, Counting(lambda number: number == 30, error))


@pytest.mark.parametrize("name", python_planners())
def test_an_invalid_rollout_has_the_worst_return_so_far(name):
    """One of all: so the mean of its action is no less than without it, down to the worst of all returns."""
    model = Counting(lambda number: number == 41)
    decision = plan(name, model)
    assert decision.invalid == 1 or (keeps_outcomes(name) and decision.invalid > 1)
    check_values(decision, -4 * 14.0, -4 * 6.0)


@compiled("step")
def uphill_step(state, action, next_state, params, rng):
    """Rewards of 1 to 3, the more the farther right, where the last step of an episode may be invalid."""
    next_state[0] = state[0] + action[0]
    next_state[1] = state[1] + 1.0
    over = next_state[1] == 4.0
    if over and next_state[0] > params[1]:
        return np.nan, over
    return 2.0 + 0.25 * next_state[0], over


@compiled("rollout")
def uphill_rollout(state, scratch, depth, params, rng):
    """Goes on as it stands."""
    return np.nan if state[0] > params[1] else depth * (2.0 + 0.25 * state[0])


@pytest.mark.parametrize(("name", "kind"), [*((name, RAISE) for name in NAMES), ("abstraction", STATE)])
def test_bounds_that_are_estimated_by_rollouts_leave_invalid_ones_out(name, kind):
    for model in forms(name, Cliff(kind)):
        object.__setattr__(model, "state_low", np.array([-np.inf, 0.0]))
        decision = plan(name, model)
        assert decision.invalid > 0 and decision.action[0] >= -0.2


@dataclass(frozen=True)
class Uphill(Cliff):
    """The same with rewards that are all positive: an end before the others would be worse, but not by much."""

    step = staticmethod(uphill_step)
    rollout = staticmethod(uphill_rollout)


@every_planner
def test_an_invalid_last_step_takes_all_that_went_before(name):
    """Else the way to the edge would earn more than any that is valid."""
    model = Uphill(edge=0.5)
    decision = plan(name, model, simulations=2_000)
    assert decision.invalid > 0
    check_values(decision, 4 * 1.0, 4 * 3.0)
    near = replace(model, edge=-math.inf)
    with pytest.raises(ValueError, match=r"^all rollouts of the model are invalid"):
        plan(name, near)


@compiled("step")
def level_step(state, action, next_state, params, rng):
    """A reward that is always the same, so that the worst of the valid returns is as good as any."""
    next_state[0] = state[0] + action[0]
    next_state[1] = state[1] + 1.0
    return (np.nan if next_state[0] < params[1] else 0.0), next_state[1] == 4.0


@compiled("rollout")
def level_rollout(state, scratch, depth, params, rng):
    """Goes on as it stands."""
    return np.nan if state[0] < params[1] else 0.0


@dataclass(frozen=True)
class Level(Cliff):
    step = staticmethod(level_step)
    rollout = staticmethod(level_rollout)


@every_planner
def test_no_action_is_played_whose_step_is_invalid_where_all_returns_are_equal(name):
    decision = plan(name, Level())
    assert decision.invalid > 0 and decision.action[0] >= -0.2
    assert decision.value <= 0.0


@compiled("step")
def gap_step(state, action, next_state, params, rng):
    """The best first actions are on both sides of the invalid ones in the middle."""
    next_state[0] = state[0] + action[0]
    next_state[1] = state[1] + 1.0
    return (np.nan if state[1] == 0.0 and abs(action[0]) < params[1] else -abs(action[0])), next_state[1] == 4.0


@dataclass(frozen=True)
class Gap(Cliff):
    step = staticmethod(gap_step)
    rollout = staticmethod(level_rollout)


@pytest.mark.parametrize("name", ["cem", "icem", "mppi", "mppi:repeats=3", "cmcgs", "cmcgs:final=best"])
def test_no_mean_of_valid_actions_is_played_that_is_invalid(name):
    """All of a late round may be invalid, around their mean, where an early one was not."""
    for seed in range(20):
        decision = plan(name, Gap(edge=0.5), seed, 50)
        assert abs(decision.action[0]) >= 0.5, seed


def test_reports_wait_for_a_valid_rollout():
    seen = []

    def report(decision):
        seen.append(decision)
        return True

    class Late(Counting):
        def step(self, *arguments):
            if self.steps < 300:
                self.steps += 1
                return np.nan, False
            return self.model.step(*arguments)

    with progress_to(report):
        planners.make("dpw").plan(Late(None), np.zeros(2), Budget(seconds=20.0), np.random.default_rng(0))
    assert seen and all(math.isfinite(decision.value) for decision in seen)
