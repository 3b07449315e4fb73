"""Planners say in one line which models they cannot search, and every argument of `plan` has its line."""

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.checks import offers
from bonspiel.planners.core.bounds import LEFT_OUT, STEPS, _visited, state_bounds
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.model import HasActions, HasRollout
from bonspiel.planners.trees.uct import UCT
from tests.planners.tiny_models import python_twin
from tests.planners.trees.rave_uct.claims import Claims


class Walk:
    """A Python model without any optional part: a noisy walk, whose second coordinate never changes."""

    state_dim, horizon, discount, compiled = 2, 5, 1.0, False
    action_low, action_high, params = np.array([-1.0]), np.array([1.0]), np.zeros(0)

    def initial_state(self, rng):
        return np.array([0.0, 7.0])

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state[0] + action[0] + 0.1 * rng.random(), 7.0
        return -abs(next_state[0]), False

    def sample_action(self, state, action, params, rng):
        action[0] = rng.uniform(-1.0, 1.0)


def test_a_class_instead_of_a_model_is_named():
    with pytest.raises(TypeError, match=r"model=Walk: must be an instance; pass Walk\(\)"):
        planners.make("dpw").plan(Walk, np.zeros(2), Budget(1), np.random.default_rng(0))


class Proxy:
    """Passes everything on, as a model that counts steps does."""

    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        return getattr(self.__dict__["model"], name)


def model(**members):
    return type("Changed", (Walk,), members)()


def plan(text, model, simulations=20, **changes):
    arguments = {
        "state": model.initial_state(np.random.default_rng(1)),
        "budget": Budget(simulations),
        "rng": np.random.default_rng(0),
    }
    return planners.parse(text).plan(model, **arguments | changes)


def rollout(self, state, scratch, depth, params, rng):
    return 0.0


def actions(self, state, params, out, keys):
    out[0, 0], keys[0] = 0.5, 1
    return 1


def exact(self, state, action, next_state, params, rng):
    next_state[:] = state[0] + action[0], 7.0
    return -abs(next_state[0]), False


def grid(self, state, size):
    return []


INFINITE = {"action_high": np.array([np.inf])}
UNSUPPORTED = [
    *(
        (f"{name}:leaf=rollout", {}, "needs `rollout`")
        for name in ("uct", "pw", "dpw", "voot", "kr_uct", "crave", "sequential_halving", "open_loop")
    ),
    ("kr_uct:outcome=exact", {}, "needs `step_exact`"),
    ("kr_uct", INFINITE, "finite `action_low` and `action_high`"),
    ("uct", INFINITE, "finite `action_low` and `action_high`"),
    ("sequential_halving", INFINITE, "finite `action_low` and `action_high`"),
    ("scaled_abstraction", INFINITE, "finite `action_low` and `action_high`"),
    ("voot", INFINITE, "finite `action_low` and `action_high`"),
    ("voot", {"player": lambda self, state, params: 1.0}, "one player only"),
    ("cmcgs", INFINITE, "finite `action_low` and `action_high`"),
    ("cmcgs", {"player": lambda self, state, params: 1.0}, "one player only"),
    ("hoot", INFINITE, "finite `action_low` and `action_high`"),
    ("poly_hoot", {"state_low": np.ones(2), "state_high": np.zeros(2)}, "each below the other"),
    ("weighted_uct", INFINITE, "finite `action_low` and `action_high`"),
    ("abstraction", INFINITE, "finite `action_low` and `action_high`"),
    ("abstraction", {"state_low": np.zeros(1), "state_high": np.ones(1)}, "`state_low` and `state_high` of 2 numbers"),
    ("abstraction", {"state_low": np.ones(2), "state_high": np.zeros(2)}, "each below the other"),
    ("abstraction:root=trie", {"actions": actions, "max_actions": 1}, "without `actions`"),
    ("abstraction:memory=1", {"actions": actions, "max_actions": 1}, "without `actions` for a `memory`"),
    ("abstraction:inherited_visits=2", {"actions": actions, "max_actions": 1}, "without `actions` for `inherited"),
    ("abstraction:tree_steps=1", {"actions": actions, "max_actions": 1}, "needs `rollout`"),
    ("presearch", {}, "needs `aim_grid`, `step_exact`, `rollout`"),
    ("presearch:inner=dpw", {"aim_grid": grid}, "needs `step_exact`, `rollout`"),
    ("presearch:inner=(dpw:leaf=rollout)", {"aim_grid": grid, "step_exact": exact}, "needs `rollout`"),
    (
        "presearch:inner=(abstraction:tree_steps=1)",
        {"aim_grid": grid, "step_exact": exact, "actions": actions, "max_actions": 1},
        "needs `rollout`",
    ),
    ("cem", INFINITE, "finite `action_low` and `action_high`"),
    ("cem", {"player": lambda self, state, params: 1.0}, "one player only"),
    ("presearch:inner=cem", {"aim_grid": grid, "step_exact": exact, "rollout": rollout}, "takes `root_actions`"),
    ("open_loop", {"discrete": True, "actions": actions, "max_actions": 1}, "may not be allowed"),
    *(
        (name, {"discrete": True, "actions": actions, "max_actions": 1}, "makes actions of its own")
        for name in ("cem", "cmcgs", "hoot", "icem", "kr_uct", "mppi", "poly_hoot", "voot", "weighted_uct")
    ),
]


