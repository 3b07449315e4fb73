"""`bonspiel server`: sets up a practice server and runs it."""

import asyncio
import gc
import os
import secrets
import signal
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial

import numpy as np

from bonspiel.curling.ice.noise import Noise, noise_of
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.server import dc2, dc3
from bonspiel.curling.server.lobby import Lobby, PortError
from bonspiel.curling.server.pages.person import Dc2Person, Dc3Person, sit_down
from bonspiel.curling.server.record_feed import RecordFeed
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.serve import serve_matches
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.shot_executor import ShotExecutor
from bonspiel.curling.settings import MOST_ENDS
from bonspiel.curling.verbs import server_dc4
from bonspiel.curling.verbs.server_options import Options
from bonspiel.curling.verbs.server_pages import Pages, served_pages
from bonspiel.runs.experiment import RunError, UsageError, number
from bonspiel.runs.files import writing
from bonspiel.runs.progress import counted
from bonspiel.runs.verbs.command_line import DONE, INTERRUPTED

LONGEST = 100_000.0  # s of thinking time
STEPS = 10, 10_000  # of the simulator, each 1 ms, between two frames; more frames would keep other matches waiting
MOST_SD = 1.0  # m/s, rad
MOST_WORKERS = 4


def main(options: Options) -> int:
    """Serve matches; returns the exit status.

    Raises:
        UsageError: an option is out of range, or the records cannot be written.
        RunError: a port is taken.
    """
    serve = server_dc4.prepared(options) if options.protocol == "dc4" else partial(_serve, options)
    context = _context(options)
    with closing(context.executor), served_pages(options, context) as pages:
        gc.freeze()  # loaded code stays: a search for garbage in it would keep all matches waiting
        try:
            ended: int | None = asyncio.run(serve(context, pages))
        except PortError as error:
            raise RunError(str(error)) from error
    return INTERRUPTED if ended == signal.SIGINT else DONE


def _context(options: Options) -> ServerContext:
    """Check the options, and prepare the match, its executor and the folder of records."""
    number("--port", options.port, 0, 65534, whole=True)
    ends = number("--ends", options.ends, 1, MOST_ENDS, whole=True)
    seconds = ("--thinking-time", options.thinking_time), ("--extra-end-time", options.extra_end_time)
    times = ThinkingTimes(*(round(1000.0 * number(*given, 0.001, LONGEST, whole=False)) for given in seconds))
    seed = secrets.randbits(32) if options.seed is None else number("--seed", options.seed, 0, 2**63, whole=True)
    if options.trajectory:
        number("--trajectory", options.trajectory, *STEPS, whole=True)
    for name, low, high in (("matches", 1, 1e9), ("watch", 0, 65535)):
        if getattr(options, name) is not None:
            number(f"--{name}", getattr(options, name), low, high, whole=True)
    last = options.port + (options.protocol == "dc3")
    for name, given in (("--person", options.person), ("--watch-bind", options.watch_bind)):
        if given is not None and options.watch is None:
            raise UsageError(f"{name}: needs --watch PORT, where the page is served")
    if options.port and options.watch is not None and options.port <= options.watch <= last:
        raise UsageError(f"--watch={options.watch}: the clients use that port, choose another one")
    # Digital Curling 3 and 4 play extra ends until a match is decided, Digital Curling 2 has draws
    extra_ends = 0 if options.protocol == "dc2" else MOST_ENDS
    rules = {"physics": options.physics, "rule": options.rule, "noise": _noise(options), "ends": ends}
    match = Match(players=("", ""), extra_ends=extra_ends, seed=seed, engine=options.engine, **rules)
    model = match.model()
    with writing(options.records):
        options.records.mkdir(parents=True, exist_ok=True)
    name = f"{options.protocol}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    feed = None if options.watch is None else RecordFeed()
    cores = min(os.cpu_count() or 1, MOST_WORKERS)
    executor = ShotExecutor(model, options.engine, options.trajectory > 0, cores)
    ids, summary = np.random.default_rng(seed), _summary(match, options)
    return ServerContext(match, model, times, executor, seed, ids, summary, _say, name, options.records, feed)


def _noise(options: Options) -> str | Noise:
    if options.speed_sd is None and options.angle_sd is None:
        return options.noise
    if options.noise == "none":
        raise UsageError("--noise none has no standard deviations: leave out one of the options")
    default = noise_of(options.noise)
    speed = default.speed if options.speed_sd is None else options.speed_sd
    angle = default.angle if options.angle_sd is None else options.angle_sd
    speed, angle = (number(*given, 0, MOST_SD, whole=False) for given in (("--speed-sd", speed), ("--angle-sd", angle)))
    return replace(default, speed=speed, angle=angle)


def _say(line: str) -> None:
    with suppress(OSError):  # a closed console must not end the matches
        print(line, flush=True)


def _summary(match: Match, options: Options) -> str:
    noise = match.noise
    if isinstance(noise, Noise):
        tails = f", Student's t with {noise.freedom:g} degrees of freedom" if noise.freedom else ""
        noise = f"{noise.speed:g} m/s {noise.angle:g} rad{tails}"
    rules = f"{counted(match.ends, 'end')}, {options.thinking_time:g} s a team, {match.rule}, "
    chosen = "" if options.protocol == "dc4" else rules  # else by the clients
    source = f"noise {noise}, engine {match.engine}, seed {match.seed}"
    return f"{options.protocol}, {chosen}{source}, records in {options.records}"


async def _serve(options: Options, context: ServerContext, pages: Pages) -> int | None:
    """Serve matches of Digital Curling 3 or 2, which pages show; the signal that ended the server, or None."""
    dc3_session = partial(dc3.Dc3Session, steps=options.trajectory or None)
    make, listen = (dc3_session, dc3.listen_dc3) if options.protocol == "dc3" else (dc2.Dc2Session, dc2.listen_dc2)
    make_person = Dc3Person if options.protocol == "dc3" else partial(Dc2Person, times=context.times)

    async def opened(context: ServerContext, lobby: Lobby, host: str, port: int) -> Sequence[asyncio.Server]:
        servers = await listen(context, lobby, host, port)
        if pages.seat is not None:
            pages.seat.open(partial(sit_down, make_person, lobby, pages.seat))
        for line in pages.lines:
            context.report(line)
        return servers

    return await serve_matches(context, make, opened, options.host, options.port, options.matches)
