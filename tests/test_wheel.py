"""The wheel in an environment without the checkout, used in a folder whose packages have the names of ours."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bonspiel.commit import commit
from bonspiel.planners.core.code import sources
from bonspiel.runs.provenance import played_sources

ROOT = Path(__file__).parents[1]
PACKAGES = ("planners", "envs", "runs", "curling", "go")
COMMIT = "bonspiel/commit.txt"
EXAMPLE = Path(__file__).parent / "example_package"

MODEL = """
import dataclasses

from bonspiel import envs
from bonspiel.planners.jit import compiled
from between import twice

@compiled("step")
def step(state, action, next_state, params, rng):
    next_state[:] = state
    return twice(action[0]), True

@dataclasses.dataclass(frozen=True)
class Mine(envs.Trap):
    step = staticmethod(step)
"""
BETWEEN = """
from bonspiel.planners.jit import helper
from deep import factor

@helper
def twice(x):
    return factor() * x
"""
DEEP = """
from bonspiel.planners.jit import helper

@helper
def factor():
    return {}
"""
STEP = "import numpy, own; a = numpy.ones(2); print(own.step(a, a, a.copy(), a, numpy.random.default_rng(0))[0])"
PLANNER = """
from dataclasses import dataclass

from bonspiel.planners import Planner, make

@dataclass(frozen=True)
class Cautious:
    inner: Planner = make("uct", exploration=2.0)

    def plan(self, *given, **named):
        return self.inner.plan(*given, **named)
"""
PLAN = """
import numpy
from bonspiel import envs, planners
model, rng = envs.Trap(), numpy.random.default_rng(0)
decision = planners.make("uct").plan(model, model.initial_state(rng), planners.Budget(simulations=100), rng)
print(decision.visits.sum())
"""


def git(*arguments, folder):
    who = ["-c", "user.name=tests", "-c", "user.email=tests"]
    command = ["git", "-C", folder, *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A repository with the sources, all of them committed."""
    source = tmp_path_factory.mktemp("source") / "bonspiel"
    unneeded = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in (*PACKAGES, "bonspiel"):
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=unneeded)
    for file in ("pyproject.toml", "setup.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / file, source)
    git("init", "--quiet", folder=source)
    git("add", ".", folder=source)
    git("commit", "--quiet", "--message", "all", folder=source)
    return source


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    """The wheel that is built from the source distribution, as `make wheel` builds both."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source], check=True)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Python of an environment with the wheel, the example package, and the dependencies of this environment."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (place,) = (folder / "venv").glob("lib/python*/site-packages")
    (place / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    shutil.copytree(EXAMPLE, folder / "example")
    pip = [sys.executable, "-m", "pip", "--python", folder / "venv" / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", wheel, folder / "example"], check=True)
    return folder / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A user's folder, with packages of the names of ours."""
    folder = tmp_path_factory.mktemp("project")
    for name in PACKAGES:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f"MINE = {name!r}\n")
    files = {"own.py": MODEL + PLANNER, "between.py": BETWEEN, "deep.py": DEEP.format(2.0)}
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def run(python, project):
    def call(*arguments):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [python, *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_the_wheel_holds_the_packages_once_as_files_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if "dist-info" not in name} == {"bonspiel"}
    files = {f"bonspiel/{file.relative_to(ROOT)}" for name in PACKAGES for file in (ROOT / name).rglob("*.py")}
    files |= {f"bonspiel/{file.name}" for file in (ROOT / "bonspiel").glob("*.py")}
    assert {name for name in names if name.endswith(".py")} == files
    data = {"py.typed", "runs/suites/quick.toml", "runs/reporting/page.js", "runs/results/shipped/peers.sqlite.xz"}
    data |= {f"curling/network/{game}-normal_dist.npz" for game in ("standard", "mixed_doubles")}
    assert {f"bonspiel/{name}" for name in data} <= {*names}


def test_both_are_imported_ours_from_the_wheel_and_theirs_from_the_folder(run, python):
    modules = ", ".join(f"{name}, bonspiel.{name}" for name in PACKAGES)
    print_all = f"print(bonspiel.runs.__file__, {', '.join(f'{name}.MINE' for name in PACKAGES)})"
    place, *theirs = run("-c", f"import {modules}; {print_all}").split()
    assert Path(place).is_relative_to(python.parents[1]) and theirs == [*PACKAGES]


def test_gymnasium_makes_environments(run):
    make = "import bonspiel, gymnasium; print(gymnasium.make('bonspiel/Trap-v0').reset(seed=1)[0].sum())"
    assert run("-c", make) == "0.0\n"


def test_a_planner_plans(run):
    assert run("-c", PLAN) == "100\n"


def test_a_model_of_the_user_is_compiled_anew_after_an_edit_two_imports_away(run, project):
    assert run("-c", STEP) == "2.0\n"
    (project / "deep.py").write_text(DEEP.format(13.0))
    assert run("-c", STEP) == "13.0\n"


