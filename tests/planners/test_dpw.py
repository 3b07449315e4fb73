import numpy as np
import pytest

import envs
import planners
from planners import Budget


def outcome_counts(tree_parts):
    """Outcomes of every edge of the root, from the contents of a tree."""
    edges = tree_parts[1][2][0]
    return [(visits, outcomes) for visits, due, outcomes, first in edges]


def test_outcomes_widen_as_alpha_state_allows(searched):
    planner = planners.make("dpw", alpha_action=0.3, alpha_state=0.5)
    _, parts = searched(planner, envs.Trap(), np.zeros(2), Budget(2_000), np.random.default_rng(0))
    for visits, outcomes in outcome_counts(parts):
        # an outcome is added before a visit that finds outcomes <= sqrt(visits)
        expected = 0
        for before in range(visits):
            expected += expected**2 <= before
        assert outcomes == expected


def test_equal_next_states_are_one_outcome(models, searched):
    _, parts = searched(planners.make("dpw"), models["chain"], np.zeros(1), Budget(500), np.random.default_rng(0))
    assert {outcomes for _, outcomes in outcome_counts(parts)} == {1}


@pytest.mark.parametrize("outcome", ["proportional", "least_visited"])
def test_revisited_outcomes_are_spread_as_the_rule_says(outcome, searched):
    planner = planners.make("dpw", alpha_action=0.01, alpha_state=0.2, outcome=outcome)
    _, parts = searched(planner, envs.Trap(), np.zeros(2), Budget(5_000), np.random.default_rng(0))
    root_edge = parts[1][2][0][0]
    children, node = [], root_edge[3]
    while node:
        children.append(parts[1][0][node])
        node = children[-1][4]
    visits = [child[0] for child in children]
    assert sum(visits) == root_edge[0]
    if outcome == "least_visited":
        assert max(visits) - min(visits) <= max(visits) / 2
    else:
        assert visits[0] > 2 * visits[-1]


def test_is_trapped_by_the_thesis_parameters_and_freed_by_the_budget():
    model, rng = envs.Trap(), np.random.default_rng(3)
    value = planners.make("dpw").plan(model, np.zeros(2), Budget(200_000), rng).value
    assert value == pytest.approx(1.7, abs=0.05)
