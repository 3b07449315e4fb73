"""Small runs, fakes of planners, and access to the results of a run."""

import csv
import io
import sqlite3
import subprocess
import sys
import types
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Decision
from bonspiel.runs.cli import main

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
