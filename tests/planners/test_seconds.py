"""Budgets of seconds, by a clock that only the steps of a model move: what planners do in them, and by how much they
exceed them."""

import itertools
import time

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.bounds import STEPS, state_bounds
from bonspiel.planners.model import AimBlock
from bonspiel.planners.sequences import cem, icem, mppi

STEP = 6e-5  # s
LENGTH = 30  # steps of a plan
ROLLOUT = LENGTH * STEP
GAUSSIANS = {"cem": cem, "icem": icem, "mppi": mppi}


class Clock:
    """Seconds, of which `steps` takes the next ones; they vary by a factor of up to 1 +- `noise`."""

    def __init__(self):
        self.now = time.perf_counter()  # before which compiled code may have been loaded
        self.step, self.noise, self.random = STEP, 0.0, np.random.default_rng(0)
        self.stall = 0.0  # seconds that the next step takes besides

    def steps(self, number):
        self.now += number * self.step * (1.0 + self.noise * self.random.uniform(-1.0, 1.0)) + self.stall
        self.stall = 0.0


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(time, "perf_counter", lambda: made.now)
    return made


class Slow:
    """A point on a line that accelerates towards 1, in plain Python, with everything that a planner may ask for.

    Args:
        clock: moved by every step.
        short: steps at first that end their rollout, so that the first rollouts take less time than the others.
    """

    state_dim, horizon, discount, compiled, lookahead = 2, 1_000, 1.0, False, LENGTH
    action_low, action_high, params, action_sd = -np.ones(1), np.ones(1), np.zeros(1), np.array([0.05])

    def __init__(self, clock, short=0):
        self.clock, self.short = clock, short

    def initial_state(self, rng):
        return np.zeros(2)

    def step(self, state, action, next_state, params, rng):
        self.clock.steps(1)
        self.short -= 1
        next_state[1] = 0.9 * state[1] + 0.1 * action[0]
        next_state[0] = state[0] + next_state[1]
        return -abs(next_state[0] - 1.0), self.short >= 0

    step_exact = step

    def sample_action(self, state, action, params, rng):
        action[0] = rng.uniform(-1.0, 1.0)

    def rollout(self, state, scratch, depth, params, rng):
        return sum(self.step(state, rng.uniform(-1.0, 1.0, 1), state, params, rng)[0] for _ in range(depth))

    def value(self, state, scratch, depth, params, rng):
        self.clock.steps(depth)
        return -depth * abs(state[0] - 1.0)

    def aim_grid(self, state, size):
        return [AimBlock(np.linspace(-1.0, 1.0, size)[None, :, None], (0.0, 0.05 * (size - 1)))]


class SlowWithSets(Slow):
    max_actions = 3

    def actions(self, state, params, out, keys):
        out[:, 0], keys[:] = (-1.0, 0.0, 1.0), (1, 2, 3)
        return 3


VARIANTS = [
    "icem:repeats=5",
    "icem:memory=1",
    "cem:population=2",
    "mppi:rounds=1,memory=1",
    "uct:leaf=rollout,playouts=10",
    "scaled_abstraction:memory=1",
    "presearch:inner=uct,share=0.9",
    "root:inner=abstraction,combine=tries,rounds=5",
    "root:inner=icem,combine=max",
    "valued:inner=(uct:leaf=rollout)",
    "constant:memory=0",
]
WITHOUT_SEARCH = "random", "do_nothing", "constant"  # the last one in the second decision of an episode


@pytest.mark.parametrize("rollouts", [0.25, 5.6])
@pytest.mark.parametrize("make", [Slow, SlowWithSets])
@pytest.mark.parametrize("text", [*planners.names(), *VARIANTS])
def test_a_budget_is_exceeded_by_one_rollout_at_most(text, make, rollouts, clock):
    planner, model, rng, seconds = planners.parse(text), make(clock), np.random.default_rng(0), rollouts * ROLLOUT
    if planners.unsupported(planner, model):
        return
    episode, state = planners.begin_episode(planner, model), model.initial_state(rng)
    for _ in range(2):
        begin = clock.now
        decision = episode.plan(state.copy(), Budget(seconds=seconds), rng)
        assert clock.now - begin <= seconds + ROLLOUT + 1e-9
        assert text in WITHOUT_SEARCH or decision.simulations >= max(1, int(0.6 * rollouts))
        assert text in WITHOUT_SEARCH or np.isfinite(decision.value)


