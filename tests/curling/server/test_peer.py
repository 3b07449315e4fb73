"""A client written by others, the PyPI package dc3client, plays whole matches on the practice server."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from bonspiel.curling.benchmarks import practice
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay

HERE = Path(__file__).resolve()
PYTHON = HERE.parents[3] / ".venv-peer" / "bin" / "python"  # which has dc3client; made by make test
REQUIRED = os.environ.get("BONSPIEL_PEER") == "required"


@pytest.mark.skipif(
    not (PYTHON.exists() or REQUIRED), reason="dc3client is not installed; get it with: make .venv-peer/installed"
)
@pytest.mark.parametrize(("given", "fewest"), [((), 10), (("--trajectory", "200"), 50)])
def test_a_match_of_two_clients_written_by_others(given, fewest, tmp_path):
    """Without an option too: this client fails where there are no trajectories."""
    records = tmp_path / "records"
    options = "--ends", "1", "--matches", "1", "--seed", "3", *given, "--records", str(records)
    with practice.server(tmp_path / "told", "dc3", *options) as served:
        clients = [
            subprocess.Popen(
                [PYTHON, HERE.with_name("peer_client.py"), str(port), f"peer{team}"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for team, port in enumerate(served.ports)
        ]
        told = [client.communicate(timeout=120.0) for client in clients]
        assert [client.returncode for client in clients] == [0, 0], told
        assert served.process.wait(120.0) == 0
    (file,) = records.glob("*.jsonl")
    record = read(file)
    replay(record)
    assert record.match.players == ("peer0", "peer1") and record.result.reason == "score"
    for team, (out, _) in enumerate(told):
        seen = json.loads(out)
        assert seen["team"] == f"team{team}" and seen["winner"] == f"team{record.result.winner}"
        assert seen["updates"] == len(record.shots) + 1 and len(seen["frames"]) == len(record.shots)
        assert seen["moves"] == sum(shot.team == team for shot in record.shots) and min(seen["frames"]) > fewest
        assert [scores[:1] for scores in seen["scores"]] == [[end] for end in record.ends[0].points]
