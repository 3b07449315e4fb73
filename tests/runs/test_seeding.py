"""Environments that do not follow their seed: refused before a run, or played with a note wherever results are read."""

import json
import re
import sys
from pathlib import Path

import gymnasium
import pytest

pytestmark = pytest.mark.usefixtures("undrawn")

MODULE = """
import gymnasium
from tests.envs.snapshot.toys import Elsewhere, HiddenStart, Noisy, Restorable
from tests.conftest import Constant

gymnasium.register("Walk-v0", "seeds:Restorable", max_episode_steps=3)

"""
LINE = ("--planner", "random", "--planner", "random_shooting", "--budget", "1", "--episodes", "3", "--jobs", "1")


@pytest.fixture
def seeds(run, monkeypatch):
    Path("seeds.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("seeds", None)
    gymnasium.registry.pop("Walk-v0", None)


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ("seeds:Elsewhere:horizon=3", "after reset(seed=1) the observation differs by "),
        ("seeds:HiddenStart:horizon=3", "after 1 step with the same actions and noise the reward differs by "),
    ],
)
def test_what_does_not_follow_its_seed_is_refused_unless_it_is_asked_for(seeds, run, env, reason):
    status, out, err = run("run", env, *LINE, "--out", "x")
    assert (status, out) == (2, "") and err.count("\n") == 1 and not Path("x").exists()
    for words in (f"{env} does not repeat itself with the same seed: {reason}", "self.np_random", "or add --unseeded"):
        assert words in err
    assert run("run", env, *LINE, "--dry-run")[0] == 2
    assert run("tune", env, "--planner", "dpw", "--budget", "1", "--episodes", "1")[0] == 2

    status, out, err = run("run", env, *LINE, "--out", "x", "--unseeded")
    note = f"note: {env} was played --unseeded, so that planners did not meet the same episodes"
    assert status == 0 and note in out and note in err
    assert run("run", env, *LINE, "--out", "x", "--resume")[0] == 2
    assert run("run", env, *LINE, "--out", "x", "--resume", "--unseeded")[0] == 0
    for page in ("x/report.md", "x/report.html"):
        assert "played --unseeded" in Path(page).read_text()
    status, out, err = run("compare", "x", "random", "random_shooting", "--json")
    assert status == 0 and f"note: {json.loads(out)['notes'][0]}".startswith(note)
    assert note in run("compare", "x", "random", "random_shooting")[1]


def test_what_follows_its_seed_needs_no_leave_and_no_note(seeds, run):
    status, out, err = run("run", "seeds:Restorable:horizon=3", *LINE, "--out", "x", "--unseeded")
    assert status == 0 and "unseeded" not in out + err
    assert run("run", "seeds:Restorable:horizon=3", *LINE, "--out", "x", "--resume")[0] == 0


def test_an_id_that_a_planners_module_registers_is_found(seeds, run):
    status, out, _ = run("run", "gym:Walk-v0", *LINE, "--planner", "seeds:Constant", "--out", "x")
    assert status == 0 and re.match("gym:seeds:Walk-v0\n", out)


def test_a_slow_way_of_restoring_is_named_before_the_run(seeds, run):
    status, _, err = run("run", "seeds:Noisy:horizon=3", *LINE, "--out", "x")
    assert status == 0
    assert "note: seeds:Noisy:horizon=3: it is restored before the steps of a search by deep copies" in err
