import numpy as np
import pytest

from bonspiel.planners.core.tree.voronoi import distance


def test_each_coordinate_counts_as_a_part_of_its_range():
    box = np.array([[0.0, -10.0, 5.0], [2.0, 10.0, 5.0], [0.0, 0.0, 0.0]])
    assert distance(np.array([0.0, -10.0, 5.0]), np.array([1.0, 0.0, 5.0]), box) == pytest.approx(0.25 + 0.25)
