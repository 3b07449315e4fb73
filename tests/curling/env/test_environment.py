from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from bonspiel import envs, planners
from bonspiel.curling.box2d_model import Box2DCurling
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import no_stones, present
from bonspiel.curling.match.state import TIME, state_of, stones_of, team_of
from bonspiel.curling.match.value import MOST_LEAD, win_probabilities
from bonspiel.curling.model import Curling
from bonspiel.planners.planner import Budget

MODEL = Curling(velocity_unit="box")
TEE_DRAW, THROUGH = MODEL.aim(0.1317, 2.3997, 1.0), MODEL.aim(0.4, 4.0, 1.0)


def make(**arguments):
    return gymnasium.make("Curling-v0", **arguments).unwrapped


@pytest.mark.parametrize(
    "arguments",
    [{"ends": 2, "extra_ends": 1, "reward": "win"}, {"opponent": "random"}, {"physics": "dc2", "noise": "gat"}],
)
def test_gymnasium_check(arguments):
    check_env(gymnasium.make("Curling-v0", **arguments).unwrapped)


def test_self_play_alternates_and_ends_with_the_score():
    env = make(noise="none")
    state, info = env.reset(seed=1)
    teams = []
    for shot in range(16):
        teams.append(info["team"])
        state, reward, terminated, truncated, info = env.step(TEE_DRAW if shot == 8 else THROUGH)
        assert (terminated, truncated) == (shot == 15, False)
    assert teams == [0, 1] * 8
    assert (reward, info["points"]) == (1.0, (1, 0))
    assert np.flatnonzero(present(stones_of(state))).tolist() == [4]


def test_the_env_is_its_model():
    env = make(ends=2)
    assert env.model == Curling(ends=2, velocity_unit="box")
    state, _ = env.reset(seed=7)
    rng = np.random.default_rng(7)
    rng.integers(2**63)  # the opponent's seed
    for _ in range(20):
        expected = np.empty_like(state)
        env.model.step(state, TEE_DRAW, expected, env.model.params, rng)
        state, *_ = env.step(TEE_DRAW)
        np.testing.assert_array_equal(state, expected)


def test_an_opponent_throws_for_team_1():
    env = make(opponent="random", opponent_simulations=1)
    state, _ = env.reset(seed=3)
    rewards = []
    for throw in range(8):
        assert team_of(state) == 0
        assert state[TIME] == 2 * throw
        state, reward, terminated, _, info = env.step(TEE_DRAW)
        rewards.append(reward)
        assert terminated == (throw == 7)
    assert sum(rewards) == info["points"][0] - info["points"][1]


class Drawer:
    """Draws to the tee, after drawing so many random numbers; remembers the model that it was given."""

    def __init__(self, numbers=0):
        self.numbers, self.model = numbers, None

    def plan(self, model, state, budget, rng, root_actions=None):
        self.model = model
        rng.random(self.numbers)
        return planners.Decision(TEE_DRAW, 0.0, 0, 0.0, TEE_DRAW[None], np.zeros(1, np.int64), np.zeros(1))


def test_an_opponent_with_the_first_stone_of_an_end_throws_at_once():
    env = make(opponent=Drawer(), ends=2, noise="none")
    env.reset(seed=1, options={"state": state_of(no_stones(), 14, hammer=1)})
    state, reward, _, _, info = env.step(THROUGH)
    assert (reward, info["points"]) == (-1.0, (0, 1))  # team 1 scored with the last stone, so it throws first
    assert (state[TIME], team_of(state)) == (17.0, 0)
    assert np.flatnonzero(present(stones_of(state))).tolist() == [8]


