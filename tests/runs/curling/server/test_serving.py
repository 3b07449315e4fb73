import asyncio
import itertools
import time
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bonspiel.curling.client.planning.time_manager import slices_left
from bonspiel.runs.curling.benchmarks import delay, practice, serving, serving_dc4
from bonspiel.runs.experiment import RunError
from tests.curling.protocols.transcripts import transcript


def test_figures_of_matches_that_all_end():
    check(list(serving.figures(matches=2, ends=1)))


def test_figures_of_matches_over_http_that_all_end():
    check(list(serving.figures_of(serving_dc4.measure(matches=2, ends=1, pause=0.001), matches=2, ends=1)))


def check(found):
    assert [m.unit for m in found] == ["moves/s", "ms", "ms", "MB"]
    assert all(m.value > 0.0 for m in found) and found[1].value <= found[2].value


@pytest.mark.parametrize("loss", [{"finished": 3}, {"updates": 67}])
def test_a_match_without_an_end_or_a_lost_move_is_an_error(monkeypatch, loss):
    load = serving.Load([0.001] * 32, 68, 4, 1.0, 100.0, 2)
    monkeypatch.setattr(serving, "measure", lambda matches, ends: replace(load, **loss))
    with pytest.raises(RunError, match="of 2 matches"):
        list(serving.figures(2, 1))


def test_a_server_that_does_not_start_is_an_error(tmp_path):
    with pytest.raises(RunError, match=r"does not start: bonspiel.*ends"):
        with practice.server(tmp_path / "told", "dc3", "--ends", "-1"):
            pass


def test_the_proxy_delays_both_ways_and_loses_nothing():
    data = bytes(range(256)) * 4000

    async def echo(reader, writer):
        writer.write(await reader.readexactly(len(data)))
        await writer.drain()
        writer.close()

    async def there_and_back():
        seen = []
        async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
            async with delay.proxy(server.sockets[0].getsockname()[1], 0.3, seen.append) as port:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                start = time.monotonic()
                writer.write(data)
                answer = await reader.readexactly(len(data))
                seconds = time.monotonic() - start
                assert await reader.read() == b""
                writer.close()
        return answer, seconds, b"".join(seen)

    answer, seconds, seen = asyncio.run(there_and_back())
    assert answer == seen == data and 0.3 <= seconds < 5.0


def test_times_are_read_from_what_the_server_tells():
    script = [line for line in transcript("dc3", "full_game_team0") if line.from_server]
    times = delay.TimeUse()
    for line in script:
        times.watch((line.text + b"\n")[:7])  # in any pieces
        times.watch((line.text + b"\n")[7:])
    updates = [line.message for line in script if line.message["cmd"] == "update"]
    ends = script[1].message["game"]["setting"]["max_end"]
    pairs = [(a["state"], b["state"]) for a, b in itertools.pairwise(updates) if a["next_team"] == "team0"]
    told = [(a, b) for a, b in pairs if b["end"] == a["end"] or b["end"] < ends]  # then the clock is not set anew
    assert len(times.shares) == len(told) > 7
    first, after = (state["thinking_time_remaining"]["team0"] for state in told[0])
    assert times.slices[0] == pytest.approx(first / slices_left(0, ends))
    assert times.shares[0] == pytest.approx((first - after) / times.slices[0])
    assert times.result.winner == updates[-1]["state"]["game_result"]["winner"]
    assert f"{len(told)} moves" in delay.summary(times) and "winner team" in delay.summary(times)


@pytest.mark.parametrize(
    ("shares", "reason", "status"),
    [([0.5, 0.9], "score", 0), ([0.5, 0.951], "score", 1), ([0.5], "time_limit", 1), ([0.5], None, 1)],
)
def test_late_moves_and_lost_matches_are_told(monkeypatch, tmp_path, capsys, shares, reason, status):
    result = reason and SimpleNamespace(reason=reason)

    async def play(*_):
        return [delay.TimeUse([1.0] * len(shares), shares, result)] * 2

    monkeypatch.setattr(delay, "play_one", play)
    monkeypatch.setattr(delay.practice, "server", lambda *_: nullcontext(practice.Server(None, (1, 2))))
    monkeypatch.setattr("sys.argv", ["delay", "--matches", "2", "--at-once", "2", "--out", str(tmp_path)])
    assert delay.main() == status
    assert f"2 matches, {4 * len(shares)} moves" in capsys.readouterr().out
