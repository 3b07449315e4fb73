"""check_model has to find what is wrong, and to name it."""

import time

import gymnasium
import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.checks import check_briefly
from bonspiel.envs.trap.model import Trap
from bonspiel.planners.model import AimBlock


class Walk:
    """A sound Python model: a walk on [0, 10] with everything that a model may offer."""

    state_dim, horizon, discount, compiled, time_index = 2, 5, 0.9, False, 1
    action_low, action_high, params = np.zeros(1), np.ones(1), np.array([0.1])

    def initial_state(self, rng):
        return np.zeros(2)

    def step(self, state, action, next_state, params, rng):
        next_state[0] = state[0] + action[0] + params[0] * rng.random()
        next_state[1] = state[1] + 1.0
        return float(action[0]), False

    def sample_action(self, state, action, params, rng):
        action[0] = rng.random()

    def rollout(self, state, scratch, depth, params, rng):
        return rng.random()

    def player(self, state, params):
        return 1.0

    def cells(self, state, first, last, params, out):
        for depth in range(first, last):
            out[depth - first] = int(state[0] * 2**depth)

    def step_exact(self, state, action, next_state, params, rng):
        next_state[:] = state[0] + action[0], state[1] + 1.0
        return float(action[0]), False

    max_actions = 3

    def actions(self, state, params, out, keys):
        out[:2, 0], keys[:2] = (0.25, 0.75), (7, 9)
        return 2

    def aim_grid(self, state, size):
        return [AimBlock(np.linspace(0.0, 1.0, size).reshape(2, -1, 1), (0.0, 1.5))]

    def steps_left(self, state):
        return self.horizon - int(state[1])

    n_regions = 2

    def traced_rollout(self, state, scratch, depth, params, rng, keys, movers, owners):
        keys[0], movers[:2], owners[:] = 7, (1.0, 0.0), (0.5, -1.0, 1.0)
        return rng.random()

    def priors(self, state, params, actions, out):
        out[:] = 10.0, 0.5

    def region(self, action, params):
        return -1 if action[0] < 0.5 else 1


def writes_state(self, state, action, next_state, params, rng):
    state[0] += 1.0
    return Walk.step(self, state, action, next_state, params, rng)


def forgets_an_entry(self, state, action, next_state, params, rng):
    next_state[0] = state[0]
    return 0.0, False


def own_noise(self, state, action, next_state, params, rng, stream=np.random.default_rng(0)):  # noqa: B008
    return Walk.step(self, state, action, next_state, params, stream)


def result(*returned):
    def step(self, state, action, next_state, params, rng):
        Walk.step(self, state, action, next_state, params, rng)
        return returned

    return step


def nan_state(self, state, action, next_state, params, rng):
    next_state[:] = np.nan, state[1] + 1.0
    return 0.0, False


def stands_still(self, state, action, next_state, params, rng):
    next_state[:] = state
    return 0.0, False


def out_of_bounds(self, state, action, params, rng):
    action[0] = 1.5


def unrefined_cells(self, state, first, last, params, out):
    for depth in range(first, last):
        out[depth - first] = int(state[0] * 8) if depth < 3 else depth


def cells_from_zero(self, state, first, last, params, out):
    out[: last - first] = np.arange(last - first)


def draws_noise(self, state, action, next_state, params, rng):
    rng.random()
    return Walk.step_exact(self, state, action, next_state, params, rng)


def chosen(actions, keys, n):
    def write(self, state, params, out, used):
        out[: len(actions), 0], used[: len(keys)] = actions, keys
        return n

    return write


def never_the_same(self, state, params, out, keys, stream=np.random.default_rng(0)):  # noqa: B008
    out[0, 0] = stream.random()
    return 1


def changes_state(self, state, params, out, keys):
    state[0] += 1.0
    return Walk.actions(self, state, params, out, keys)


def grid(actions, sd=(0.0, 0.0)):
    return lambda self, state, size: [AimBlock(np.array(actions), sd)]


def random_grid(self, state, size, stream=np.random.default_rng(0)):  # noqa: B008
    return [AimBlock(stream.random((2, 3, 1)), (0.0, 0.0))]


def traces(movers, owners):
    def write(self, state, scratch, depth, params, rng, keys, played, owned):
        played[: len(movers)], owned[: len(owners)] = movers, owners
        return 0.0

    return write


SHARED = np.zeros(2)
ELSEWHERE = np.random.default_rng(0)

