"""A match on a server of Digital Curling 4."""

import asyncio
import time
from uuid import UUID

from curling.client.console import length
from curling.client.dc4_link import ANSWER, PATIENCE, Link, Login, Trouble, package, refusal, trouble_of
from curling.client.situation import Situation
from curling.client.skip import Skip, Throw
from curling.client.status import ConnectionLost
from curling.protocols.dc4 import MOST_SPIN, State, board, shot_of
from curling.sheet import LAST_SHOT, STONES, no_stones

ENDS, SECONDS = 10, 219.0  # of the match that planners warm up for; servers tell of theirs when it begins
RULES = {"five_rock": "fgz_rule", "no_tick": "no_tick_rule"}  # what the server calls them
EXTRA_SHARE = 0.5  # of a slice in extra ends: no clock is set anew, and there may be more of them
AGAIN = 2.0  # s until a throw that got lost is sent again


async def create_match(login: Login, rule: str, ends: int, seconds: float, extra_seconds: float) -> UUID:
    """Open a match on a server.

    Args:
        login: of the server.
        rule: one of RULES.
        ends: without extra ends.
        seconds: of thinking time for each team.
        extra_seconds: of thinking time for each team in all extra ends.

    Returns:
        The match's id, which both players need.

    Raises:
        Refused: by the server.
        ConnectionLost: no server.
    """
    dc4client = package()
    data = dc4client.ClientDataModel(
        tournament=dc4client.TournamentModel(tournament_name="bonspiel"),
        match_name="bonspiel",
        simulator=dc4client.PhysicalSimulatorModel(simulator_name="fcv1"),
        applied_rule=RULES[rule],
        standard_end_count=ends,
        time_limit=seconds,
        extra_end_time_limit=extra_seconds,
    )
    try:
        return UUID(await asyncio.wait_for(dc4client.MatchMakerClient(*login).create_match(data), ANSWER))
    except Exception as error:  # whatever the package, its client for HTTP and a strange answer raise
        raise refusal("no match was created", trouble_of(error)) from error


async def play(login: Login, match_id: UUID, team: int, name: str, skip: Skip, rule: str = "five_rock") -> None:
    """Play one match.

    Args:
        login: of the server.
        match_id: of the match.
        team: 0 or 1; the server gives the other side if this one is taken.
        name: of the client.
        skip: decides; it must not concede, for which there is no message.
        rule: of the match, one of RULES; the server does not tell.

    Raises:
        Refused: the server does not want us, or our throw.
        ConnectionLost: no server, or it was out of reach for too long.
        ProtocolError: a state that no match can have.
        ModuleNotFoundError: the package dc4client is not installed.
    """
    say, fraction = skip.say, skip.clock.fraction
    async with Link(login, match_id, team, skip.log) as link:
        say("warming up")
        await skip.warm_up(
            Situation(
                no_stones(),
                shot=0,
                hammer=1,
                lead=0,
                ends=ENDS,
                ties_go_on=True,
                rule=rule,
                physics="fcv1",
                noise="normal_dist",
            ),
            SECONDS,
        )
        start = time.monotonic()
        team = await link.join(name)
        skip.clock.delay = time.monotonic() - start
        say(f"team{team} of match {match_id}; waiting for the other team")
        state = first = await link.start()
        say(f"a match of {length(state.ends)}, {state.remaining(team):g} s")
        while state.winner_team is None:
            skip.clock.fraction = fraction * (EXTRA_SHARE if _is_extra(state) else 1.0)
            if state.next_shot_team == f"team{team}":
                later = await _move(link, skip, state, team, rule)
            else:
                later = await link.newer(state)
            comparable = state is not first and _is_extra(later) == _is_extra(state)
            skip.clock_shows(later.remaining(team) if comparable else None)
            state = later
        say(_result(team, state))


async def _move(link: Link, skip: Skip, state: State, team: int, rule: str) -> State:
    """Decide and throw; the state after it."""
    delivery: asyncio.Task[State] | None = None

    async def send(throw: Throw | None) -> None:
        nonlocal delivery
        assert throw is not None  # nobody concedes here
        delivery = asyncio.create_task(_deliver(link, state, throw))

    await skip.move(_where(state), _situation(state, rule), state.remaining(team), link.received, send)
    assert delivery is not None
    return await delivery


async def _deliver(link: Link, state: State, throw: Throw) -> State:
    """Throw until the state shows that it was; a server takes only one, since then it is the other team's turn.

    Only after the last stone of an end it may still be ours, so that one has more time to show.
    """
    shot, start = shot_of(throw[:2], throw.rotation * MOST_SPIN), time.monotonic()
    wait = AGAIN if state.total_shot_number < LAST_SHOT else ANSWER
    while True:
        trouble = await link.throw(shot)
        lost = trouble is not None and _is_lost(trouble)
        later = await link.newer(state, within=PATIENCE if trouble is None else wait if lost else ANSWER)
        if later is not None:
            return later
        if trouble is None:
            raise ConnectionLost(f"the server took a throw, and told no state after it for {PATIENCE:g} s")
        if not lost or time.monotonic() - start > PATIENCE:
            raise refusal("a throw", trouble)


def _is_lost(trouble: Trouble) -> bool:
    """Whether a throw did not come to the server, or came at a bad moment, so that another attempt may help."""
    return trouble.status is None or trouble.status >= 500


def _situation(state: State, rule: str) -> Situation:
    """A position in which somebody throws next."""
    hammer = state.hammer
    assert hammer is not None
    return Situation(
        board(state),
        state.total_shot_number,
        hammer,
        state.lead,
        ends=max(state.ends - state.end_number, 1),
        ties_go_on=True,
        rule=rule,
        physics="fcv1",
        noise="normal_dist",
    )


def _is_extra(state: State) -> bool:
    return state.end_number >= state.ends


def _where(state: State) -> str:
    extra = state.end_number - state.ends
    end = f"end {state.end_number + 1}" if extra < 0 else f"extra end {extra + 1}"
    return f"{end}, shot {state.total_shot_number + 1}"


def _result(team: int, state: State) -> str:
    own, other = sum(state.score[team]), sum(state.score[1 - team])
    won = state.winner_team == f"team{team}"
    played_out = state.total_shot_number == STONES and (own > other if won else own < other)
    return f"{'won' if won else 'lost'} {own} : {other} ({'score' if played_out else 'time_limit'})"
