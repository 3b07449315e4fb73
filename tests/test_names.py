"""Every dotted name in README and the docs is one after `import bonspiel` alone, as a reader would type it."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest

import bonspiel
from bonspiel import envs, planners
from bonspiel.curling import make_engine
from bonspiel.moved import MOVED
from bonspiel.runs.games.game import GAMES

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
NAME = re.compile(r"(?<![\w./:\"'-])(?:bonspiel\.)?(?:planners|envs|curling|runs)(?:\.[A-Za-z]\w*)+(?![\w/]|\.\w)")
FILES = ("md", "toml", "json", "py", "sgf", "html", "sqlite", "npz", "jsonl")
OF_THE_READER = ("Puck", "puck")  # which the pages on environments add

RESOLVE = """import sys, bonspiel
for name in sys.argv[1:]:
    found = bonspiel
    for part in name.removeprefix("bonspiel.").split("."):
        assert hasattr(found, part), f"{name}: {found} has no {part}"
        found = getattr(found, part)
"""


def written():
    found = {name for page in PAGES for name in NAME.findall(page.read_text(encoding="utf-8"))}
    return sorted(
        n for n in found if not n.endswith(tuple(f".{f}" for f in FILES)) and not {*n.split(".")} & {*OF_THE_READER}
    )


def resolve(*names):
    return subprocess.run([sys.executable, "-c", RESOLVE, *names], capture_output=True, text=True, check=False).stderr


def test_names_in_the_pages_are_attributes_after_one_import():
    names = written()
    assert {"bonspiel.envs.from_gymnasium", "envs.optimal.solve", "planners.make"} <= {*names}
    assert resolve(*names) == ""
    assert "has no shadow" in resolve("envs.shadow")


def test_a_name_that_is_none_is_an_attribute_error():
    for package in (bonspiel, envs, planners, bonspiel.runs):
        with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'nothing'"):
            package.nothing  # noqa: B018


INTROSPECT = """import importlib, inspect, pkgutil, sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import bonspiel
missing = []
for found in [bonspiel, *(m.name for m in pkgutil.walk_packages(bonspiel.__path__, "bonspiel.") if m.ispkg)]:
    package = importlib.import_module(found) if isinstance(found, str) else found
    before = len(sys.modules)
    inspect.getmembers(package)
    # `envs` lists environments that other packages have
    assert len(sys.modules) == before or package is bonspiel.envs, f"looking at {package} imports modules"
    missing += [f"{package.__name__}.{m.name}" for m in pkgutil.iter_modules(package.__path__)
                if not m.name.startswith("_") and not hasattr(package, m.name)]
print(*missing)
"""
EXTRAS = "Box2D dc4client h11 starlette uvicorn pettingzoo polars distributed ray optuna mujoco".split()


def test_packages_can_be_looked_at_where_extras_are_missing():
    command = [sys.executable, "-c", INTROSPECT, *EXTRAS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    missing = {*done.stdout.split()}
    assert {"bonspiel.curling.box2d_model", "bonspiel.curling.server.asgi_server"} <= missing
    assert not missing & {"bonspiel.planners", "bonspiel.curling", "bonspiel.envs", "bonspiel.runs"}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "bonspiel.curling.box2d_model",
            "AttributeError: module 'bonspiel.curling' has no attribute 'box2d_model': the",
        ),
        ("from bonspiel.curling import box2d_model", "ImportError: the engine box2d needs the package box2d"),
        ("import bonspiel.curling.box2d_model", "ImportError: the engine box2d needs the package box2d"),
    ],
)
def test_what_importing_a_module_lacks_is_said(statement, words):
    code = f"import sys; sys.modules['Box2D'] = None; import bonspiel; {statement}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(words) and "the engine box2d needs the package box2d" in last


def test_functions_that_name_packages_can_be_sent_to_other_processes():
    assert cloudpickle.loads(cloudpickle.dumps(lambda: (bonspiel.envs.Trap(), envs.optimal)))() == (
        envs.Trap(),
        envs.optimal,
    )


@pytest.mark.parametrize(
    ("make", "text", "ways"),
    [
        (planners.make, "icem:memory=1", "planners.parse('icem:memory=1') or planners.make('icem', memory=1)"),
        (planners.make, "wuct:exploration=2", "planners.make('wuct', exploration=2)"),
        (planners.make, "process:python my.py", "planners.parse('process:python my.py')"),
        (planners.make, "my_module:Mine:c=1", "planners.make('my_module:Mine', c=1)"),
        (envs.make_model, "treasure_hunt:size=15", "envs.parse('treasure_hunt:size=15') or envs.make_model('treasure_"),
        (envs.make_model, "gym:Pendulum-v1:g=9.8", "envs.make_model('gym:Pendulum-v1', g=9.8)"),
        (GAMES.make, "curling:ends=2", "GAMES.parse('curling:ends=2')"),
        (make_engine, "box2d:physics=fcv1", "write make_engine('box2d', physics='fcv1')"),
    ],
)
def test_a_text_where_a_name_belongs_is_answered_by_what_takes_texts(make, text, ways):
    with pytest.raises(
        ValueError, match=re.escape(f"{text!r} is a text with parameters, not a name: write ")
    ) as refused:
        make(text)
    assert ways in str(refused.value)


@pytest.mark.parametrize("old", MOVED)
def test_a_module_that_moved_is_named_by_its_place_of_today(old):
    importlib.import_module(MOVED[old])
    with pytest.raises(ModuleNotFoundError, match=rf"{old} is {MOVED[old]} since version"):
        importlib.import_module(old)
