"""What is measured at positions and what they say together, on runs made by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest

from bonspiel.planners import Decision
from bonspiel.runs.agreement.measure import EDGES, among, columns_of, measured, summarise
from bonspiel.runs.agreement.study import TREE, AgreementStudy

ACTIONS = np.array([[0.125], [0.375], [0.625], [0.875]])
RNG = np.random.default_rng(0)
STUDY = AgreementStudy("trap", "uct:n_actions=4", budget=10, workers=(1, 2, 4), rules=("sum", "majority"))


def decision(action, visits, actions=ACTIONS):
    visits = np.array(visits)
    return Decision(np.atleast_1d(action).astype(float), 0.0, 10, 0.0, actions, visits, np.zeros(len(visits)))


def worker(row, *visits):
    return decision(ACTIONS[row], visits)


# Two vote for 1, but action 0 has most visits; the first worker alone, and the first two, are for 0.
SPLIT = [worker(0, 9, 1, 0, 0), worker(1, 4, 5, 0, 1), worker(1, 4, 5, 0, 1), worker(3, 4, 0, 0, 6)]
UNANIMOUS = [worker(2, 1, 1, 7, 1)] * 4


LOSSES = np.array([0.3, 0.2, 0.1, 0.0])


def judged(position, best):
    """What a judge says of the actions of a position whose best action is in row `best`."""
    rows = np.abs(position.actions - ACTIONS[:, 0]).argmin(axis=1)
    return np.array([rows == best, LOSSES[rows]], float)


def summary_at(study, positions, best):
    """The summary of positions with the row of the best action at each."""
    columns = columns_of(study, positions, list(map(judged, positions, best)))
    return summarise(study, columns, np.random.default_rng(0))


def found(runs, trees=(2, 3)):
    entries = {f"run {index}": run for index, run in enumerate(runs)}
    entries |= {f"{TREE} {10 * w}": worker(row, 1, 1, 1, 1) for w, row in zip((2, 4), trees, strict=True)}
    return entries.__getitem__


def summary_of(study, runs, best):
    return summary_at(study, [measured(study, found(one), RNG) for one in runs], best)


def test_rules_take_the_first_workers_and_trees_their_own_search():
    choices = measured(STUDY, found(SPLIT), RNG).choices
    chosen = {name: action[0] for name, action in choices.items()}
    assert [chosen["majority", w] for w in (1, 2, 4)] == [0.125, 0.125, 0.375]
    assert [chosen["sum", w] for w in (1, 2, 4)] == [0.125, 0.125, 0.125]
    assert (chosen[TREE, 2], chosen[TREE, 4]) == (0.625, 0.875)


def test_the_winner_has_most_votes():
    one = measured(STUDY, found(SPLIT), RNG)
    assert one.winner.tolist() == [0.375]


def test_votes_for_sampled_actions_count_by_their_similarity():
    study = AgreementStudy("trap", "dpw", budget=10, workers=(1, 2, 4), rules=("similarity_vote",), bandwidth=0.1)
    aims = [0.3, 0.32, 0.34, 0.9]
    one = measured(study, found([decision(aim, [10], np.array([[aim]])) for aim in aims]), RNG)
    assert one.winner.tolist() == [0.32]
    assert one.choices["similarity_vote", 4].tolist() == [0.32]


def test_shares_of_positions():
    say = summary_of(STUDY, [SPLIT, SPLIT, UNANIMOUS, UNANIMOUS], [1, 0, 2, 3])
    assert say["positions"] == 4
    assert say["agreement"][TREE]["1"].value == pytest.approx((0.5 + 0.25 + 1.0 + 0.0) / 4)
    assert say["agreement"]["majority"]["4"].value == 0.5
    assert say["agreement"]["sum"]["4"].value == 0.5
    assert say["agreement"]["sum"]["1"].value == 0.5
    assert say["agreement"][TREE]["4"].value == 0.25
    assert say["limit"].value == 0.5
    assert say["regret"]["majority"]["4"].value == pytest.approx((0.2 + 0.2 + 0.1 + 0.1) / 4)
    assert say["regret"][TREE]["1"].value == pytest.approx((2 * (0.3 + 0.2 + 0.2 + 0.0) / 4 + 0.1 + 0.1) / 4)


def test_the_limit_is_the_choice_of_most_workers_whatever_the_first_chose():
    assert summary_of(STUDY, [SPLIT, SPLIT], [1, 1])["limit"].value == 1.0
    assert summary_of(STUDY, [SPLIT, SPLIT], [0, 1])["limit"].value == 0.5


def test_a_bin_holds_its_lower_edge_and_the_last_one_both():
    p0 = np.array([0.0, 0.2, 0.4, 0.6, 3 * 0.2, 0.8, 1.0])
    held = [among(p0, low, high).sum() for low, high in pairwise(EDGES)]
    assert held == [1, 1, 1, 2, 2]


def test_bins_of_p0():
    say = summary_of(STUDY, [SPLIT, SPLIT, UNANIMOUS, UNANIMOUS], [1, 0, 2, 3])
    bins = say["bins"]
    assert [one["positions"] for one in bins] == [1, 1, 1, 0, 1]  # p0 of 0, 0.25, 0.5 and 1
    assert [one["agreement"]["majority"]["4"].value for one in bins[:3]] == [0.0, 0.0, 1.0]
    assert [one["agreement"]["sum"]["4"].value for one in bins[:3]] == [0.0, 1.0, 0.0]
    assert math.isnan(bins[3]["agreement"]["sum"]["4"].value)
    assert bins[4]["share"].value == 0.25


def test_splitting_is_compared_with_one_search_of_the_same_total():
    study = AgreementStudy("trap", "abstraction:n_actions=4", budget=10, workers=(1, 4), rules=("tries:rounds=2",))
    entries = {f"run {index}": run for index, run in enumerate(UNANIMOUS)}
    entries |= {"tries:rounds=2 1": worker(0, 1, 1, 1, 1), "tries:rounds=2 4": worker(1, 1, 1, 1, 1)}
    entries |= {f"{TREE} 40": worker(3, 1, 1, 1, 1)}
    positions = [measured(study, entries.__getitem__, RNG)] * 2
    say = summary_at(study, positions, [3, 1])
    assert say["splitting"].keys() == {"tries:rounds=2"}
    lost = say["splitting"]["tries:rounds=2"]["4"]
    assert (lost["agreement"].value, lost["regret"].value) == (0.0, pytest.approx(0.2))
    assert lost["agreement"].low == -1.0 and lost["agreement"].high == 1.0


@pytest.mark.parametrize(("env", "bandwidth"), [("trap", 0.05), ("donut", 0.16), ("hovering", 0.16)])
def test_by_default_a_tenth_of_the_range_is_alike_whatever_its_dimension(env, bandwidth):
    assert AgreementStudy(env, "random").bandwidth == bandwidth
    assert AgreementStudy(env, "random", bandwidth=0.2).bandwidth == 0.2
