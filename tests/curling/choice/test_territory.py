"""Territory by hand, against the engine and against playouts that are played again shot by shot."""

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.curling.choice.policy import default_shot
from bonspiel.curling.choice.territory import REGIONS, write_owners
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.rules import score
from bonspiel.curling.match.state import (
    FIRST_STONE,
    FREE_GUARD,
    IN_HOUSE,
    LAW,
    STATE_DIM,
    TEE,
    TIME,
    is_mixed,
    shot_of,
    state_of,
    stones_of,
    team_of,
)
from bonspiel.curling.model import Curling
from bonspiel.planners import Budget
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.trees.rave_uct.territory import ALL, LOSSES, WINS
from tests.curling.choice.test_candidates import actions, board

PHYSICS = pytest.mark.parametrize("physics", ["fcv1", "dc2"])
MODELS = {
    "points": Curling(),
    "win probability": Curling(ends=3).planning(),
    "dc2": Curling(physics="dc2").planning(),
    "box": Curling(velocity_unit="box"),
    "mixed doubles": Curling(game="mixed_doubles").planning(),
}
MIDDLE = 60  # of 11 x 11


def owners_of(**places):
    owners = np.full(REGIONS, np.nan)
    write_owners(board(38.405, **places), 38.405, owners)
    return {int(region): float(owners[region]) for region in np.flatnonzero(owners)}


def test_an_empty_sheet_belongs_to_nobody():
    assert owners_of() == {}


def test_a_cell_is_the_team_s_whose_stone_is_in_it():
    assert owners_of(a0=(0.0, 0.0)) == {MIDDLE: 1.0}
    assert owners_of(b7=(0.19, -0.19)) == {MIDDLE: -1.0}


def test_cells_go_from_left_to_right_and_from_front_to_back():
    assert owners_of(a0=(0.4, 0.0)) == {MIDDLE + 1: 1.0}
    assert owners_of(a0=(0.0, 0.4)) == {MIDDLE + 11: 1.0}
    assert owners_of(a0=(-2.1, -2.1), b0=(2.1, 2.1)) == {0: 1.0, REGIONS - 1: -1.0}


def test_in_a_cell_of_both_teams_more_stones_decide():
    assert owners_of(a0=(-0.15, 0.0), b0=(0.15, 0.0)) == {}
    assert owners_of(a0=(-0.15, 0.15), b0=(0.15, 0.15), b1=(0.0, -0.15)) == {MIDDLE: -1.0}


def test_stones_beyond_the_grid_own_nothing():
    assert owners_of(a0=(0.0, -2.3), a1=(-2.22, 0.0), a2=(2.22, 0.0), b0=(0.0, -5.0)) == {}


@PHYSICS
@pytest.mark.parametrize("unit", ["m/s", "box"])
def test_the_region_of_a_shot_is_where_it_stops_on_an_empty_sheet(physics, unit):
    model = Curling(physics=physics, velocity_unit=unit)
    quiet = Curling(physics=physics, velocity_unit=unit, noise="none")
    rng, found, after = np.random.default_rng(0), [], np.empty(model.state_dim)
    for _ in range(400):
        action, empty = np.empty(3), state_of(no_stones(), 0)
        model.sample_action(empty, action, model.params, rng)
        quiet.step(empty, action, after, quiet.params, rng)
        x, y = after[FIRST_STONE : FIRST_STONE + 2] - (0.0, model.law.sheet.tee if after[FIRST_STONE + 1] else 0.0)
        lies = after[FIRST_STONE + 1] > 0.0 and abs(x) < 2.2 and abs(y) < 2.2
        expected = 11 * round(y / 0.4) + round(x / 0.4) + MIDDLE if lies else -1
        found.append(model.region(action, model.params))
        assert found[-1] == expected
    assert found.count(-1) > 50
    assert len(set(found)) > 20


@PHYSICS
def test_regions_of_known_shots(physics):
    model = Curling(physics=physics)
    tee_draw = model.aim(*model.law.tee_draw, 1.0)
    assert model.region(tee_draw, model.params) == MIDDLE
    hit = model.aim(0.0, 1.2 * model.law.tee_draw[1], 1.0)
    assert model.region(hit, model.params) == -1
    for bad in (np.nan, np.inf, 1e300, -1e9):
        assert model.region(np.array([bad, 2.4, 1.0]), model.params) == -1


def traced(model, state, seed, depth=16):
    """The return, keys, players, owners, the winner, and what the playout left in its two states."""
    left = state.copy(), state.copy()
    keys, movers = np.zeros(depth + 1, np.uint64), np.full(depth + 1, np.nan)
    owners = np.full(model.n_regions + 1, np.nan)
    rng = np.random.default_rng(seed)
    value = model.traced_rollout(*left, depth, model.params, rng, keys, movers, owners)
    count = int(np.argmax(movers == 0.0))
    assert rng.random() == plain(model, state, seed, depth)[1]
    return value, keys[:count].tolist(), movers[:count].tolist(), owners[:-1], owners[-1], left


