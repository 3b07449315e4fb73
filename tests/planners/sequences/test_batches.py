"""Models that roll out many sequences at once: the same decisions as by single steps, in fewer calls."""

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.envs import check_model
from bonspiel.envs.role_checks import check_sequence_returns
from bonspiel.planners import Budget
from bonspiel.planners.contract.counting import counting
from bonspiel.planners.core.code.cache import SAID
from bonspiel.planners.sequences.batches import in_batches


def noise(params, rng, shape):
    return params[0] * rng.standard_normal(shape) if params[0] > 0.0 else 0.0


class Points:
    """Two points that are pushed towards (1, -1); from beyond 1.5 nothing is earned, as it ends there."""

    state_dim, horizon, discount, compiled, lookahead = 4, 40, 0.97, False, 12
    action_low, action_high, params = -np.ones(2), np.array([1.0, 2.0]), np.array([0.0])
    steps = 0

    def initial_state(self, rng):
        return np.array([0.2, -0.3, 0.0, 0.0])

    def step(self, state, action, next_state, params, rng):
        Points.steps += 1
        next_state[2:] = 0.9 * state[2:] + 0.1 * action + noise(params, rng, 2)
        next_state[:2] = state[:2] + next_state[2:]
        return -abs(next_state[0] - 1.0) - abs(next_state[1] + 1.0), bool(abs(next_state[:2]).max() > 1.5)

    def sample_action(self, state, action, params, rng):
        action[:] = rng.uniform(self.action_low, self.action_high)


class Batched(Points):
    """The same as arrays."""

    calls = 0

    def sequence_returns(self, state, actions, params, rng):
        type(self).calls += 1
        n, steps, _ = actions.shape
        places, speeds = np.repeat([state], n, axis=0)[:, :2], np.repeat([state], n, axis=0)[:, 2:]
        rewards, going = np.zeros((n, steps)), np.ones(n, bool)
        for t in range(steps):
            speeds = 0.9 * speeds + 0.1 * actions[:, t] + noise(params, rng, (n, 2))
            places = places + speeds
            rewards[going, t] = (-abs(places[:, 0] - 1.0) - abs(places[:, 1] + 1.0))[going]
            going = going & (abs(places).max(1) <= 1.5)
        return rewards


class Summed(Batched):
    """Which gives sums."""

    def sequence_returns(self, state, actions, params, rng):
        return super().sequence_returns(state, actions, params, rng) @ self.discount ** np.arange(actions.shape[1])


class Noisy(Batched):
    params = np.array([0.05])


class Broken(Batched):
    """Some actions cannot be taken."""

    def step(self, state, action, next_state, params, rng):
        reward, ended = super().step(state, action, next_state, params, rng)
        return np.nan if 0.5 < action[1] < 0.6 else reward, ended

    def sequence_returns(self, state, actions, params, rng):
        rewards = super().sequence_returns(state, actions, params, rng)
        going = np.cumsum(rewards == 0.0, axis=1) == 0
        rewards[(actions[..., 1] > 0.5) & (actions[..., 1] < 0.6) & going] = np.nan
        return rewards


TEXTS = [
    "cem",
    "icem:memory=1",
    "mppi",
    "random_shooting:hold=3",
    "cem:repeats=3",
    "icem:sight=5",
    "random_shooting:repeats=2,sight=3",
    "icem:memory=1,rate_cost=0.5,rate_limit=0.2",
    "mppi:knots=5,interpolation=cubic,rate_cost=0.5,sight=5",
]


def decisions(text, model, budget, count=3):
    rng, state, following = np.random.default_rng(5), model.initial_state(None), np.empty(4)
    episode, found = planners.begin_episode(planners.parse(text), model), []
    for _ in range(count):
        found.append(episode.plan(state, budget, rng))
        model.step(state, found[-1].action, following, model.params, rng)
        state = following.copy()
    return found


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in ("action", "value", "simulations", "actions", "visits", "values", "plan")
    )


@pytest.mark.parametrize("simulations", [7, 150])
@pytest.mark.parametrize("text", TEXTS)
def test_decisions_are_those_of_single_steps(text, simulations):
    single = type("Single", (Broken,), {"sequence_returns": None})()
    pairs = zip(*(decisions(text, model, Budget(simulations)) for model in (single, Broken())), strict=True)
    assert all(same(one, other) for one, other in pairs)


class Slippery(Batched):
    """Every third rollout of any sequence is invalid."""

    def sequence_returns(self, state, actions, params, rng):
        rewards = super().sequence_returns(state, actions, params, rng)
        rewards[rng.random(len(rewards)) < 1.0 / 3.0, -1] = np.nan
        return rewards


