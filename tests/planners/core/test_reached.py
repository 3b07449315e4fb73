"""Machine code and a run's sources follow every edit of a user's code, wherever a helper or a constant comes from."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.planners.core.code import sources
from bonspiel.planners.core.jit.reached import digest_of_reached
from bonspiel.planners.core.jit.rollouts import rollout

PROBLEM = """
import numpy as np
from bonspiel.planners.jit import compiled, helper
{imported}

@compiled("step")
def step(state, action, next_state, params, rng):
    next_state[0] = state[0]
    return {payoff}, True
"""
PAY = "from bonspiel.planners.jit import helper\n\n@helper\ndef payoff(t):\n    return {0} * t\n"
PLAYED = """
import numpy as np, prob
from bonspiel.planners.core.code import packages
print(prob.step(np.ones(1), np.ones(1), np.zeros(1), np.zeros(1), np.random.default_rng(0))[0], packages.origin("prob"))
"""


@pytest.fixture
def places(tmp_path):
    """A folder with a problem, and another one on the path of modules."""
    folders = SimpleNamespace(here=tmp_path / "here", library=tmp_path / "library", cache=tmp_path / "cache")
    folders.here.mkdir()
    folders.library.mkdir()
    return folders


def reward(places):
    """The reward of a step of the problem in a new process, and the digest of its sources."""
    paths = os.pathsep.join(map(str, (places.library, *filter(None, [os.environ.get("PYTHONPATH")]))))
    environment = {**os.environ, "PYTHONPATH": paths, "BONSPIEL_CACHE": str(places.cache)}
    played = subprocess.run(
        [sys.executable, "-c", PLAYED], cwd=places.here, env=environment, capture_output=True, text=True, check=True
    )
    paid, _, origin = played.stdout.partition(" ")
    return float(paid), origin


@pytest.mark.parametrize(
    ("imported", "payoff", "file", "text", "is_in_origin"),
    [
        ("from pay import payoff", "payoff(state[0])", "library/pay.py", PAY, True),
        ("import os; from pay import payoff", "payoff(state[0])", "here/pay.py", PAY, True),
        ("import pay", "pay.payoff(state[0])", "library/pay.py", PAY, True),
        (
            'from importlib import import_module\nPAY = import_module("pay").PAY',
            "PAY",
            "here/pay.py",
            "PAY = {0}",
            True,
        ),
        ('PAY = float(open("pay.txt").read())', "PAY", "here/pay.txt", "{0}", False),
        ('PAY = np.loadtxt("pay.txt", ndmin=1)', "PAY[0]", "here/pay.txt", "{0}", False),
    ],
)
def test_an_edit_is_compiled_wherever_it_is(places, imported, payoff, file, text, is_in_origin):
    (places.here / "prob.py").write_text(PROBLEM.format(imported=imported, payoff=payoff), encoding="utf-8")
    edited, origins = places.here.parent / file, []
    for value in (3.0, 5.0):
        edited.write_text(text.format(value), encoding="utf-8")
        os.utime(edited, (value, value))  # Python itself tells two files of a second and a size from each other no more
        paid, origin = reward(places)
        assert paid == value
        origins.append(origin)
    assert (origins[0] != origins[1]) == is_in_origin


def test_what_is_reached_of_this_project_is_said_by_its_sources():
    assert digest_of_reached(rollout) == ""
    assert sources.is_own(sources.__file__) and not sources.is_own(__file__)


MIXED = """
import numpy as np
TABLE = (np.zeros(2000), {"a": 1}, len)

def helper(x):
    return x in {"a", "b", "c"}

def function(x):
    return helper(x) and TABLE[0][0] > 0.0
"""
DIGEST = "from bonspiel.planners.core.jit.reached import digest_of_reached as d\nimport mixed; print(d(mixed.function))"


def test_the_digest_is_the_same_in_every_process_and_sees_the_middle_of_a_table(tmp_path):
    found = []
    for text in (MIXED, MIXED, MIXED.replace("np.zeros(2000)", "np.eye(1, 2000, 1000)[0]")):
        (tmp_path / "mixed.py").write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONHASHSEED": str(len(found)), "PYTHONDONTWRITEBYTECODE": "1"}
        line = [sys.executable, "-c", DIGEST]
        done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        found.append(done.stdout)
    assert found[0] == found[1] != found[2]


def test_relative_imports_are_found_in_their_package(tmp_path):
    package = tmp_path / "package"
    for file, text in (("__init__.py", ""), ("pay.py", ""), ("inner/__init__.py", ""), ("inner/near.py", "")):
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / file).write_text(text, encoding="utf-8")
    model = package / "inner/model.py"
    model.write_text("from ..pay import payoff\nfrom . import near\n", encoding="utf-8")
    found = {str(one.relative_to(package)) for one in sources.imports_of(model)}
    assert {"pay.py", "inner/near.py", "inner/model.py"} <= found


def test_installed_packages_are_told_from_a_user_s_folders(tmp_path):
    assert sources.is_installed(Path(np.__file__)) and sources.is_installed(Path(os.__file__).resolve())
    assert sources.is_installed(Path("/usr/lib/python3/dist-packages/numpy/__init__.py"))
    assert not sources.is_installed(tmp_path / "mine.py")
