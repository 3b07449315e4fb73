"""Whatever a client of Digital Curling 4 sends, it gets a reason, and nobody else notices."""

import asyncio
import json
import random
import re
import sys

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.benchmarks import practice
from bonspiel.curling.server.asgi_server import Limits
from bonspiel.runs.benchmarks.memory import largest_size
from tests.curling.server.dc4_attacks import attacks, request, slow_requests
from tests.curling.server.dc4_hosting import DRAW, NEW, begun, hosting, play_end, run

HANG = 60.0  # s within which every request must be answered, also on a busy machine
AT_ONCE = 20
FEWEST = 1000


async def answer(port, pieces):
    """The status and the detail of the answer to a request that comes in pieces, one a second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)

    async def send():
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(1.0)

    sending = asyncio.create_task(send())
    try:
        async with asyncio.timeout(HANG):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = int(re.search(r"(?i)content-length: (\d+)", head)[1])
            return int(head.split()[1]), json.loads(await reader.readexactly(length))["detail"]
    finally:
        sending.cancel()
        writer.transport.abort()


async def under_attack(limits, make):
    """Attack a match from many sides; the answers by the names of the attacks. The match goes on afterwards."""
    async with hosting(limits=limits) as host:
        match_id, users, streams = await begun(host)
        first = await streams[0].state(), await streams[1].state()
        (state,) = await play_end(match_id, users, streams, first[0], [DRAW])
        places = asyncio.Semaphore(AT_ONCE)

        async def attack(name, pieces):
            async with places:
                try:
                    return name, await answer(host.port, pieces)
                except Exception as error:
                    return name, repr(error)

        found = await asyncio.gather(*(attack(*one) for one in make(match_id)))
        told = await play_end(match_id, users, streams, state, [DRAW] * 15)
        assert told[-1]["total_shot_number"] == 16 and not [line for line in host.told if "failed" in line]
        return found


def check(found):
    for name, told in found:
        assert isinstance(told, tuple), f"{name}: {told}"
        status, detail = told
        assert 400 <= status < 500 and detail, f"{name}: {status} {detail}"
        if status == 422:
            assert all(fault["loc"] and fault["msg"] for fault in detail), f"{name}: {detail}"
        assert len(json.dumps(detail)) < 1000 and str(detail).isprintable(), f"{name}: {detail}"


def test_a_thousand_invalid_requests_are_all_refused_with_a_reason():
    def make(match_id):
        distinct = {data: name for name, data in attacks(match_id, random.Random(1))}
        return [(name, [data]) for data, name in distinct.items()]

    found = run(lambda: under_attack(Limits(request_seconds=2.0), make), 600.0)
    assert len(found) >= FEWEST
    check(found)


def test_slow_senders_are_refused_in_time():
    found = run(lambda: under_attack(None, slow_requests))
    assert {status for _, (status, _) in found} == {408}
    check(found)


def test_the_server_stays_small_and_ends_at_once_while_it_is_flooded(tmp_path):
    """Streams that are not read, bodies without an end, and connections that say nothing."""

    async def flood(port):
        writers = []
        for number in range(300):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            if number % 3 == 0:
                writer.write(request("POST", "/matches", b"", **{"X": "x" * 10_000})[:-2])
            elif number % 3 == 1:
                writer.write(
                    b"POST /shots HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n" + b"x" * 1_000_000
                )
        await asyncio.sleep(1.0)
        return writers

    told = tmp_path / "told"
    with practice.server(told, "dc4", "--records", str(tmp_path)) as served:

        async def scenario():
            writers = await flood(served.ports[0])
            size = largest_size(served.process.pid)
            served.process.terminate()
            async with asyncio.timeout(HANG):
                while served.process.poll() is None:
                    await asyncio.sleep(0.05)
            for writer in writers:
                writer.transport.abort()
            return size

        assert asyncio.run(scenario()) < 300.0
        assert served.process.returncode == 0
    assert "failed" not in told.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes are set by Linux")
def test_it_does_not_run_out_of_files(tmp_path):
    import resource

    async def scenario(port):
        writers = [(await asyncio.open_connection("127.0.0.1", port))[1] for _ in range(250)]
        await asyncio.sleep(1.0)
        for writer in writers:
            writer.transport.abort()
        async with asyncio.timeout(HANG):
            while True:
                try:
                    return await answer(port, [request("GET", "/matches/x")])
                except (asyncio.IncompleteReadError, ConnectionError):  # turned away still
                    await asyncio.sleep(0.1)

    told = tmp_path / "told"
    with practice.server(told, "dc4", "--records", str(tmp_path)) as served:
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (128, 128))
        status, _ = asyncio.run(scenario(served.ports[0]))
        assert served.process.poll() is None
    assert status == 422 and len(told.read_text().splitlines()) == 1  # where it listens


@pytest.mark.parametrize("field", ["translational_velocity", "shot_angle"])  # spins are clamped
@pytest.mark.parametrize("value", [1.7e308, -1001.0])
async def test_numbers_that_are_no_throw_are_refused(field, value):
    async with hosting() as host:
        match_id, users, streams = await begun(host)
        state = await streams[0].state(), await streams[1].state()
        status, body = await users[0].throw(match_id, DRAW | {field: value})
        await play_end(match_id, users, streams, state[0], [DRAW])  # and it is the same team's turn
    assert status == 422 and body["detail"][0]["loc"] == ["body", field] and "1000" in body["detail"][0]["msg"]


FOREIGN = {
    "another name": {"Host": "evil.example:5000"},
    "another page": {"Origin": "http://evil.example"},
    "a page of no site": {"Origin": "null"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
async def test_pages_of_other_sites_are_refused_although_they_know_the_password(headers):
    async with hosting() as host:
        user = host.user("user0")
        status, body = await user.ask("POST", "/matches", NEW, headers=headers)
        assert not host.matches.waiting
        assert (await user.ask("POST", "/matches", NEW, headers={"Origin": host.url}))[0] == 200
    assert status == 403 and "this" in body["detail"]


async def test_another_name_is_served_where_it_is_allowed():
    async with hosting(names=["curling.example"]) as host:
        user = host.user("user0")
        names = "CURLING.example:1", "example"
        assert [(await user.ask("POST", "/matches", NEW, headers={"Host": name}))[0] for name in names] == [200, 403]
