"""Generated problems."""

from dataclasses import replace

import pytest

from bonspiel.go.neighbourhoods import BLACK, WHITE
from bonspiel.go.tsumego.generator import SHORT, make_problem
from bonspiel.go.tsumego.problem import OPEN, WON, solve_tsumego


@pytest.mark.parametrize(("seed", "empty"), [(1, 6), (2, 6), (3, 7), (4, 10)])
def test_in_a_generated_problem_no_short_search_says_that_one_side_wins_anyway(seed, empty):
    problem = make_problem(seed, empty)
    assert problem.empty == empty
    found = {solve_tsumego(replace(problem, mover=mover), limits=SHORT).verdict for mover in (BLACK, WHITE)}
    assert found <= {WON, OPEN} and (empty > 7 or found == {WON})


def test_a_seed_gives_one_problem_and_others_give_others():
    assert make_problem(1, 7) == make_problem(1, 7)
    assert len({make_problem(seed, 7).stones for seed in range(4)}) == 4
