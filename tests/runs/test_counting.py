"""Steps of the model, counted inside searches, and budgets in such steps."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.trap.model import Trap
from bonspiel.planners.contract.counting import counting
from bonspiel.planners.jit import PROBLEM, RNG, VECTOR, compiled, int64, kernel, problem_of, rollout, run
from bonspiel.planners.model import Array, Rng
from bonspiel.runs.counting import StepBudget, Steps, count
from bonspiel.runs.draws import environment_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.reporting.model_steps import of_run, of_settings
from bonspiel.runs.results.packed import read_any
from bonspiel.runs.results.store import Effort
from bonspiel.runs.suite import Suite
from bonspiel.runs.suites import lookup


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
    plain, (fast, counter) = Plain(model), counting(model, math.nan)
    decisions = [chosen.plan(one, state, budget, np.random.default_rng(3)) for one in (plain, fast)]
    assert decisions[0].action == decisions[1].action
    assert counter.steps == plain.count > 0


def test_steps_of_a_simulation():
    assert count(envs.parse("trap"), planners.parse("uct"), setting(50)) == Steps(50, 2.0)
    assert count(envs.parse("trap"), planners.parse("random"), setting(50)) == Steps(0, 0.0)  # it does not simulate
    long = count(envs.parse("treasure_hunt:size=5"), planners.parse("uct:leaf=rollout"), setting(20))
    assert 2.0 < long.per_simulation < 50.0


@compiled("rollout")
def constant(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    return 0.0


class Odd(Trap):
    rollout = staticmethod(constant)


class Slow(Trap):
    compiled = False


class Stepwise(Slow):
    rollout = None


class Looking:
    """A planner in Python that tries every simulation's action for one step."""

    def plan(self, model, state, budget, rng, root_actions=None):
        decision, after = planners.parse("random").plan(model, state, budget, rng), np.empty_like(state)
        for _ in range(budget.simulations):
            model.step(state, decision.action, after, model.params, rng)
        return replace(decision, simulations=budget.simulations)


class Aloof:
    """A planner whose simulations do not reach the model."""

    def plan(self, model, state, budget, rng, root_actions=None):
        return replace(planners.parse("random").plan(model, state, budget, rng), simulations=50)


def test_what_cannot_be_counted_is_not_told():
    assert count(Odd(), planners.parse("uct:leaf=rollout"), setting(50)) is None
    assert count(Odd(), planners.parse("uct:leaf=tree"), setting(50)) == Steps(50, 2.0)
    assert count(Slow(), planners.parse("uct"), setting(50)) is None
    assert count(envs.parse("trap"), Aloof(), setting(50)) is None


def test_searches_in_python_are_counted_where_they_step():
    assert count(Stepwise(), planners.parse("uct"), setting(50)) == Steps(50, 2.0)
    assert count(envs.parse("trap"), Looking(), setting(50)) == Steps(50, 1.0)  # in Python, of a compiled model
    assert count(Stepwise(), Looking(), setting(50)) == Steps(50, 1.0)
    assert count(Stepwise(), planners.parse("icem"), setting(40)) == Steps(40, 2.0)


def test_many_sequences_at_once_are_as_many_steps_as_they_have_actions():
    class AtOnce(Stepwise):
        def sequence_returns(self, state, actions, params, rng):
            return actions.sum((1, 2))

    assert count(AtOnce(), planners.parse("icem"), setting(40)) == Steps(40, 2.0)


def decisions(env, planner, steps, chosen=None):
    """The simulations and the model steps of the decisions of an episode, [2, decisions]."""
    model, chosen = envs.parse(env), chosen or planners.parse(planner)
    budget = StepBudget(model, chosen, Setting(env, planner, steps, "steps", 0))
    search, found, rng = planners.begin_episode(chosen, budget.model), [], np.random.default_rng(0)
    state, over = model.initial_state(rng), False
    while not over and len(found) < model.horizon:
        decision = search.plan(state, budget.next(state), rng)
        found.append((decision.simulations, budget.spend(decision)))
        next_state = np.empty_like(state)
        _, over = model.step(state, decision.action, next_state, model.params, rng)
        state = next_state
    return np.array(found).T


@pytest.mark.parametrize("planner", ["icem:memory=1", "dpw:memory=1", "adaptive", "hoot", "root:inner=uct,workers=2"])
def test_decisions_take_the_model_steps_of_their_budget(planner):
    _, took = decisions("cart_pole", planner, 2000)
    assert took.mean() == pytest.approx(2000, rel=0.03)
    _, took = decisions("family:treasure_hunt:instance=1", planner, 2000)
    assert took[:-1].mean() == pytest.approx(2000, rel=0.25)  # few decisions, of which a last one has few steps left


def test_workers_on_threads_count_what_workers_one_after_the_other_do():
    env = envs.parse("family:treasure_hunt:instance=1")
    ways = 5 * ["threads"] + ["one"]
    counts = [count(env, planners.parse(f"root:inner=uct,workers=6,run={way}"), setting(2000)) for way in ways]
    assert counts == 6 * [counts[-1]]
    assert counts[0].per_simulation > 2.0