BROKEN = [
    ("step", writes_state, r"^step\(\.\.\.\).*without effect on its state"),
    ("step", forgets_an_entry, r"^step\(\.\.\.\).*every entry"),
    ("step", own_noise, r"^step\(\.\.\.\).*same random numbers"),
    ("step", result(np.nan, False), r"^step\(\.\.\.\)=nan.*finite"),
    ("step", result(np.zeros(1), False), r"^step\(\.\.\.\).*a number as a reward"),
    ("step", result(0.0, 2.0), r"^step\(\.\.\.\)=2.0.*terminated"),
    ("step", result(0.0), r"^step\(\.\.\.\).*pair"),
    ("step", nan_state, r"^step\(\.\.\.\).*finite"),
    ("step", stands_still, r"^step\(\.\.\.\).*time_index=1"),
    ("sample_action", out_of_bounds, r"^sample_action\(\.\.\.\).*within"),
    ("rollout", lambda *_: np.inf, r"^rollout\(\.\.\.\).*finite"),
    ("player", lambda *_: 0.0, r"^player\(\.\.\.\).*\+1.0 or -1.0"),
    ("cells", unrefined_cells, r"^cells\(\.\.\.\).*refining"),
    ("cells", cells_from_zero, r"^cells\(\.\.\.\).*first depth"),
    ("step_exact", draws_noise, r"^step_exact\(\.\.\.\).*without any draw"),
    ("step_exact", own_noise, r"^step_exact\(\.\.\.\).*same again"),
    ("step_exact", forgets_an_entry, r"^step_exact\(\.\.\.\).*every entry"),
    ("actions", chosen([0.25], [7], 0), r"^actions\(\.\.\.\)=0.*from 1 to max_actions=3"),
    ("actions", chosen([0.25], [7], 4), r"^actions\(\.\.\.\)=4.*from 1 to max_actions=3"),
    ("actions", chosen([0.25, 0.75], [7, 7], 2), r"^actions\(\.\.\.\).*key of its own"),
    ("actions", chosen([0.25, 1.75], [7, 9], 2), r"^actions\(\.\.\.\).*within"),
    ("actions", chosen([0.25, np.nan], [7, 9], 2), r"^actions\(\.\.\.\).*within"),
    ("actions", chosen([0.25], [7, 9], 2), r"^actions\(\.\.\.\).*within"),
    ("actions", never_the_same, r"^actions\(\.\.\.\).*same again"),
    ("actions", changes_state, r"^actions\(\.\.\.\).*without effect on its state"),
    ("max_actions", None, r"^max_actions=None"),
    ("aim_grid", lambda self, state, size: [], r"^aim_grid\(\.\.\.\)=\[\].*AimBlock"),
    ("aim_grid", lambda self, state, size: [(np.zeros((1, 1, 1)), (0.0, 0.0))], r"^aim_grid\(\.\.\.\).*AimBlock"),
    ("aim_grid", grid([[0.5], [0.6]]), r"^aim_grid\(\.\.\.\)=\(2, 1\).*\[rows, columns, 1\]"),
    ("aim_grid", grid([[[0.5, 0.6]]]), r"^aim_grid\(\.\.\.\)=\(1, 1, 2\).*\[rows, columns, 1\]"),
    ("aim_grid", grid([[[0.5], [1.1]]]), r"^aim_grid\(\.\.\.\).*within"),
    ("aim_grid", grid([[[0.5], [np.nan]]]), r"^aim_grid\(\.\.\.\).*within"),
    ("aim_grid", grid([[[0.5]]], (0.0, -1.0)), r"^aim_grid\(\.\.\.\)=\(0.0, -1.0\).*at least 0"),
    ("aim_grid", grid([[[0.5]]], (0.0,)), r"^aim_grid\(\.\.\.\)=\(0.0,\).*two"),
    ("aim_grid", random_grid, r"^aim_grid\(\.\.\.\).*same at every call"),
    ("traced_rollout", traces((1.0,), (0.5, 0.0, 1.0)), r"^traced_rollout\(\.\.\.\).*a 0 after the last"),
    ("traced_rollout", traces((0.5, 0.0), (0.5, 0.0, 1.0)), r"^traced_rollout\(\.\.\.\).*\+1.0 or -1.0"),
    ("traced_rollout", traces((0.0,), (1.5, 0.0, 1.0)), r"^traced_rollout\(\.\.\.\).*owners from -1 to 1"),
    ("traced_rollout", traces((0.0,), (0.5, 0.0)), r"^traced_rollout\(\.\.\.\).*owners from -1 to 1"),
    ("traced_rollout", traces((0.0,), (0.5, 0.0, 0.5)), r"^traced_rollout\(\.\.\.\)=0.5.*winner"),
    ("n_regions", 0, r"^n_regions=0"),
    ("priors", lambda *_: None, r"^priors\(\.\.\.\).*each action"),
    ("region", lambda *_: 2, r"^region\(\.\.\.\)=2.*n_regions - 1=1"),
    ("steps_left", lambda self, state: 0, r"^steps_left\(\.\.\.\)=0.*horizon=5"),
    ("steps_left", lambda self, state: 6, r"^steps_left\(\.\.\.\)=6.*horizon=5"),
    ("initial_state", lambda self, rng: np.zeros(3), r"^initial_state\(\.\.\.\).*length 2"),
    ("initial_state", lambda self, rng: np.array([0.0, 5.0]), r"^initial_state\(\.\.\.\).*steps left: from 0 to 4"),
    ("initial_state", lambda self, rng: [0.0, 0.0], r"^initial_state\(\.\.\.\).*float64"),
    ("initial_state", lambda self, rng: ELSEWHERE.random(2), r"^initial_state\(\.\.\.\).*copy of the generator"),
    ("initial_state", lambda self, rng: SHARED, r"^initial_state\(\.\.\.\).*new array"),
    ("action_low", np.ones(1), r"^action_low=.*below"),
    ("action_high", np.ones(1, np.float32), r"^action_high=.*float64"),
    ("params", [0.1], r"^params=.*float64"),
    ("discount", 1.5, r"^discount=1.5"),
    ("horizon", 0, r"^horizon=0"),
    ("state_dim", 0, r"^state_dim=0"),
    ("time_index", 2, r"^time_index=2"),
    ("time_index", 1.0, r"^time_index=1.0"),
    ("null_action", np.array([7.0]), r"^null_action=.*within"),
    ("distance_weights", np.ones(1), r"^distance_weights=.*2 numbers"),
    ("action_sd", np.array([-0.1]), r"^action_sd=.*1 finite numbers of at least 0"),
    ("lookahead", 2.5, r"^lookahead=2.5"),
    ("state_low", np.zeros(1), r"^state_low=.*2 numbers"),
    ("compiled", True, r"^step=.*compiled\(\"step\"\)"),
]


