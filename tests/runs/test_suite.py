import dataclasses
import importlib.metadata
import json
import re
import sys
from pathlib import Path

import gymnasium
import pytest

from bonspiel import envs, planners
from bonspiel.envs import baselines
from bonspiel.planners.core.code import sources
from bonspiel.runs import suite
from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError
from bonspiel.runs.suite import Suite
from bonspiel.runs.suites import lookup
from bonspiel.runs.tuning import study, tune

pytestmark = pytest.mark.usefixtures("undrawn")

KINDS = {"Keys of the file": Suite, "Keys of an experiment": Experiment, "Planner entries": Entrant}

TWICE = """
description = "mine"

[planners]
both = ["uct", { planner = "dpw", max_simulations = 10, label = "mine" }]

[[experiment]]
env = ["trap", "trap:noise_range=0.01"]
planners = "both"
simulations = [10, 100]

[[experiment]]
env = "trap"
planners = "both"
milliseconds = [1]
"""
IN_FULL = """
description = "mine"
[[experiment]]
env = "trap"
planners = ["uct", { planner = "dpw", max_simulations = 10, label = "mine" }]
simulations = [10, 100]
[[experiment]]
env = "trap:noise_range=0.01"
planners = ["uct", { planner = "dpw", max_simulations = 10, label = "mine" }]
simulations = [10, 100]
[[experiment]]
env = "trap"
planners = ["uct", { planner = "dpw", max_simulations = 10, label = "mine" }]
milliseconds = [1]
"""


def load(tmp_path, content):
    path = tmp_path / "mine.toml"
    path.write_text(content)
    return lookup.load(str(path))


def test_lists_of_planners_and_environments_stand_for_what_they_name(tmp_path):
    short = load(tmp_path, TWICE)
    assert short == load(tmp_path, IN_FULL)
    assert Suite.of("mine", json.loads(short.to_json())) == short


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('planners = "both"', 'planners = "bth"'), ["list of planners 'bth'", "Did you mean 'both'"]),
        (("[planners]\nboth = ", "planners = "), ["[planners] holds lists"]),
        (("both = [", "both = 3 # ["), ["[planners] holds lists"]),
        (("[planners]", "[planner]"), ["'planner'"]),
        (('env = ["trap", "trap:noise_range=0.01"]', "env = [3]"), ["env=3", "text"]),
        (('env = ["trap", "trap:noise_range=0.01"]', 'env = ["trap", "trap"]'), ["is listed twice"]),
        (('env = ["trap", "trap:noise_range=0.01"]', ""), ["needs an `env`"]),
    ],
)
def test_lists_that_say_nothing_are_refused(tmp_path, change, words):
    assert change[0] in TWICE
    with pytest.raises(UsageError) as refused:
        load(tmp_path, TWICE.replace(*change))
    for word in words:
        assert word in str(refused.value)


@pytest.fixture
def documented():
    return (Path(suite.__file__).resolve().parents[1] / "docs/guides/suites.md").read_text()


def test_the_documented_example_runs(run, rows, documented):
    (example,) = re.findall(r"```toml\n(.*?)```", documented, re.DOTALL)
    Path("mine.toml").write_text(example)
    line = ("run", "mine.toml", "--planner", "random", "--milliseconds", "1", "--episodes", "1", "--jobs", "1")
    assert run(*line)[0] == 0
    assert len(rows(Path("results/mine"))) == 3
    counts = lookup.load("mine.toml").episodes()
    assert counts[Setting("trap:noise_range=0.01", "dpw:k_action=6", 100, "simulations", 7)] == 20
    assert counts[Setting("treasure_hunt:size=5", "random", 10, "ms", 0)] == 100
    assert len(counts) == 2 * (3 + 2) + 2 * 2


