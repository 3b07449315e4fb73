"""Steps of compiled problems in RDDL are those of pyRDDLGym's simulator, with the same draws."""

import numpy as np
import pytest

from bonspiel.envs.rddl import draws, expressions, from_rddl
from bonspiel.envs.rddl.storage import Value
from docs.studies import rddl as study

# with actions of other kinds; the study has all with real ones
OTHERS = "SupplyChain_or Knapsack_or Tetris_arcade Blackjack_arcade Logistics_rddlsim Elevators".split()
OTHERS += ["Sidewalk_rddlsim", "TrafficBLX_ComplexPhases"]
COMPETITION = [problem for problem in study.PROBLEMS if "_ippc2023:" in problem]  # instances 1 to 5, ever larger ones
PROBLEMS = [problem for problem in study.PROBLEMS if problem not in COMPETITION or problem.endswith((":1", ":5"))]
PROBLEMS += [f"{name}:0" for name in OTHERS]
LARGE = {"RecSim_ippc2023:5": 1}  # steps; the others take 30
HERE = "tests/envs/rddl/"


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_step_is_the_step_of_pyrddlgym(problem):
    assert study.largest_difference(problem, LARGE.get(problem, 30), seed=7) <= study.TOLERANCE


def test_a_difference_is_found(monkeypatch):
    """Where ours takes the sine for the cosine."""
    monkeypatch.setitem(expressions.FUNCTIONS, "cos", "np.sin({})")
    assert study.largest_difference("UAV_ippc2023:1", 3) > 1e-3


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Gumbel", "({0} + {1} * np.log(-np.log1p(-{rng}.random())))"),
        ("Beta", "{rng}.beta({1}, {0})"),
        ("Laplace", "{rng}.laplace({0}, 2.0 * {1})"),
    ],
)
def test_a_difference_of_a_distribution_is_found(monkeypatch, name, wrong):
    monkeypatch.setitem(draws.NUMBERS, name, wrong)
    assert study.largest_difference(study.DRAWS, 3) > 1e-3


def test_a_difference_of_a_discrete_distribution_is_found(monkeypatch):
    """Our draws take the first entry of every list."""
    monkeypatch.setattr(draws, "_of_list", lambda *given: Value("0.0"))
    assert study.largest_difference(study.DRAWS, 3) == 1.0


def test_the_study_prints_a_line_for_each_problem(capsys):
    study.main(["Reservoir_ippc2023:1", "--steps", "20", "--seconds", "0.01"])
    heading, _, row = capsys.readouterr().out.splitlines()
    assert heading.count("|") == row.count("|") == 7 and row.startswith("| Reservoir_ippc2023:1 | ")


@pytest.mark.parametrize(
    "problem",
    [("Reservoir_ippc2023", "1"), (f"{HERE}corridor.rddl", f"{HERE}corridor_1.rddl")],
    ids=["rain", "corridor"],
)
def test_compiled_code_draws_as_its_source_does(problem):
    model = from_rddl(*problem)
    for seed in range(5):
        found = []
        for step, sample in ((model.step, model.sample_action), (model.step.py_func, model.sample_action.py_func)):
            rng, action = np.random.default_rng(seed), np.empty(len(model.action_low))
            state, path = model.initial_state(rng), []
            for _ in range(8):
                new = np.full_like(state, np.nan)
                sample(state, action, model.params, rng)
                path.append((*action, *step(state, action, new, model.params, rng), *new))
                state = new
            found.append(np.array(path, dtype=float))
        np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_a_distribution_is_pyrddlgyms():
    """One step of the corridor by each program many times: the place is normal, the light comes on in 9 of 10."""
    problem, count = (f"{HERE}corridor.rddl", f"{HERE}corridor_1.rddl"), 4000
    action, found = np.array([1.0, 0.5, 1.0, 2.0]), []
    for interpreted, seed in ((False, 1), (True, 2)):
        model, rng = from_rddl(*problem, interpreted=interpreted), np.random.default_rng(seed)
        start, new = model.initial_state(rng), np.empty(model.state_dim)
        ends = []
        for _ in range(count):
            model.step(start, action, new, model.params, rng)
            ends.append(new.copy())
        found.append(np.array(ends))
    for ends in found:
        assert ends[:, 0].mean() == pytest.approx(0.5, abs=5 * 0.1 / count**0.5)
        assert ends[:, 0].std() == pytest.approx(0.1, rel=0.1)
        assert ends[:, 1].mean() == pytest.approx(0.9, abs=5 * 0.3 / count**0.5)
        assert np.array_equal(np.unique(ends[:, 2:], axis=0), [[1.0, 0.0, 1.0, 2.0, 1.0]])
