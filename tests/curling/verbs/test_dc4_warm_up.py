"""What the practice server of Digital Curling 4 does before it opens its port."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.server.dc4 import app as dc4
from bonspiel.curling.verbs import server_dc4
from bonspiel.curling.verbs.server_pages import Pages
from tests.curling.server.hosting import context_of


def test_mixed_doubles_is_loaded_before_the_port_opens(monkeypatch):
    done = []

    def outcome(model, *arguments, throw=server_dc4.outcome):
        done.append(model.game)
        return throw(model, *arguments)

    async def serve_dc4(*_):
        done.append("port")

    monkeypatch.setattr(server_dc4, "outcome", outcome)
    monkeypatch.setattr(dc4, "serve_dc4", serve_dc4)
    options = SimpleNamespace(
        users=None, host="127.0.0.1", port=0, late_shots=False, matches=None, mixed_players="default", server_name=[]
    )
    asyncio.run(server_dc4.prepared(options)(context_of(), Pages()))
    assert done == ["mixed_doubles", "port"]
