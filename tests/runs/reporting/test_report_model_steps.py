"""Steps of the model, counted inside compiled searches."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.trap.model import Trap
from bonspiel.planners.jit import PROBLEM, RNG, VECTOR, compiled, int64, kernel, problem_of, rollout, run
from bonspiel.planners.model import Array, Rng
from bonspiel.runs.draws import environment_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.reporting.model_steps import Steps, counted, of_run, of_settings, steps
from bonspiel.runs.results.store import Effort


def setting(simulations, planner="uct"):
    return Setting("x", planner, simulations, "simulations", 0)


class Plain:
    """A model in plain Python that counts its steps."""

    compiled = False

    def __init__(self, model):
        self.model, self.count = model, 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def step(self, *arguments):
        self.count += 1
        return self.model.step(*arguments)

    def rollout(self, state, scratch, depth, params, rng):
        total, action = 0.0, np.empty(len(self.model.action_low))
        for _ in range(depth):
            self.model.sample_action(state, action, params, rng)
            reward, terminated = self.step(state, action, scratch, params, rng)
            total += reward
            if terminated:
                break
            state[:] = scratch
        return total


@pytest.mark.parametrize("env", ["trap", "treasure_hunt:size=5"])
@pytest.mark.parametrize("planner", ["uct", "uct:leaf=rollout", "dpw", "abstraction"])
def test_the_count_is_that_of_a_model_in_python(env, planner):
    model, chosen = envs.parse(env), planners.parse(planner)
    state, budget = model.initial_state(np.random.default_rng(0)), planners.Budget(simulations=20)
    plain, (fast, counter) = Plain(model), counted(model)
    decisions = [chosen.plan(one, state, budget, np.random.default_rng(3)) for one in (plain, fast)]
    assert decisions[0].action == decisions[1].action
    assert counter[0] == plain.count > 0


def test_steps_of_a_simulation():
    assert steps(envs.parse("trap"), planners.parse("uct"), setting(50)) == Steps(50, 2.0)
    assert steps(envs.parse("trap"), planners.parse("random"), setting(50)) is None  # it does not simulate
    long = steps(envs.parse("treasure_hunt:size=5"), planners.parse("uct:leaf=rollout"), setting(20))
    assert 2.0 < long.per_simulation < 50.0


@compiled("rollout")
def constant(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    return 0.0


class Odd(Trap):
    rollout = staticmethod(constant)


class Slow(Trap):
    compiled = False


class Aloof:
    """A planner whose simulations do not reach the model."""

    def plan(self, model, state, budget, rng, root_actions=None):
        return replace(planners.parse("random").plan(model, state, budget, rng), simulations=50)


def test_what_cannot_be_counted_is_not_told():
    assert steps(Odd(), planners.parse("uct:leaf=rollout"), setting(50)) is None
    assert steps(Odd(), planners.parse("uct:leaf=tree"), setting(50)) == Steps(50, 2.0)
    assert steps(Slow(), planners.parse("uct"), setting(50)) is None
    assert steps(envs.parse("trap"), Aloof(), setting(50)) is None


def test_a_run_whose_planner_fails_is_told_all_the_same(fakes, monkeypatch):
    def fail(*given):
        raise RuntimeError("broken")

    monkeypatch.setattr(type(planners.parse("constant")), "plan", fail)
    played = [Setting("trap", planner, 50, "simulations", 0) for planner in ("constant", "uct")]
    run = SimpleNamespace(efforts=lambda: dict.fromkeys(played, Effort(2, 1e-3, 100)))
    assert list(of_run(run)) == [("trap", "constant", None), ("trap", "uct", Steps(50, 2.0))]


def test_decisions_begin_where_the_episodes_of_the_run_did():
    begun = []

    class Anywhere(Trap):
        def initial_state(self, rng):
            begun.append(rng.random())
            return np.zeros(2)

    steps(Anywhere(), planners.parse("uct"), setting(5)._replace(seed=7))
    assert begun == [environment_rng(7, episode, 0).random() for episode in range(3)]


def test_the_model_stays_as_it_was():
    model = envs.parse("treasure_hunt:size=5")
    before = dict(vars(model)), model.params.copy()
    steps(model, planners.parse("uct"), setting(5))
    assert vars(model) == before[0]
    np.testing.assert_array_equal(model.params, before[1])


@kernel(PROBLEM, VECTOR, VECTOR, int64, RNG)
def roll_out(problem, state, scratch, depth, rng):
    return rollout(problem, state, scratch, depth, rng)


@pytest.mark.parametrize("env", ["hovering", "racetrack:crash=end", "trap", "treasure_hunt"])
def test_rollouts_of_a_default_policy_of_its_own_are_counted(env):
    model = envs.parse(env)
    for seed in range(5):
        starts = [model.initial_state(np.random.default_rng(seed)) for _ in range(2)]
        starts[0][-1] = starts[1][-1] = seed % 2  # a later step
        rngs = [np.random.default_rng(seed) for _ in range(2)]
        (counting, counter), scratch = counted(model), np.empty(model.state_dim)
        ours = run(roll_out, counting, problem_of(counting, starts[0]), starts[0], scratch, 40, rngs[0])
        assert ours == model.rollout(starts[1], scratch.copy(), 40, model.params, rngs[1])
        np.testing.assert_array_equal(*starts)
        assert rngs[0].bit_generator.state == rngs[1].bit_generator.state
        made = starts[0][-1] - seed % 2  # the step that ends an episode leaves the state as it was
        assert counter[0] in (made, made + 1)


def test_every_budget_is_counted_and_dear_ones_take_the_largest_that_was(monkeypatch):
    found = {5: 1.5, 10: 1.8}
    monkeypatch.setattr(
        "bonspiel.runs.reporting.model_steps._counted",
        lambda one: Steps(one.budget, found[one.budget]) if one.budget in found else None,
    )
    quick, dear = Effort(100, 0.1, 0), Effort(100, 100.0, 0)
    played = {setting(5): quick, setting(10): quick, setting(20): quick, setting(500): dear}
    timed = setting(7)._replace(unit="ms")
    other = setting(500, "dpw")
    run = SimpleNamespace(efforts=lambda: {**played, timed: quick, other: dear})
    steps_of = of_settings(run.efforts())
    assert [steps_of[one] for one in played] == [1.5, 1.8, 1.8, 1.8]
    assert steps_of[timed] == 1.8
    assert np.isnan(steps_of[other])
