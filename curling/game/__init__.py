"""Curling as a two-player game of tournaments, and the parts of a record that follow from a throw."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from bonspiel.curling import players
from bonspiel.curling.dynamics import release
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import STONES, places
from bonspiel.curling.logs import match_files
from bonspiel.curling.match.mixed_doubles import setup_of
from bonspiel.curling.match.state import HAMMER, TIME, shot_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records import record
from bonspiel.curling.records.match_data import Throw, score_of
from bonspiel.curling.records.record import End, Match, Record, RecordedShot, Result, Setup
from bonspiel.curling.records.umpire import Outcome, contradictions, outcome
from bonspiel.planners.checks import check_actions, require
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.registry import look_up
from bonspiel.runs.games.game import Forfeit, GameSummary, Move, ScheduledGame, Step
from bonspiel.runs.progress import counted

if TYPE_CHECKING:
    from bonspiel.curling.replay.judgement import Judged

TIES = {"half": 0.5, "thesis": 0.781}  # value of a draw for the team that would have the hammer in the next end
ROUNDING = 0.005  # m; servers keep their stones to a millimetre or so


@functools.cache
def _models(game: "CurlingGame") -> tuple[Curling, Curling]:
    """The match itself, and the model for planners."""
    settings = {field.name: getattr(game, field.name) for field in fields(game) if field.name != "ties"}
    model = Curling(**settings, tie=TIES[game.ties], reward="win")
    return model, model.planning()


@dataclass(frozen=True)
class CurlingGame:
    """A match of curling; see `runs.games.game.TwoPlayerGame`.

    Args:
        ends: ends of the match, at most 100.
        physics: "fcv1", "dc2" or "dc4", which is fcv1 with the limits of play of Digital Curling 4.
        rule: "five_rock", "four_rock", "no_tick" (five rock with the no-tick rule) or "none"; None is the default of
            the physics. In mixed doubles it is "modified".
        noise: "normal_dist", "human" or "none" for fcv1 and dc4, "dc2", "gat" or "none" for dc2, or one of these with
            a factor, "2*normal_dist"; None is the first name of the physics.
        extra_ends: largest number of extra ends after a tie, at most 100; a tie after them is a draw.
        ties: value of a draw: "half" for both teams, or "thesis", 0.781 for the team that would have the hammer next.
        game: "standard", or "mixed_doubles", which is for fcv1 and dc4.
        pattern: place of the guards that are set up in mixed doubles, 0 (nearest the house) to 5.
    """

    ends: int = 2
    physics: str = "fcv1"
    rule: str | None = None
    noise: str | Noise | None = None
    extra_ends: int = 0
    ties: str = "half"
    game: str = "standard"
    pattern: int = 0

    roles: ClassVar = ("without the hammer in the first end", "with it")
    suffix: ClassVar = ".jsonl"
    write = staticmethod(record.write)
    read = staticmethod(match_files.read_match)
    make_player = staticmethod(players.parse)

    def __post_init__(self) -> None:
        look_up("ties", self.ties, TIES)
        _models(self)

    @staticmethod
    def of_format_1(match: Mapping[str, Any]) -> str:
        """The text of the game from the settings in a match.json of version 0.1."""
        return "curling:" + ",".join(f"{key}={match[key]}" for key in ("ends", "physics", "noise"))

    @property
    def title(self) -> str:
        """Ends, physics and noise, and what else is not as usual."""
        model, usual = _models(self)[0], _models(replace(self, rule=None, pattern=0))[0]
        ends = f"{'mixed doubles, ' if model.is_mixed else ''}{counted(self.ends, 'end')}"
        words = [ends, self.physics, f"{model.noise if isinstance(model.noise, str) else 'custom'} noise"]
        words += [f"rule {model.rule}"] if model.rule != usual.rule else []
        words += [f"pattern {self.pattern}"] if self.pattern else []
        words += [f"at most {counted(self.extra_ends, 'extra end')}"] if self.extra_ends else []
        words += [f"ties {self.ties}"] if self.ties != "half" else []
        return ", ".join(words)

    @property
    def model(self) -> Curling:
        """The match for planners, which look to the end of their end."""
        return _models(self)[1]

    def initial_state(self, rng: Rng) -> Array:
        """An empty sheet, in mixed doubles with the first end set up."""
        return self.model.initial_state(rng)

    def player(self, state: Array) -> int:
        """The team to throw."""
        return int(team_of(state))

    def check_action(self, state: Array, action: Array) -> Array:
        """The action, if it is within the bounds."""
        return check_actions(self.model, action[None], "action")[0]

    def step(self, state: Array, action: Array, rng: Rng) -> Step:
        """Throw with an error of execution; the details are the throw and its outcome.

        In mixed doubles the next end is set up as is best for the team that decides.
        """
        model = _models(self)[0]
        thrown = release(state, action, model.params, rng)
        after = outcome(model, state, thrown)
        state = after.state if after.over else model.begin_end(after.state)
        return Step(state, after.reward if after.over else None, (thrown, after))

    def match(self, scheduled: ScheduledGame) -> Match:
        """The match, as the first line of its record."""
        first, second = scheduled.sides
        names, budgets = (first.planner, second.planner), (first.allowance, second.allowance)
        settings = _models(self)[0].values()
        return Match(**settings, players=names, budgets=budgets, seed=scheduled.seed, pair=scheduled.pair)

    def record(self, scheduled: ScheduledGame, moves: Sequence[Move], forfeit: Forfeit | None) -> Record:
        """The match with its set-ups, shots, ends and result."""
        shots, first, setups = [], self.model.first_shot, list[Setup]()
        for move in moves:
            if first > 0 and shot_of(move.state) == first:
                setups.append(Setup(int(move.state[TIME]) // STONES, *setup_of(move.state)))
            thrown, after = move.step.details
            facts = move.value, move.simulations, move.seconds
            shots.append(recorded_shot(move.state, move.action, thrown, after, *facts))
        points = (move.step.details[1].points for move in moves)
        ends = tuple(End(number, scored) for number, scored in enumerate(filter(None, points)))
        if forfeit is not None:
            loser = forfeit.player
            result = Result(score_of(ends), 1 - loser, float(loser), "forfeit", str(forfeit))
        else:
            result = final_result(score_of(ends), moves[-1].step.details[1].reward)
        return Record(self.match(scheduled), tuple(shots), ends, result, tuple(setups))

    def is_record_of(self, found: Record, scheduled: ScheduledGame) -> bool:
        """True if the match on record is the scheduled one."""
        return found.match == self.match(scheduled)

    def summary(self, found: Record) -> GameSummary:
        """Result, forfeit and moves."""
        result = found.result
        forfeit = str(result.detail) if result.reason == "forfeit" else None
        if result.reason == "time_limit" and result.winner is not None:
            refused = f" (last refused: {result.detail})" if result.detail else ""
            forfeit = f"{found.match.players[1 - result.winner]}: no time left{refused}"
        moves = tuple((shot.team, shot.seconds, shot.simulations or 0) for shot in found.shots)
        return GameSummary(result.value_for(0), result.winner, forfeit, moves)

    def length(self, found: Record) -> int:
        """The number of shots."""
        return len(found.shots)

    def picture(
        self, found: Record, advance: Callable[[], None], judged: "Judged | None" = None
    ) -> tuple[str, str | None]:
        """The page of `curling.replay`, and a warning: the stones are another simulator's, or the record cannot be.

        `judged` is what a judge says of the shots.
        """
        from bonspiel.curling.replay.page_events import record_events
        from bonspiel.curling.replay.pages import replay_page  # not for workers, which draw no pages

        events, apart = record_events(found, advance, judged)
        place = "from where the record's engine takes them; the page shows them as on record when they are at rest"
        warnings = [f"stones are up to {apart:.3g} m {place}"] if apart > ROUNDING else []
        warnings += [f"the record contradicts itself: {one}" for one in contradictions(found)]
        return replay_page(events), "; ".join(warnings) or None


@dataclass(frozen=True)
class MixedDoublesGame(CurlingGame):
    """`CurlingGame` of mixed doubles, with the limits of play of Digital Curling 4.

    Args:
        ends: ends of the match, at most 100.
        physics: "dc4", which is fcv1 with the limits of play of Digital Curling 4, or "fcv1".
        rule: None or "modified", that of mixed doubles.
        noise: "normal_dist" (as None), "none", or a factor of the first, "2*normal_dist".
        extra_ends: largest number of extra ends after a tie, at most 100; a tie after them is a draw.
        ties: value of a draw: "half" for both teams, or "thesis", 0.781 for the team that would have the hammer next.
        game: the name of this game.
        pattern: place of the guards that are set up, 0 (nearest the house) to 5.
    """

    physics: str = "dc4"
    game: str = "mixed_doubles"

    def __post_init__(self) -> None:
        require(self.game == "mixed_doubles", "game", self.game, "'mixed_doubles', or name the game curling")
        super().__post_init__()


def recorded_shot(
    state: Array, action: Array, thrown: Throw, after: Outcome, value: float, simulations: int, seconds: float
) -> RecordedShot:
    """A shot for the record.

    Args:
        state: before it.
        action: the aim, in m/s.
        thrown: the throw with the error of execution.
        after: the outcome.
        value: the thrower's estimate, NaN without one.
        simulations: run for the decision.
        seconds: that the decision took.
    """
    (end, shot), team = divmod(int(state[TIME]), STONES), int(team_of(state))
    aim = float(action[0]), float(action[1]), 1.0 if action[2] >= 0.0 else -1.0
    expected = value * (1.0 if team == 0 else -1.0)
    stones, kept = places(after.stones), expected if math.isfinite(expected) else None
    return RecordedShot(end, shot, team, int(state[HAMMER]), aim, thrown, stones, kept, simulations, seconds)


def final_result(score: tuple[int, int], value: float) -> Result:
    """The result of a match that was played to its end; `value` is team 0's."""
    if score[0] == score[1]:
        return Result(score, None, value, "draw")
    return Result(score, int(score[1] > score[0]), value, "score")
