"""Steps of compiled problems in RDDL are those of pyRDDLGym's simulator, with the same draws."""

import numpy as np
import pytest

from bonspiel.envs.rddl import from_rddl
from bonspiel.envs.rddl.actions import Actions
from bonspiel.envs.rddl.domain import read_domain
from tests.envs.rddl.recorded_draws import Compared

COMPETITION = ("HVAC", "MarsRover", "MountainCar", "UAV", "PowerGen", "Reservoir", "RaceCar", "RecSim")
# all domains of rddlrepository with real actions, and some with others
OTHERS = (
    "Reacher_physics",
    "Quadcopter_physics",
    "Bicycle_physics",
    "Pendulum_gym",
    "CartPole_Continuous_gym",
    "MountainCar_Continuous_gym",
    "UAV_Continuous",
    "UAV_Mixed",
    "Intruders_Continuous",
    "HVAC",
    "Reservoir_Continuous",
    "PowerGen_Continuous",
    "Navigation_Continuous",
    "Epidemic",
    "Zombies_arcade",
    "SupplyChain_or",
    "Knapsack_or",
    "Tetris_arcade",
    "Blackjack_arcade",
    "Logistics_rddlsim",
    "Elevators",
    "Sidewalk_rddlsim",
    "TrafficBLX_ComplexPhases",
)
PROBLEMS = [(f"{name}_ippc2023", str(instance)) for name in COMPETITION for instance in range(1, 6)]
PROBLEMS += [(name, "0") for name in OTHERS]
LARGE = {("RecSim_ippc2023", "4"): 3, ("RecSim_ippc2023", "5"): 1}  # steps; the others take 30
HERE = "tests/envs/rddl/"


@pytest.mark.parametrize(("name", "instance"), PROBLEMS, ids=lambda text: text)
def test_a_step_is_the_step_of_pyrddlgym(name, instance):
    domain = read_domain(name, instance)
    actions = Actions(domain, 100.0)
    compared, rng = Compared(domain, actions), np.random.default_rng(7)
    start = np.concatenate([*map(domain.values, domain.rddl.state_fluents), np.zeros(1)])
    state, action = start, np.empty(len(actions.low))
    for _ in range(LARGE.get((name, instance), 30)):
        compared.interpreter.sample_action(state, action, np.zeros(1), rng)
        (theirs, reward, over), (ours, our_reward, our_over) = compared.step(state, action, rng)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(our_reward, reward, rtol=1e-9, atol=1e-9)
        assert our_over == over
        state = start if over or theirs[-1] >= domain.rddl.horizon else theirs


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
    """One step of the corridor 20,000 times by each: the place is normal, the light comes on in 9 of 10."""
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