@pytest.mark.parametrize(("text", "members", "line"), UNSUPPORTED)
def test_what_a_planner_needs_is_said_before_anything_starts(text, members, line):
    changed = model(**members)
    assert line in planners.unsupported(planners.parse(text), changed)
    with pytest.raises(TypeError, match="cannot search Changed") as refused:
        plan(text, changed)
    assert line in str(refused.value)


@pytest.mark.parametrize("name", planners.names())
def test_a_model_with_every_part_is_supported(name):
    planner, parts = planners.make(name), {"aim_grid": grid, "step_exact": exact, "value": rollout}
    assert planners.unsupported(planner, type("Whole", (Claims,), parts)()) in (None, "one player only")
    one_player = type("OnePlayer", (Claims,), parts | {"player": None})()
    assert planners.unsupported(planner, one_player) is None


def test_a_foreign_planner_need_not_say_anything():
    class Foreign:
        def plan(self, *arguments):
            return None

    assert planners.unsupported(Foreign(), Walk()) is None


@pytest.mark.parametrize("compiled", [True, False])
def test_a_planner_that_forgets_to_say_what_it_needs_fails_with_a_line(compiled):
    class Forgetful(UCT):
        def unsupported(self, model):
            return None

    trap = envs.Trap() if compiled else python_twin(envs.Trap())
    plain = type("Plain", (type(trap),), {"rollout": None})()
    with pytest.raises(TypeError, match=r"calls `rollout`.*`unsupported`"):
        Forgetful(leaf="rollout").plan(plain, np.zeros(2), Budget(20), np.random.default_rng(0))


def test_parts_are_seen_through_a_proxy_and_none_is_no_part():
    assert offers(Proxy(model(rollout=rollout)), HasRollout) and not offers(Proxy(Walk()), HasRollout)
    assert not offers(model(rollout=None), HasRollout)
    assert not offers(model(actions=actions), HasActions), "max_actions belongs to it"


SEARCHES = [name for name in planners.names() if name not in ("presearch", "valued")]


@pytest.mark.parametrize(
    ("name", "changes", "error", "words"),
    [
        *((name, {"state": np.array([np.nan, 0.0])}, ValueError, "state=.*finite") for name in planners.names()),
        ("uct", {"state": "here"}, ValueError, r"state='here'.*vector of 2"),
        ("uct", {"state": None}, ValueError, r"state=None.*vector of 2"),
        ("uct", {"rng": 0}, TypeError, r"rng=0: .*default_rng"),
        ("uct", {"budget": 100}, TypeError, r"budget=100: .*Budget\(simulations"),
    ],
)
def test_a_wrong_argument_is_answered_with_the_right_one(name, changes, error, words):
    with pytest.raises(error, match=words):
        plan(name, envs.Trap(), **changes)


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        *((name, lambda: gymnasium.make("Pendulum-v1"), "from_gymnasium") for name in SEARCHES),
        ("uct", lambda: gymnasium.make("Trap-v0"), r"env.unwrapped.model"),
        ("uct", lambda: gymnasium.make_vec("Pendulum-v1", 2), "single"),
        ("uct", lambda: "trap", "check_model"),
    ],
)
def test_what_is_no_model_is_answered_with_the_way_to_one(name, make, words):
    with pytest.raises(TypeError, match=f"(?s)model=.*{words}"):
        planners.make(name).plan(make(), np.zeros(2), Budget(5), np.random.default_rng(0))


@pytest.mark.parametrize("name", SEARCHES)
def test_a_finished_state_is_refused(name):
    over, state = envs.Trap(), np.array([0.5, 2.0])
    if planners.unsupported(planners.make(name), over):
        over = Claims()
        state = over.initial_state(np.random.default_rng(0))
        state[over.time_index] = over.horizon
    with pytest.raises(ValueError, match="over"):
        plan(name, over, state=state)
    finished = model(steps_left=lambda self, state: 0)
    if planners.unsupported(planners.make(name), finished) is None:
        with pytest.raises(ValueError, match="over"):
            plan(name, finished)


@pytest.mark.parametrize("name", ["uct", "weighted_uct", "abstraction"])
def test_a_set_of_actions_beyond_memory_is_refused(name):
    with pytest.raises(ValueError, match=r"n_actions=100000000: .*from 1 to"):
        planners.make(name, n_actions=10**8)


