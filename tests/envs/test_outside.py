"""Environments by text: of Gymnasium, of a module in the current folder, wrapped, and with a limited look-ahead."""

import sys
import textwrap

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs import outside
from bonspiel.envs.trap.env import TrapEnv
from bonspiel.planners.checks import steps_left

MODULE = """
import gymnasium
from gymnasium.envs.classic_control.pendulum import PendulumEnv
from tests.planners.tiny_models import Chain

gymnasium.register("owned/Pole-v0", "gymnasium.envs.classic_control.pendulum:PendulumEnv", max_episode_steps=7)
gymnasium.register("Pole-v7", "gymnasium.envs.classic_control.pendulum:PendulumEnv", max_episode_steps=9)

def make_env(g=9.8, horizon=3):
    return gymnasium.make("Pendulum-v1", g=g)

def make_long(steps=1):
    return gymnasium.make("Pendulum-v1", max_episode_steps=steps)

def make_bare():
    return PendulumEnv()

def make_limited():
    return gymnasium.wrappers.TimeLimit(PendulumEnv(), 6)

def make_vector():
    return gymnasium.make_vec("Pendulum-v1", num_envs=2)

class Raising(PendulumEnv):
    def step(self, action):
        raise RuntimeError("sensor")

def raises():
    return gymnasium.wrappers.TimeLimit(Raising(), 6)

def fails():
    raise OSError("no file")

class Leaving:
    def __init__(self):
        raise SystemExit("no licence")

number = 3

class Part:
    state_dim = horizon = 2
    step = None

class Model(Chain):
    pass
"""


