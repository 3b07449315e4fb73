"""The study of the client over a slow network."""

import asyncio
import itertools
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from bonspiel.curling.benchmarks import practice
from bonspiel.curling.client.planning.time_manager import slices_left
from docs.studies import curling_serving as study
from tests.curling.protocols.transcripts import transcript


def test_the_proxy_delays_both_ways_and_loses_nothing():
    data = bytes(range(256)) * 4000

    async def echo(reader, writer):
        writer.write(await reader.readexactly(len(data)))
        await writer.drain()
        writer.close()

    async def there_and_back():
        seen = []
        async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
            async with study.proxy(server.sockets[0].getsockname()[1], 0.3, seen.append) as port:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                start = time.monotonic()
                writer.write(data)
                answer = await reader.readexactly(len(data))
                seconds = time.monotonic() - start
                assert await reader.read() == b""
                writer.close()
        return answer, seconds, b"".join(seen)

    answer, seconds, seen = asyncio.run(there_and_back())
    assert answer == seen == data and 0.3 <= seconds < 60.0


def test_times_are_read_from_messages_of_the_server():
    script = [line for line in transcript("dc3", "full_game_team0") if line.from_server]
    times = study.TimeUse()
    for line in script:
        times.watch((line.text + b"\n")[:7])  # in any pieces
        times.watch((line.text + b"\n")[7:])
    updates = [line.message for line in script if line.message["cmd"] == "update"]
    ends = script[1].message["game"]["setting"]["max_end"]
    pairs = [(a["state"], b["state"]) for a, b in itertools.pairwise(updates) if a["next_team"] == "team0"]
    timed = [(a, b) for a, b in pairs if b["end"] == a["end"] or b["end"] < ends]  # then the clock is not set anew
    assert len(times.shares) == len(timed) > 7
    first, after = (state["thinking_time_remaining"]["team0"] for state in timed[0])
    assert times.slices[0] == pytest.approx(first / slices_left(0, ends))
    assert times.shares[0] == pytest.approx((first - after) / times.slices[0])
    assert times.result.winner == updates[-1]["state"]["game_result"]["winner"]
    assert f"{len(timed)} moves" in study.summary(times) and "winner team" in study.summary(times)


@pytest.mark.parametrize(
    ("shares", "reason", "status"),
    [([0.5, 0.9], "score", 0), ([0.5, 0.951], "score", 1), ([0.5], "time_limit", 1), ([0.5], None, 1)],
)
def test_late_moves_and_lost_matches_are_reported(monkeypatch, tmp_path, capsys, shares, reason, status):
    result = reason and SimpleNamespace(reason=reason)

    async def play(*_):
        return [study.TimeUse([1.0] * len(shares), shares, result)] * 2

    monkeypatch.setattr(study, "play_one", play)
    monkeypatch.setattr(study.practice, "server", lambda *_: nullcontext(practice.Server(None, (1, 2))))
    assert study.main(["delay", "--matches", "2", "--at-once", "2", "--out", str(tmp_path)]) == status
    assert f"2 matches, {4 * len(shares)} moves" in capsys.readouterr().out
