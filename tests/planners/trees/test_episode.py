"""Trees that decisions hand on: what is kept of them, which part, and when nothing is."""

from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.bounds import state_bounds
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.core.tree import subtree
from bonspiel.planners.core.tree.nodes import BLOCK, EDGES, NODES
from bonspiel.planners.core.tree.subtree import SHARE, tree_below
from bonspiel.planners.testing import Walk
from tests.planners.tiny_models import Chain, Duel, Target, python_twin
from tests.planners.trees.rave_uct.claims import MOVES, Claims

LINE, CLAIMS = envs.parse("double_integrator"), Claims()
GROWN = "leaf=tree"  # rollouts leave few nodes to keep
NAMES = (
    f"uct:{GROWN}",
    "uct:leaf=rollout,bonus=ucb_v",
    f"pw:{GROWN},k_action=1",
    f"dpw:{GROWN},k_action=1",
    f"dpw:{GROWN},k_action=1,outcome=least_visited",
    f"voot:{GROWN}",
    "rave_uct",
)
MODELS = {  # beside Target
    f"uct:{GROWN}": (Chain(), Duel()),
    f"dpw:{GROWN},k_action=1": (Chain(), Duel(), LINE),
    "rave_uct": (Duel(), CLAIMS),
}
PAIRS = [
    (planners.parse(f"{name}{',' if ':' in name else ':'}memory=1"), model)
    for name in NAMES
    for model in (Target(), *MODELS.get(name, ()))
    if planners.unsupported(planners.parse(name), model) is None
]


def short(one):
    return repr(one)[:60]


each_pair = pytest.mark.parametrize(("planner", "model"), PAIRS, ids=short)


def start(model):
    return model.initial_state(np.random.default_rng(8))


def searched(plan, *given):
    """The decision and the tree that it leaves."""
    with kept_trees() as trees:
        decision = plan(*given)
    return decision, getattr(trees[-1], "tree", trees[-1])


def below(tree, node=0, is_root=True):
    """All that a search knows of a node and of those below it, without where they are."""
    one = tree.nodes[node]
    edges = range(one["first_edge"], one["first_edge"] + max(one["actions"], 0))
    content = [] if is_root else [tree.state[node].tolist(), float(one["reward"])]
    content += [int(one[field]) for field in ("visits", "actions", "due")] + [float(one["player"])]
    for edge in edges:
        content.append([int(tree.edges[edge][field]) for field in ("visits", "due", "outcomes")])
        content += [tree.value[edge].tobytes(), tree.action[edge].tolist()]  # columns that nobody reads may be NaN
        content += [below(tree, outcome, False) for outcome in outcomes(tree, edge)]
    return content


def outcomes(tree, edge):
    outcome = tree.edges[edge]["first_outcome"]
    while outcome != 0:
        yield outcome
        outcome = tree.nodes[outcome]["sibling"]


def played_edge(tree, action):
    first, count = tree.nodes[0]["first_edge"], tree.nodes[0]["actions"]
    return first + int(np.flatnonzero((tree.action[first : first + count] == action).all(1))[0])


def stepped(model, state, action, rng=None):
    following = np.empty_like(state)
    _, over = model.step(state, action, following, model.params, rng or np.random.default_rng(3))
    assert not over
    return following


def found(decision):
    return decision.action.tolist(), decision.visits.tolist(), np.nan_to_num(decision.values).tolist()


@each_pair
def test_what_is_kept_is_the_part_of_the_tree_below_a_node(planner, model):
    _, tree = searched(planner.plan, model, start(model), Budget(120), np.random.default_rng(1))
    nodes = range(0, int(tree.size[NODES]), 7)
    assert any(tree.nodes[node]["actions"] > 0 for node in nodes)
    for node in nodes:
        for either in (model, python_twin(model)) if node < 20 else (model,):
            kept, origin = tree_below(either, tree, node, model.horizon, 10)
            assert below(kept) == below(tree, node) and kept.returns.tolist() == tree.returns.tolist()
            count = int(kept.size[NODES])
            assert kept.state[:count].tolist() == tree.state[origin[:count]].tolist()
            assert len(kept.nodes) >= count + 10 and len(kept.edges) >= kept.size[EDGES]
            assert kept.size[BLOCK] >= kept.nodes["actions"][:count].max()  # or the next search may leave the tree