def test_sound_model_passes():
    envs.check_model(Walk(), np.random.default_rng(0))


@pytest.mark.parametrize(("name", "value", "message"), BROKEN)
def test_broken_model_is_caught(name, value, message):
    broken = type("Broken", (Walk,), {name: value})()
    with pytest.raises(ValueError, match=f"(?s){message}"):
        envs.check_model(broken, np.random.default_rng(0))


def test_bounds_of_states_the_wrong_way_round_are_caught():
    broken = type("Broken", (Walk,), {"state_low": np.full(2, 9.0), "state_high": np.full(2, 8.0)})()
    with pytest.raises(ValueError, match=r"^state_low=.*at most state_high"):
        envs.check_model(broken, np.random.default_rng(0))


def test_missing_function_is_named():
    class Partial:
        state_dim = 1

    with pytest.raises(ValueError, match=r"^action_low='missing'"):
        envs.check_model(Partial(), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("part", "absent", "needs"),
    [
        ("priors", "actions", "`actions`"),
        ("region", "actions", "`actions`"),
        ("region", "traced_rollout", "`traced_rollout`"),
    ],
)
def test_a_part_that_needs_another_is_named_with_it(part, absent, needs):
    others = dict.fromkeys({"priors", "region"} - {part})
    broken = type("Broken", (Walk,), {absent: None, **others})()
    with pytest.raises(ValueError, match=f"^{part}='offered': must be left out, as it needs {needs}$"):
        envs.check_model(broken, np.random.default_rng(0))


def test_compiled_code_that_differs_from_its_source_is_caught():
    class Twisted:
        def py_func(self, *arguments):
            reward, terminated = Trap.step(*arguments)
            return reward + 1.0, terminated

        def __call__(self, *arguments):
            return Trap.step(*arguments)

    broken = type("Broken", (Trap,), {"step": Twisted()})()
    with pytest.raises(ValueError, match=r"^step\(\.\.\.\).*the same interpreted"):
        envs.check_model(broken, np.random.default_rng(0))


@pytest.mark.parametrize(("seconds", "most"), [(0.0, 21), (0.03, 1)])
def test_a_brief_check_looks_at_few_states_and_at_one_of_a_slow_model(seconds, most):
    class Timed(Walk):
        calls = 0

        def step(self, *given):
            self.calls += 1
            time.sleep(seconds)
            return super().step(*given)

    model = Timed()
    check_briefly(model, np.random.default_rng(0))
    assert 2 <= model.calls <= 2 * most  # each is called twice


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((Walk(), 0), "rng=0: must be a Generator, such as numpy.random.default_rng(0)"),
        ((Walk(),), "rng=None: must be a Generator"),
        ((gymnasium.make("Trap-v0"),), "must be a planners.Model: take bonspiel.envs.from_gymnasium(env)"),
        (
            (gymnasium.make("Trap-v0"), np.random.default_rng(0)),
            "must be a planners.Model: take bonspiel.envs.from_gymnasium(env)",
        ),
    ],
)
def test_what_is_no_model_or_no_generator_is_refused_in_one_line(given, words):
    with pytest.raises(ValueError) as refused:
        envs.check_model(*given)
    assert words in str(refused.value) and "\n" not in str(refused.value)
