"""The models of a match: by hand, against each other, and against the recorded matches."""

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.curling.box2d_model import Box2DCurling
from bonspiel.curling.choice.aim_grid import aim_grid
from bonspiel.curling.ice.noise import Noise, noise_of
from bonspiel.curling.ice.sheet import no_stones, present
from bonspiel.curling.match.state import FIRST_STONE, HAMMER, LEAD, TIME, row_of, state_of, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.envs.checks import check_model
from bonspiel.planners.checks import check_actions, steps_left
from bonspiel.planners.planner import Budget
from tests.curling.recorded import records

EXACT = {"noise": "none"}
TEE_DRAW = np.array([0.1317, 2.3997, 1.0])
THROUGH = np.array([0.4, 4.0, 1.0])  # leaves the sheet without touching anything near the centre line


def play(model, state, actions, seed=1):
    rng, state = np.random.default_rng(seed), state.copy()
    rewards, over = [], False
    for action in actions:
        assert not over
        following = np.full_like(state, np.nan)
        reward, over = model.step(state, np.asarray(action, float), following, model.params, rng)
        rewards.append(reward)
        state = following
    return state, rewards, over


@pytest.mark.parametrize(
    ("physics", "rule", "noise"), [("fcv1", "five_rock", "normal_dist"), ("dc2", "four_rock", "dc2")]
)
def test_default_rule_and_noise_are_those_of_the_simulator(physics, rule, noise):
    own = Curling(physics=physics)
    assert own == Curling(physics=physics, rule=rule, noise=noise)
    np.testing.assert_array_equal(own.params, Curling(physics=physics, rule=rule, noise=noise).params)
    given = Curling(physics=physics, rule="none", noise=Noise(vx=1.0))
    assert (given.rule, given.noise) == ("none", Noise(vx=1.0))


@pytest.mark.parametrize(
    ("physics", "noise", "allowed"),
    [
        ("fcv1", "gat", "'normal_dist', 'human', 'none'"),
        ("fcv1", "dc2", "'normal_dist', 'human', 'none'"),
        ("dc2", "normal_dist", "'dc2', 'gat', 'none'"),
    ],
)
def test_noise_of_another_physics_is_refused(physics, noise, allowed):
    with pytest.raises(ValueError, match=f"{noise}.*{allowed}.*{physics}"):
        Curling(physics=physics, noise=noise)


def test_steps_left_end_with_the_end_for_win_probability():
    model, state = Curling(ends=3, extra_ends=1), state_of(no_stones(), 5, end=1)
    assert steps_left(model, state) == 4 * 16 - 21
    assert steps_left(model.planning(), state) == 11
    assert steps_left(model.planning(), state_of(no_stones(), 0)) == 16


def late(ends=1, end=0, lead=0, hammer=1, stones=None):
    """Before the last shot of an end."""
    return state_of(no_stones() if stones is None else stones, 15, hammer, end, lead)


def test_first_throw():
    model = Curling(**EXACT)
    state = model.initial_state(np.random.default_rng())
    assert team_of(state) == 0
    assert model.player(state, model.params) == 1.0
    state, rewards, over = play(model, state, [TEE_DRAW])
    assert (state[TIME], state[HAMMER], state[LEAD]) == (1.0, 1.0, 0.0)
    assert np.flatnonzero(present(stones_of(state))).tolist() == [0]
    assert np.hypot(*(stones_of(state)[0] - (0.0, 38.405))) < 0.04
    assert (rewards, over) == ([0.0], False)
    assert (team_of(state), row_of(state), model.player(state, model.params)) == (1, 8, -1.0)


def test_the_last_throw_scores_and_keeps_its_stones():
    state, rewards, over = play(Curling(**EXACT), late(), [TEE_DRAW])
    assert (rewards, over, state[LEAD], state[TIME]) == ([-1.0], True, -1.0, 16.0)
    assert np.flatnonzero(present(stones_of(state))).tolist() == [15]
    assert np.isfinite(state).all()