@each_pair
def test_the_next_decision_adds_to_the_visits_of_the_state_reached(planner, model):
    """Its own simulations, and no tree has two nodes for one state where these tell nodes apart."""
    episode, rng, state = planners.begin_episode(planner, model), np.random.default_rng(1), start(model)
    first, tree = searched(episode.plan, state, Budget(150), rng)
    assert found(first) == found(planner.plan(model, state, Budget(150), np.random.default_rng(1)))
    edge = played_edge(tree, first.action)
    node = max(outcomes(tree, edge), key=lambda one: tree.nodes[one]["visits"])
    before = {tuple(tree.action[e]): int(tree.edges[e]["visits"]) for e in edges_of(tree, node)}
    second, after = searched(episode.plan, tree.state[node].copy(), Budget(40), rng)
    assert second.simulations == 40 and second.visits.sum() == sum(before.values()) + 40
    assert before or planner.leaf == "rollout"  # by which the only visit of a noisy outcome went no further
    now = dict(zip(map(tuple, second.actions), second.visits.tolist(), strict=True))
    assert all(now[action] >= visits for action, visits in before.items())
    for node in range(int(after.size[NODES])) if isinstance(model, Chain) else ():
        assert all(len([*outcomes(after, edge)]) <= 1 for edge in edges_of(after, node))


def edges_of(tree, node):
    return range(tree.nodes[node]["first_edge"], tree.nodes[node]["first_edge"] + tree.nodes[node]["actions"])


class Untimed(Claims):
    """A model without a time index, so that states do not count the steps."""

    time_index = None


@pytest.mark.parametrize("model", [CLAIMS, Untimed()], ids=["timed", "untimed"])
@pytest.mark.parametrize("name", ["uct", "pw", "dpw", "rave_uct"])
def test_the_reply_of_the_other_player_is_found(name, model):
    planner, rng, state = planners.make(name, memory=1.0), np.random.default_rng(1), start(model)
    episode = planners.begin_episode(planner, model)
    first, tree = searched(episode.plan, state, Budget(800), rng)
    (node,) = outcomes(tree, played_edge(tree, first.action))
    reply = max(edges_of(tree, node), key=lambda edge: tree.edges[edge]["visits"])
    (node,) = outcomes(tree, reply)
    expected = sum(int(tree.edges[edge]["visits"]) for edge in edges_of(tree, node))
    state = stepped(model, stepped(model, state, first.action), tree.action[reply].copy())
    assert expected > 0 and episode.plan(state, Budget(30), rng).visits.sum() == expected + 30


def test_a_noisy_step_leads_to_the_nearest_outcome_of_the_action_played():
    """From there on simulations start in the true state."""
    planner, rng, state = (
        planners.make("dpw", memory=1.0, k_state=4.0),
        np.random.default_rng(1),
        np.zeros(LINE.state_dim),
    )
    episode = planners.begin_episode(planner, LINE)
    first, tree = searched(episode.plan, state, Budget(400), rng)
    reached = stepped(LINE, state, first.action)
    low, high = state_bounds(LINE).reshape(2, -1)
    near = [*outcomes(tree, played_edge(tree, first.action))]
    node = min(near, key=lambda one: (((tree.state[one] - reached) / (high - low)) ** 2).sum())
    assert len(near) > 3 and not (tree.state[near] == reached).all(1).any()
    kept = sum(int(tree.edges[edge]["visits"]) for edge in edges_of(tree, node))
    second, after = searched(episode.plan, reached, Budget(50), rng)
    assert kept > 0 and second.visits.sum() == kept + 50 and after.state[0].tolist() == reached.tolist()


@pytest.mark.parametrize("name", ["uct", "pw", "dpw", "rave_uct"])
def test_a_state_that_was_not_foreseen_is_searched_afresh(name):
    model = CLAIMS if name == "rave_uct" else LINE
    planner, rng, state = planners.make(name, memory=1.0), np.random.default_rng(1), start(model)
    far = state.copy()
    if model is LINE:
        far[:] = 4.0, -4.0, 1.0
    else:  # two points of one player
        far[[0, 1, MOVES]] = 1.0, 1.0, 2.0
    episode = planners.begin_episode(planner, model)
    episode.plan(state, Budget(60), rng)
    fresh = planner.plan(model, far, Budget(60), np.random.default_rng(5))
    assert found(episode.plan(far, Budget(60), np.random.default_rng(5))) == found(fresh)