@pytest.fixture
def owned(tmp_path, monkeypatch):
    """A module `owned` in the current folder."""
    (tmp_path / "owned.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "leaves.py").write_text("raise SystemExit(4)")
    (tmp_path / "broken.py").write_text("x = 1\ny = (\n")
    (tmp_path / "lacks.py").write_text("import json\nimport torhc\n")
    (tmp_path / "looks.py").write_text("def look(found):\n    return found['key']\n\nlook({})\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("owned", "broken", "lacks", "looks"):
        sys.modules.pop(name, None)
    for name in ("owned/Pole-v0", "Pole-v7"):
        gymnasium.registry.pop(name, None)


def test_a_name_of_gymnasium_with_keyword_arguments():
    model = envs.parse("gym:Pendulum-v1:g=9.8")
    assert model.env.unwrapped.g == 9.8
    assert model.horizon == 200
    assert repr(model) == repr(envs.parse("gym:Pendulum-v1:g=9.8"))  # --resume compares it
    assert "Pendulum-v1(g=9.8)" in repr(model)
    assert envs.modules("gym:Pendulum-v1:g=9.8") == ["gymnasium.envs.classic_control.pendulum"]


def test_our_own_ids_are_the_compiled_models():
    assert envs.parse("gym:Trap-v0:noise_range=0.2") == envs.Trap(noise_range=0.2)


def test_one_that_steps_otherwise_is_not_its_model():
    class Doubled(TrapEnv):
        def step(self, action):
            observation, reward, *rest = super().step(action)
            return observation, 2.0 * reward, *rest

    assert TrapEnv().plays_its_model and not Doubled().plays_its_model
    with pytest.raises(ValueError, match=r"step\(\) draws from a generator of its own"):
        envs.parse("gym:bonspiel/Curling-v0:opponent=random")


def test_a_module_in_the_current_folder(owned):
    assert envs.parse("owned:Model").horizon == 5
    assert envs.parse("owned:make_env:g=5.0").env.unwrapped.g == 5.0
    assert envs.parse("gym:owned/Pole-v0").horizon == 7
    assert envs.modules("owned:make_env:g=5.0") == ["owned"]
    assert sys.path[-1] != sys.path[0]


def test_the_form_of_gymnasium_for_an_id_of_a_module(owned):
    assert envs.parse("gym:owned:Pole-v7").horizon == 9
    assert envs.parse("gym:owned:Pole-v7:g=5.0").env.unwrapped.g == 5.0
    assert envs.parse("gym:owned:owned/Pole-v0").horizon == 7
    assert envs.modules("gym:owned:Pole-v7") == ["owned", "gymnasium.envs.classic_control.pendulum"]


def test_an_id_of_a_module_named_elsewhere_is_found_with_it(owned):
    assert outside.qualified("gym:Pole-v7:g=5.0", ["json", "owned"]) == "gym:owned:Pole-v7:g=5.0"
    assert outside.qualified("gym:Pendulum-v1", ["nowhere"]) == "gym:Pendulum-v1"
    assert outside.qualified("trap", ["nowhere"]) == "trap"
    assert outside.qualified("gym:Pole-v8", ["owned"]) == "gym:Pole-v8"


def test_horizon_and_discount_are_the_conversion_s_unless_the_function_takes_them(owned):
    model = envs.parse("owned:make_long:horizon=4,discount=0.5")
    assert (model.horizon, model.discount) == (4, 0.5)
    assert envs.parse("owned:make_env:horizon=4").horizon == 200
    assert envs.parse("owned:make_bare:horizon=4").horizon == 4
    with pytest.raises(ValueError, match="unknown parameter of owned:Model 'horizon'"):
        envs.parse("owned:Model:horizon=4")


def test_a_time_limit_around_an_environment_without_a_specification_is_the_horizon(owned):
    assert envs.parse("owned:make_limited").horizon == 6


def test_wrappers_from_the_inside_outwards():
    text = "gym:Pendulum-v1:wrap=(gymnasium.wrappers:RescaleAction:min_action=-1,max_action=1)"
    assert envs.parse(text).action_high.tolist() == [1.0]
    assert envs.modules(text)[1:] == ["gymnasium.wrappers"]
    again = f"{text},wrap=(gymnasium.wrappers:RescaleAction:min_action=-3,max_action=3)"
    assert envs.parse(again).action_high.tolist() == [3.0]


@pytest.mark.parametrize("text", ["trap:lookahead=1", "treasure_hunt:lookahead=1", "gym:Pendulum-v1:lookahead=1"])
def test_lookahead_shortens_the_plan_and_not_the_episode(text):
    model, plain = envs.parse(text), envs.parse(text.partition(":lookahead")[0])
    state = model.initial_state(np.random.default_rng(0))
    assert steps_left(model, state) == 1 < steps_left(plain, state)
    assert model.horizon == plain.horizon


def test_a_plan_of_one_step_sees_one_step():
    state, rng = np.zeros(2), np.random.default_rng(0)
    actions = np.array([[0.05], [0.9]])
    model = envs.parse("trap:noise_range=0.01,lookahead=1")
    near = planners.make("uct").plan(model, state, planners.Budget(simulations=100), rng, actions)
    np.testing.assert_allclose(near.values, [0.7, 0.7])  # of two steps: 1.4 and more


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gym:Pendulm-v1", "Did you mean: `Pendulum`"),
        ("gym:Pendulum-v1:gg=1", "gym:Pendulum-v1 failed .*'gg'"),
        ("gym:nowhere/Env-v0", "Namespace nowhere not found"),
        ("nowhere:Env", "nowhere cannot be imported .*run where its file is"),
        ("owned:nothing", "owned has no 'nothing'"),
        ("owned:fails", r"owned:fails failed \(OSError: no file\)"),
        ("owned:Model:size=1", "unknown parameter of owned:Model 'size'"),
        ("collections:OrderedDict", "OrderedDict has no `step`"),
        ("trap:lookahead=0", "lookahead=0: must be a whole number"),
        ("trap:wrap=(gymnasium.wrappers:ClipAction)", "trap is a model, which gymnasium.wrappers:ClipAction cannot"),
        ("gym:Pendulum-v1:wrap=(gymnasium.wrappers:RescaleAction:low=1)", "unknown parameter .*'low'"),
        ("gym:Pendulum-v1:wrap=(builtins:id)", "builtins:id is no wrapper: it gives int"),
        ("gym:Pendulum-v1:wrap=(owned:fails)", "owned:fails failed"),
        ("gym:Pendulum-v1:wrap=(owned:number)", "owned:number is no wrapper: .*not a class or function"),
        ("gym:Pendulum-v1:wrap=owned:Model", "in parentheses"),
        ("owned:make_bare", "horizon=STEPS"),
        ("owned:make_vector", "owned:make_vector gives a vector of environments"),
        ("owned:Part", "gives Part, which needs `action_low`, .*`sample_action`"),
        ("owned:raises", r"one whose step\(\) runs .*RuntimeError: sensor"),
        ("lacks:Env", r"^lacks cannot be imported \(.*torhc'\) in lacks.py, line 2: import torhc$"),
        ("looks:Env", r"^looks cannot be imported \(KeyError: 'key'\) in looks.py, line 2: return found\['key'\]$"),
        ("broken:Env", r"^broken cannot be imported \(SyntaxError: .*in broken.py, line 2: y = \($"),
        ("gym:looks:Env-v0", r"^looks cannot be imported \(KeyError: 'key'\) in looks.py, line 2"),
        ("gym:owned:Pole-v8", "^gym:owned:Pole-v8: .*v7"),
        ("gym:Polo-v0", "if a module of yours registers it, write gym:MODULE:Polo-v0"),
        ("owned:fails", r"\(OSError: no file\) in owned.py, line \d+: raise OSError"),
        ("owned:Leaving", r"failed \(SystemExit: no licence\) in owned.py, line \d+: raise SystemExit"),
        ("owned:", "'owned:': must be module:attribute"),
        (":Model", "must be module:attribute"),
        ("leaves:Env", r"leaves cannot be imported \(SystemExit: 4\)"),
        ("trapp", "Did you mean 'trap'"),
        ("trap:size", "'size' is not key=value"),
    ],
)
def test_each_mistake_is_named(owned, text, words):
    with pytest.raises(ValueError, match=words):
        envs.parse(text)


@pytest.mark.parametrize("missing", ["shimmy", "dm_control"])
def test_dm_control_says_what_to_install(missing, monkeypatch):
    found = {"shimmy": True, "dm_control": True, missing: None}
    monkeypatch.setattr(gymnasium, "registry", {})
    monkeypatch.setattr(outside.importlib.util, "find_spec", found.get)
    with pytest.raises(
        ValueError, match=r"^gym:dm_control/reacher-hard-v0 needs dm_control and shimmy: pip install 's"
    ):
        envs.parse("gym:dm_control/reacher-hard-v0")


def test_an_environment_of_dm_control_is_made_by_its_name():
    pytest.importorskip("dm_control")
    pytest.importorskip("shimmy")
    model = envs.parse("gym:dm_control/cartpole-swingup-v0")
    assert (model.storage.name, model.horizon) == ("MuJoCo and attributes", 1000)
    assert envs.modules("gym:dm_control/cartpole-swingup-v0") == ["shimmy.registration"]
