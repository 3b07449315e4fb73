"""What every registered environment and model has to do."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bonspiel import envs, planners
from bonspiel.planners.core.code.cache import SAID

WITH_PARAMETERS = [
    ("Trap-v0", {"noise_range": 0.01, "noise": "centred"}),
    ("TreasureHunt-v0", {"size": 15, "hole_terminates": False}),
]
CASES = [(env_id, {}) for env_id in envs.IDS if env_id not in envs.SHORT_IDS] + WITH_PARAMETERS


def only(cases):
    """Runs a test on these environments alone."""
    return pytest.mark.parametrize("env", cases, indirect=True, ids=str)


@pytest.fixture(params=CASES, ids=str)
def env(request):
    env_id, parameters = request.param
    made = gymnasium.make(env_id, **parameters)
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore:.*symmetric and normalized space")  # torques and forces keep their units
def test_checker_has_no_complaint_nor_warning(env):
    check_env(env.unwrapped)


@pytest.mark.parametrize("name", envs.names())
def test_every_model_keeps_its_contract(name):
    envs.check_model(envs.make_model(name), np.random.default_rng(0))


@only([*WITH_PARAMETERS, ("CurlingMixedDoubles-v0", {})])  # the others are among the models
def test_model_of_every_environment_keeps_its_contract(env):
    envs.check_model(env.unwrapped.model, np.random.default_rng(0), states=30)


def episode(env, seed):
    env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    found = [observation]
    done = False
    while not done:
        action = env.action_space.sample(info.get("action_mask"))
        observation, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated
        found.append(np.append(observation, [reward, terminated, truncated]))
    return np.concatenate(found)


def test_seed_decides_the_episode(env):
    first = episode(env, 1)
    np.testing.assert_array_equal(first, episode(env, 1))
    assert not np.array_equal(first, episode(env, 2))


def test_planner_gets_what_it_needs_and_its_action_is_accepted(env):
    observation, _ = env.reset(seed=1)
    base = env.unwrapped
    np.testing.assert_array_equal(base.state, observation)
    decision = planners.make("random").plan(
        base.model, base.state, planners.Budget(simulations=1), np.random.default_rng(1)
    )
    if isinstance(env.action_space, gymnasium.spaces.Box):
        assert env.action_space.contains(decision.action)
    env.step(decision.action)


def test_pictures_differ_as_the_episode_goes_on(env):
    drawn = gymnasium.make(env.spec, render_mode="rgb_array")
    drawn.reset(seed=1)
    before = drawn.render()
    drawn.step(drawn.action_space.sample())
    after = drawn.render()
    assert before.dtype == np.uint8 and before.ndim == 3 and before.shape[2] == 3
    assert before.shape[0] % 2 == before.shape[1] % 2 == 0, "video encoders want even sizes"
    assert not np.array_equal(before, after)


@only([("Trap-v0", {}), ("CurlingMixedDoubles-v0", {})])
def test_window_shows_the_picture_and_can_be_closed_twice(env):
    import pygame

    shown = gymnasium.make(env.spec, render_mode="human")
    shown.unwrapped.metadata = shown.unwrapped.metadata | {"render_fps": 1000}
    shown.reset(seed=1)
    shown.step(shown.action_space.sample())
    window = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    drawn = gymnasium.make(env.spec, render_mode="rgb_array")
    drawn.reset(seed=1)
    assert window.shape == drawn.render().shape and window.std() > 10
    shown.close()
    assert pygame.display.get_surface() is None
    shown.close()


def run(code, cwd, *arguments):
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


# One process for each, which begins with Gymnasium and numba alone: their start takes most of the time.
MAKE = """import os, sys, warnings
import gymnasium, numba
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)  # by linear algebra
for env_id in sys.argv[1:]:
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, env_id
    else:
        print(env_id, gymnasium.make("bonspiel:" + env_id).reset(seed=1)[0].sum(), flush=True)
        os._exit(0)"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_make_needs_only_gymnasium_imported(tmp_path):
    ids = [env_id for env_id, given in CASES if not given]
    done = run(MAKE, tmp_path, *ids)
    expected = [f"{env_id} {gymnasium.make(env_id).reset(seed=1)[0].sum()}\n" for env_id in ids]
    assert (done.returncode, done.stdout) == (0, "".join(expected)), done.stderr


def test_registering_again_changes_nothing(tmp_path):
    done = run("import bonspiel, gymnasium; bonspiel.register(); gymnasium.make('Trap-v0', noise_range=0.1)", tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_malformed_id_of_another_package_is_left_out_with_a_line(monkeypatch, capsys):
    monkeypatch.setenv(SAID, "")
    monkeypatch.setattr(envs, "IDS", {"other/two words": "other.model:Slope"} | envs.IDS)
    envs.register()
    assert "two words = other.model:Slope (bonspiel.gymnasium) is left out: Malformed" in capsys.readouterr().err


@pytest.mark.parametrize("env_id", envs.SHORT_IDS)
def test_a_short_id_makes_the_environment_of_the_long_one(env_id):
    short, long = (gymnasium.registry[name] for name in (env_id, f"bonspiel/{env_id}"))
    assert (short.entry_point, short.max_episode_steps) == (long.entry_point, long.max_episode_steps)


def test_import_is_light(tmp_path):
    heavy = ("numba", "pygame", "matplotlib", "scipy", "bonspiel.envs.trap.model")
    assert run(f"import sys, bonspiel.envs; print([m for m in {heavy} if m in sys.modules])", tmp_path).stdout == "[]\n"


def test_unknown_names_are_refused_with_the_close_match():
    with pytest.raises(ValueError, match="Did you mean 'trap'"):
        envs.make_model("trapp")
    with pytest.raises(ValueError, match="Did you mean 'size'"):
        envs.parse("treasure_hunt:siez=15")
    with pytest.raises(AttributeError, match="Trapp"):
        envs.Trapp  # noqa: B018
