import numpy as np
import pytest

from bonspiel.curling.choice.candidates import MOST_CANDIDATES, candidate_shots
from bonspiel.curling.ice.sheet import STONE_RADIUS, STONES, no_stones
from bonspiel.curling.match.state import FIRST_STONE, state_of, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.planners.checks import check_actions

PHYSICS = pytest.mark.parametrize("physics", ["fcv1", "dc2"])
RNG = np.random.default_rng(0)


def board(tee: float, **places: tuple[float, float]) -> np.ndarray:
    """Stones by name, e.g. a0=(x, y - tee) for stone 0 of team 0, b3 for stone 3 of team 1."""
    stones = no_stones()
    for name, (x, y) in places.items():
        stones[8 * (name[0] == "b") + int(name[1])] = x, tee + y
    return stones


def random_states(model: Curling, n: int, seed: int = 0) -> list[np.ndarray]:
    """States before each shot of an end, with stones anywhere around the house, some of them removed."""
    rng, tee, states = np.random.default_rng(seed), model.law.sheet.tee, []
    for k in range(n):
        shot, stones = k % STONES, no_stones()
        for i in [row for row in range(STONES) if row % 8 < (shot + (row < 8)) // 2 and rng.random() < 0.7]:
            place = rng.uniform((-2.0, tee - 5.0), (2.0, tee + 1.8))
            if not (np.hypot(*(stones - place).T) < 2.0 * STONE_RADIUS).any():
                stones[i] = place
        states.append(state_of(stones, shot))
    return states


def actions(model: Curling, state: np.ndarray) -> dict[int, np.ndarray]:
    """The candidates by key."""
    out, keys = np.full((MOST_CANDIDATES, 3), np.nan), np.zeros(MOST_CANDIDATES, np.uint64)
    n = model.actions(state, model.params, out, keys)
    assert 1 <= n <= MOST_CANDIDATES == model.max_actions
    assert len(set(keys[:n].tolist())) == n
    return dict(zip(keys[:n].tolist(), out[:n], strict=True))


def after(model: Curling, state: np.ndarray, action: np.ndarray) -> np.ndarray:
    """The stones after a shot without noise, [16, 2], NaN where absent."""
    following = np.empty(model.state_dim)
    model.step_exact(state, action, following, model.params, RNG)
    return stones_of(following)


@PHYSICS
@pytest.mark.parametrize("unit", ["m/s", "box"])
def test_candidates_are_valid_and_have_distinct_keys(physics, unit):
    model = Curling(ends=2, physics=physics, velocity_unit=unit)
    for state in random_states(model, 320):
        check_actions(model, np.array(list(actions(model, state).values())))


def test_the_unit_of_velocities_does_not_matter():
    meters, box = Curling(), Curling(velocity_unit="box")
    for state in random_states(meters, 32):
        aims, scaled = actions(meters, state), actions(box, state)
        assert list(aims) == list(scaled)
        for key, aim in aims.items():
            assert scaled[key] == pytest.approx(box.aim(*aim))


@PHYSICS
def test_the_same_shot_has_the_same_key_in_every_state(physics):
    model = Curling(physics=physics)
    tee = model.law.sheet.tee
    first, later = state_of(no_stones(), 0), state_of(board(tee, a0=(1.9, 0.1), b0=(-1.7, -0.9)), 9)
    first_actions, later_actions = actions(model, first), actions(model, later)
    ends_at_tee = [
        {
            key
            for key, action in found.items()
            if np.isclose(after(model, state, action), (0.0, tee), atol=0.02).all(1).any()
        }
        for found, state in ((first_actions, first), (later_actions, later))
    ]
    assert ends_at_tee[0] == ends_at_tee[1]
    assert len(ends_at_tee[0]) == 2  # one of each spin
    for key in ends_at_tee[0]:
        assert first_actions[key] == pytest.approx(later_actions[key])


@PHYSICS
@pytest.mark.parametrize("place", [(0.0, 0.0), (-1.0, 0.5), (1.5, -0.8)])
def test_an_open_stone_can_be_taken_out_with_the_thrown_stone_staying(physics, place):
    model = Curling(physics=physics)
    state = state_of(board(model.law.sheet.tee, a0=place), 15)
    results = [after(model, state, action) for action in actions(model, state).values()]
    gone = [stones for stones in results if np.isnan(stones[0, 0])]
    assert len(gone) >= 4
    assert any(np.hypot(*(stones[15] - state[FIRST_STONE : FIRST_STONE + 2])) < 0.3 for stones in gone)


@PHYSICS
def test_guards_are_removed_only_when_the_rule_allows_it(physics):
    model = Curling(physics=physics)
    stones = board(model.law.sheet.tee, a0=(0.1, -3.0))
    for shot, removed in ((1, False), (3, False), (7, True), (15, True)):
        state = state_of(stones, shot)
        results = [after(model, state, action) for action in actions(model, state).values()]
        assert any(np.isnan(result[0, 0]) for result in results) == removed, shot
        thrown = 8 + shot // 2
        # after a foul the thrown stone would be gone
        assert sum(np.isnan(result[thrown, 0]) for result in results) <= 2 * removed


@PHYSICS
def test_behind_a_wall_of_guards_the_only_candidate_is_a_throw_away(physics):
    model = Curling(physics=physics)
    wall = [(-2.1 + 0.3 * k, -3.0) for k in range(15)]
    names = [*(f"b{k}" for k in range(4)), *(f"a{k}" for k in range(8)), *(f"b{k}" for k in range(4, 7))]
    stones = board(model.law.sheet.tee, **dict(zip(names, wall, strict=True)))
    assert len(actions(model, state_of(stones, 3))) == 1


@PHYSICS
def test_an_own_guard_can_be_raised_to_the_button(physics):
    model = Curling(physics=physics)
    tee = model.law.sheet.tee
    state = state_of(board(tee, b0=(0.2, -2.5)), 5)
    results = [after(model, state, action) for action in actions(model, state).values()]
    assert min(np.hypot(*(stones[8] - (0.0, tee))) for stones in results) < 0.3


@PHYSICS
def test_a_guarded_stone_can_be_reached_through_its_guard(physics):
    model = Curling(physics=physics)
    stones = board(model.law.sheet.tee, a0=(0.1, 0.4), a1=(0.0, -0.3), a2=(0.3, -0.9), a3=(-0.3, -0.9))
    state = state_of(stones, 9)
    results = [after(model, state, action) for action in actions(model, state).values()]
    assert any(np.hypot(*(result[0] - stones[0])) > 0.3 or np.isnan(result[0, 0]) for result in results)


def test_interpreted_and_compiled_candidates_are_the_same():
    model = Curling()
    for state in random_states(model, 16, seed=1):
        arguments = 0, stones_of(state), int(state[0]), team_of(state), 5, bool(state[0] % 2)
        found = []
        for function in (candidate_shots, candidate_shots.py_func):
            aims, keys = np.zeros((MOST_CANDIDATES, 3)), np.zeros(MOST_CANDIDATES, np.uint64)
            n = function(*arguments, aims, keys)
            found.append((n, aims[:n].tolist(), keys[:n].tolist()))
        assert found[0] == found[1]
