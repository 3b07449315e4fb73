"""The published values, and that they agree with simulation."""

import importlib
import math
import sys

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs import Trap, TreasureHunt
from bonspiel.envs.optimal import Reference, constant_value, optimal_value, random_value, solve, starts_differ
from bonspiel.planners.checks import check_state
from bonspiel.planners.core.code.cache import SAID
from tests.envs.playing import return_of

pytestmark = pytest.mark.usefixtures("own_cache")

EIGHT = (np.arange(8)[:, None] + 0.5) / 8


@pytest.mark.parametrize(
    ("model", "optimum", "random"),
    [
        (Trap(0.1), pytest.approx(1.7), pytest.approx(1.030, abs=5e-4)),
        (Trap(0.01), pytest.approx(1.7), pytest.approx(1.088, abs=5e-4)),
        (Trap(0.1, "centred"), pytest.approx(1.7), pytest.approx(1.081, abs=5e-4)),
        (TreasureHunt(5.0), pytest.approx(0.99097, abs=3e-5), pytest.approx(-0.468, abs=1e-3)),
        (TreasureHunt(15.0), pytest.approx(0.97495, abs=4e-5), pytest.approx(-0.533, abs=1e-3)),
    ],
    ids=str,
)
def test_published_values(model, optimum, random):
    assert optimal_value(model) == optimum
    assert random_value(model) == random


def test_trap_on_the_grid_of_eight_actions():
    reference = solve(Trap(0.1), EIGHT)
    values = [reference.q([0.0, 0.0], action) for action in EIGHT]
    assert values[5:] == pytest.approx([1.52, 1.7, 1.4375], abs=1e-5)
    assert max(values[:5]) == pytest.approx(1.4)
    assert reference.policy([0.0, 0.0]) == 0.8125
    assert solve(Trap(0.1, "centred"), EIGHT).value([0.0, 0.0]) == pytest.approx(1.5609, abs=5e-5)


def test_trap_optimal_actions():
    for noise_range in (0.1, 0.01):
        reference = solve(Trap(noise_range))
        for action in (0.7, 1.0 - noise_range):
            assert reference.q([0.0, 0.0], [action]) == pytest.approx(1.7)
        for action in (0.69, 1.0 - noise_range + 0.005):
            assert reference.q([0.0, 0.0], [action]) < 1.6999
    centred = solve(Trap(0.1, "centred"))
    assert centred.policy([0.0, 0.0]) == pytest.approx(0.9)
    assert centred.q([0.0, 0.0], [0.89]) < 1.6999 > centred.q([0.0, 0.0], [0.91])


def simulate(model, policy, episodes):
    rng = np.random.default_rng(7)
    totals = [return_of(model, policy, model.initial_state(rng), rng) for _ in range(episodes)]
    return np.mean(totals), np.std(totals) / math.sqrt(episodes)


@pytest.mark.parametrize("model", [Trap(0.1), Trap(0.3, "centred"), TreasureHunt(5.0, angle_unit="half_turn")], ids=str)
def test_policy_earns_its_value(model):
    mean, error = simulate(model, solve(model).policy, 200)
    assert abs(mean - optimal_value(model)) < 4 * error + 1e-9


@pytest.mark.parametrize("model", [Trap(0.3, "centred"), TreasureHunt(5.0), TreasureHunt(15.0)], ids=str)
def test_random_value_agrees_with_rollouts(model):
    rng = np.random.default_rng(8)
    totals = [
        model.rollout(np.zeros(model.state_dim), np.empty(model.state_dim), model.horizon, model.params, rng)
        for _ in range(30_000)
    ]
    assert abs(np.mean(totals) - random_value(model)) < 4 * np.std(totals) / math.sqrt(len(totals))


@pytest.mark.parametrize("state", [[1.0, 4.0, 0.0], [4.5, 1.0, 45.0], [0.0, 0.0, 47.0]])
def test_bellman_equation_along_the_way(state):
    model = TreasureHunt(5.0)
    reference, rng = solve(model), np.random.default_rng(9)
    action, samples, after = reference.policy(state), [], np.empty(3)
    for _ in range(3000):
        reward, terminated = model.step(check_state(model, state), action, after, model.params, rng)
        samples.append(reward + (0.0 if terminated else reference.value(after)))
    assert abs(np.mean(samples) - reference.value(state)) < 4 * np.std(samples) / math.sqrt(3000) + 1e-4


def test_time_runs_out():
    reference = solve(TreasureHunt(5.0))
    assert reference.value([0.0, 0.0, 49.0]) == pytest.approx(-0.001, abs=1e-6)
    for ended in ([0.0, 0.0, 50.0], [4.5, 4.5, 3.0], [2.0, 2.0, 3.0]):
        assert reference.value(ended) == 0.0
    assert solve(Trap()).value([0.9, 1.0]) == pytest.approx(1.0) and solve(Trap()).value([0.9, 2.0]) == 0.0


