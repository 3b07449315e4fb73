import pytest

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.tuning import study, tune
from bonspiel.runs.tuning.study import TuningStudy, load

FILE = """
description = "two problems"
[planners]
both = ["uct", "pw"]
[[study]]
env = ["trap:noise_range=0.1", "trap:noise_range=0.01"]
planners = "both"
against = ["uct:exploration=0.3"]
budget = 10
trials = 5
episodes = 4
seed = 7
sampler = "random"
[[study]]
env = "treasure_hunt:size=5"
planners = ["dpw"]
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.toml").write_text(FILE)
    return str(tmp_path / "mine.toml")


def test_a_file_holds_studies_in_order(file):
    common = {"against": ("uct:exploration=0.3",), "budget": 10, "trials": 5, "episodes": 4, "seed": 7}
    wide, narrow, hunt = load(file)
    assert wide == TuningStudy("trap:noise_range=0.1", ("uct", "pw"), sampler="random", **common)
    assert narrow == TuningStudy("trap:noise_range=0.01", ("uct", "pw"), sampler="random", **common)
    assert hunt == TuningStudy("treasure_hunt:size=5", ("dpw",))


def test_options_replace_what_a_file_says(file):
    changed = load(file, ("abstraction",), trials=3, budget=None)
    assert {one.planners for one in changed} == {("abstraction",)}
    assert {one.trials for one in changed} == {3}
    assert [one.budget for one in changed] == [10, 10, 1000]


def test_an_environment_is_a_study_of_its_own():
    assert load("trap", ("uct", "uct", "pw"), trials=None) == [TuningStudy("trap", ("uct", "pw"))]


@pytest.mark.parametrize("name", study.names())
def test_studies_of_this_package_can_be_run(name):
    for one in load(name):
        assert len(tune.check(one)) == len(one.planners)
        assert one.sampler is not None, "the sampler must not depend on what is installed"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[study]]\nenv = 'trap'", "needs `planners`"),
        ("[[study]]\nplanners = ['uct']", "needs `env`"),
        ("[[study]]\nenv = 'trap'\nplanners = []", "at least one planner"),
        ("[[study]]\nenv = 'trap'\nplanners = 'all'", "unknown list of planners 'all'"),
        ("[[study]]\nenv = 'trap'\nplanners = [1]", "planners=.1.: must be a list of texts"),
        ("[[study]]\nenv = 3\nplanners = ['uct']", "env=3"),
        ("[[study]]\nenv = 'trap'\nplanners = ['uct']\ntrails = 4", "Did you mean 'trials'"),
        ("[[study]]\nenv = 'trap'\nplanners = ['uct']\nsampler = 'tpa'", "sampler='tpa'"),
        ("[[study]]\nenv = 'trap'\nplanners = ['uct']\nepisodes = 0", "episodes=0"),
        ("[[experiment]]\nenv = 'trap'", r"\[\[study\]\]"),
        ("study = [1]", r"\[\[study\]\]"),
        ("", r"\[\[study\]\]"),
        ("[[study", "not a TOML file"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_a_line(tmp_path, content, words):
    (tmp_path / "wrong.toml").write_text(content)
    with pytest.raises(UsageError, match=words) as error:
        load(str(tmp_path / "wrong.toml"))
    assert "\n" not in str(error.value)
    with pytest.raises(UsageError, match="cannot be read"):
        load(str(tmp_path / "missing.toml"))