class TestEstimatedBounds:
    """A model without cells and bounds has its states cut by the range of random rollouts."""

    def test_a_plan_draws_the_same_whether_or_not_bounds_are_estimated(self):
        """The estimate has random numbers of its own: the first and the second plan of a model are the same."""
        walk = Walk()
        decisions = [plan("abstraction", walk, 200, rng=np.random.default_rng(3)) for _ in range(2)]
        assert decisions[0].visits.tolist() == decisions[1].visits.tolist()
        assert decisions[0].values.tolist() == decisions[1].values.tolist()

    def test_once_for_each_model(self):
        calls = []

        def step(self, *arguments):
            calls.append(1)
            return Walk.step(self, *arguments)

        walk = model(step=step)
        first = state_bounds(walk)
        assert 0 < len(calls) <= STEPS
        calls.clear()
        assert state_bounds(walk) is first and not calls
        np.testing.assert_array_equal(state_bounds(Walk()), first)

    def test_range_with_margin_and_a_constant_left_out(self):
        low, _, high, _ = bounds = state_bounds(Walk())
        visited = _visited(Walk())[:, 0]
        half = 0.5 * (visited.max() - visited.min())
        assert (low, high) == (visited.min() - half, visited.max() + half) and half > 1.0
        assert bounds[[1, 3]].tolist() == [-LEFT_OUT, LEFT_OUT]

    @pytest.mark.parametrize(("factor", "most"), [(1.6, 1e7), (1.0, None)])
    def test_a_plant_that_runs_away_keeps_the_states_near_the_median(self, factor, most):
        """Else all states that are worth planning in would lie in one cell."""

        def step(self, state, action, next_state, params, rng):
            next_state[:] = factor * state[0] + action[0], state[1]
            return 0.0, False

        unstable = model(step=step, horizon=50)
        visited, (low, _, high, _) = _visited(unstable)[:, 0], state_bounds(unstable)
        reached = visited.max() - visited.min()
        assert reached > 1e8 and high - low < most if most else high - low == 2.0 * reached

    def test_a_coordinate_that_rests_and_sometimes_moves_far_keeps_its_range(self):
        def step(self, state, action, next_state, params, rng):
            next_state[:] = state[0] + (action[0] > 0.96) + 1e-5 * rng.standard_normal(), state[1]
            return 0.0, False

        lift = model(step=step, initial_state=lambda self, rng: np.zeros(2), horizon=10)
        visited, (low, _, high, _) = _visited(lift)[:, 0], state_bounds(lift)
        assert np.ptp(np.percentile(visited, (25, 75))) < 1e-3 and high - low == 2.0 * np.ptp(visited) > 1.9

    def test_a_coordinate_left_out_makes_no_cells(self):
        hashes = [np.empty(25, np.uint64) for _ in range(3)]
        for out, state in zip(hashes, ([0.5, 7.0], [0.5, -1e9], [0.6, 7.0]), strict=True):
            box_cells(np.array(state), 0, 25, state_bounds(Walk()), out)
        assert hashes[0].tolist() == hashes[1].tolist() != hashes[2].tolist()

    def test_given_bounds_are_kept_and_weight_0_leaves_the_unknown_out(self):
        given = model(
            state_low=np.array([-3.0, -np.inf]),
            state_high=np.array([np.inf, np.inf]),
            distance_weights=np.array([1.0, 0.0]),
        )
        low, steps_low, high, steps_high = state_bounds(given)
        assert low == -3.0 and 1.0 < high < 10.0 and (steps_low, steps_high) == (-LEFT_OUT, LEFT_OUT)

    def test_finite_bounds_are_taken_as_they_are(self):
        trap = envs.Trap()
        assert state_bounds(trap).tolist() == [*trap.state_low, *trap.state_high]

    def test_a_model_with_slots(self):
        class Slotted(Walk):
            __slots__ = ()

        assert plan("abstraction", Slotted()).simulations == 20

    @pytest.mark.parametrize("env_id", ["Pendulum-v1", "MountainCarContinuous-v0", "InvertedPendulum-v5"])
    def test_environments_of_gymnasium(self, env_id):
        env = gymnasium.make(env_id)
        env.reset(seed=1)
        searched = envs.from_gymnasium(env)
        decision = plan("abstraction", searched, 30)
        assert decision.simulations == 30
        bounds = state_bounds(searched).reshape(2, -1)
        seen = env.observation_space.shape[0]
        assert (bounds[1, :-seen] == LEFT_OUT).all() and (bounds[1, -seen:] < 1e6).all()
        assert bounds[0, -seen:].tolist() == pytest.approx(
            np.where(abs(env.observation_space.low) < 1e30, env.observation_space.low, bounds[0, -seen:]).tolist()
        )