def plain(model, state, seed, depth=16):
    """The return of `rollout`, and the number that is drawn next."""
    rng = np.random.default_rng(seed)
    return model.rollout(state.copy(), state.copy(), depth, model.params, rng), rng.random()


def replayed(model, state, seed):
    """The candidates among the shots of the default policy before the last, and what the last would be, with players.

    Which ones are candidates is found in the list of all of them.
    """
    rng, params, found = np.random.default_rng(seed), model.params, []
    while True:
        aim = np.empty(3)
        law, free_guard = int(params[LAW]), int(params[FREE_GUARD])
        known, shot = actions(model, state), shot_of(state)
        default_shot(law, stones_of(state), shot, team_of(state), free_guard, bool(is_mixed(params)), aim, rng)
        action = model.aim(*aim)
        entry = [(key, model.player(state, params)) for key, other in known.items() if (other == action).all()]
        if shot == 15:
            return found, entry
        found += entry
        following = np.empty_like(state)
        model.step(state, action, following, params, rng)
        state = following


@pytest.mark.parametrize("name", MODELS)
def test_a_trace_has_the_candidates_that_were_played(name):
    model, seen = MODELS[name], set()
    for seed in range(40):
        state = model.initial_state(np.random.default_rng(seed))
        value, keys, movers, _, _, _ = traced(model, state, seed)
        assert value == plain(model, state, seed)[0]
        first, last = replayed(model, state, seed)
        played = list(zip(keys, movers, strict=True))
        assert played in (first, first + last)  # the last stone may be thrown away
        seen.update(keys)
    assert len(seen) >= 3  # tee draws and freezes, of either spin


@pytest.mark.parametrize("name", ["points", "dc2", "mixed doubles"])
def test_owners_and_the_winner_are_those_of_the_last_position(name):
    model = MODELS[name]
    tee, in_house = model.params[TEE], model.params[IN_HOUSE]
    winners = set()
    for seed in range(40):
        _, _, _, owners, winner, left = traced(model, model.initial_state(np.random.default_rng(seed)), seed)
        final = max(left, key=lambda state: state[TIME])
        stones = final[FIRST_STONE:STATE_DIM].reshape(16, 2)
        expected = np.zeros((11, 11))
        for i, (x, y) in enumerate(stones):
            if y > 0.0 and abs(x) < 2.2 and abs(y - tee) < 2.2:
                expected[round((y - tee) / 0.4) + 5, round(x / 0.4) + 5] += 1 if i < 8 else -1
        np.testing.assert_array_equal(owners, np.sign(expected).ravel())
        assert winner == np.sign(score(stones, tee, in_house))
        winners.add(winner)
    assert winners >= {-1.0, 1.0}


def test_the_trace_is_that_of_the_end_under_way():
    one, three = Curling(), Curling(ends=3)
    for seed in range(20):
        state = one.initial_state(np.random.default_rng(0))
        _, *single, _ = traced(one, state, seed)
        _, *first, _ = traced(three, state, seed, depth=48)
        assert single[:2] == first[:2]
        np.testing.assert_array_equal(single[2], first[2])
        assert single[3] == first[3]


def test_before_the_end_is_over_nobody_owns_anything():
    model = Curling()
    value, _, _, owners, winner, _ = traced(model, model.initial_state(np.random.default_rng(0)), 1, depth=15)
    assert (value, winner) == (0.0, 0.0)
    assert not owners.any()


@pytest.mark.parametrize("name", MODELS)
def test_territory_searches_a_position(name):
    model, planner = MODELS[name], planners.make("territory_uct")
    state = model.initial_state(np.random.default_rng(0))
    with kept_trees() as trees:
        decision = planner.plan(model, state, Budget(simulations=600), np.random.default_rng(0))
    assert decision.visits.sum() == 600
    playouts, statistic = trees[0].territory.playouts, trees[0].territory.statistic
    assert playouts[WINS] > 0 and playouts[LOSSES] > 0
    assert playouts[WINS] + playouts[LOSSES] <= playouts[ALL] == 600
    assert np.argmax(statistic) in (MIDDLE - 11, MIDDLE - 1, MIDDLE, MIDDLE + 1, MIDDLE + 11)


def test_whose_ends_are_won_does_not_depend_on_the_scale_of_the_returns():
    """Returns are chances to win, all above 0, or points."""
    state, means = state_of(no_stones(), 3), []
    for model in (Curling(), Curling().planning()):
        with kept_trees() as trees:
            planners.make("territory_uct").plan(model, state, Budget(simulations=300), np.random.default_rng(0))
        means.append(trees[0].territory.playouts / 300)
    np.testing.assert_allclose(*means, atol=0.15)