@pytest.mark.parametrize("text", planners.names())
def test_short_rollouts_at_first_foretell_nothing(text, clock):
    planner, model, begin = planners.parse(text), Slow(clock, short=40), clock.now
    if not planners.unsupported(planner, model):
        planner.plan(model, np.zeros(2), Budget(seconds=5.5 * ROLLOUT), np.random.default_rng(0))
        assert clock.now - begin <= 6.5 * ROLLOUT + 1e-9


def test_bounds_of_states_are_those_of_all_steps_once_there_was_time(clock):
    model, whole = Slow(clock), state_bounds(Slow(clock))
    for _ in range(STEPS):
        begin, bounds = clock.now, state_bounds(model, Budget(seconds=1_000 * STEP))
        assert clock.now - begin <= 101 * STEP
        if np.array_equal(bounds, whole):
            break
    assert np.array_equal(bounds, whole) and state_bounds(model) is bounds


def play(text, model, budget, seed, decisions=15):
    """The sum of the rewards of an episode from -2, and the rollouts of each decision."""
    rng, state, next_state = np.random.default_rng(seed), np.array([-2.0, 0.0]), np.empty(2)
    episode, total, rollouts = planners.begin_episode(planners.parse(text), model), 0.0, []
    for _ in range(decisions):
        decision = episode.plan(state, budget, rng)
        reward, _ = model.step(state, decision.action, next_state, model.params, rng)
        state, next_state, total = next_state.copy(), state, total + reward
        rollouts.append(decision.simulations)
    return total, rollouts


@pytest.mark.parametrize(("parameters", "noise"), [("memory=1", 0.9), ("memory=0", 0.0), ("repeats=5,memory=1", 0.0)])
@pytest.mark.parametrize("name", GAUSSIANS)
def test_the_time_of_40_rollouts_is_as_good_as_40_simulations(name, parameters, noise, clock):
    clock.noise, text = noise, f"{name}:lookahead=12,{parameters}"
    budgets = Budget(seconds=40 * 12 * STEP), Budget(40)
    by_time, by_count = ([play(text, Slow(clock), budget, seed) for seed in range(12)] for budget in budgets)
    assert all(rollouts == [40] * 15 for _, rollouts in by_count)
    assert np.median([rollouts for _, rollouts in by_time]) == pytest.approx(40, abs=2)
    counted, timed = (np.array([total for total, _ in played]) for played in (by_count, by_time))
    error = np.sqrt((counted.var() + timed.var()) / 11)
    assert timed.mean() >= counted.mean() - 2.5 * error - 0.2
    assert timed.mean() > -40.0 or counted.mean() < -38.0  # where nothing is done it is -45


def moves_of(name, budget, model, monkeypatch):
    """The sequences by which the rounds of a decision move."""
    rounds, moved = GAUSSIANS[name]._Rounds, []
    move = rounds.move
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "move", lambda *given: (moved.append(len(given[1])), move(*given)))
        planners.make(name).plan(model, np.zeros(2), budget, np.random.default_rng(0))
    return moved


@pytest.mark.parametrize("rollouts", [24, 100])
@pytest.mark.parametrize("name", GAUSSIANS)
def test_rounds_are_those_of_as_many_simulations(name, rollouts, clock, monkeypatch):
    by_count = moves_of(name, Budget(rollouts), Slow(clock), monkeypatch)
    by_time = moves_of(name, Budget(seconds=rollouts * ROLLOUT), Slow(clock), monkeypatch)
    assert len(by_time) >= len(by_count) - 1 >= 3
    assert abs(np.array(by_time[:3]) - by_count[:3]).max() <= 1 + 0.02 * rollouts


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GAUSSIANS)
def test_rounds_move_whatever_the_times_of_steps(name, seed, clock, monkeypatch):
    clock.noise, clock.random = 0.9, np.random.default_rng(seed)
    assert len(moves_of(name, Budget(seconds=40 * ROLLOUT), Slow(clock), monkeypatch)) >= 3


