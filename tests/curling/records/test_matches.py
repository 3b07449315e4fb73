"""Our clients against our server, in separate processes, over real sockets."""

import re
import signal
import subprocess
import time

import pytest

from bonspiel.curling.benchmarks import practice
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay

PATIENCE = 120.0  # s; the first start after a change of the sources compiles
SOON = 60.0  # s
UNRELATED = re.compile(r"bonspiel: compiling .*\n|.* no answer within \S+ s\n")  # of a first start, of a busy machine
CLIENTS = {"dc3": ("rulebased", "presearch"), "dc2": ("rulebased", "random")}


@pytest.fixture
def clients(tmp_path):
    """Start two clients of a protocol with these planners, team 0's first: (protocol, ports, planners) -> processes."""
    started = []

    def start(protocol, ports, planners):
        for team, planner in enumerate(planners):
            line = [
                *practice.BONSPIEL,
                "client",
                protocol,
                "--port",
                str(ports[min(team, len(ports) - 1)]),
                "--planner",
                planner,
                "--max-seconds",
                "0.02",
                "--seed",
                str(team),
                "--name",
                f"{planner}{team}",
                "--log",
                str(tmp_path / f"client{team}.jsonl"),
            ]
            started.append(subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-2:]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def told(path):
    return path.read_text().splitlines()


def until(condition, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def record_in(folder):
    (path,) = folder.glob("*.jsonl")
    return path


@pytest.mark.parametrize("protocol", CLIENTS)
def test_a_match_of_two_ends_is_played_and_recorded(protocol, clients, tmp_path):
    records = tmp_path / "records"
    options = "--ends", "2", "--matches", "1", "--seed", "1", "--records", str(records)
    with practice.server(tmp_path / "told", protocol, *options) as served:
        both = clients(protocol, served.ports, CLIENTS[protocol])
        ends = [process.communicate(timeout=PATIENCE) for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert [UNRELATED.sub("", error) for _, error in ends] == ["", ""]
        assert served.process.wait(SOON) == 0
    record = read(record_in(records))
    replay(record)
    assert record.result.reason in (("score",) if protocol == "dc3" else ("score", "draw"))
    assert len(record.shots) >= 32 and {shot.team for shot in record.shots} == {0, 1}
    assert sorted(record.match.players) == sorted(f"{planner}{team}" for team, planner in enumerate(CLIENTS[protocol]))
    shots = {shot.aim for shot in record.shots if shot.team == 0}
    assert len(shots) > 4  # not the fallback every time
    verdicts = [out.splitlines()[-1].split()[0] for out, _ in ends]
    assert sorted(verdicts) in (["lost", "won"], ["drawn", "drawn"])


@pytest.mark.parametrize("victim", ["server", "client"])
def test_a_killed_process_ends_the_others(victim, clients, tmp_path):
    """The lines of a killed server's record are those up to there; a server without a client goes on."""
    records = tmp_path / "records"
    with practice.server(tmp_path / "told", "dc3", "--ends", "1", "--records", str(records)) as served:
        both = clients("dc3", served.ports, ("random", "random"))
        until(lambda: len(list(records.glob("*.jsonl"))) == 1 and len(told(record_in(records))) > 3)
        killed = served.process if victim == "server" else both[0]
        killed.send_signal(signal.SIGKILL)
        for process in both:
            if process is not killed:
                _, error = process.communicate(timeout=SOON)
                assert process.returncode == 3
                assert len(error.splitlines()) == 1 and "the connection" in error
        record = read(record_in(records), partial=True)
        replay(record)
        assert record.result.reason == ("unfinished" if victim == "server" else "abandoned")
        assert len(record.shots) >= 2
        if victim == "client":
            lines = [line for line in told(tmp_path / "told") if line.startswith("match 1: ")]
            assert len(lines) == 2 and "left" in lines[-1]
            assert served.process.poll() is None
