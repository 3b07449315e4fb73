"""Mixed doubles as an environment of Gymnasium; PettingZoo's is in test_curling_aec.py."""

import gymnasium
import numpy as np

from bonspiel import envs
from bonspiel.curling.ice.sheet import present
from bonspiel.curling.match.state import stones_of


def make(**arguments):
    return gymnasium.make("CurlingMixedDoubles-v0", **arguments).unwrapped


def test_the_env_is_its_model():
    env = make(ends=2, pattern=4)
    assert env.model == envs.parse("curling:ends=2,game=mixed_doubles,physics=dc4,velocity_unit=box,pattern=4")
    assert env.observation_space.shape == (38,)


def test_a_match_of_two_ends_has_twenty_shots_and_begins_every_end_with_two_stones():
    env = make(ends=2, noise="none", reward="win")
    env.reset(seed=1)
    away, captions, over = env.model.aim(0.35, 3.9, 1.0), [], False
    while not over:
        captions.append(env.scene().caption)
        if len(captions) in (1, 11):
            assert np.flatnonzero(present(stones_of(env.state))).tolist() == [2, 10]
        _, reward, over, truncated, info = env.step(away)
        assert not truncated
    assert len(captions) == 20
    assert captions[0] == "end 1 of 2, shot 1 of 10 next" and captions[9] == "end 1 of 2, shot 10 of 10 next"
    assert captions[10] == "end 1 of 2, after the last shot" and captions[11] == "end 2 of 2, shot 2 of 10 next"
    assert env.scene().caption == "end 2 of 2, after the last shot"
    # nobody moves the stones set up: with the hammer one scores one
    assert info["points"] == (1, 1) and reward == 0.5


def test_pictures_can_be_kept_in_a_list():
    env = gymnasium.make("CurlingMixedDoubles-v0", render_mode="rgb_array_list")
    env.reset(seed=1)
    assert len(env.render()) == 1


def test_stones_left():
    env = make()
    env.reset(seed=1)
    assert env.scene().left == (5, 5)
    env.step(env.model.aim(0.0, 2.4, 1.0))
    assert sorted(env.scene().left) == [4, 5]


def test_an_opponent_plays():
    env = make(opponent="rulebased:simulations=2")
    state, _ = env.reset(seed=1)
    assert state[0] == 6
    state, *_ = env.step(env.action_space.sample())
    assert state[0] == 8
