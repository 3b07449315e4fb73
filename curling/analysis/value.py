"""The distribution of points of an end in recorded matches, and the win probabilities that follow from it."""

from collections.abc import Sequence
from pathlib import Path

from bonspiel.curling.ice.sheet import TEAM_STONES
from bonspiel.curling.match import value
from bonspiel.curling.records import record
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import check_apart, check_writable, writing
from bonspiel.runs.games.record_file import reading
from bonspiel.runs.progress import counted

LEFT = (1, 2, 3, 4, 10)
SHOWN = range(-3, 4)


def hammer_points(game: record.Record) -> list[int]:
    """Points of the team with the hammer in each end of a game; below 0 those of the other team.

    Raises:
        ValueError: an end that cannot be, or one of mixed doubles, where no team has the hammer by the end before.
    """
    if game.match.is_mixed:
        raise ValueError("mixed doubles has another value of an end: give records of standard games")
    hammers, found = {shot.end: shot.hammer for shot in game.shots}, dict[int, int]()
    for end in game.ends:
        if end.end not in hammers or end.end in found:
            raise ValueError(f"end {end.end + 1} has no shots, or ends twice")
        scored = end.points[hammers[end.end]] - end.points[1 - hammers[end.end]]
        if abs(scored) > TEAM_STONES or min(end.points) != 0:
            raise ValueError(f"end {end.end + 1}: {end.points} are no points of an end")
        found[end.end] = scored
    return list(found.values())


def _kind(match: record.Match) -> tuple[str, str, str]:
    """The physics, rule and noise of a match: ends of different ones are not counted together."""
    model = match.model()
    return model.physics, f"rule {model.rule}", f"{model.noise} noise"


def report(points: Sequence[int], table: Sequence[float]) -> str:
    """The counts of ends, the table estimated from them, and win probabilities at some leads, as text."""
    values = value.win_probabilities(max(LEFT), table=table)
    lines = [f"points of the team with the hammer in {counted(len(points), 'end')}; probabilities count the"]
    lines += [f"thesis's table as {value.PRIOR_ENDS:g} ends more\n", "points    ends  probability    thesis"]
    for scored, here, thesis in zip(value.POINTS, table, value.check_table(value.THESIS), strict=True):
        lines.append(f"{scored:>6}{points.count(scored):>8}{here:>13.5f}{thesis:>10.5f}")
    lines.append("\nwin probability with the hammer; a draw after the last end counts 1/2\n")
    lines.append("ends left" + "".join(f"{f'lead {lead:+d}' if lead else 'tied':>8}" for lead in SHOWN))
    for left in LEFT:
        lines.append(f"{left:>9}" + "".join(f"{values[left, value.MOST_LEAD + lead]:>8.3f}" for lead in SHOWN))
    return "\n".join(lines)


def main(folder: Path, out: Path | None) -> int:
    """Print the report on a folder of match records; write the table to `out`, for `curling.match.value.load_table`.

    Raises:
        UsageError: the folder holds no finished end, or a file that is no record.
    """
    if out is not None:
        check_writable(out)
        check_apart(out, folder)
    points, kinds = list[int](), dict[tuple[str, str, str], Path]()
    for path in sorted(folder.rglob("*.jsonl")):
        with reading(path):
            game = record.read(path)
            points += hammer_points(game)
        kinds.setdefault(_kind(game.match), path)
    if not points:
        raise UsageError(f"{folder} holds no match record with an end in it; bonspiel match writes them")
    if len(kinds) > 1:
        (one, first), (other, second), *_ = kinds.items()
        raise UsageError(f"{first} is of {' '.join(one)}, {second} of {' '.join(other)}: give records of one kind")
    table = value.estimate_table(points)
    print(report(points, table))
    if out is not None:
        with writing(out):
            out.write_text(value.table_text(table), encoding="utf-8")
    return 0
