"""RAVE by hand: values of edges, which actions take a return, what actions start with, and searches of small boards."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.core.jit import no_validity
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.core.tree.nodes import MEAN, UNTRIED, VARIANCE, add_node
from bonspiel.planners.core.tree.selection import UCB1, UCB1_TUNED, Terms
from bonspiel.planners.jit import compiled
from bonspiel.planners.trees.rave_uct.amaf import back_up_rave, number_of
from bonspiel.planners.trees.rave_uct.search import expand_node
from bonspiel.planners.trees.rave_uct.selection import RaveSelection, rave_score
from bonspiel.planners.trees.rave_uct.tree import (
    KEY,
    NO_KEY,
    PRIOR_MEAN,
    PRIOR_VISITS,
    RAVE_MEAN,
    RAVE_VISITS,
    REGION,
    SHIFT,
    new_rave_tree,
    new_rave_walk,
)
from tests.planners.tiny_models import Duel, python_twin
from tests.planners.trees.rave_uct.claims import Claims

CLAIMS = Claims()
TWIN = python_twin(CLAIMS)  # whose functions can be called from Python
ROOT = math.sqrt(2.0 * math.log(50))


def begun(planner=None, state=None, steps=8):
    """A search of a board whose root has its edges, with nothing played yet."""
    planner = planners.make("rave_uct", priors=False) if planner is None else planner
    state = CLAIMS.initial_state(None) if state is None else state
    problem, settings = problem_of(TWIN, state), planner.settings(CLAIMS)
    known = new_rave_tree(CLAIMS, problem, 16, None, settings.first_play, planner.prunes)
    walk = new_rave_walk(CLAIMS, steps, planner.priors)
    expand_node(known, walk, problem, 0, 0, np.random.default_rng(0), settings)
    return known, walk, settings


def edge_of(known, index, node=0):
    first, count = (int(known.tree.nodes[node][name]) for name in ("first_edge", "actions"))
    return next(edge for edge in range(first, first + count) if known.tree.action[edge, 0] == index)


def score(visits=0, mean=0.0, rave=(0, 0.0), prior=(0, 0.0), variance=0.0, shift=0.0, **rule):
    known, _, _ = begun()
    row = known.tree.value[0]
    known.tree.edges[0]["visits"] = visits
    if visits:
        row[MEAN], row[VARIANCE] = mean, variance
    row[RAVE_VISITS], row[RAVE_MEAN] = rave
    row[PRIOR_VISITS], row[PRIOR_MEAN] = prior
    row[SHIFT] = shift
    defaults = {"exploration": 0.0, "bonus": UCB1, "equivalence": 1000.0, "fuego": False, "weight": 0.0}
    selection = RaveSelection(**defaults | rule)
    terms = Terms(selection.exploration, ROOT, 0.0, selection.bonus)
    return rave_score(known.tree, known.territory, 0, terms, selection)


def test_an_action_of_which_nothing_is_known_has_its_urgency():
    assert score() == pytest.approx(2 * 1.1 - 1)


def test_without_visits_the_rave_mean_is_the_value():
    assert score(rave=(7, 0.4)) == pytest.approx(0.4)


def test_without_rave_visits_the_mean_is_the_value():
    assert score(10, 0.25) == pytest.approx(0.25)


def test_mean_and_rave_mean_are_mixed_by_the_equivalence():
    weight = math.sqrt(300 / (3 * 100 + 300))
    assert score(100, 0.2, (50, 0.6), equivalence=300.0) == pytest.approx((1 - weight) * 0.2 + weight * 0.6)


def test_fuego_mixes_by_the_rave_visits():
    weight = 50 / (50 + 100 * (1 / 0.9 + 50 / 20_000))
    assert score(100, 0.2, (50, 0.6), fuego=True) == pytest.approx((1 - weight) * 0.2 + weight * 0.6)


def test_priors_count_as_visits():
    assert score(10, 0.5, prior=(30, -0.1)) == pytest.approx((10 * 0.5 - 30 * 0.1) / 40)
    assert score(0, prior=(30, -0.1)) == pytest.approx(-0.1)


def test_the_bonus_of_ucb1():
    assert score(9, 0.5, exploration=2 * 0.7) == pytest.approx(0.5 + 2 * 0.7 * math.sqrt(2 * math.log(50) / 9))
    # nothing is tried by itself, the bonus is that of one visit
    assert score(rave=(3, 0.1), exploration=1.0) == pytest.approx(0.1 + ROOT)


@pytest.mark.parametrize("variance", [0.0, 0.3, 1.0])
def test_ucb1_tuned_on_the_scale_of_win_rates(variance):
    n, log = 400, math.log(50)
    width = math.sqrt(log / n * min(0.25, variance / 4 + math.sqrt(2 * log / n)))
    found = score(n, 0.5, variance=variance, exploration=2.0, bonus=UCB1_TUNED)
    assert found == pytest.approx(0.5 + 2 * width)


def test_a_pruned_edge_is_never_selected():
    assert score(10, 0.9, shift=-math.inf) == -math.inf


def simulated(moves, movers, player=1.0, gain=1.0):
    """RAVE visits by point after one simulation: the root's player plays point 0, then a playout of these moves."""
    known, walk, _ = begun()
    known.tree.nodes[0]["player"] = player
    walk.path[0] = 0, edge_of(known, 0), 0.0
    walk.keys[: len(moves)], walk.movers[: len(moves)], walk.movers[len(moves)] = moves, movers, 0.0
    back_up_rave(known, walk, 1, gain, True, 1.0, no_validity(), True)
    edges = range(int(known.tree.nodes[0]["actions"]))
    rows = known.tree.value
    return {int(known.tree.action[e, 0]): rows[e, RAVE_MEAN] for e in edges if rows[e, RAVE_VISITS] > 0}


