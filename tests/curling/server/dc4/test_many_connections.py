"""More connections than a server can have: it turns some away in a line, and serves those that come later."""

import asyncio
import socket
import time

import pytest

from bonspiel.curling.benchmarks import practice as processes
from tests.curling.peers import PLAYERS, play
from tests.curling.protocols.corpus import TERMINATOR
from tests.curling.server.hosting import PATIENCE, Client
from tests.curling.server.test_pairing import is_over

resource = pytest.importorskip("resource", reason="limits of processes are those of POSIX")
pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")

FILES, IDLE = 128, 250
TURNED_AWAY = "others are turned away"


def hold(ports):
    """Open idle connections, to all ports alike; how many the server leaves open for a second."""
    idle = [socket.create_connection(("127.0.0.1", ports[number % len(ports)])) for number in range(IDLE)]
    left, end = IDLE, time.monotonic() + PATIENCE
    while left >= FILES and time.monotonic() < end:  # those beyond its files may still wait for it
        time.sleep(1.0)
        left = sum(map(is_open, idle))
    for connection in idle:
        connection.close()
    return left


def is_open(connection):
    connection.setblocking(False)
    try:
        while connection.recv(1 << 16):  # what it was greeted with
            pass
    except BlockingIOError:
        return True
    except ConnectionError:
        pass
    return False


async def match(protocol, ports):
    """What two clients hear of their match; they come again as long as they are turned away."""
    async with asyncio.timeout(PATIENCE):
        while True:
            clients = []
            for port in (ports[0], ports[-1]):
                streams = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
                clients.append(Client(*streams, TERMINATOR[protocol]))
            player = PLAYERS[protocol]
            playing = [asyncio.create_task(play(client, player(player.concession))) for client in clients]
            done, others = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
            if not all(is_over(one.result()) for one in done):  # turned away: nobody comes for the other
                for one in others:
                    one.cancel()
            heard = await asyncio.gather(*playing, return_exceptions=True)
            for client in clients:
                await client.close()
            if all(isinstance(one, list) and is_over(one) for one in heard):
                return heard
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("protocol", PLAYERS)
def test_idle_connections_are_bounded_and_said_in_one_line(tmp_path, protocol):
    told = tmp_path / "told"
    with processes.server(told, protocol, "--records", str(tmp_path)) as served:
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        held = hold(served.ports)
        assert all(map(is_over, asyncio.run(match(protocol, served.ports))))
        assert served.process.poll() is None
    lines = told.read_text().splitlines()
    assert FILES // 4 < held < FILES
    assert sum(TURNED_AWAY in line for line in lines) == (2 if protocol == "dc3" else 1)  # one for each port
    assert not [line for line in lines if "Traceback" in line or "Errno" in line]
    assert len(lines) < 10 + held + 2 * IDLE  # arrivals and departures, and no more
