"""The analysis of a match as text."""

from collections.abc import Iterator

from bonspiel.curling.analysis.match import thrown_shots
from bonspiel.curling.env.picture import NAMES
from bonspiel.curling.records.match_data import Record, RecordedShot
from bonspiel.curling.records.record import printable
from bonspiel.curling.replay.judgement import Judged, Judgement, TeamSummary
from bonspiel.curling.win_probability import win_probability
from bonspiel.runs.progress import counted

BLUNDER = "?? blunder"
NOT_WORSE = "not worse"
EQUALS = "they take both teams for equally strong: against a weaker one, such as rulebased, they are far too low"


def percent(share: float, error: float, sign: str = "") -> str:
    """A share and its standard error, in percent."""
    return f"{100.0 * share:{sign}.1f} ± {100.0 * error:.1f}"


def loss_text(loss: float, error: float) -> str:
    """A loss and its standard error, in percent; one that is not above 0 says no more than that."""
    return percent(loss, error) if loss > 0.0 else NOT_WORSE


def report(record: Record, judged: Judged) -> str:
    """All judged shots, a line each under the heading of their end, and a summary for each team."""
    return "\n".join([*_heading(record, judged), *_shots(record, judged), "", *_summaries(record, judged)])


def _heading(record: Record, judged: Judged) -> Iterator[str]:
    names = map(printable, record.match.players)
    first, second = (f"{name} ({colour})" for name, colour in zip(names, NAMES, strict=True))
    points, reason = " : ".join(map(str, record.result.score)), record.result.reason.replace("_", " ")
    yield f"{first} against {second}, {points} ({reason})"
    yield f"judge: {judged.judge}; probabilities to win of the thrower in percent, ± a standard error;"
    yield EQUALS


def _shots(record: Record, judged: Judged) -> Iterator[str]:
    found = judged.judgements
    played = max(len(one.played_name) for one in found.values())
    choice = max(len(one.choice_name) for one in found.values())
    columns = f"{'shot':>4}  {'team':<6}  before  {'aimed at':<{played}}  wins  {'the judge':<{choice}}  wins"
    end, states, match = -1, [shot.state for shot in thrown_shots(record)], record.match.model()
    for number, one in found.items():
        shot = record.shots[number]
        if shot.end != end:
            end = shot.end
            yield f"\n{_end(record, end)}: {NAMES[shot.hammer]} has the hammer"
            yield f"{columns}  {'loss':<11}  {'luck':<11}"
        chance = abs(shot.team - win_probability(match, states[number]))
        turn = f"{_shot_number(record, shot):>4}  {NAMES[shot.team]:<6}  {100.0 * chance:6.1f}"
        yield _line(turn, one, played, choice)


def _line(turn: str, one: Judgement, played: int, choice: int) -> str:
    aims = f"{one.played_name:<{played}}  {100 * one.aimed:4.0f}  {one.choice_name:<{choice}}  {100 * one.before:4.0f}"
    loss, luck = loss_text(one.loss, one.loss_error), percent(one.luck, one.luck_error, "+")
    return f"{turn}  {aims}  {loss:<11}  {luck:<11}  {BLUNDER if one.is_blunder else ''}".rstrip()


def _summaries(record: Record, judged: Judged) -> Iterator[str]:
    for team, name in enumerate(record.match.players):
        summary = judged.summary(team)
        if summary is not None:
            yield f"{NAMES[team]}, {printable(name)}: {summary_text(summary)}"
            if summary.costliest:
                yield f"  costliest: {', '.join(_costly(record, judged, number) for number in summary.costliest)}"


def summary_text(summary: TeamSummary) -> str:
    """A team's summary without its costliest shots."""
    loss = loss_text(summary.loss, summary.loss_error)
    mean = f"mean loss {loss}" if loss != NOT_WORSE else "on the mean not worse than the judge"
    shots, blunders = counted(summary.shots, "shot"), counted(summary.blunders, "blunder")
    return f"{shots}, {mean}, {blunders}, luck of the throws {percent(summary.luck, summary.luck_error, '+')} in all"


def _costly(record: Record, judged: Judged, number: int) -> str:
    shot, one = record.shots[number], judged.judgements[number]
    place = _end(record, shot.end)
    return f"{place[0].lower()}{place[1:]} shot {_shot_number(record, shot)} ({percent(one.loss, one.loss_error)})"


def _shot_number(record: Record, shot: RecordedShot) -> int:
    """The number of a shot in its end, from 1."""
    return shot.shot - record.match.first_shot + 1


def _end(record: Record, end: int) -> str:
    ends = record.match.ends
    return f"End {end + 1} of {ends}" if end < ends else f"Extra end {end - ends + 1}"
