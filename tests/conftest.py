"""Compiled code before the tests, groups of tests, runs with fakes of planners, and a browser."""

import csv
import functools
import gc
import io
import itertools
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import types
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from bonspiel import planners
from bonspiel.planners import Decision
from bonspiel.planners.core.code import sources
from bonspiel.runs.cli import main

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MISSING = "; ".join(
    remedy
    for remedy, found in (
        ("no Chromium: apt-get install chromium", CHROMIUM),
        ("no Playwright: pip install -e '.[dev]'", find_spec("playwright")),
    )
    if not found
)
REQUIRED = os.environ.get("BONSPIEL_BROWSER") == "required"

# Each process begins with its share, the longest first; then it does what the others have left, the shortest first.
COMPILE = """import importlib, sys
from bonspiel import envs
from bonspiel.planners.core.jit import compile_missing, lazy
part, parts, *names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
for name in envs.names():
    envs.parse(name)
due = sorted(lazy._unchecked, key=lambda function: -lazy._byte_code(function, set()))
own = due[int(part) :: int(parts)]
lazy._unchecked[:] = [*(function for function in due if function not in own), *reversed(own)]
compile_missing()"""
TURNS = "processes of"
PROCESSES = re.compile(
    r"^(import|from) (asyncio|multiprocessing|socket|subprocess|threading)\b"  # or requests the fixture `start`
    r"|^async def test_"
    r"|^def test_\w+\([^)]*\bstart\b",
    re.MULTILINE,
)


def pytest_configure(config):
    """Tests press Ctrl-C, which a shell has its background jobs ignore, and theirs; no example is too slow."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")


def pytest_sessionstart(session):
    """Before there are workers: compile everything once, as each of them would compile it."""
    if not session.config.getoption("numprocesses", None) or hasattr(session.config, "workerinput"):
        return
    # tests of planners need no more than planners and models
    home = sources.ROOT / ("planners" if all("tests/planners" in place for place in session.config.args) else "")
    names = [
        sources.PREFIX + ".".join(file.relative_to(sources.ROOT).with_suffix("").parts)
        for folder in sources.folders()
        if folder.is_relative_to(home)
        for file in sorted(folder.glob("*.py"))
        if any(name in file.read_text(encoding="utf-8") for name in sources.COMPILER)
    ]
    parts = min(os.cpu_count() or 1, 4)
    shares = [[sys.executable, "-c", COMPILE, str(part), str(parts), *names] for part in range(parts)]
    for process in [subprocess.Popen(share) for share in shares]:
        process.wait()  # tests show what cannot be imported


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Search for doctests only in the tests that have some: to look takes a third of the time to collect."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule) or ">>>" in file_path.read_text("utf-8")]


def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):
        groups = [group_of(item.nodeid.partition("::")[0]) for item in items]
        sizes, places = Counter(groups), dict(zip(items, groups, strict=True))
        items.sort(key=lambda item: (not places[item].startswith(TURNS), -sizes[places[item]], places[item]))
    for item in items:
        if MISSING and not REQUIRED and "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=f"{item.name} needs a browser ({MISSING})"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One more than cores: tests that wait for a process, a port or a browser would leave one of them idle."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Groups by file: xdist 3.8 does not see the marks of groups with pytest 9.2, whose node ids it cannot change."""
    from xdist.scheduler import LoadGroupScheduling

    class Groups(LoadGroupScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid.partition("::")[0])

    config.option.loadscopereorder = False  # it puts first what has many tests, not what takes long
    return Groups(config, log)


@functools.cache
def group_of(file):
    """Tests that start processes or bind ports take turns within their folder; others share their file's fixtures."""
    starts = PROCESSES.search((sources.ROOT / file).read_text(encoding="utf-8"))
    return f"{TURNS} {file.rpartition('/')[0]}" if starts else file


def pytest_collection_finish():
    """What is there now stays: else each collection of garbage would visit all tests and modules."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def ticking(monkeypatch):
    """A function that makes time pass only where the clock is read, by these seconds: no other process can take any."""

    def start(seconds):
        begin, count = time.perf_counter(), itertools.count()
        monkeypatch.setattr(time, "perf_counter", lambda: begin + seconds * next(count))

    return start


@pytest.fixture(scope="module")
def browser():
    """One browser a module: Playwright's event loop runs until it is closed, and no other loop can."""
    assert not MISSING, MISSING
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def look(browser, tmp_path):
    """A function that opens HTML or an address; the test fails if a page reports an error or requests anything else."""
    yield from looking(browser, tmp_path)