def test_an_invalid_rollout_stays_one_where_single_steps_do_not_meet_it_again():
    found = planners.parse("random_shooting").plan(Slippery(), np.zeros(4), Budget(900), np.random.default_rng(0))
    assert 250 < found.invalid < 350


class Nowhere(Slippery):
    def sequence_returns(self, state, actions, params, rng):
        return np.full(actions.shape[:2], np.nan)


def test_batches_without_a_valid_rollout_are_an_error():
    with pytest.raises(ValueError, match=r"all rollouts of the model are invalid: in state=\[0., 0., 0., 0.\] action="):
        planners.parse("cem").plan(Nowhere(), np.zeros(4), Budget(50), np.random.default_rng(0))


def test_a_round_is_one_call_and_takes_no_single_step():
    Batched.calls = Points.steps = 0
    planners.parse("cem:population=30,rounds=4").plan(Batched(), np.zeros(4), Budget(121), np.random.default_rng(0))
    assert Batched.calls == 5 and Points.steps == 0  # four rounds and the finalist


def test_sums_decide_as_rewards_and_leave_no_choice_of_sight():
    (one,), (other,) = (decisions("icem", model, Budget(100), 1) for model in (Batched(), Summed()))
    assert np.allclose(one.action, other.action) and one.value == pytest.approx(other.value)
    with pytest.raises(ValueError, match=r"sight=5.*: must be none where `sequence_returns` gives sums"):
        decisions("icem:sight=5", Summed(), Budget(100), 1)


@pytest.mark.parametrize("text", ["cem", "icem:memory=1", "mppi", "random_shooting"])
def test_a_budget_of_seconds_has_rounds_of_many_calls_of_few(text):
    Batched.calls = 0
    (decision,) = decisions(text, Batched(), Budget(seconds=0.1), 1)
    assert decision.simulations > 5 * Batched.calls > 0


def test_arrays_of_other_libraries_are_read_as_numbers():
    class Lists(Batched):
        def sequence_returns(self, *given):
            return super().sequence_returns(*given).tolist()

    assert same(*(decisions("icem:sight=5", model, Budget(50), 1)[0] for model in (Batched(), Lists())))


def test_other_shapes_are_refused():
    model = type("Short", (Batched,), {"sequence_returns": lambda self, state, actions, *_: np.zeros(3)})()
    with pytest.raises(ValueError, match=r"rewards of shape \(\d+, 12\) or returns of shape"):
        planners.make("cem").plan(model, np.zeros(4), Budget(100), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (lambda rewards: rewards.astype(str), "they are of type <U"),
        (lambda rewards: rewards + 0j, "they are of type complex128"),
        (lambda rewards: (rewards, rewards.sum(1)), "inhomogeneous"),
        (lambda rewards: [list(row[: place + 1]) for place, row in enumerate(rewards)], "inhomogeneous"),
        (lambda rewards: np.full(rewards.shape, "a", object), "could not convert string to float: 'a'"),
    ],
)
def test_what_is_no_array_of_real_numbers_is_refused_in_a_sentence(result, said):
    class Odd(Batched):
        def sequence_returns(self, *given):
            return result(super().sequence_returns(*given))

    allowed = (
        r"^sequence_returns\(...\): must be real numbers, rewards of shape \(\d+, \d+\) or returns of .*: .*" + said
    )
    with pytest.raises(ValueError, match=allowed):
        planners.make("cem").plan(Odd(), np.zeros(4), Budget(100), np.random.default_rng(0))
    with pytest.raises(ValueError, match=allowed):
        check_model(Odd(), np.random.default_rng(0))