def test_simulations_follow_from_what_the_last_decision_took():
    assert decisions("trap", "uct", 500).tolist() == [[250, 500], [500, 500]]  # two steps left, then one
    assert decisions("trap", "random", 500).tolist() == [[0, 0], [0, 0]]
    simulations, took = decisions("trap", "crave", 500)  # its table soon knows all, and then no simulation steps
    assert (simulations <= 1.5 * 500 / 0.05).all() and (500 < simulations).all() and (took < 500).all()


class Both:
    """Searches by `dpw`, and as often in Python by itself."""

    traits = planners.planner.Traits()

    def plan(self, model, state, budget, rng, root_actions=None):
        decision = planners.make("dpw").plan(model, state, budget, rng)
        for _ in range(decision.simulations):
            model.step(state, decision.action, np.empty_like(state), model.params, rng)
        return replace(decision, simulations=2 * decision.simulations)


def test_steps_of_compiled_searches_and_of_python_are_counted_together():
    model = envs.parse("treasure_hunt:size=5")
    ours, theirs = (count(model, one, setting(50)) for one in (Both(), planners.make("dpw")))
    assert ours.per_simulation == pytest.approx((theirs.per_simulation + 1.0) / 2.0)


def test_python_rollouts_of_several_steps_cannot_be_counted():
    class Rolling(Looking):
        def plan(self, model, state, budget, rng, root_actions=None):
            model.rollout(state.copy(), np.empty_like(state), 1, model.params, rng)
            return super().plan(model, state, budget, rng)

    assert count(envs.parse("trap"), Rolling(), setting(50)) is None


def test_a_budget_in_steps_that_cannot_be_kept_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="1 model steps: one simulation takes 2"):
        decisions("trap", "icem", 1)
    with pytest.raises(ValueError, match="differ from time to time: give a budget in simulations or milliseconds"):
        decisions("trap", "threads", 500)
    with pytest.raises(ValueError, match="cannot be counted: give a budget in simulations or milliseconds"):
        decisions("trap", "aloof", 500, Aloof())
    budget = StepBudget(envs.parse("trap"), planners.parse("uct"), Setting("trap", "uct", 500, "steps", 0))
    budget._counter.of_thread()[0] = np.nan  # by a rollout in a later decision
    with pytest.raises(ValueError, match="cannot be counted"):
        budget.spend(
            planners.parse("random").plan(envs.Trap(), np.zeros(2), planners.Budget(1), np.random.default_rng(0))
        )


def test_a_run_with_budgets_in_steps_is_compared_verified_and_has_its_targets(run, tmp_path):
    line = "--planner uct --planner random --steps 500,40 --episodes 3 --jobs 1 --out played"
    status, out, _ = run("run", "trap", *line.split())
    assert status == 0 and "| 40 model steps" in out and "| 500 model steps" in out
    with read_any(tmp_path / "played") as store:
        made = {(one.planner, one.budget): effort.simulations / effort.steps for one, effort in store.efforts().items()}
    assert made["uct", 500] == (250 + 500) / 2 and made["uct", 40] == (20 + 40) / 2
    status, out, _ = run("compare", "played", "uct", "random", "--steps", "500")
    assert status == 0 and "| 500 model steps | 3" in out and "40 model steps" not in out
    status, out, _ = run("verify", "played", "--share", "1")
    assert status == 0
    status, out, _ = run("targets", "played")
    assert status == 0 and "model steps of a decision at which" in out and "> 500" in out
    assert "Budget in model steps" in (tmp_path / "played/report.html").read_text()


def test_a_suite_has_budgets_in_steps(tmp_path, run):
    (tmp_path / "mine.toml").write_text('[[experiment]]\nenv = "trap"\nplanners = ["uct"]\nsteps = [60]\n')
    assert list(lookup.load("mine.toml").settings()) == [Setting("trap", "uct", 60, "steps", 0)]
    written = lookup.load("mine.toml").to_json()
    assert Suite.of("mine", json.loads(written)).to_json() == written
    assert '"steps"' not in lookup.load("trap").to_json()


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

    count(Anywhere(), planners.parse("uct"), setting(5)._replace(seed=7))
    assert begun == [environment_rng(7, episode, 0).random() for episode in range(3)]


def test_the_model_stays_as_it_was():
    model = envs.parse("treasure_hunt:size=5")
    before = dict(vars(model)), model.params.copy()
    count(model, planners.parse("uct"), setting(5))
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
        (watched, counter), scratch = counting(model, math.nan), np.empty(model.state_dim)
        ours = run(roll_out, watched, problem_of(watched, starts[0]), starts[0], scratch, 40, rngs[0])
        assert ours == model.rollout(starts[1], scratch.copy(), 40, model.params, rngs[1])
        np.testing.assert_array_equal(*starts)
        assert rngs[0].bit_generator.state == rngs[1].bit_generator.state
        made = starts[0][-1] - seed % 2  # the step that ends an episode leaves the state as it was
        assert counter.steps in (made, made + 1)


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