def test_all_keys_are_documented_with_their_defaults(documented):
    tables = {
        title: dict(re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", text, re.MULTILINE))
        for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^##|\Z)", documented, re.MULTILINE | re.DOTALL)
    }
    keys = {name: [field.name for field in dataclasses.fields(cls)] for name, cls in KINDS.items()}
    assert sorted(tables["Keys of the file"]) == sorted({*keys["Keys of the file"]} - {"name"} | {"planners"})
    for title in ("Keys of an experiment", "Planner entries"):
        assert sorted(tables[title]) == sorted(keys[title])
    defaults = {field.name: field.default for field in dataclasses.fields(Experiment)}
    for name in ("episodes", "seed"):
        assert tables["Keys of an experiment"][name].strip() == str(defaults[name])


def test_the_thesis_suites_have_its_problems_budgets_and_planners():
    problems = {"trap:noise_range=0.1", "trap:noise_range=0.01", "treasure_hunt:size=5", "treasure_hunt:size=15"}
    for names, most, longest in (
        (["thesis"], 10_000, 1000),
        (["thesis-simulations", "thesis-time"], 10_000, 1000),
        (["thesis-short"], 1000, 10),
    ):
        found = [setting for name in names for setting in lookup.load(name).settings()]
        for env in problems:
            here = [setting for setting in found if setting.env == env]
            planners = {setting.planner.partition(":")[0] for setting in here}
            assert {"uct", "pw", "dpw", "weighted_uct", "abstraction"} <= planners
            for unit, largest in (("simulations", most), ("ms", longest)):
                budgets = {setting.budget for setting in here if setting.unit == unit}
                assert {1, 10} <= budgets
                assert max(budgets) == largest
        assert {setting.env for setting in found} == problems
        capped = [s for s in found if s.planner.startswith("weighted_uct") and s.env.startswith("treasure_hunt")]
        assert max(setting.budget for setting in capped if setting.unit == "simulations") == 1000


def test_an_environment_is_made_once_however_many_experiments_play_in_it(monkeypatch):
    made, parse = [], envs.parse
    suite._sound_model.cache_clear()
    monkeypatch.setattr(envs, "parse", lambda text: made.append(text) or parse(text))
    Suite("mine", tuple(Experiment("trap", (Entrant(name),), (1,)) for name in ("uct", "dpw"))).resolve()
    assert made == ["trap"]


def test_an_environment_is_made_once_from_the_command_line_to_the_start(monkeypatch):
    made, parse = [], envs.parse
    suite._sound_model.cache_clear()
    monkeypatch.setattr(envs, "parse", lambda text: made.append(text) or parse(text))
    lookup.load("trap").override(["uct"], [1]).resolve()
    (tuned,) = study.load("trap", ("uct",))
    tune.check(tuned)
    assert made == ["trap"]


UNSOUND = """
import numpy as np

class Sound:
    state_dim, horizon, discount, compiled = 1, 3, 0.5, False
    action_low, action_high, params = np.zeros(1), np.ones(1), np.zeros(0)

    def initial_state(self, rng):
        return np.zeros(1)

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state + 1.0
        return 1.0, False

    def sample_action(self, state, action, params, rng):
        action[:] = rng.random()

class NoReward(Sound):
    def step(self, state, action, next_state, params, rng):
        next_state[:] = state + 1.0
        return float("nan"), False

class WideState(Sound):
    def initial_state(self, rng):
        return np.zeros(2)

class ChangesAction(Sound):
    def step(self, state, action, next_state, params, rng):
        action *= 0.5
        return super().step(state, action, next_state, params, rng)

class Raises(Sound):
    def step(self, state, action, next_state, params, rng):
        raise OSError("no\\nsensor")
"""


@pytest.fixture
def unsound(tmp_path, monkeypatch):
    (tmp_path / "unsound.py").write_text(UNSOUND)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("unsound", None)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("NoReward", r"step\(\.\.\.\)=nan: must be finite as a reward"),
        ("WideState", r"initial_state\(\.\.\.\)=.*of length 1"),
        ("ChangesAction", "without effect on its action"),
        ("Raises", "OSError: no sensor"),
    ],
)
def test_a_model_from_elsewhere_that_breaks_the_contract_is_refused_before_anything_starts(unsound, model, words):
    with pytest.raises(UsageError, match=f"unsound:{model} breaks the contract of models .*{words}") as refused:
        lookup.load(f"unsound:{model}").resolve()
    assert "bonspiel.envs.check_model" in str(refused.value) and "\n" not in str(refused.value)


def test_a_sound_model_from_elsewhere_is_accepted(unsound):
    assert "Sound" in lookup.load("unsound:Sound").resolve()["unsound:Sound"]


def test_the_classic_suite_and_that_of_papers_play_every_classic_problem():
    classic = {name for name, place in envs.ENVIRONMENTS.items() if place.startswith("bonspiel.envs.classic.")}
    found = [setting for suite in ("classic", "published") for setting in lookup.load(suite).settings()]
    assert {setting.env.partition(":")[0] for setting in found} == classic
    assert all(envs.parse(setting.env).lookahead for setting in found if "lookahead" in setting.env)


