"""Asks clients for their shot in a position: planners of this package in this process, commands on a server of ours."""

import functools
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.arena.client_process import ClientProcess
from bonspiel.curling.arena.clients import Client
from bonspiel.curling.arena.game import GRACE, failures_until_over
from bonspiel.curling.arena.venue import Dc3Venue, Venue
from bonspiel.curling.checks import check_match_state
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.match.rules import MODIFIED
from bonspiel.curling.match.state import team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Match, RecordedShot, Throw
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.shot_executor import ShotExecutor
from bonspiel.curling.settings import MatchSettings
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.planner import Budget, Planner
from bonspiel.runs import interrupts
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import UsageError

WARM_UP = Budget(simulations=2_000)
RULES = {"dc3": ("five_rock", "four_rock"), "dc4": ("five_rock", "no_tick")}
PHYSICS: dict[str, Literal["fcv1", "dc4"]] = {"dc3": "fcv1", "dc4": "dc4"}


class Question(NamedTuple):
    """How clients are asked.

    Attributes:
        protocol: "dc3" or "dc4", of commands.
        budget: of planners, for a shot.
        seconds: of commands, for each shot that their match has left.
        start: s, for a command to become ready.
        seed: of all clients.
        outputs: existing folder for the outputs of commands.
    """

    protocol: str
    budget: Budget
    seconds: float
    start: float
    seed: int
    outputs: Path


class Answer(NamedTuple):
    """The shot of a client: the aim, (vx, vy, rotation), m/s, or why there is none; and the seconds that it took."""

    shot: Throw | None
    failure: str | None
    seconds: float


def ask(client: Client, place: TestPosition, number: int, question: Question) -> Answer:
    """Ask a client for its shot in position `number`.

    Raises:
        RunError: the server failed.
    """
    seed = int(named_rng(f"regret|{client.name}", question.seed, number).integers(2**32))
    if client.planner is not None:
        return _ask_planner(client.planner, place, question.budget, seed)
    output = question.outputs / f"{number:04d}-{client.file_name}.txt"
    return interrupts.run_async(_ask_command(client, place, question, seed, output))


@functools.cache
def _warmed_up(text: str, model: Curling) -> Planner:
    """The planner of a text, after an untimed plan that loads or compiles its code."""
    planner, rng = players.parse(text), np.random.default_rng(0)
    planner.plan(model, model.initial_state(rng), WARM_UP, rng)
    return planner


def _ask_planner(text: str, place: TestPosition, budget: Budget, seed: int) -> Answer:
    model = place.match.planning()
    try:
        planner = _warmed_up(text, model)
        decision = checked_plan(planner, model, place.state, budget, np.random.default_rng(seed))
    except Exception as error:  # planners of others may raise what they like
        return Answer(None, f"{type(error).__name__}: {error}", 0.0)
    vx, vy, side = decision.action.tolist()
    return Answer((vx, vy, 1.0 if side >= 0.0 else -1.0), None, decision.seconds)


async def _ask_command(client: Client, place: TestPosition, question: Question, seed: int, output: Path) -> Answer:
    state, position = place.state, place.position
    settings, team = position.settings, int(team_of(state))
    left = position.ends_left * settings.end_shots // 2 - (position.shot - settings.first_shot) // 2
    clock = round(1000.0 * question.seconds * left)
    context = _server(place.match, question.protocol, ThinkingTimes(clock, clock), seed)
    venue = _venue(replace(context, start=state), question.protocol)
    async with venue.opened(), venue.seated(1 - team):
        values = dict(venue.values(team)) | {"name": client.name, "seed": str(seed)}
        login = {"DC4_USER": values["user"], "DC4_PASSWORD": values["password"]} if "user" in values else {}
        try:
            process = await ClientProcess.start(client.command(values), login, _cores(), output)
        except OSError as error:
            return Answer(None, f"cannot be started ({error.strerror})", 0.0)
        try:
            failures = await failures_until_over(venue, {team: process}, [question.start] * 2)
            thrown = [item for item in venue.items if isinstance(item, RecordedShot)]
            if team in failures:
                await process.wait(GRACE)
                failures[team] += process.ending
        finally:
            await process.end(in_vain=True)
    if thrown:
        return Answer(thrown[0].aim, None, thrown[0].seconds)
    reason = {"time_limit": "no time left", "concede": "conceded"}.get(venue.result.reason if venue.result else "")
    return Answer(None, failures.get(team) or reason or "threw no stone", 0.0)


def _cores() -> frozenset[int]:
    """Those of this process."""
    with suppress(AttributeError):  # elsewhere than on Linux
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


@functools.lru_cache(maxsize=8)
def _executor(model: Curling, paths: bool) -> ShotExecutor:
    return ShotExecutor(model, "analytic", paths, 0)


def _server(model: Curling, protocol: str, times: ThinkingTimes, seed: int) -> ServerContext:
    settings = MatchSettings.values(model) | {"reward": "win", "table": None, "weights": None}
    match = Match(**settings, players=("team0", "team1"))
    made = match.model()
    executor, ids = _executor(made, protocol == "dc3"), np.random.default_rng(seed)
    return ServerContext(match, made, times, executor, seed, ids, "regret", print, "regret")


def _venue(context: ServerContext, protocol: str) -> Venue:
    if protocol == "dc3":
        return Dc3Venue(context, shots=1)
    from bonspiel.curling.arena.venue_dc4 import Dc4Venue  # late: it needs the extra dc4

    return Dc4Venue(context, shots=1)


def served(places: Sequence[TestPosition], protocol: str) -> list[TestPosition]:
    """The positions as a server of this protocol can put them to commands, which have a physics of their own.

    Raises:
        UsageError: it can put none, or not all for another reason than that stones lie where this protocol's sheet
            ends; the message names the position.
    """
    found, left_out, ties = [], list[str](), 0
    for number, place in enumerate(places, 1):
        settings, where = place.match, f"position {number} ({place.source})"
        if settings.is_mixed and protocol == "dc3":
            raise UsageError(f"{where}: mixed doubles is put to commands by --protocol dc4 alone")
        speeds = None, settings.law.max_speed
        for name, value, allowed in (
            ("rule", settings.rule, (MODIFIED,) if settings.is_mixed else RULES[protocol]),
            ("physics", settings.physics, tuple(PHYSICS.values())),
            ("max_speed", None if settings.throwers else settings.max_speed, speeds),
        ):
            if value not in allowed:
                words = " or ".join(map(str, allowed))
                raise UsageError(f"{where}: {name}={value!r}: a server of {protocol} has {words} for commands")
        noise = place.match.noise
        if isinstance(noise, Noise) and (noise.vx or noise.vy):
            raise UsageError(f"{where}: noise: servers tell commands of errors of speed and angle alone, not of vx, vy")
        physics = replace(place.position.settings, physics=PHYSICS[protocol])
        put = TestPosition(replace(place.position, settings=physics), place.source)
        try:
            check_match_state(put.match.planning(), put.state)
        except ValueError as error:
            left_out.append(f"{where}: {error}")
            continue
        found.append(put)
        ties += settings.extra_ends == 0
    if not found:
        raise UsageError(f"{left_out[0]}, on the sheet of {protocol}: give another --protocol")
    if left_out:
        say_once(f"positions that cannot occur on the sheet of {protocol} are left out: {len(left_out)}, {left_out[0]}")
    if ties:
        say_once(
            f"positions without extra ends: {ties}; a tie counts half there, while commands of {protocol} expect "
            "extra ends: give extra_ends"
        )
    return found