def test_the_next_end_starts_with_an_empty_sheet_and_the_other_hammer():
    state, rewards, over = play(Curling(ends=2, **EXACT), late(), [TEE_DRAW])
    assert (rewards, over) == ([-1.0], False)
    assert (state[TIME], state[HAMMER], state[LEAD]) == (16.0, 0.0, -1.0)  # team 1 scored and loses it
    assert not present(stones_of(state)).any()
    assert team_of(state) == 1


def test_a_blank_end_keeps_the_hammer():
    state, rewards, over = play(Curling(ends=2, **EXACT), late(hammer=0), [THROUGH])
    assert (rewards, over, state[HAMMER]) == ([0.0], False, 0.0)


@pytest.mark.parametrize(
    ("lead", "end", "extra", "over"),
    [(0, 0, 0, False), (0, 1, 0, True), (0, 1, 2, False), (1, 1, 2, True), (0, 3, 2, True), (-1, 2, 2, True)],
)
def test_ends_and_extra_ends(lead, end, extra, over):
    model = Curling(ends=2, extra_ends=extra, **EXACT)
    assert play(model, late(end=end, lead=lead), [THROUGH])[2] == over
    assert model.horizon == 16 * (2 + extra)


@pytest.mark.parametrize(("lead", "reward"), [(2, 1.0), (1, 0.5), (0, 0.0)])
def test_win_counts_at_the_end_of_the_match_alone(lead, reward):
    """Team 1 scores one with the last stone."""
    model = Curling(ends=2, reward="win", **EXACT)
    assert play(model, late(end=1, lead=lead), [TEE_DRAW])[1:] == ([reward], True)
    assert play(model, late(end=0, lead=lead), [TEE_DRAW])[1:] == ([0.0], False)


def test_removing_a_guard_early_is_undone():
    stones = no_stones()
    stones[0] = 0.0, 35.0
    take_out = np.array([0.055, 3.5, 1.0])
    for rule, kept in [("five_rock", True), ("none", False)]:
        state, _, _ = play(Curling(rule=rule, **EXACT), state_of(stones, 1), [take_out])
        after = stones_of(state)
        assert present(after)[0] == kept
        if kept:
            np.testing.assert_array_equal(after, stones)
            assert state[TIME] == 2.0


@pytest.mark.parametrize(("cls", "shots"), [(Curling, 150), (Box2DCurling, 40)])
def test_recorded_matches(cls, shots):
    """Every recorded shot: free guard zone, remaining stones, scores, hammer and end of the match."""
    apart, is_foul, previous = [], 0, None
    for update in list(records("dc3_updates.jsonl"))[:shots]:
        if update["move"] and update["move"]["type"] == "shot" and previous["shot"] >= 0:
            model = cls(ends=len(update["scores"]["team0"]), noise=Noise())
            velocity, turn = update["move"]["velocity"], update["move"]["rotation"]
            action = (velocity["x"], velocity["y"], 1.0 if turn == "ccw" else -1.0)
            before = place(previous)
            state, _, over = play(model, before, [action])
            assert state[TIME] == update["end"] * 16 + update["shot"]
            assert over == (update["result"] is not None)
            assert state[LEAD] == lead_of(update)
            if not over:
                assert state[HAMMER] == int(update["hammer"][-1])
                expected = place(update)
                if (present(stones_of(expected)) == present(stones_of(state))).all():
                    apart.append(np.abs(state - expected)[FIRST_STONE:].max())
                else:
                    apart.append(np.inf)
            if update["foul"]:
                is_foul += 1
                np.testing.assert_array_equal(state[FIRST_STONE:], before[FIRST_STONE:])
        previous = update
    assert is_foul == 2
    assert np.mean(np.array(apart) < 0.05) > 0.9


def lead_of(update):
    return sum(s or 0 for s in update["scores"]["team0"]) - sum(s or 0 for s in update["scores"]["team1"])


def place(update):
    stones = no_stones()
    for i, place in enumerate(update["stones"]):
        if place:
            stones[i] = place
    return state_of(stones, update["shot"], int(update["hammer"][-1]), update["end"], lead_of(update))


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
def test_both_engines_give_the_same_model(physics):
    models = [cls(ends=2, physics=physics) for cls in (Curling, Box2DCurling)]
    rng = np.random.default_rng(3)
    state = models[0].initial_state(rng)
    for _ in range(6):
        action = np.empty(3)
        models[0].sample_action(state, action, models[0].params, rng)
        one, other = (play(model, state, [action], seed=5)[0] for model in models)
        np.testing.assert_allclose(one, other, atol=0.05)
        state = one


