"""The process that a planner runs in; nothing here is imported that takes long before Ctrl-C is ignored."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
import traceback
from dataclasses import dataclass
from multiprocessing import connection, parent_process
from typing import TYPE_CHECKING

from curling.client.situation import Situation

if TYPE_CHECKING:
    from planners.base import Planner, Rng

Pipe = connection.Connection


@dataclass(frozen=True)
class Choice:
    """What a planner chose, or why it chose nothing.

    Attributes:
        action: (vx, vy, spin): velocity aimed at, m/s, and a number whose sign is the rotation; None for none.
        chance: the planner's estimate of its team's probability to win; None where it estimates none.
        simulations: that it ran.
        seconds: that it took.
        failure: why there is no action, in one line.
    """

    action: tuple[float, float, float] | None = None
    chance: float | None = None
    simulations: int = 0
    seconds: float = 0.0
    failure: str | None = None


def serve(pipe: Pipe, given: str | Planner, seed: int | None) -> None:
    """Answer (situation, seconds) with a `Choice` until the other end is closed.

    The first answer is to no question: None, or why the text was refused that was given for a planner.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the client handles it
    os.dup2(2, 1)  # standard output may be a server's connection
    threading.Thread(target=_end_with_the_client, daemon=True).start()
    import numpy as np

    from curling import players

    try:
        try:
            planner = players.parse(given) if isinstance(given, str) else given
        except ValueError as error:
            pipe.send(str(error))
            return
        pipe.send(None)
        rng = np.random.default_rng(seed)
        while True:
            situation, seconds = pipe.recv()
            pipe.send(_choose(planner, situation, seconds, rng))
    except (EOFError, OSError):
        return


def _end_with_the_client() -> None:
    """A planner that loops for ever does not see its pipe being closed."""
    client = parent_process()
    if client is not None:
        connection.wait([client.sentinel])
        os._exit(1)


def _choose(planner: Planner, situation: Situation, seconds: float, rng: Rng) -> Choice:
    from planners.base import Budget, check_actions, require

    start = time.perf_counter()
    try:
        import numpy as np

        model, state = situation.model(), situation.state()
        left = max(seconds - (time.perf_counter() - start), 1e-6)
        decision = planner.plan(model, state, Budget(seconds=left), rng)
        require(np.isrealobj(decision.action), "action", decision.action, "real numbers")
        vx, vy, spin = check_actions(model, decision.action[None], "action")[0].tolist()
        value = float(decision.value)
        chance = value if situation.team == 0 else 1.0 + value
        return Choice(
            (vx, vy, spin),
            chance if math.isfinite(chance) else None,
            int(decision.simulations),
            time.perf_counter() - start,
        )
    except Exception as error:
        return Choice(seconds=time.perf_counter() - start, failure=_reason(error))


def _reason(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    message = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{message} ({where.name}, line {where.lineno})"
