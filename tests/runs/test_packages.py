"""An installed package adds a planner, an environment, a suite, a game, a verb and a benchmark by entry points."""

import re
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest

from bonspiel.planners.core.code import sources
from bonspiel.runs.results.store import read

PACKAGE = Path(__file__).parents[1] / "example_package"
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python of a fresh environment with the example package beside what this one has."""
    folder = tmp_path_factory.mktemp("fresh")
    shutil.copytree(PACKAGE, folder / "package")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (place,) = (folder / "venv").glob("lib/python*/site-packages")
    (place / "bonspiel.pth").write_text("\n".join([str(sources.ROOT), *site.getsitepackages()]))
    python = folder / "venv" / "bin" / "python"
    install = ["pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation", folder / "package"]
    subprocess.run([sys.executable, "-m", *install], check=True)
    return python


@pytest.fixture
def bonspiel(python, tmp_path):
    def call(*line):
        command = [python, "-m", "bonspiel", *line]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return call


def test_its_parts_are_listed_with_the_package_and_its_version(bonspiel):
    status, out, _ = bonspiel("list")
    assert status == 0
    assert "planners of example-planning 1.2" in out and "environments of example-planning 1.2" in out
    assert "middle         share=0.5" in out and "slope          steps=3" in out and "A slope, by two planners" in out
    assert "unusable: example_planning.nowhere cannot be imported" in out
    assert "games of example-planning 1.2" in out and "nim            heap=21" in out
    assert "verbs of example-planning 1.2: failing, lost (unusable: " in out and "), nim\n" in out
    assert "benchmarks of example-planning 1.2: lost (unusable: " in out and "), slope_steps\n" in out
    assert "trap           unusable: bonspiel has its own\n" in out and "trap           noise_range=0.1" in out
    assert "missing            unusable: suite 'missing' of example-planning 1.2" in out


def test_its_suite_is_run_and_its_version_is_recorded(bonspiel, tmp_path):
    status, out, err = bonspiel("run", "slopes", "--out", "x", "--jobs", "1")
    assert status == 0, err
    assert "0.500" in out  # two steps that earn a quarter each
    with read(tmp_path / "x") as store:
        assert "sources" not in store.resolved["dpw"]
        assert "(example_planning.planner: example_planning 1.2, sources " in store.resolved["middle:share=0.25"]


def test_its_game_is_played(bonspiel, tmp_path):
    line = ("random", "random", "--game", "nim:heap=5", "--budget", "1", "--games", "2", "--jobs", "1", "--out", "m")
    status, out, err = bonspiel("match", *line)
    assert status == 0, err
    assert "first" in out and len([*(tmp_path / "m" / "records").glob("*.json")]) == 2
    status, out, err = bonspiel("match", *line[:3], "lost", *line[4:-1], "l")
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert "example_planning.nowhere cannot be imported" in err and "example-planning 1.2" in err


def test_its_verb_is_called_and_has_its_own_help(bonspiel):
    assert bonspiel("nim", "12") == (0, "the second player\n", "")
    assert bonspiel("nim", "11") == (0, "the first player\n", "")
    status, out, _ = bonspiel("nim", "--help")
    assert status == 0 and "Say who wins a heap of Nim." in out and "example: bonspiel nim 11" in out
    assert bonspiel("nim", "many")[0] == 2


@pytest.mark.parametrize(
    "verb, words",
    [
        ("lost", "example_planning.nowhere cannot be imported"),
        ("failing", "cannot be added (AttributeError: 'function' object has no attribute 'heap')"),
        ("nimm", "argument VERB: invalid choice: 'nimm'"),
    ],
)
def test_a_verb_that_cannot_be_added_is_refused_in_a_line_with_its_package(bonspiel, verb, words):
    status, out, err = bonspiel(verb)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert words in err and (verb == "nimm") != ("example-planning 1.2" in err)


def test_its_benchmark_is_measured_and_one_that_is_missing_is_named(python, tmp_path):
    code = """if True:
        from bonspiel.runs import bench
        from bonspiel.runs.cli import main
        bench.BENCHMARKS, found = (), bench.extensions
        bench.extensions = lambda of: {name: added for name, added in found(of).items() if not added[0].guest}
        raise SystemExit(main(["bench", "--planner", "random"]))
    """
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "slope steps: Steps of the slope per second, in Python.\n" in done.stdout and "steps/s" in done.stdout
    missing = done.stderr.splitlines()[0]
    assert "lost is left out: example_planning.nowhere cannot be imported" in missing
    assert "example-planning 1.2" in missing and "slope_steps" in done.stderr


@pytest.mark.parametrize("page", ["guides/extending"])
def test_what_the_documentation_shows_of_it_are_its_own_lines(page):
    shown = re.findall(r"^```(?:toml|python)\n(.*?)^```", (DOCS / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE)
    blocks = [block for code in shown if ">>>" not in code for block in code.rstrip("\n").split("\n\n[")]
    own = "\n".join(file.read_text() for file in sorted(PACKAGE.rglob("*.*")) if file.suffix in (".py", ".toml"))
    assert blocks and [block for block in blocks if block not in own] == []


WRONG = {
    "broken": "example_planning.nowhere cannot be imported (ModuleNotFoundError",
    "number": "example_planning.planner:NUMBER gives no planner",
    "example_planning.model:Slope": "gives no planner: Slope has no `plan`",
    "middle:shore=1": "unknown parameter of middle 'shore'. Did you mean 'share'?",
    "midle": "unknown planner 'midle'. Did you mean 'middle'?",
}


def test_each_mistake_is_answered_in_a_line(python, tmp_path):
    code = """if True:
        import sys
        from bonspiel.runs.cli import main
        for planner in sys.argv[1:]:
            assert main(["run", "slope", "--planner", planner, "--budget", "10", "--episodes", "1"]) == 2
    """
    done = subprocess.run([python, "-c", code, *WRONG], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for line, words in zip(done.stderr.splitlines(), WRONG.values(), strict=True):
        assert words in line