@each_pair
def test_given_actions_are_searched_afresh_and_leave_nothing(planner, model):
    episode, state = planners.begin_episode(planner, model), start(model)
    chosen = episode.plan(state, Budget(60), np.random.default_rng(1)).action[None]
    for given in (chosen, None):
        rng, other = np.random.default_rng(5), np.random.default_rng(5)
        fresh = planner.plan(model, state, Budget(60), other, given)
        assert found(episode.plan(state, Budget(60), rng, given)) == found(fresh)
    assert episode.plan(state, Budget(60), np.random.default_rng(5)).visits.sum() == 120


@pytest.mark.parametrize(("planner", "model"), [pair for pair in PAIRS if pair[1] not in (LINE, CLAIMS)], ids=short)
def test_compiled_and_interpreted_episodes_are_identical(planner, model):
    decided = []
    for either in (model, python_twin(model)):
        episode, rng, noise = (
            planners.begin_episode(planner, either),
            np.random.default_rng(1),
            np.random.default_rng(2),
        )
        state = start(either)
        decided.append([])
        for _ in range(2):
            decision = episode.plan(state, Budget(60), rng)
            decided[-1].append(found(decision))
            following = np.empty_like(state)
            if either.step(state, decision.action, following, either.params, noise)[1]:
                break
            state = following
        decided[-1].append(rng.bit_generator.state)
    assert decided[0] == decided[1]


@each_pair
def test_a_budget_of_seconds_adds_to_what_was_kept(planner, model):
    """All of the tree, where the same state is asked about again."""
    episode, rng, state = planners.begin_episode(planner, model), np.random.default_rng(1), start(model)
    before = episode.plan(state, Budget(60), rng)
    after = episode.plan(state, Budget(seconds=0.002), rng)
    assert after.visits.sum() == 60 + after.simulations and after.visits[: len(before.visits)].sum() >= 60


def small_chunks(monkeypatch):
    for name in ("CHUNK", "PYTHON_CHUNK"):
        monkeypatch.setattr(subtree, name, 4)


deep = pytest.mark.parametrize(
    ("name", "model"),
    [("uct", Chain()), ("uct", python_twin(Chain())), ("dpw", LINE), ("voot", LINE), ("rave_uct", CLAIMS)],
)


@deep
def test_what_there_is_no_time_to_copy_is_left_out_as_if_it_were_new(name, model, monkeypatch):
    small_chunks(monkeypatch)
    planner = planners.make(name)
    _, tree = searched(planner.plan, model, start(model), Budget(120), np.random.default_rng(1))
    kept, origin = tree_below(model, tree, 0, model.horizon, 10, until=-np.inf)
    assert 4 < kept.size[NODES] < tree.size[NODES]
    for node in range(int(kept.size[NODES])):
        old, new = tree.nodes[origin[node]], kept.nodes[node]
        assert all(old[field] == new[field] for field in ("visits", "reward", "player"))
        if node < 4 or old["actions"] <= 0:
            assert old["actions"] == new["actions"] and old["due"] == new["due"]
        else:
            assert new["actions"] == new["due"] == 0


@deep
def test_copying_takes_a_share_of_a_time_budget(name, model, monkeypatch, ticking):
    small_chunks(monkeypatch)
    episode, state = planners.begin_episode(planners.make(name, memory=1), model), start(model)
    _, tree = searched(episode.plan, state, Budget(400), np.random.default_rng(1))
    ticking(SHARE * 0.02 / 5)
    kept, _ = episode.memory.recall(problem_of(model, state), 10, Budget(seconds=0.02))
    before, now = (sum(one.nodes["actions"][: one.size[NODES]] > 0) for one in (tree, kept))
    assert now <= 5 * 4 < before
    after = episode.plan(state, Budget(seconds=0.02), np.random.default_rng(1))
    assert after.visits.sum() == 400 + after.simulations