def test_actions_of_the_own_player_later_on_take_the_return():
    assert simulated([7, 8, 9], [-1.0, 1.0, -1.0]) == {0: 1.0, 8: 1.0}


def test_a_capture_and_replay_does_not_count():
    assert simulated([7, 8, 7], [-1.0, -1.0, 1.0]) == {0: 1.0}


def test_an_action_that_is_played_twice_counts_once():
    known_twice = simulated([8, 9, 8], [1.0, -1.0, 1.0])
    assert known_twice == {0: 1.0, 8: 1.0}


def test_returns_are_those_of_the_node_s_player():
    assert simulated([7, 8], [1.0, -1.0], player=-1.0) == {0: -1.0, 8: -1.0}


def test_keys_have_numbers_as_long_as_there_is_room():
    known, _, _ = begun()
    assert int(known.used[0]) == 26
    assert number_of(known, np.uint64(12_345), False) == NO_KEY
    assert number_of(known, np.uint64(12_345), True) == 26
    known.used[0] = len(known.names)
    assert number_of(known, np.uint64(54_321), True) == NO_KEY


def test_a_node_gets_all_its_edges_at_once_in_random_order():
    known, _, _ = begun()
    actions = known.tree.action[:26, 0]
    assert sorted(actions) == list(range(26)) != list(actions)
    assert known.tree.value[edge_of(known, 25), REGION] == -1
    assert known.tree.value[edge_of(known, 7), REGION] == 7
    assert known.tree.value[0, KEY] == actions[0]  # numbers in the order of the model's list


def test_the_same_key_two_plies_up_gives_the_urgency():
    known, walk, settings = begun(planners.make("rave_uct", priors=False, first_play="grandparent"))
    assert score_of_urgency(known, 7) == UNTRIED
    tried = edge_of(known, 7)
    known.tree.edges[tried]["visits"], known.tree.value[tried, MEAN] = 5, 0.3
    walk.path[0] = 0, edge_of(known, 0), 0.0
    child = add_node(known.tree, CLAIMS.initial_state(None), 0.0, 1.0)
    expand_node(known, walk, problem_of(TWIN, CLAIMS.initial_state(None)), 2, child, np.random.default_rng(0), settings)
    assert score_of_urgency(known, 7, child) == 0.3
    assert score_of_urgency(known, 8, child) == UNTRIED


def score_of_urgency(known, index, node=0):
    return known.tree.value[edge_of(known, index, node), MEAN]


@pytest.mark.parametrize(
    "planner",
    [
        "rave_uct",
        "rave_uct:beta=fuego",
        "rave_uct:rave_k=0,priors=false,first_play=none,exploration=0.5",
        "rave_uct:bonus=ucb1_tuned,exploration=1,rave_k=0,priors=false",
        "territory_uct",
        "territory_uct:statistic=criticality",
    ],
)
def test_the_best_first_move_is_the_centre(planner):
    planner, votes = planners.parse(planner), 0
    for seed in range(9):
        decision = planner.plan(
            CLAIMS, CLAIMS.initial_state(None), Budget(simulations=2_000), np.random.default_rng(seed)
        )
        votes += decision.action[0] == 12
    assert votes >= 5


@compiled("priors")
def _known_priors(state, params, actions, out):
    for row in range(len(actions)):
        out[row, 0] = 100.0
        out[row, 1] = 1.0 if row == 0 else -1.0


@dataclass(frozen=True)
class KnownDuel(Duel):
    """A duel in which the first action is said to win."""

    priors = staticmethod(_known_priors)


def test_priors_lead_the_first_simulations():
    model = KnownDuel()
    for priors, most in ((True, 30), (False, 29)):
        planner = planners.make("rave_uct", priors=priors, rave_k=0.0)
        decision = planner.plan(model, model.initial_state(None), Budget(simulations=30), np.random.default_rng(0))
        first = decision.visits[decision.actions[:, 0] == 0.25][0]
        assert (first >= most) == priors


def test_given_root_actions_have_the_keys_of_the_model_s():
    planner = planners.make("rave_uct")
    given = np.array([[12.0], [25.0]])
    with kept_trees() as trees:
        decision = planner.plan(
            CLAIMS, CLAIMS.initial_state(None), Budget(simulations=200), np.random.default_rng(0), given
        )
    assert decision.action[0] == 12.0
    assert decision.visits.sum() == 200
    first = int(trees[0].tree.nodes[0]["first_edge"])
    value = trees[0].tree.value[first : first + 2]
    assert list(value[:, KEY]) == [12, 25]
    assert list(value[:, REGION]) == [12, -1]


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"exploration": -1.0}, "exploration"),
        ({"bonus": "ucb2"}, "bonus"),
        ({"beta": "uct"}, "beta"),
        ({"rave_k": -1.0}, "rave_k"),
        ({"first_play": "parent"}, "first_play"),
        ({"expand": 0}, "expand"),
        ({"prune_low": 2.0, "prune_high": 1.0}, "prune_high"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, named):
    with pytest.raises(ValueError, match=named):
        planners.make("rave_uct", **parameters)