def test_a_state_is_not_changed_and_every_field_of_the_next_is_written():
    model = Curling()
    state = model.initial_state(np.random.default_rng())
    before = state.copy()
    following, _, _ = play(model, state, [TEE_DRAW])
    np.testing.assert_array_equal(state, before)
    assert np.isfinite(following).all()


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
def test_random_matches_stay_in_bounds(physics):
    model = Curling(ends=2, physics=physics, noise="normal_dist" if physics == "fcv1" else "gat")
    rng = np.random.default_rng(1)
    stones = 0
    for _ in range(20):
        state, over = model.initial_state(rng), False
        action, following = np.empty(3), np.empty(model.state_dim)
        while not over:
            model.sample_action(state, action, model.params, rng)
            assert ((model.action_low <= action) & (action <= model.action_high)).all()
            over = model.step(state, action, following, model.params, rng)[1]
            state[:] = following
            assert ((model.state_low <= state) & (state <= model.state_high)).all()
            stones += present(stones_of(state)).sum()
        assert state[TIME] == model.horizon
    assert stones > 1000


def test_unit_of_velocity():
    plain, box = Curling(), Curling(velocity_unit="box")
    np.testing.assert_array_equal((box.action_low, box.action_high), ((-1.0,) * 3, (1.0,) * 3))
    np.testing.assert_array_equal((plain.action_low, plain.action_high), ((-0.4, 2.0, -1.0), (0.4, 4.0, 1.0)))
    state, action = plain.initial_state(np.random.default_rng()), np.empty((2, 3))
    for model, drawn in zip((plain, box), action, strict=True):
        model.sample_action(state, drawn, model.params, np.random.default_rng(1))
    np.testing.assert_allclose(box.aim(*action[0]), action[1])
    one, other = (play(model, state, [drawn])[0] for model, drawn in zip((plain, box), action, strict=True))
    np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
@pytest.mark.parametrize("unit", ["m/s", "box"])
def test_grid_of_aims(physics, unit):
    """The actions can be played and aim at the velocities of `curling.choice.aim_grid`."""
    model = Curling(physics=physics, velocity_unit=unit)
    blocks = model.aim_grid(model.initial_state(np.random.default_rng()), 1312)
    assert 1000 < sum(block.actions[..., 0].size for block in blocks) < 1600
    for block, (velocities, side, sd) in zip(blocks, aim_grid(model.law, noise_of(model.noise), 1312), strict=True):
        assert block.sd == sd
        assert block.actions.shape == (*velocities.shape[:2], 3)
        check_actions(model, block.actions.reshape(-1, 3))
        for row, column in [(0, 0), (-1, 5), (-1, -1)]:
            np.testing.assert_array_equal(block.actions[row, column], model.aim(*velocities[row, column], side))


@pytest.mark.parametrize("unit", ["m/s", "box"])
def test_actions_of_a_state_can_be_played(unit):
    model = Curling(velocity_unit=unit)
    out, keys = np.empty((model.max_actions, 3)), np.empty(model.max_actions, np.uint64)
    n = model.actions(model.initial_state(np.random.default_rng()), model.params, out, keys)
    assert 1 <= n <= model.max_actions
    check_actions(model, out[:n])


def test_rollout_is_the_return_of_random_play():
    model = Curling()
    state = model.initial_state(np.random.default_rng())
    values = [
        model.rollout(state.copy(), np.empty_like(state), 16, model.params, np.random.default_rng(i))
        for i in range(300)
    ]
    assert set(values) <= set(np.arange(-8.0, 9.0))
    assert np.std(values) > 0.5
    assert model.rollout(state.copy(), np.empty_like(state), 5, model.params, np.random.default_rng(1)) == 0.0


@pytest.mark.parametrize(
    ("model", "states"),
    [
        (Curling(ends=2, extra_ends=1, velocity_unit="box"), 60),
        (Curling(physics="dc2", noise="gat", reward="win"), 40),
        (Box2DCurling(), 5),
    ],
    ids=repr,
)
def test_contract(model, states):
    check_model(model, np.random.default_rng(0), states)


