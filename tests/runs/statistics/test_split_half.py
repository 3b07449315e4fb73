"""The rank correlation of planners between odd and even instances."""

from itertools import chain

import numpy as np
import pytest
from scipy.stats import spearmanr

from bonspiel.runs.reporting.leaderboards import boards
from bonspiel.runs.statistics.ranks import leaderboard
from bonspiel.runs.statistics.scale import OPTIMUM, Scale
from bonspiel.runs.statistics.split_half import halves, of_board, split_half

ODD, EVEN = ["family:trap:instance=1", "family:trap:instance=3"], ["family:trap:instance=2", "family:trap:instance=4"]
FIRST, SWAPPED = (0.4, 0.3, 0.2, 0.1), (0.4, 0.3, -0.2, 0.2)  # scores of four planners


def scores(*instances):
    """By planner and problem, from the scores of all planners by problem."""
    return {name: {env: of[place] for env, of in instances} for place, name in enumerate("abcd")}


def test_halves_are_the_odd_and_the_even_instances_of_each_family_and_size():
    others = ["trap", "rddl:Reservoir_ippc2023:instance=1", "rddl:Reservoir_ippc2023:instance=2"]
    sizes = ["family:donut:instance=2,dim=4", "family:donut:instance=1,dim=4", "family:donut:instance=5"]
    assert halves([*ODD, *EVEN, *others, *sizes]) == {
        ("family:trap", "family:trap:{}"): (ODD, EVEN),
        ("family:donut", "family:donut:{'dim': 4}"): ([sizes[1]], [sizes[0]]),
    }


def test_plants_and_delays_are_halves_of_their_own():
    late, noisy, other = (
        [f"family:trap:instance={i}{rest.format(i)}" for i in (1, 2)]
        for rest in (
            " --delay 1",
            " --plant family:trap:instance={},noise=0.3 --delay 1",
            " --plant family:donut:instance={}",
        )
    )
    problems = [*ODD[:1], *EVEN[:1], *late, *noisy, *other, "trap --delay 1", "trap --plant family:trap:instance=2"]
    assert list(halves(problems).values()) == [([one], [two]) for one, two in (problems[:2], late, noisy, other)]


def test_the_correlation_is_that_of_the_ranks_of_means():
    found = split_half(scores(*((env, FIRST) for env in ODD), (EVEN[0], FIRST), (EVEN[1], SWAPPED)), [(ODD, EVEN)])
    # the mean over even instances of the third planner is 0, of the fourth 0.15: 1 - 6 * (1 + 1) / (4 * 15)
    assert found.correlation.value == pytest.approx(0.8)
    assert found[1:] == (4, 2, 2)
    # the ranks agree if both even instances drawn are the first one, and else differ in the same swap
    assert found.correlation[1:] == pytest.approx((0.8, 1.0))


def test_the_correlation_is_spearmans_with_ties_over_several_families():
    rng = np.random.default_rng(5)
    odd, even = ([[f"{family}{half}{i}" for i in range(4)] for family in "xyz"] for half in range(2))
    problems = [list(chain(*half)) for half in (odd, even)]
    given = {name: {env: float(rng.integers(3)) for env in chain(*problems)} for name in "abcdef"}
    found = split_half(given, list(zip(odd, even, strict=True)))
    means = [[np.mean([of[env] for env in half]) for of in given.values()] for half in problems]
    assert found.correlation.value == pytest.approx(spearmanr(*means).statistic)
    assert -1.0 <= found.correlation.low < found.correlation.value < found.correlation.high <= 1.0
    assert found == split_half(given, list(zip(odd, even, strict=True)))


def test_a_single_instance_in_a_half_has_no_interval_and_equal_planners_no_correlation():
    alone = split_half(scores((ODD[0], FIRST), (EVEN[0], SWAPPED)), [(ODD[:1], EVEN[:1])])
    assert alone.correlation.value == pytest.approx(0.8) and np.isnan(alone.correlation[1:]).all()
    equal = split_half(scores((ODD[0], FIRST), (EVEN[0], (0.1,) * 4)), [(ODD[:1], EVEN[:1])])
    assert np.isnan(equal.correlation.value)


def board(instances, planners="abcd"):
    means = {name: of for name, of in scores(*instances).items() if name in planners}
    samples = {name: {env: np.array([mean, mean]) for env, mean in of.items()} for name, of in means.items()}
    return leaderboard("simulations", 100, samples, [env for env, _ in instances])


def test_a_leaderboard_of_families_says_how_alike_the_halves_rank_planners():
    trap = [*((env, FIRST) for env in ODD), (EVEN[0], FIRST), (EVEN[1], SWAPPED)]
    sizes = [(f"family:donut:instance={i},dim={dim}", FIRST) for i in range(1, 5) for dim in (2, 4)]
    found = of_board(board([*trap, *sizes, ("pendulum", SWAPPED)]))
    assert list(found) == ["all families", "family:trap", "family:donut"]
    assert [of[2:] for of in found.values()] == [(6, 6), (2, 2), (4, 4)]
    assert [of.correlation.value for of in found.values()] == pytest.approx([1.0, 0.8, 1.0])
    problems = {env: Scale(0.0, 1.0, OPTIMUM) for env, _ in trap}
    said = [line for line in boards.facts(board(trap), problems) if "Spearman" in line]
    assert said == [
        "Odd and even instances of family:trap: the ranks of 4 planners have Spearman's correlation "
        "0.800 [0.800, 1.000] [95 %], over 2 and 2 problems."
    ]
    assert of_board(board([("trap", FIRST), ("pendulum", FIRST)])) == {}
    assert of_board(board(trap, planners="ab")) == {}
