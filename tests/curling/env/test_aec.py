import warnings

import pytest
from gymnasium.error import ResetNeeded

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling

pytest.importorskip("pettingzoo")
with warnings.catch_warnings():
    # PettingZoo's own test module makes one of its environments in the way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test

from bonspiel.curling.env import aec as curling_aec
from bonspiel.curling.env import environment

MODEL = Curling(velocity_unit="box")
TEE_DRAW, THROUGH = MODEL.aim(0.1317, 2.3997, 1.0), MODEL.aim(0.4, 4.0, 1.0)


@pytest.mark.parametrize("arguments", [{}, {"ends": 2, "reward": "win", "extra_ends": 1}])
def test_api(arguments):
    api_test(curling_aec.env(**arguments), num_cycles=40)


def test_an_opponent_is_refused():
    with pytest.raises(ValueError, match="opponent='random': must be None"):
        curling_aec.env(opponent="random")
    with pytest.raises(ValueError, match="opponent_simulations=10: must be None"):
        curling_aec.env(opponent_simulations=10)


def test_seeds():
    seed_test(curling_aec.env, num_cycles=40)


def test_pictures(monkeypatch):
    monkeypatch.setattr("bonspiel.curling.env.environment.FLIGHT_FRAMES", 1)
    render_test(lambda render_mode: curling_aec.env(render_mode=render_mode), custom_tests={"human": lambda _: True})


@pytest.mark.parametrize(
    ("reward", "expected"), [("points", (-1.0, 1.0)), ("win", (0.0, 1.0)), ("win_probability", (0.0, 1.0))]
)
def test_rewards_of_both_agents(reward, expected):
    env = curling_aec.env(noise="none", reward=reward)
    env.reset(seed=1)
    for _ in range(15):
        env.step(THROUGH)
        assert set(env.rewards.values()) == {0.0}
    assert env.agent_selection == "team_1"
    env.step(TEE_DRAW)
    assert tuple(env.rewards.values()) == expected
    assert all(env.terminations.values())


def test_the_scorer_throws_first_in_the_next_end():
    env = curling_aec.env(noise="none", ends=2)
    env.reset(seed=1, options={"state": state_of(no_stones(), 15)})
    assert env.agent_selection == "team_1"
    env.step(TEE_DRAW)
    assert env.agent_selection == "team_1"


def test_mixed_doubles():
    api_test(curling_aec.mixed_doubles_env(ends=2), num_cycles=40)
    env = curling_aec.mixed_doubles_env(noise="none")
    env.reset(seed=1)
    agents = []
    while not all(env.terminations.values()):
        agents.append(env.agent_selection)
        env.step(THROUGH)
    assert agents == ["team_0", "team_1"] * 5


def test_an_agent_that_is_not_there_sees_nothing():
    env = curling_aec.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="agent='bogus': must be 'team_0' or 'team_1'"):
        env.observe("bogus")


def test_mixed_doubles_is_no_other_game():
    for make in (curling_aec.mixed_doubles_env, environment.mixed_doubles):
        with pytest.raises(ValueError, match="game='standard': must be 'mixed_doubles'"):
            make(game="standard")


def test_a_step_before_the_match_has_begun_is_refused():
    with pytest.raises(ResetNeeded, match="call reset"):
        curling_aec.env().step(None)
