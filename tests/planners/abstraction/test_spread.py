"""C of UCB1 measured by the returns."""

import numpy as np
import pytest

from bonspiel.planners.abstraction.spread import cell_exploration


def exploration_for(returns, exploration=0.3, spread=0.16):
    """C in a state whose only cell had these returns, [n]."""
    return cell_exploration(len(returns), sum(returns), sum(np.square(returns)), exploration, spread)


def test_exploration_is_almost_greedy_without_spread_and_grows_with_it():
    assert exploration_for([0.7, 0.7, 0.7]) == pytest.approx(0.003)  # a hundredth of the root's
    assert exploration_for([0.0, 2.0]) == pytest.approx(0.16)
    assert exploration_for([0.0, 200.0]) == pytest.approx(16.0)
    assert exploration_for([0.7]) == 0.3  # too few returns to have a deviation: the root's
    assert exploration_for([0.0, 2.0], spread=0.0) == 0.3
