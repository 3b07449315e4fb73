"""A small run with a budget by the clock, played once, and ways to change it and to serve it."""

import http.server
import shutil
import sqlite3
import threading
from contextlib import closing
from functools import partial

import pytest

from bonspiel.runs import provenance
from bonspiel.runs.results import store

SUITE = """
[[experiment]]
env = "trap"
planners = [{ planner = "dpw:exploration=0.5", label = "dpw" }, "uct"]
simulations = [3, 9]
milliseconds = [0.5]
episodes = 4
seed = 7
"""
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept") / "x"


@pytest.fixture
def played(run, tmp_path, kept, monkeypatch):
    """The folder of a run of its own for each test, by sources of a known commit."""
    monkeypatch.setattr(provenance, "commit", lambda: COMMIT)
    (tmp_path / "mine.toml").write_text(SUITE)
    if not kept.exists():
        status, _, err = run("run", "mine.toml", "--seed", "7", "--out", kept, "--jobs", "1")
        assert status == 0, err
    return shutil.copytree(kept, tmp_path / "x")


@pytest.fixture
def change():
    """Changes the file of a run by statements."""

    def call(folder, *statements):
        with closing(sqlite3.connect(folder / store.FILE)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return call


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path):
    """The address of a server of this machine, which has the files of the test's folder."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()
