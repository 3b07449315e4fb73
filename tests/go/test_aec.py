"""Go for two agents of PettingZoo."""

import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

pytest.importorskip("pettingzoo")
with warnings.catch_warnings():
    # PettingZoo's own test module makes one of its environments in the way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

from bonspiel.go import aec


@pytest.mark.filterwarnings("ignore:Observation ")  # a dictionary with a mask, as in its own board games
def test_api():
    api_test(aec.env(size=5), num_cycles=40)


def test_seeds():
    seed_test(lambda: aec.env(size=5), num_cycles=40)


def test_agents_alternate_and_the_winner_is_paid():
    env = aec.env(size=5, komi=0.5)
    env.reset(seed=1)
    for agent, move in (("black_0", 12), ("white_0", 25), ("black_0", 25)):
        assert env.agent_selection == agent
        observation = env.observe(agent)
        (other,) = set(env.agents) - {agent}
        assert observation["action_mask"][move] == 1 and not env.observe(other)["action_mask"].any()
        assert (observation["observation"] == env.game.state).all()
        env.step(move)
    assert env.rewards == {"black_0": 1.0, "white_0": -1.0} and all(env.terminations.values())
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    for _ in range(2):
        env.step(None)
    with pytest.raises(ResetNeeded, match="or is over"):
        env.step(3)
    with pytest.raises(ValueError, match="the game must not be over"):
        env.reset(options={"state": env.game.state})


def test_before_the_reset_nothing_is_played_or_seen():
    env = aec.env(size=5)
    for call in (lambda: env.step(12), lambda: env.observe("black_0")):
        with pytest.raises(ResetNeeded, match="has not begun"):
            call()
    env.reset()
    with pytest.raises(ValueError, match="agent='zzz': must be 'black_0' or 'white_0'"):
        env.observe("zzz")


def test_it_begins_where_it_is_told_and_shows_the_board():
    env = aec.env(size=5, render_mode="rgb_array")
    env.reset()
    env.step(12)
    state, picture = env.game.state, env.render()
    env.reset(options={"state": state, "other": 1})
    assert env.agent_selection == "white_0" and np.array_equal(env.game.state, state)
    assert picture.shape == (640, 600, 3) and picture.std() > 10.0
    env.close()