@pytest.mark.parametrize("engine", ["analytic", "box2d"])
@pytest.mark.parametrize(("reward", "planned"), [("points", "points"), ("win", "win_probability")])
def test_an_opponent_plans_on_the_analytic_engine(engine, reward, planned):
    match = {"physics": "dc2", "noise": "gat", "ends": 2, "extra_ends": 1, "tie": 0.7}
    env = make(opponent=Drawer(), engine=engine, reward=reward, **match)
    env.reset(seed=1)
    env.step(TEE_DRAW)
    assert env.opponent.model == Curling(reward=planned, velocity_unit="box", **match)


def test_what_an_opponent_draws_does_not_change_the_noise_of_throws():
    states = []
    for numbers in (0, 5):
        env = make(opponent=Drawer(numbers))
        env.reset(seed=5)
        env.step(TEE_DRAW)
        states.append(env.step(TEE_DRAW)[0])
    np.testing.assert_array_equal(*states)


def test_a_planner_plays_an_end():
    env = make(noise=Noise(speed=0.001))
    planner, rng = planners.make("random"), np.random.default_rng(1)
    env.reset(seed=1)
    over = False
    while not over:
        decision = planner.plan(env.model, env.state, Budget(simulations=50), rng)
        _, _, over, _, _ = env.step(decision.action)
    assert env.state[TIME] == 16.0


def test_engine():
    assert type(make(engine="box2d").model) is Box2DCurling
    env = make(engine="box2d", noise="none")
    env.reset(seed=1)
    state, *_ = env.step(TEE_DRAW)
    assert present(stones_of(state)).sum() == 1


