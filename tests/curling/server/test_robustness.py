"""Whatever a client sends, and whenever it goes, costs its own match and nothing else."""

import asyncio
import itertools
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.curling.benchmarks import practice as processes
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay
from bonspiel.runs.benchmarks.memory import largest_size
from tests.curling import peers
from tests.curling.peers import HANG, PLAYERS, STAGES, connect_both, ended, flood, nonsense, play, practice, whole_match
from tests.curling.protocols.corpus import CORPUS
from tests.curling.server.hosting import until

BEGIN = re.compile(r"match \d+: .* against .*, 1 end")
PLAYED = re.compile(r"wins, |a draw, ")
LONGEST_LINE = 300  # characters on the console


@pytest.fixture(scope="module", params=PLAYERS)
def served(request, tmp_path_factory):
    """A server that goes on from test to test: (protocol, host, runner of its event loop)."""
    with asyncio.Runner() as runner:
        serving = practice(request.param, tmp_path_factory.mktemp("records"))
        host = runner.run(serving.__aenter__())
        yield request.param, host, runner
        assert [message for heard in runner.run(whole_match(host)) for message in heard]
        assert "(score)" in host.told[-1]  # after all that, it still plays
        runner.run(serving.__aexit__(None, None, None))


async def done(host, other, opponent):
    """The lines that the server has told, once all is over, and all clients have left.

    The other client would wait for somebody else if its opponent went before the match began: it goes too.
    """
    await until(lambda: outcomes(host.told))
    if other is not None and not outcomes(host.told)[0].startswith("match "):
        await other.close()
        await until(lambda: len(outcomes(host.told)) == 2)
    async with asyncio.timeout(HANG):
        await opponent
    while host.clients:
        await host.clients.pop().close()
    return host.told


async def attack(protocol, host, stage, data):
    """One client sends this at this stage, and nothing more; both connections must end soon, with one clear line."""
    del host.told[:]
    alone = stage == "greeting" and protocol == "dc2"  # nobody has been told of it yet
    first, second = [await host.connect(0), None] if alone else await connect_both(host)
    attacker, other = (second, first) if stage == "not turn" else (first, second)
    opponent = asyncio.create_task(play(other, host.player())) if other else asyncio.sleep(0)
    player = host.player(host.player.concession if stage == "over" else host.player.shot)
    reached = await play(attacker, player, lambda kind: kind == stage)
    assert reached
    attacker.send(data)
    attacker.writer.write_eof()
    await ended(attacker)
    return await done(host, other, opponent)


def outcomes(lines):
    return [line for line in lines if not BEGIN.fullmatch(line)]


def check(lines):
    """Nothing failed within the server, and one clear line says how it ended."""
    assert not [line for line in lines if len(line) > LONGEST_LINE or not line.isprintable()]
    assert not [line for line in lines if "the server failed" in line]
    first, *rest = outcomes(lines)
    assert all(line.startswith("waiting client ") for line in rest) and len(rest) <= (not first.startswith("match "))


@pytest.mark.parametrize("stage", STAGES)
def test_nasty_messages_cost_their_own_match_alone(served, stage):
    protocol, host, runner = served
    for nasty in CORPUS[protocol, "client"]:
        lines = runner.run(asyncio.wait_for(attack(protocol, host, stage, nasty.wire(protocol)), 3 * HANG))
        check(lines)
        if nasty.broken and stage != "over":
            assert not PLAYED.search(lines[-1]), nasty.name


@given(data=st.data())
@settings(max_examples=150)
def test_nonsense_costs_its_own_match_alone(served, data):
    protocol, host, runner = served
    player = host.player
    stage = data.draw(st.sampled_from(STAGES))
    text = data.draw(nonsense(protocol, (player.hello, player.ready, player.shot, player.concession)))
    check(runner.run(asyncio.wait_for(attack(protocol, host, stage, text), 3 * HANG)))


async def leave(host, leaver, count, answered):
    """One client goes after it heard so many messages; what it heard, and the server's lines."""
    del host.told[:]
    clients, players = await connect_both(host), [host.player(), host.player()]
    opponent = asyncio.create_task(play(clients[1 - leaver], players[1 - leaver]))
    counter = itertools.count(1)
    heard = await play(clients[leaver], players[leaver], lambda kind: next(counter) == count)
    if answered:
        clients[leaver].send(players[leaver].answer(heard[-1])[1])
        await clients[leaver].writer.drain()
    if count % 2:
        peers.reset_on_close(clients[leaver].writer)
    await clients[leaver].close()
    return heard, await done(host, clients[1 - leaver], opponent)


@pytest.mark.parametrize("leaver", [0, 1])
@pytest.mark.parametrize("answered", [False, True])
def test_a_client_that_goes_at_any_message_ends_its_own_match_and_leaves_a_record(served, leaver, answered):
    _, host, runner = served
    whole = len(runner.run(whole_match(host))[leaver])
    ended_well = 0
    for count in range(1, whole + 1):
        kept = set(host.folder.iterdir())
        heard, lines = runner.run(asyncio.wait_for(leave(host, leaver, count, answered), 3 * HANG))
        assert len(heard) == count
        check(lines)
        files = set(host.folder.iterdir()) - kept
        assert len(files) == sum(BEGIN.fullmatch(line) is not None for line in lines)
        for file in files:
            record = read(file)
            replay(record)
            ended_well += record.result.reason == "score"
            assert record.result.reason in ("score", "abandoned")
            assert bool(PLAYED.search(lines[-1])) == (record.result.reason == "score")
    assert ended_well >= 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sizes of processes are read from /proc")
@pytest.mark.parametrize("protocol", PLAYERS)
def test_a_message_without_end_does_not_fill_the_memory(tmp_path, protocol):
    async def flooded(port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        await flood(writer)

    told = tmp_path / "told"
    with processes.server(told, protocol, "--records", str(tmp_path)) as served:
        asyncio.run(flooded(served.ports[0]))
        assert largest_size(served.process.pid) < 300.0
        assert served.process.poll() is None
    lines = told.read_text().splitlines()
    assert len(lines) == (3 if protocol == "dc3" else 2)  # where it listens, who waits if known, why it goes
    assert "bytes" in lines[-1] and len(lines[-1]) <= LONGEST_LINE