class Sides(Walk):
    """The legal actions to the right of 0 are others than to the left of it."""

    horizon = 6
    discrete = True
    max_actions = 3
    params = np.array([1.0])

    def actions(self, state, params, out, keys):
        out[:, 0] = (0.6 if state[0] > 0.0 else 0.1) + 0.1 * np.arange(3)
        keys[:] = 1, 2, 3
        return 3

    def sample_action(self, state, action, params, rng):
        action[0] = (0.6 if state[0] > 0.0 else 0.1) + 0.1 * rng.integers(3)


@pytest.mark.parametrize("name", ["uct", "pw", "dpw"])
def test_the_nearest_outcome_is_not_kept_where_other_actions_are_legal(name):
    model, other = Sides(), 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        episode = planners.begin_episode(planners.parse(f"{name}:memory=1,leaf=tree"), model)
        state = model.initial_state(rng)
        for _ in range(model.horizon):
            action = episode.plan(state, Budget(12), rng).action
            low = 0.6 if state[0] > 0.0 else 0.1
            assert low - 1e-9 <= action[0] <= low + 0.2 + 1e-9
            before, after = state[0], np.empty(2)
            model.step(state, action, after, model.params, rng)
            state, other = after, other + ((before > 0.0) != (after[0] > 0.0))
    assert other > 10


def test_the_nearest_outcome_is_kept_where_other_actions_are_only_proposed():
    """Its only outcome lies to the left of 0, the state reached to the right of it."""
    for discrete in (False, True):
        model = type("One", (Sides,), {"discrete": discrete, "params": np.zeros(1)})()
        episode = planners.begin_episode(planners.parse("uct:memory=1,leaf=tree"), model)
        first = episode.plan(np.array([-1.0, 0.0]), Budget(200), np.random.default_rng(0))
        assert -1.0 + first.action[0] < 0.0
        kept = episode.memory.recall(problem_of(model, np.array([0.05, 1.0])), 10, Budget(20))
        assert (kept is None) == discrete


class Paid(Walk):
    """The first step pays 100, later ones little; then actions above 0.3 are invalid."""

    def step(self, state, action, next_state, params, rng):
        super().step(state, action, next_state, params, rng)
        if state[1] == 0.0:
            return 100.0, False
        return (np.nan if action[0] > 0.3 else 0.05 * (1.0 - action[0])), False


@pytest.mark.parametrize("name", ["uct", "pw", "dpw", "voot"])
def test_an_invalid_simulation_is_not_worth_the_rewards_already_earned(name):
    model, played = Paid(), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        episode = planners.begin_episode(planners.parse(f"{name}:memory=1,leaf=tree"), model)
        first, after = episode.plan(np.zeros(2), Budget(30), rng), np.empty(2)
        model.step(np.zeros(2), first.action, after, model.params, rng)
        second = episode.plan(after, Budget(30), rng)
        played.append(second.action[0])
        assert second.values[second.visits > 0].max() < 1.0
    assert np.mean(np.array(played) > 0.3) < 0.2


class Fragile(Walk):
    """Every second step is invalid."""

    def step(self, state, action, next_state, params, rng):
        reward, over = super().step(state, action, next_state, params, rng)
        return (np.nan if next_state[1] > 1.0 and rng.random() < params[0] else reward), over


def test_invalid_simulations_count_as_the_worst_valid_one_that_a_kept_tree_has_met():
    model, rng = Fragile(), np.random.default_rng(0)
    model.params = np.array([0.1])
    episode = planners.begin_episode(planners.parse("uct:memory=1,leaf=tree"), model)
    first = episode.plan(np.zeros(2), Budget(300), rng)
    model.params = np.array([1.0])  # no simulation is valid any more
    after = np.empty(2)
    Walk.step(model, np.zeros(2), first.action, after, model.params, rng)
    second = episode.plan(after, Budget(20), rng)
    assert second.invalid == 20 and second.values[second.visits > 0].min() > -100.0


def test_the_first_decision_loads_what_the_second_copies_with(monkeypatch):
    loaded = []
    for name in ("find_state", "nearest_outcome", "_copy_below"):
        monkeypatch.setattr(subtree, name, SimpleNamespace(load=lambda name=name: loaded.append(name)))
    episode = planners.begin_episode(planners.make("uct", memory=1), LINE)
    episode.plan(start(LINE), Budget(10), np.random.default_rng(1))
    assert loaded == ["find_state", "nearest_outcome", "_copy_below"]