def test_the_mujoco_suite_looks_ahead_in_three_of_gymnasium_s_problems():
    models = [envs.parse(env) for env in {setting.env for setting in lookup.load("mujoco").settings()}]
    assert len(models) == 3 and max(model.lookahead for model in models) == 30


def test_the_gymnasium_suite_plays_whole_episodes_of_six_tasks():
    texts = {setting.env for setting in lookup.load("gymnasium").settings()} - set(envs.ENVIRONMENTS)
    ids = {text.removeprefix("gym:") for text in texts}
    assert len(ids) == 6 and ids <= set(gymnasium.registry)  # a text with a horizon is not an id


def test_an_environment_in_plain_python_is_played_by_few_planners_with_small_budgets():
    (experiment,) = lookup.load("gym:Pendulum-v1").experiment
    assert [entrant.planner for entrant in experiment.planners] == ["dpw", "cem", *planners.BASELINES]
    assert (experiment.simulations, experiment.episodes) == ((10, 30), 5)
    (compiled,) = lookup.load("trap").experiment
    assert (compiled.simulations, compiled.episodes) == ((10, 100, 1000), 100)
    assert len(compiled.planners) > 10


def test_a_planner_has_one_label_in_all_problems_of_a_suite():
    for name in lookup.names():
        entrants = [entrant for experiment in lookup.load(name).experiment for entrant in experiment.planners]
        labels = {(entrant.planner, entrant.label or entrant.planner) for entrant in entrants}
        assert len(labels) == len(dict(labels)), name


def test_no_other_planner_is_made_where_some_are_named(monkeypatch):
    monkeypatch.setattr(planners, "make", None)  # which `names_for` would call
    chosen = lookup.load("trap", ["dpw"], ["uct"]).override(["dpw"], added=["uct"])
    assert [setting[1:3] for setting in chosen.settings()] == [
        (name, budget) for name in ("dpw", "uct") for budget in lookup.DEFAULT_SIMULATIONS
    ]


MODEL = """from bonspiel.envs import Trap
from bonspiel.envs.trap import optimum
class Model(Trap):
    pass
def solve(model, actions):
    return optimum.solve(model, actions)
"""


def test_the_optimum_of_a_model_in_a_single_file_is_in_the_tables(run, monkeypatch):
    monkeypatch.setattr(baselines, "STEPS", 20_000)  # its own baselines, which no table shows
    Path("single_file.py").write_text(MODEL)
    line = ("run", "single_file:Model", "--planner", "random", "--budget", 1, "--episodes", 2, "--jobs", 1)
    status, out, _ = run(*line)
    assert status == 0 and "optimum 1.7000" in out and "| regret " in out


def test_an_empty_list_of_environments_is_refused():
    with pytest.raises(UsageError, match="name at least one environment"):
        Suite.of("mine", {"experiment": [{"env": [], "planners": ["uct"]}, {"env": "trap", "planners": ["uct"]}]})


def test_a_planner_of_a_file_whose_largest_budget_is_below_all_is_refused(tmp_path):
    file = tmp_path / "mine.toml"
    planners = '["uct", { planner = "dpw", max_simulations = 5 }]'
    file.write_text(f'[[experiment]]\nenv = "trap"\nplanners = {planners}\nsimulations = [10]\n')
    with pytest.raises(UsageError, match="mine: dpw has a largest budget below all"):
        lookup.load(str(file))
    suite = Suite.of("mine", {"experiment": [{"env": "trap", "planners": ["uct"], "simulations": [10]}]})
    assert suite.override(simulations=(20,))  # other budgets may leave planners out


def test_files_that_parameters_name_and_simulators_are_part_of_a_run(tmp_path, monkeypatch):
    pytest.importorskip("mujoco")
    source = Path(gymnasium.__file__).with_name("envs") / "mujoco/assets/inverted_pendulum.xml"
    file, found = tmp_path / "own.xml", []
    text = f"gym:InvertedPendulum-v5:xml_file={file},horizon=5"
    for content in (source.read_text(), source.read_text().replace("<worldbody>", "<worldbody> ")):
        file.write_text(content)
        sources.digest.cache_clear()
        found.append(lookup.load(text).override(["random"], [1]).resolve()[text])
    assert found[0] != found[1]
    assert f"(mujoco {importlib.metadata.version('mujoco')})" in found[0]