@pytest.fixture(scope="module")
def look_once(browser, tmp_path_factory):
    """`look` for a page that several tests read and none changes."""
    yield from looking(browser, tmp_path_factory.mktemp("pages"))


def looking(browser, folder):
    contexts, errors = [], []

    def open_page(content, width=1280, height=800, **context):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **context))
        contexts[-1].set_default_timeout(120_000)  # ms; a page of many charts takes its time on a busy machine
        page = contexts[-1].new_page()
        page.on("console", lambda message: errors.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: errors.append(f"error: {error}"))
        if content.startswith("http://"):
            allowed = content
        else:
            file = folder / f"{len(contexts)}.html"
            file.write_text(content, encoding="utf-8")
            allowed = file.as_uri()
        home = "/".join(allowed.split("/")[:3]) if allowed.startswith("http") else allowed
        page.on(
            "request",
            lambda request: request.url.startswith((home, "data:")) or errors.append(f"request: {request.url}"),
        )
        page.goto(allowed)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def screen(page):
    """The pixels of a page, [height, width, 3], from 0 to 1."""
    return matplotlib.image.imread(io.BytesIO(page.screenshot()))[..., :3]


@pytest.fixture
def pixels():
    return screen


ROWS = """SELECT env, planner, budget, unit, episode, total, steps, simulations, first_action
FROM episode JOIN setting ON setting.id = setting ORDER BY 1, 2, 3, 4, 5"""


def decision(action):
    nothing = np.full(1, np.nan)
    return Decision(np.array([action]), np.nan, 1, 0.0, np.array([[action]]), np.zeros(1, np.int64), nothing)


@dataclass(frozen=True)
class Constant:
    """Always the same action; spends its own draws so that a shared stream would show."""

    action: float = 0.5
    draws: int = 0

    def plan(self, model, state, budget, rng, root_actions=None):
        rng.random(self.draws)
        return decision(self.action)


@dataclass(frozen=True)
class Clumsy:
    """Fails in the second step of about half of the episodes."""

    def plan(self, model, state, budget, rng, root_actions=None):
        if state[1] == 1.0 and rng.random() < 0.5:
            raise RuntimeError("dropped\nthe stone")
        return decision(0.5)


@pytest.fixture
def register(monkeypatch):
    """Registers planner classes, each by its name in small letters, in this process."""

    def add(*classes):
        for cls in classes:
            name = cls.__name__.lower()
            module = types.ModuleType(f"fake_{name}")
            setattr(module, cls.__name__, cls)
            monkeypatch.setitem(sys.modules, module.__name__, module)
            monkeypatch.setitem(planners.REGISTRY.classes, name, f"{module.__name__}:{cls.__name__}")

    return add


@pytest.fixture
def fakes(register):
    """The planners `constant` and `clumsy`."""
    from bonspiel.runs.runner import episode

    register(Constant, Clumsy)
    yield
    episode._ready.cache_clear()


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """bonspiel in this process and in an empty folder: arguments -> (status, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*line):
        try:
            status = main([str(item) for item in line])
        except SystemExit as stop:
            status = stop.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def refused(run):
    """`run` for a line that is refused, with nothing but one line on standard error: arguments -> that line."""

    def call(*line):
        status, out, err = run(*line)
        said = [text for text in err.splitlines() if "compiling" not in text]
        assert (status, out, len(said)) == (2, "", 1), (status, out, err)
        return said[0]

    return call


@pytest.fixture
def complete(run):
    """What bash offers after these words: words -> sorted list."""

    def call(words):
        status, script, _ = run("--completion", "bash")
        assert status == 0
        Path("script").write_text(script)
        program = f"source ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _shtab_bonspiel"
        bash = ["bash", "-c", f'{program}; printf "%s\\n" "${{COMPREPLY[@]}}"']
        return sorted(subprocess.run(bash, capture_output=True, text=True, check=True).stdout.split())

    return call


@pytest.fixture
def start(tmp_path):
    """Start bonspiel in a process group of its own: arguments -> process."""
    started = []

    def call(*line, program="from bonspiel.runs.cli import main"):
        code = f"import sys\n{program}\nsys.exit(main(sys.argv[1:]))"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, line)],
            cwd=tmp_path,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.communicate()


def rows_of(folder):
    connection = sqlite3.connect(folder / "results.sqlite")
    try:
        return connection.execute(ROWS).fetchall()
    finally:
        connection.close()


@pytest.fixture
def rows():
    """Folder of a run -> its episodes without the times, which differ from run to run."""
    return rows_of


@pytest.fixture
def table():
    """CSV text -> list of dicts."""
    return lambda text: list(csv.DictReader(io.StringIO(text)))