def test_picture_shows_stones_and_path():
    env = make(render_mode="rgb_array", noise="none")
    env.reset(seed=1)
    empty = env.render()
    assert empty.shape[2] == 3
    assert empty.dtype == np.uint8
    env.step(TEE_DRAW)
    drawn = env.render()
    changed = np.abs(drawn.astype(int) - empty).sum(2) > 60
    red = (drawn == (221, 61, 47)).all(2)
    assert red.sum() > 300  # the stone's handle, and its path
    assert changed[:, : drawn.shape[1] // 3].any()  # the path, well before the house


def test_between_ends_the_last_stones_are_still_to_be_seen():
    env = make(ends=2, noise="none", render_mode="rgb_array")
    env.reset(seed=1, options={"state": state_of(no_stones(), 15)})
    state, *_ = env.step(TEE_DRAW)
    assert not present(stones_of(state)).any()
    scene = env.scene()
    assert present(scene.stones).sum() == 1
    assert (scene.points, scene.hammer, scene.left) == ((0, 1), 1, (0, 0))
    env.step(THROUGH)
    assert not present(env.scene().stones).any()
    assert env.scene().left == (8, 7)  # team 1 scored and throws first


def test_the_caption_after_the_last_shot_without_a_render_mode():
    env = make(noise="none")
    env.reset(seed=1, options={"state": state_of(no_stones(), 15)})
    assert env.scene().caption == "end 1 of 1, shot 16 of 16 next"
    env.step(TEE_DRAW)
    scene = env.scene()
    assert (scene.caption, scene.hammer, scene.left) == ("end 1 of 1, after the last shot", 1, (0, 0))
    assert present(scene.stones).sum() == 1


@pytest.fixture
def quiet(monkeypatch):
    """Human mode without the time that its pictures take."""
    monkeypatch.setattr("bonspiel.curling.env.environment.FLIGHT_FRAMES", 1)


MODES = pytest.mark.parametrize("mode", ["rgb_array", "human"])


@MODES
@pytest.mark.parametrize("engine", ["analytic", "box2d"])
def test_pictures_do_not_change_what_can_be_played(mode, engine, quiet):
    """Throws that noise takes over the cap, and stones that play left overlapping."""
    stones = no_stones()
    stones[[1, 9]] = (2.229, 38.0), (2.229, 38.284)
    overlapping = state_of(stones, 4)
    states = []
    for render_mode in (mode, None):
        env = make(engine=engine, noise=Noise(vy=0.8), render_mode=render_mode)
        env.reset(seed=1)
        env.path[-1] = overlapping
        for action in (THROUGH, THROUGH, THROUGH, TEE_DRAW):
            env.step(action)
        states.append(env.state)
        env.close()
    np.testing.assert_array_equal(*states)


@MODES
def test_stones_off_the_sheet_are_refused(mode, quiet):
    stones = no_stones()
    stones[1] = 2.3, 38.0
    env = make(render_mode=mode)
    with pytest.raises(ValueError, match=r"stones\[1\]=.*on the sheet"):
        env.reset(options={"state": state_of(stones, 4)})
    env.close()


def test_a_state_that_no_match_can_come_to_is_refused():
    stones = no_stones()
    stones[:7] = [(0.4 * i, 38.0) for i in range(-3, 4)]
    with pytest.raises(ValueError, match="stones of team 0=7: must be at most 2"):
        make().reset(options={"state": state_of(stones, 3)})


def test_an_episode_of_win_probability_is_an_end():
    env = make(ends=2, noise="none", reward="win_probability", table="thesis")
    env.reset(seed=1, options={"state": state_of(no_stones(), 15, hammer=1)})
    _, reward, terminated, _, _ = env.step(TEE_DRAW)
    assert terminated
    assert reward == pytest.approx(win_probabilities(1)[1, MOST_LEAD - 1])


@pytest.mark.parametrize("mode", [None, "rgb_array", "human"])
def test_a_step_before_or_after_the_match_flies_nothing(mode, quiet):
    env = make(render_mode=mode)
    with pytest.raises(ResetNeeded):
        env.step(TEE_DRAW)
    env.reset(seed=1, options={"state": state_of(no_stones(), 15)})
    env.step(TEE_DRAW)
    flight = env.scene().paths
    with pytest.raises(ResetNeeded):
        env.step(THROUGH)
    assert env.scene().paths is flight
    env.close()


def test_human_mode_plays_the_shot(monkeypatch):
    env = make(render_mode="human", noise="none")
    env.reset(seed=1)
    shown = []
    monkeypatch.setattr(type(env._window), "show", lambda window, picture: shown.append(picture))
    env.step(TEE_DRAW)
    assert len(shown) > 10
    assert any((one != other).any() for one, other in pairwise(shown))
    env.close()


@pytest.mark.parametrize(
    "bad",
    [
        {"engine": "unity"},
        {"ends": 0},
        {"rule": "six_rock"},
        {"noise": "much"},
        {"opponent": "rundom"},
        {"opponent": 5},
        {"physics": "moon"},
        {"reward": "fame"},
        {"opponent_simulations": 0},
        {"tie": 2},
        {"table": "nowhere.json"},
        {"pattern": 3},
    ],
)
def test_bad_arguments_are_named(bad):
    name = next(iter(bad))
    with pytest.raises(ValueError, match="simulations" if name == "opponent_simulations" else "planner|" + name):
        make(**bad)


def test_units_of_velocity():
    states = []
    for unit in ("box", "m/s"):
        env = make(velocity_unit=unit)
        env.reset(seed=1)
        states.append(env.step(env.model.aim(0.1317, 2.3997, 1.0))[0])
    np.testing.assert_allclose(*states, rtol=1e-9)


def test_bad_action_is_named():
    env = make(render_mode="rgb_array")
    env.reset(seed=1)
    for action in ([0.0, np.nan, 1.0], [0.0, 9.0, 1.0], [0.0, 2.4]):
        with pytest.raises(ValueError, match="action"):
            env.step(np.array(action))


def test_names_that_mean_nothing_is_there_are_names():
    model = envs.parse("curling:noise=none,rule=none")
    assert (model.noise, model.rule) == ("none", "none")


def test_players_of_curling_may_be_opponents():
    env = make(opponent="rulebased:simulations=2", ends=1)
    env.reset(seed=1)
    env.step(TEE_DRAW)
    assert int(env.state[TIME]) == 2