@pytest.mark.parametrize("name", ["uct", "dpw", "abstraction"])
@pytest.mark.parametrize("team", [0, 1])
def test_planners_score_for_either_team(name, team):
    """Without noise, the last stone with an empty house: half of all candidates score."""
    model = Curling(noise="none")
    decision = planners.make(name).plan(
        model, state_of(no_stones(), 15, hammer=team), Budget(simulations=300), np.random.default_rng(1)
    )
    assert decision.value == 1.0
    assert model.player(state_of(no_stones(), 15, hammer=team), model.params) == (1.0 if team == 0 else -1.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, -1e9, 0.0])
def test_no_float_crashes_the_compiled_functions(bad):
    model = Curling()
    rng = np.random.default_rng(1)
    stones = no_stones()
    stones[[0, 1, 8]] = (0.0, 38.0), (0.5, 37.0), (-0.5, 38.0)
    good, out, cells = state_of(stones, 4), np.empty(model.state_dim), np.empty(16, np.uint64)
    for i in range(model.state_dim):
        state = good.copy()
        state[i] = bad
        model.step(state, TEE_DRAW, out, model.params, rng)
        model.cells(state, 0, 16, model.params, cells)
        model.player(state, model.params)
        model.rollout(state, out, 16, model.params, rng)
    for i in range(3):
        action = TEE_DRAW.copy()
        action[i] = bad
        model.step(good, action, out, model.params, rng)


@pytest.mark.parametrize("lead", [9, -9])
@pytest.mark.parametrize("seed", range(3))
def test_a_match_that_is_decided_is_played_for_points(lead, seed):
    """The opponent lies three; win probabilities alone give them away, since all shots tie."""
    board = no_stones()
    board[[0, 8, 9, 10]] = (-1.0, 37.5), (0.0, 38.3), (0.5, 38.6), (-0.6, 38.0)
    state, match = state_of(board, 15, hammer=0, end=1, lead=lead), Curling(ends=2, extra_ends=2)
    decision = planners.make("presearch").plan(
        match.planning(), state, Budget(simulations=400), np.random.default_rng(seed)
    )
    points = [play(match, state, [decision.action], seed)[0][LEAD] - lead for seed in range(100)]
    assert np.mean(points) > 0.5
    sure = float(lead > 0)
    assert decision.value == sure and set(decision.values[decision.visits > 0]) == {sure}


def test_points_decide_for_win_probabilities_alone():
    state = state_of(no_stones(), 3, end=4)
    assert Curling(ends=10).tie_breaker(state) is None and Curling(ends=10, reward="win").tie_breaker(state) is None
    second = Curling(ends=10, extra_ends=3, rule="no_tick", tie=0.2).planning().tie_breaker(state)
    assert (second.reward, second.rule, steps_left(second, state)) == ("points", "no_tick", 13)
    extra = Curling(ends=2, extra_ends=3).planning().tie_breaker(state)
    assert steps_left(extra, state) == 13


@pytest.mark.parametrize(
    "bad",
    [
        {"ends": 0},
        {"ends": 1.5},
        {"ends": True},
        {"ends": 101},
        {"extra_ends": -1},
        {"extra_ends": 0.5},
        {"extra_ends": 101},
        {"reward": "points!"},
        {"rule": "six_rock"},
        {"rule": ["none"]},
        {"noise": "much"},
        {"noise": 0.1},
        {"physics": "fcv2"},
        {"physics": None},
        {"velocity_unit": "knots"},
        {"tie": -0.1},
        {"tie": 1.1},
        {"tie": "thesis"},
        {"table": (1.0, 2.0)},
        {"max_speed": 0.0},
    ],
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Curling(**bad)


def test_a_sweep_of_last_stones_takes_a_budget_of_one():
    model, state = Curling(), state_of(no_stones(), 15, 1)
    decision = planners.make("presearch").plan(model, state, Budget(simulations=1), np.random.default_rng(0))
    assert decision.simulations == decision.visits.sum() == 1 and np.isnan(decision.value)
