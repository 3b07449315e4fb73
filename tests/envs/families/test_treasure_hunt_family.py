"""A walk among holes: rules, and optima against simulation and Treasure Hunt's own solution."""

import math

import numpy as np
import pytest
from scipy import stats

from bonspiel import envs
from bonspiel.envs import TreasureHunt
from bonspiel.envs.families.treasure_hunt.model import HoleHunt, HoleMap
from bonspiel.envs.families.treasure_hunt.optimum import HoleGrid, HoleHuntOptimum
from bonspiel.envs.optimal import optimal_value, solve
from tests.envs.playing import return_of

pytestmark = pytest.mark.usefixtures("own_cache")


def as_treasure_hunt(sine=0.0, cosine=1.0):
    """An instance with the map of Treasure Hunt, turned."""
    model = HoleHunt(holes=1)
    vars(model)["map"] = HoleMap(
        np.zeros(2), np.array([[4.0, 4.0, np.inf, np.inf], [1.25, 1.25, 3.75, 3.75]]), sine, cosine
    )
    return model


def test_the_map_of_treasure_hunt_has_its_values():
    model, original = as_treasure_hunt(), solve(TreasureHunt())
    grid = HoleGrid(model, original.grid.cells)
    ours = HoleHuntOptimum(model, grid, grid.lookahead(original.directions), original.directions)
    for state in ([0.0, 0.0, 0.0], [3.0, 1.0, 12.0], [4.5, 3.0, 49.0], [2.0, 2.0, 3.0], [4.5, 4.5, 3.0]):
        np.testing.assert_allclose(
            *(of.q_values(np.array(state), original.directions[::16, None]) for of in (ours, original)), atol=1e-6
        )


def test_steps_are_those_of_treasure_hunt_turned_by_the_drawn_angle():
    for turn in (0.0, 1.0):
        model, original = as_treasure_hunt(math.sin(turn), math.cos(turn)), TreasureHunt()
        rng = np.random.default_rng(1)
        for _ in range(100):
            state, angle, after = (
                np.append(5.0 * rng.random(2), 7.0),
                rng.uniform(-2.0, 2.0),
                (np.empty(3), np.empty(3)),
            )
            results = [
                of.step(state, np.array([a]), following, of.params, np.random.default_rng(2))
                for of, a, following in zip((model, original), (angle, angle + turn), after, strict=True)
            ]
            np.testing.assert_allclose(*after, atol=1e-12)
            assert results[0] == pytest.approx(results[1])


@pytest.mark.parametrize("given", [{}, {"instance": 2, "holes": 5, "size": 6.0, "factor": 3.0, "noise": 0.5}])
def test_the_optimum_is_what_its_policy_attains(given):
    model, rng = envs.make_model("family:treasure_hunt", horizon=15, **given), np.random.default_rng(1)
    best = solve(model)
    returns = [return_of(model, best.policy, model.initial_state(rng), rng) for _ in range(200)]
    assert np.mean(returns) == pytest.approx(best.mean_value(), abs=4.0 * stats.sem(returns) + 2e-3)
    assert stats.sem(returns) < 0.05 * model.factor


def test_a_wider_box_and_another_factor_leave_the_optimum():
    plain = optimal_value(HoleHunt(horizon=15))
    assert optimal_value(HoleHunt(horizon=15, width=3.0, factor=10.0)) == pytest.approx(10.0 * plain)
    with pytest.raises(TypeError, match="less than a whole turn"):
        solve(HoleHunt(width=0.7))


def test_a_hole_is_in_the_way_and_none_on_start_or_treasure():
    for instance in range(60):
        model = HoleHunt(instance=instance, holes=5, size=4.0 + instance % 7)
        start, (treasure, *holes) = model.map.start, model.map.boxes
        end = (treasure[:2] + treasure[2:]) / 2.0
        assert np.abs(end - start).max() >= 0.6 * model.size
        for low_x, low_y, high_x, high_y in holes:
            assert 0.1 <= low_x < high_x <= model.size - 0.1 and 0.1 <= low_y < high_y <= model.size - 0.1
            for x, y in (start, end):
                assert max(low_x - x, x - high_x, low_y - y, y - high_y) >= 1.2
        way = start + (end - start) * np.linspace(0.0, 1.0, 501)[:, None]
        first = holes[0]
        assert ((way >= first[:2]) & (way <= first[2:])).all(axis=1).any()
