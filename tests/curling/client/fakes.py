"""Planners that fail, a stand-in for a planner's process, and a server that repeats what it said in a transcript."""

import asyncio
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bonspiel.curling.client.planning.planner_worker import ShotChoice
from bonspiel.planners import Decision

TEE, OTHER = (0.1317, 2.3997, 1.0), (-0.1317, 2.3997, -1.0)
LATE = 4.0  # s
EVEN = ShotChoice(TEE, 0.5, 1)


@dataclass(frozen=True)
class FailingPlanner:
    """Draws to the tee, but for faults at some shots of the end: {shot: fault} as a tuple of pairs."""

    faults: tuple[tuple[int, str], ...]

    def plan(self, model, state, budget, rng, root_actions=None):
        action = np.array(model.aim(*model.law.tee_draw, 1.0))
        fault = dict(self.faults).get(int(state[0]) % 16)
        if fault == "raises":
            raise ZeroDivisionError("no shot\nin two lines")
        if fault == "exits":
            os._exit(7)
        if fault == "quits":
            raise SystemExit(1)
        if fault == "late":
            time.sleep(LATE)
        while fault == "hangs":
            pass
        if fault == "prints":
            print("something", flush=True)
        if fault == "nan":
            action[0] = np.nan
        if fault == "hard":
            action[1] = 99.0
        if fault == "complex":
            action = action + 0j
        if fault == "nothing":
            return None
        nothing = np.full(1, np.nan)
        return Decision(action, np.nan, 1, 0.0, action[None], np.zeros(1, np.int64), nothing)


class StubPlanner:
    """Stands for a `PlannerProcess`: the same choice every time, after some seconds; keeps what it was asked."""

    def __init__(self, choice: ShotChoice = EVEN, seconds: float = 0.0) -> None:
        self.choice, self.seconds = choice, seconds
        self.asked: list = []
        self.warmed: list = []

    async def rule_based(self, situation, limit, failure):
        action = OTHER if limit > 0.0 else None
        return ShotChoice(action, failure=failure, is_own=action is not None)

    async def warm_up(self, situation, seconds):
        self.warmed.append((situation, seconds))

    async def choose(self, situation, seconds, limit):
        self.asked.append((situation, seconds, limit))
        await asyncio.sleep(self.seconds)
        return self.choice


class ScriptedServer:
    """Plays the server's part of a transcript against one client, on a port of its own.

    Args:
        script: lines as of `tests.curling.protocols.transcripts`, or bytes that the server sends as they are.
        end: of a message.
        linger: whether the connection stays open at the end of the script.
        delay: of the answer to the first message, s.
        port: 0 is any free one.

    Attributes:
        answers: what the client sent where the transcript's client did.
    """

    def __init__(
        self, script: Sequence, end: bytes = b"\n", linger: bool = False, delay: float = 0.0, port: int = 0
    ) -> None:
        self.script, self.end, self.linger, self.delay, self.port = script, end, linger, delay, port
        self.answers: list[bytes] = []
        self.closed_at = float("nan")

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()
        await asyncio.wait_for(self.served, 60.0) if hasattr(self, "served") else None
        await self.server.wait_closed()

    async def serve(self, reader, writer):
        self.served = asyncio.current_task()
        try:
            for line in self.script:
                if isinstance(line, bytes):
                    writer.write(line)
                elif line.from_server:
                    writer.write(line.text + self.end)
                else:
                    await writer.drain()
                    self.answers.append((await reader.readuntil(self.end)).removesuffix(self.end))
                    await asyncio.sleep(self.delay if len(self.answers) == 1 else 0.0)
            await writer.drain()
            if self.linger:
                await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.closed_at = time.monotonic()
            writer.close()

    @property
    def messages(self):
        return [json.loads(answer) for answer in self.answers]