def test_the_check_of_models_takes_an_array_of_objects_and_names_a_write_to_the_actions():
    class Objects(Batched):
        def sequence_returns(self, *given):
            return super().sequence_returns(*given).astype(object)

    class Writes(Batched):
        def sequence_returns(self, state, actions, params, rng):
            rewards = super().sequence_returns(state, actions, params, rng)
            actions[:] = 0.0
            return rewards

    check_model(Objects(), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^sequence_returns\(\.\.\.\)=array"):
        check_model(Writes(), np.random.default_rng(0))


@pytest.mark.parametrize("kind", [Batched, Summed])
def test_the_check_of_models_lets_single_precision_differ_by_a_thousandth_of_the_largest(kind):
    class Single(kind):
        error = 1e-4

        def sequence_returns(self, *given):
            return (super().sequence_returns(*given) * (1.0 + self.error)).astype(np.float32)

    check_model(Single(), np.random.default_rng(0))
    with pytest.raises(ValueError, match="what `step` gives within 0"):
        check_model(type("Wrong", (Single,), {"error": 3e-3})(), np.random.default_rng(0))


class Slips(Batched):
    """A few steps cost something."""

    cost = 1.0

    def step(self, state, action, next_state, params, rng):
        reward, ended = super().step(state, action, next_state, params, rng)
        return reward - self.cost * (rng.random() < 0.01), ended

    def sequence_returns(self, state, actions, params, rng):
        rewards = super().sequence_returns(state, actions, params, rng)
        return rewards - self.cost * ((rng.random(rewards.shape) < 0.01) & (rewards != 0.0))


class Invalid(Slips):
    """Or are invalid."""

    def step(self, state, action, next_state, params, rng):
        reward, ended = Batched.step(self, state, action, next_state, params, rng)
        return np.nan if rng.random() < 0.01 else reward, ended

    def sequence_returns(self, state, actions, params, rng):
        rewards = Batched.sequence_returns(self, state, actions, params, rng)
        rewards[rng.random(rewards.shape) < 0.01] = np.nan
        return rewards


@pytest.mark.parametrize("kind", [Slips, Invalid])
def test_the_check_of_models_knows_noise_by_its_draws_also_where_it_is_rare(kind):
    for seed in range(10):
        check_sequence_returns(kind(), np.zeros(4), np.random.default_rng(seed))


def test_the_check_of_models_compares_every_sequence_with_noise():
    def sequence_returns(self, state, actions, params, rng):
        return Slips.sequence_returns(self, state, np.repeat(actions[:1], len(actions), axis=0), params, rng)

    with pytest.raises(ValueError, match="as the mean of single steps"):
        check_model(type("Wrong", (Slips,), {"sequence_returns": sequence_returns})(), np.random.default_rng(0))


def test_the_check_of_models_finds_invalid_sequences_where_single_steps_with_noise_are_valid():
    def sequence_returns(self, *given):
        return Slips.sequence_returns(self, *given) * np.nan

    with pytest.raises(ValueError, match="finite in some of 16 repeats, as with single steps"):
        check_model(type("Wrong", (Slips,), {"sequence_returns": sequence_returns})(), np.random.default_rng(0))


@pytest.mark.parametrize("kind", [Batched, Summed, Noisy])
def test_the_check_of_models_compares_with_single_steps(kind):
    check_model(kind(), np.random.default_rng(0))


@pytest.mark.parametrize(("kind", "message"), [(Batched, "what `step` gives"), (Noisy, "as the mean of single steps")])
def test_the_check_of_models_finds_other_rewards(kind, message):
    def sequence_returns(self, *given):
        return kind.sequence_returns(self, *given) - 0.2

    with pytest.raises(ValueError, match=message):
        check_model(type("Wrong", (kind,), {"sequence_returns": sequence_returns})(), np.random.default_rng(0))


def test_another_thread_stops_it():
    import threading

    from bonspiel.planners.core.search import Stopped, stopped_by

    event = threading.Event()
    event.set()
    with stopped_by(event), pytest.raises(Stopped):
        planners.make("cem").plan(Batched(), np.zeros(4), Budget(1_000), np.random.default_rng(0))


class Shaped(Batched):
    """Has other rewards in single steps alone."""

    def step(self, state, action, next_state, params, rng):
        return -float(action @ action), super().step(state, action, next_state, params, rng)[1]


class Passing:
    """The same as a proxy."""

    def __init__(self):
        self.inner = Batched()

    def __getattr__(self, name):
        if name == "inner":  # of a copy under way
            raise AttributeError(name)
        return getattr(self.inner, name)

    def step(self, *given):
        return Shaped().step(*given)


class Both(Shaped):
    sequence_returns = Batched.sequence_returns


@pytest.mark.parametrize(("make", "is_used"), [(Batched, True), (Both, True), (Shaped, False), (Passing, False)])
def test_a_step_of_its_own_is_searched_though_another_class_has_sequence_returns(make, is_used, capfd, monkeypatch):
    monkeypatch.delenv(SAID, raising=False)
    monkeypatch.setattr(Batched, "calls", 0)
    model = make()
    decision = planners.make("icem").plan(model, np.zeros(4), Budget(400), np.random.default_rng(0))
    assert (type(model).__dict__.get("calls", Batched.calls) > 0) == is_used
    assert ("has a `step` of its own" in capfd.readouterr().err) != is_used
    if not is_used:
        assert decision.value > -2.0 and abs(decision.action).max() < 0.5


class Replaced(Batched):
    def __init__(self):
        self.step = Shaped().step


class Through(Passing):
    """Passes the step on as well."""

    step = property(lambda self: self.inner.step)


@pytest.mark.parametrize(("make", "goes"), [(Batched, True), (Through, True), (Replaced, False), (Shaped, False)])
def test_a_step_goes_with_sequence_returns_of_the_same_class_also_where_it_is_counted(make, goes, capfd):
    model = make()
    assert in_batches(model) == goes
    assert in_batches(counting(model)[0]) == goes