def test_a_hole_that_does_not_end_the_episode_hardly_changes_the_optimum():
    assert optimal_value(TreasureHunt(5.0, hole_terminates=False)) == pytest.approx(0.99097, abs=3e-5)


def test_what_is_not_known_or_not_valid_is_refused():
    with pytest.raises(TypeError, match="Fraction"):
        from fractions import Fraction

        optimal_value(Fraction(1, 2))
    with pytest.raises(TypeError, match="largest size"):
        optimal_value(TreasureHunt(50.0))
    with pytest.raises(ValueError, match=r"^action="):
        solve(Trap()).q([0.0, 0.0], [2.0])
    with pytest.raises(ValueError, match=r"^state="):
        solve(Trap()).value([math.nan, 0.0])
    with pytest.raises(ValueError, match=r"^actions="):
        solve(Trap(), [0.5])


def test_a_package_brings_the_solver_of_its_model(tmp_path, monkeypatch):
    files = {
        "__init__": "",
        "model": "from bonspiel.envs import Trap\nclass Narrow(Trap):\n    pass\n",
        "optimum": "from bonspiel.envs.trap.optimum import solve\n"
        "def random_value(model):\n    return 0.25\ndef constant_value(model):\n    return 0.5\n",
    }
    (tmp_path / "narrow").mkdir()
    for name, text in files.items():
        (tmp_path / "narrow" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("narrow.model").Narrow(0.1)
    assert (optimal_value(model), random_value(model), constant_value(model)) == (pytest.approx(1.7), 0.25, 0.5)
    (tmp_path / "narrow" / "optimum.py").rename(tmp_path / "narrow" / "elsewhere.py")
    for name in ("narrow.optimum", "narrow"):
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    with pytest.raises(
        TypeError, match=r"no optimum of Narrow is known: narrow\.model defines no .*, and there is no "
    ):
        solve(importlib.import_module("narrow.model").Narrow(0.2))


SINGLE = """from bonspiel.envs import Trap
from bonspiel.envs.trap import optimum
class Narrow(Trap):
    pass
"""
OWN = """def solve(model, actions):
    return optimum.solve(model, actions)
"""
IMPORTED = "from numpy.linalg import solve\n"


def test_a_model_in_a_single_file_brings_its_solver(tmp_path, monkeypatch):
    for name, solver in (("single", OWN), ("importing", IMPORTED)):
        (tmp_path / f"{name}.py").write_text(SINGLE + solver)
    monkeypatch.syspath_prepend(tmp_path)
    assert optimal_value(importlib.import_module("single").Narrow(0.1)) == pytest.approx(1.7)
    with pytest.raises(TypeError, match="importing defines no function solve"):  # one that it only imports is another
        solve(importlib.import_module("importing").Narrow(0.2))


@pytest.mark.parametrize("error", ["ValueError", "TypeError", "KeyError"])
def test_a_solver_of_another_package_that_fails_says_so_and_gives_no_optimum(error, tmp_path, monkeypatch, capfd):
    monkeypatch.delenv(SAID, raising=False)
    text = f"def solve(model, actions):\n    raise {error}('off by one')\n"
    (tmp_path / f"failing_{error}.py").write_text(SINGLE + text)
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module(f"failing_{error}").Narrow(0.1)
    for _ in range(2):
        with pytest.raises(TypeError, match=f"failing_{error}.solve.* fails with {error}.*off by one"):
            optimal_value(model)
    assert capfd.readouterr().err.count("there is no optimum to compare with") == 1


def test_the_policy_of_large_values_has_an_action():
    reference = solve(envs.parse("family:trap:offset=1e6,horizon=20"))
    assert reference.policy(reference.model.initial_state(np.random.default_rng(0))).shape == (2,)


def test_rare_starts_are_starts_too():
    class Rarely:
        chance = 0.1

        def initial_state(self, rng):
            return np.array([float(rng.random() < self.chance)])

    assert starts_differ(Rarely())
    Rarely.chance = 0.0
    assert not starts_differ(Rarely())


def test_the_mean_value_is_that_of_many_starts():
    class Start:
        def initial_state(self, rng):
            return rng.normal(3.0, 1.0, 1)

    class Lasting(Reference):
        model = Start()

        def candidates(self, state):
            return np.zeros((1, 1))

        def q_values(self, state, actions):
            return state

        def value(self, state):
            return float(state[0])

    assert Lasting().mean_value() == pytest.approx(3.0, abs=0.15)


INCOMPLETE = """class Found:
    value = q = lambda *_: 0.0
def solve(model, actions):
    return Found()
"""


def test_a_solver_whose_answer_is_incomplete_is_named(tmp_path, monkeypatch, capfd):
    monkeypatch.delenv(SAID, raising=False)
    (tmp_path / "incomplete.py").write_text(SINGLE + INCOMPLETE)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TypeError, match=r"solve\(model, actions\)=.*one with mean_value\(\)"):
        optimal_value(importlib.import_module("incomplete").Narrow(0.1))
    assert "there is no optimum to compare with" in capfd.readouterr().err
