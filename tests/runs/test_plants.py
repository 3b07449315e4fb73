"""A plant that differs from the planners' model: what is played, what is refused, and what its results are called."""

from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.do_nothing import null_action
from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError
from bonspiel.runs.plants import PlantText, check_alike
from bonspiel.runs.runner.episode import play, play_batch
from bonspiel.runs.statistics.regret import simple_regret, start_values
from bonspiel.runs.statistics.scale import Known, known
from bonspiel.runs.suite import Suite, model_of, modules
from tests.envs.snapshot import toys
from tests.planners.tiny_models import Chain

PLANT = "trap --plant trap:noise_range=0.3"


def setting(env, planner="constant:action=0.45"):
    return Setting(env, planner, 30, "simulations", 3)


def suite(env):
    return Suite(env, (Experiment(env, (Entrant("dpw"),), simulations=(1,)),))


@pytest.mark.parametrize(
    "text", ["trap", PLANT, "trap --delay 2", f"{PLANT} --delay 1", "gym:A-v0:text='a -- b' --plant my_module:Mine:c=1"]
)
def test_a_text_is_read_and_written(text):
    assert str(PlantText.of(text)) == text


def test_the_plant_is_played_and_the_model_is_planned_in(fakes):
    def returns(env):
        return [episode.total for episode in play_batch(setting(env), range(20)).results]

    assert returns(PLANT) == returns("trap:noise_range=0.3") != returns("trap")
    assert model_of(PLANT) == envs.Trap() and modules([setting(PLANT)]) == ()


def test_an_action_takes_effect_after_the_delay():
    given, number = [], iter(range(1, 9))

    class Plant(Chain):
        compiled = False

        def step(self, state, action, next_state, params, rng):
            given.append(action[0])
            next_state[:] = state + 1.0
            return action[0], False

    class Counting:
        traits = planners.planner.Traits()

        def plan(self, model, state, budget, rng):
            assert type(model) is Chain
            action = np.array([0.1 * next(number)])
            return planners.Decision(action, 0.0, 1, 0.0, action[None], np.ones(1, int), np.zeros(1))

    episode = play(Chain(), Counting(), setting("chain"), 0, Plant(), delay=2)
    idle = null_action(Plant())[0]
    assert given == pytest.approx([idle, idle, 0.1, 0.2, 0.3])
    assert episode.total == pytest.approx(sum(0.9**k * action for k, action in enumerate(given)))


@pytest.mark.parametrize("name", ["uct", "icem", "adaptive"])
def test_a_planner_can_play_there(name):
    (episode,) = play_batch(setting(f"{PLANT} --delay 1", name), [0]).results
    assert episode.steps == 2


def test_what_is_known_is_of_the_plant_and_nothing_with_a_delay():
    noisy, starts = "trap:noise_range=0.3", "double_integrator"
    assert known(PLANT) == known(noisy) != known("trap")
    assert simple_regret(PLANT, [[0.2]]) == simple_regret(noisy, [[0.2]])
    assert known(f"{PLANT} --delay 1") == Known() and start_values(f"{starts} --delay 1", 0, [0]) is None
    assert start_values(starts, 0, [0]) is not None
    with pytest.raises(TypeError, match="its optimum is not known"):
        simple_regret(f"{PLANT} --delay 1", [[0.2]])


def test_the_results_are_called_by_the_plant(run, refused, tmp_path):
    line = ["run", "trap", "--planner", "dpw", "--budget", "5", "--episodes", "2", "--jobs", "1"]
    folder = tmp_path / "out"
    status, out, _ = run(*line, "--plant", "trap:noise_range=0.3", "--delay", "1", "--out", str(folder))
    env = f"{PLANT} --delay 1"
    assert status == 0 and out.startswith(f"{env}\n")
    for name in ("report.md", "report.html"):
        assert env in (folder / name).read_text()
    err = refused(*line, "--resume", "--out", str(folder))
    assert f"holds another run ({env})" in err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["trap", "--plant", "pendulum"], r"state_dim=3 of the plant must be that of the model, 2"),
        (["pendulum", "--plant", "mountain_car"], "of the plant must be that of the model"),
        (["trap", "--plant", "trop"], "unknown environment 'trop'. Did you mean 'trap'"),
        (["quick", "--delay", "1"], "--plant and --delay are for one environment, and this suite has several"),
        (["trap", "--delay", "-1"], "delay=-1: must be a whole number, at least 0"),
        (["trap", "--delay", "2"], "with 2 steps a delay must be below 2, or no action has an effect"),
    ],
)
def test_what_cannot_be_a_plant_is_refused(refused, line, message):
    err = refused("run", *line, "--dry-run", "--jobs", "1")
    assert message in err


def test_kinds_of_actions_must_be_alike():
    one, other = SimpleNamespace(action_kinds=("integer",)), SimpleNamespace(action_kinds=None)
    with pytest.raises(UsageError, match="action_kinds=None of the plant"):
        check_alike("a", one, other)
    assert check_alike("a", one, one) is None


def test_states_that_are_numbers_of_snapshots_are_no_plants():
    model, plant = (envs.from_gymnasium(toys.Noisy(), horizon=horizon) for horizon in (9, 9))
    with pytest.raises(UsageError, match=r"numbers of snapshots \(deep copies\).*; give the environment get_state"):
        check_alike("a --plant b", model, plant)
    assert check_alike("a --delay 2", model, model) is None


def test_the_digest_of_a_suite_and_its_description_name_the_plant():
    differing = suite("trap").played_in("trap:noise_range=0.3", 1)
    assert differing.digest() != suite("trap").digest()
    assert (
        "played in Trap(" in differing.resolve()[differing.name] and "delay of 1" in differing.resolve()[differing.name]
    )