def test_compiled_code_depends_on_the_same_sources_as_in_a_checkout_and_on_no_other_package(run, python, project):
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    (site / "Box2D").mkdir()
    (site / "Box2D" / "__init__.py").touch()
    show = """
import sys
from pathlib import Path
from bonspiel.planners.core.code import sources
for file in map(Path, sys.argv[1:]):
    print(*sorted(str(one) for one in sources.imports_of(file.resolve())))
print(len(sources.folders()))
"""
    engine = site / "bonspiel" / "curling" / "ice" / "engines" / "box2d.py"
    own, of_engine, folders = run("-c", show, "own.py", str(engine)).splitlines()
    in_checkout = {str(one.relative_to(ROOT)) for one in sources.imports_of(project / "own.py") if ROOT in one.parents}
    home = site.resolve() / "bonspiel"
    assert {str(Path(one).relative_to(home)) for one in own.split() if home in Path(one).parents} == in_checkout
    assert len(in_checkout) > 5 and sum(Path(one).parent == project for one in own.split()) == 3
    assert all(home in Path(one).parents for one in of_engine.split())
    assert int(folders) == len(sources.folders())


def test_runs_take_planners_by_module_and_by_entry_point_with_two_workers_and_go_on(run):
    def play(episodes, *more):
        planners = ("--planner", "own:Cautious", "--planner", "middle")
        budget = ("--budget", "5", "--jobs", "2", "--episodes", episodes, "--out", "both")
        return run("-m", "bonspiel", "run", "slope", *planners, *budget, *more)

    for told in (play("4"), play("6", "--resume")):
        assert "own:Cautious" in told and "middle" in told
    assert run("-m", "bonspiel", "export", "both", "--format", "csv").count("\n") == 1 + 2 * 6


def test_reports_and_the_list_of_names(run, project):
    run("-m", "bonspiel", "run", "trap", "--planner", "uct", "--budget", "5", "--episodes", "4", "--out", "plain")
    run("-m", "bonspiel", "report", "plain")
    assert [*(project / "plain").glob("*.html")]
    assert "middle" in run("-m", "bonspiel", "list")


SHOW = (
    "from bonspiel.runs import provenance; facts = provenance.collect(['x']); print(facts['commit'], facts['sources'])"
)


def test_the_wheel_knows_the_commit_and_the_digest_of_its_sources(run, source):
    here = git("rev-parse", "HEAD", folder=source)
    assert run("-c", SHOW).split() == [here, sources.digest(played_sources())]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Build a wheel straight from a folder, without git's commands if asked; the commit in it, None without any."""

    def built(folder, git=True):
        out = tmp_path_factory.mktemp("built")
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            out,
            folder,
        ]
        hidden = {} if git else {"PATH": str(out)}
        subprocess.run(command, env=os.environ | hidden, check=True)
        (wheel,) = out.glob("*.whl")
        with zipfile.ZipFile(wheel) as opened:
            return opened.read(COMMIT).decode().strip() if COMMIT in opened.namelist() else None

    return built


def test_a_wheel_without_a_source_distribution_knows_it_too_and_marks_changes(source, build, tmp_path):
    shutil.copytree(source, tmp_path / "copy", symlinks=True)
    head = git("rev-parse", "HEAD", folder=source)
    assert build(tmp_path / "copy") == head
    assert git("status", "--porcelain", folder=tmp_path / "copy") == ""
    (tmp_path / "copy" / "planners" / "mine.py").touch()
    assert build(tmp_path / "copy") == f"{head}+"
    # what the earlier build left is not taken for the commit of these sources
    shutil.rmtree(tmp_path / "copy" / ".git")
    assert build(tmp_path / "copy") is None


def test_of_a_checkout_git_tells_the_commit_and_of_another_repository_it_does_not(source, tmp_path, monkeypatch):
    copy = tmp_path / "copy"
    shutil.copytree(source, copy, symlinks=True)
    head = git("rev-parse", "HEAD", folder=copy)
    monkeypatch.setenv("GIT_DIR", str(ROOT / ".git"))  # as in a hook
    assert commit(copy) == head
    monkeypatch.delenv("GIT_DIR")
    (copy / "notes.txt").touch()
    os.utime(copy / "LICENSE")  # so that a status would write the index, and would lock it for that
    index = copy / ".git" / "index"
    before = index.read_bytes()
    assert commit(copy) == head and index.read_bytes() == before
    with open(copy / "planners" / "base.py", "a") as file:
        file.write("# changed\n")
    assert commit(copy) == f"{head}+"
    (copy / "bonspiel" / "commit.txt").write_text("built\n")
    git("rm", "--cached", "--quiet", "bonspiel/commit.py", folder=copy)
    assert commit(copy) == "built"  # installed into a user's own repository
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(copy) == "built"
    (copy / "bonspiel" / "commit.txt").unlink()
    assert commit(copy) is None
