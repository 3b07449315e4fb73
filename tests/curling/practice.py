"""Practice servers with a seat for a person, in a thread, and clients that the person meets."""

import asyncio
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread

from bonspiel.curling.play.browser.seat_page import SeatPage
from bonspiel.curling.records.match_data import RecordedShot
from bonspiel.curling.replay.live_server import LiveServer
from bonspiel.curling.server.dc3 import Dc3Session, listen_dc3
from bonspiel.curling.server.pages.person import Dc3Person, sit_down
from bonspiel.curling.server.record_feed import RecordFeed
from tests.curling.server.hosting import PATIENCE, context_of, hosting

ROOT = "/token"
THROUGH = {"cmd": "move", "move": {"type": "shot", "velocity": {"x": 0.4, "y": 3.0}, "rotation": "ccw"}}


@dataclass
class Practice:
    """A server; `said` are the lines of its console."""

    page: SeatPage
    pages: LiveServer
    feed: RecordFeed
    loop: asyncio.AbstractEventLoop
    said: list
    host: object = None

    @property
    def port(self):
        return self.pages.port

    @property
    def records(self):
        """The items of each match's record, oldest match first."""
        return [items for _, items in self.feed.matches()]

    @property
    def throws(self):
        """The shots of the newest match so far."""
        return [item for item in self.records[-1] if isinstance(item, RecordedShot)] if self.records else []

    def start(self, coroutine):
        """Run a coroutine in the event loop of the matches: its future."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def meet(self, shots=100, team=None, name="client"):
        """A client that throws stones off the sheet, and leaves when it would have to throw once more than `shots`."""
        return self.start(self._play(1 - self.page.me if team is None else team, shots, name))

    async def _play(self, team, shots, name):
        client = await self.host.connect(team)
        await client.greet(name)
        while (message := await client.receive()) is not None and message["cmd"] != "game_over":
            if message["cmd"] == "update" and message["next_team"] == f"team{team}":
                if shots == 0:
                    break
                shots -= 1
                client.send(THROUGH)
        await client.close()


def practising(team, most=None, **given):
    """Serve matches of Digital Curling 3 in which a person plays this team."""

    @asynccontextmanager
    async def serve(context, page):
        async with hosting(context, lambda own: Dc3Session(own, None), listen_dc3, most) as host:
            page.seat.open(partial(sit_down, Dc3Person, host.lobby, page.seat))
            yield host

    return served(Practice, serve, team, lambda match: [match], **given)


@contextmanager
def served(practice_of, serve, team, kinds, **given):
    """Serve matches in a thread; `kinds` makes the kinds of matches of the server's settings."""
    said, feed, opened, ended = [], RecordFeed(), Event(), None
    context = context_of(feed=feed, report=said.append, **given)
    page = SeatPage(team, feed, context.clock, ROOT, kinds(context.match))
    pages = LiveServer(feed, more=page.routes)
    pages.call(page.begin)
    loop = asyncio.new_event_loop()
    practice = practice_of(page, pages, feed, loop, said)

    async def run():
        nonlocal ended
        ended = asyncio.Event()
        async with serve(context, page) as practice.host:
            opened.set()
            await ended.wait()

    thread = Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert opened.wait(PATIENCE)
        yield practice
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
        pages.close()