@pytest.mark.parametrize("name", GAUSSIANS)
def test_short_rollouts_at_first_do_not_stop_the_rounds(name, clock, monkeypatch):
    """By the first ones, rounds of the whole population would fit."""
    moved = moves_of(name, Budget(seconds=60 * ROLLOUT), Slow(clock, short=1), monkeypatch)
    assert len(moved) >= 3 and all(moved)


@pytest.mark.parametrize("name", GAUSSIANS)
def test_a_stall_costs_no_more_than_its_time(name, clock, monkeypatch):
    clock.stall = 10 * ROLLOUT
    assert len(moves_of(name, Budget(seconds=60 * ROLLOUT), Slow(clock), monkeypatch)) >= 3


@pytest.mark.parametrize("name", GAUSSIANS)
def test_the_shortest_budget_plays_and_values_the_plan_of_the_last_decision(name, clock):
    """Its only rollout is that of the sequence to start from, as with one simulation."""
    episode, rng = planners.begin_episode(planners.make(name, memory=1), Slow(clock)), np.random.default_rng(0)
    episode.plan(np.zeros(2), Budget(400), rng)
    plan = episode.last.gaussian.mean
    decision = episode.plan(np.array([0.1, 0.1]), Budget(seconds=0.5 * ROLLOUT), rng)
    assert decision.simulations == 1 and decision.action == plan[1] and np.isfinite(decision.value)


def test_elites_of_a_large_budget_leave_room_for_new_sequences_in_the_rounds_of_a_small_one(clock, monkeypatch):
    episode, rng = (
        planners.begin_episode(planners.make("icem", memory=1, keep=1), Slow(clock)),
        np.random.default_rng(0),
    )
    episode.plan(np.zeros(2), Budget(400), rng)
    kept, propose = [], icem._Rounds.propose
    monkeypatch.setattr(
        icem._Rounds, "propose", lambda self: (kept.append((len(self.kept), self.largest)), propose(self))[1]
    )
    episode.plan(np.array([0.1, 0.1]), Budget(seconds=9.0 * ROLLOUT), rng)
    assert kept[-1][1] < 20 and all(2 * elites <= size for elites, size in kept)


@pytest.mark.parametrize("update", [0.3, 3.0])
@pytest.mark.parametrize("name", GAUSSIANS)
def test_the_last_move_is_what_is_played_however_long_moves_take(name, update, clock, monkeypatch):
    """Not the only sequence that was tried of a round which the end of the budget cut short."""
    rounds, known = GAUSSIANS[name]._Rounds, []
    propose, finalists = rounds.propose, rounds.finalists
    monkeypatch.setattr(rounds, "propose", lambda self: (clock.steps(update * LENGTH), propose(self))[1])
    monkeypatch.setattr(rounds, "finalists", lambda self: (known.append(finalists(self)), known[-1])[1])
    model = Slow(clock)
    for rollouts in np.linspace(100.0, 101.0, 8):
        begin, rng = clock.now, np.random.default_rng(0)
        decision = planners.make(name).plan(model, np.zeros(2), Budget(seconds=rollouts * ROLLOUT), rng)
        assert clock.now - begin <= (rollouts + 1.0) * ROLLOUT + 1e-9
        assert (decision.action == known[-1][:, 0]).all(1).any() and decision.simulations > 30


@pytest.mark.parametrize("name", ["uct", "constant", "adaptive", "icem"])
def test_a_coarse_clock_that_has_not_moved_yet_is_read_again_soon(name, monkeypatch):
    planner, model, readings = planners.make(name), envs.Trap(), itertools.count()
    planner.plan(model, np.zeros(2), Budget(100), np.random.default_rng(0))  # compiles
    begin = time.perf_counter()
    monkeypatch.setattr(time, "perf_counter", lambda: begin + 0.002 * max(next(readings) - 4, 0))
    decision = planner.plan(model, np.zeros(2), Budget(seconds=0.02), np.random.default_rng(0))
    assert 1 <= decision.simulations < 20_000_000
