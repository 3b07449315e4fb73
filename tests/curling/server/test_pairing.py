"""Two honest clients meet soon, whatever the others do that have come to the same server.

BONSPIEL_PAIRS and BONSPIEL_HOSTILE make the last test a measurement: so many pairs beside so many hostile loops.
"""

import asyncio
import os

import pytest

from tests.curling.peers import PLAYERS, play, practice
from tests.curling.server.hostile import under_attack
from tests.curling.server.hosting import PATIENCE, until

SOON = 60.0  # s from the arrival of the second client to the match
PAIRS, LOOPS = int(os.environ.get("BONSPIEL_PAIRS", "3")), int(os.environ.get("BONSPIEL_HOSTILE", "4"))
GAP = 0.3  # s between two pairs


@pytest.fixture(params=PLAYERS)
def serve(request, tmp_path):
    """Runs a scenario on a practice server."""

    def run(scenario):
        async def bounded():
            async with practice(request.param, tmp_path) as host, asyncio.timeout(60.0 + 3.0 * PAIRS):
                return await scenario(host)

        return asyncio.run(bounded())

    return run


async def log_in(host, door):
    """A client that has told its name, and is not ready."""
    client = await host.connect(door)
    await client.receive()
    client.send(host.player.hello)
    if len(host.ports) == 1:  # Digital Curling 2: logins count, and not arrivals
        assert await client.receive() == "LOGIN OK"
    return client


async def meet(host, clients):
    """Let two clients, connected and silent so far, play a match; the results that they hear."""
    players = [host.player(host.player.concession) for _ in clients]
    return await asyncio.gather(*map(play, clients, players))


def is_over(heard):
    return any("game_over" in str(message) or "GAMEOVER" in str(message) for message in heard)


async def sit_between(host, act):
    """Two honest clients, each of which came with a partner that `act` does something with before it is ready."""
    bad, first, other, second = [await log_in(host, door) for door in (0, -1, -1, 0)]
    await act(bad)
    await act(other)
    return first, second


def test_clients_that_came_with_one_that_is_silent_meet(serve):
    async def scenario(host):
        async def nothing(client):
            pass

        return await meet(host, await sit_between(host, nothing))

    assert all(map(is_over, serve(scenario)))


def test_clients_whose_partners_leave_before_they_are_ready_meet(serve):
    async def scenario(host):
        async def leave(client):
            await client.close()

        return await meet(host, await sit_between(host, leave))

    assert all(map(is_over, serve(scenario)))


@pytest.mark.parametrize("protocol, kind", [("dc3", "ready_ok"), ("dc2", "READYOK")])
async def test_a_client_that_is_never_ready_is_removed(monkeypatch, tmp_path, protocol, kind):
    monkeypatch.setattr(f"bonspiel.curling.server.{protocol}.READY_SECONDS", 0.2)

    async with practice(protocol, tmp_path) as host:
        client = await log_in(host, 0)
        async with asyncio.timeout(PATIENCE):
            while await client.receive() is not None:
                pass
        await until(lambda: host.told)
        (line,) = host.told
    assert line.startswith("waiting client 127.0.0.1:") and line.endswith(f": no {kind} within 0.2 s")


def test_a_ready_client_that_speaks_before_its_match_is_removed(serve):
    async def scenario(host):
        client = await log_in(host, 0)
        client.send(host.player.ready + host.player.shot)
        while await client.receive() is not None:
            pass
        await until(lambda: host.told)
        return host.told

    (line,) = serve(scenario)
    assert line.endswith(": a message before the match began")


def test_honest_clients_meet_beside_hostile_ones(serve, capsys):
    async def honest(host, number, waits):
        await asyncio.sleep(GAP * number)
        clients = [await host.connect(door) for door in (0, -1)]
        players = [host.player(host.player.concession) for _ in clients]
        loop = asyncio.get_running_loop()
        began, began_match = loop.time(), ("turn", "not turn")

        async def one(client, player):
            heard = await play(client, player, lambda kind: kind in began_match)
            waits.append(loop.time() - began)
            client.send(player.answer(heard[-1])[1])
            return heard + await play(client, player)

        return await asyncio.gather(*map(one, clients, players))

    async def scenario(host):
        waits = []
        async with under_attack(host, LOOPS):
            pairs = await asyncio.gather(*(honest(host, number, waits) for number in range(PAIRS)))
        return waits, [is_over(heard) for pair in pairs for heard in pair], host.told

    waits, ended, told = serve(scenario)
    if "BONSPIEL_PAIRS" in os.environ:
        found = f"{PAIRS} pairs beside {LOOPS} hostile loops: {sum(ended)} of {len(ended)} clients end right"
        with capsys.disabled():
            print(
                f"\n{found}, paired after {sorted(waits)[len(waits) // 2]:.2f} s (median), {max(waits):.2f} s (longest)"
            )
    assert ended == [True] * (2 * PAIRS) and max(waits) < SOON
    assert not [line for line in told if "failed" in line]
