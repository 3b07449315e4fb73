"""Print the report on the tables of people's shots."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bonspiel.curling.ice.noise import NOISES
from bonspiel.curling.people.errors import EXPLAINED, FOLDS, estimate, first_draws, free_shots, lone_take_outs, sd_with
from bonspiel.curling.people.fit import fit
from bonspiel.curling.people.tables import MOST_POINTS, TASKS, End, Shot, read_ends
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.progress import counted

HUMAN = NOISES["human"]


def main(folder: Path, errors: bool, every: int | None) -> int:
    """Print the summary of a folder of tables; with `errors` those of execution, with `every` the throws that explain.

    Raises:
        UsageError: a table is missing or has a row that cannot be.
    """
    try:
        ends = read_ends(folder)
    except ValueError as error:
        raise UsageError(str(error)) from None
    print("\n".join(summary(ends)))
    if every is not None:
        print("\n" + "\n".join(explained(ends[::every])))
    if errors:
        print("\n" + "\n".join(error_table(ends)))
    return 0


def summary(ends: Sequence[End]) -> Iterator[str]:
    """Games, ends, and shots by type with their success: the mean of the judges' points, of 4."""
    games = len({end.game for end in ends})
    power_plays = sum(end.power_play is not None for end in ends)
    yield f"{counted(games, 'game')}, {counted(len(ends), 'end')}, {power_plays} of them power plays\n"
    yield f"{'type':<18}{'shots':>7}{'success':>9}"
    shots = [shot for end in ends for shot in end.shots]
    for name, some in _by_task(shots):
        points = [shot.points for shot in some if shot.points is not None]
        success = f"{np.mean(points) / MOST_POINTS:.0%}" if points else "-"
        yield f"{name:<18}{len(some):>7}{success:>9}"
    yield f"{'all':<18}{len(shots):>7}"


def explained(ends: Iterable[End]) -> Iterator[str]:
    """Count the shots of each type that a throw explains."""
    yield f"{'type':<18}{'shots':>7}{'explained':>11}"
    for name, some in _by_task([shot for end in ends for shot in end.shots]):
        fits = [fit(shot) for shot in some]
        share = np.mean([found is not None and found.distance <= EXPLAINED for found in fits])
        yield f"{name:<18}{len(some):>7}{share:>11.0%}"
    yield f"explained: each stone within {EXPLAINED} m of its place, or lost as in the table"


def error_table(ends: Sequence[End]) -> Iterator[str]:
    """The errors of execution as Gaussians and as Student's t."""
    yield f"{'shots':<14}{'error of':<16}{'number':>7}{'sd':>9}{'scale':>9}{'freedom':>9}{'gain':>8}{'+-':>7}"
    first = first_draws(ends)
    samples = [("first draws", sample) for sample in first]
    samples += [("last draws", sample) for sample in free_shots(ends, "draw", last=True)]
    samples += [("guards", sample) for sample in free_shots(ends, "guard")]
    for name, sample in samples:
        if len(np.unique(sample.games % FOLDS)) < 2:  # none is left when a fold is left out
            yield f"{name:<14}{sample.name:<16}{len(sample.games):>7}   too few"
            continue
        found = estimate(sample)
        numbers = f"{found.count:>7}{found.sd:>9.5f}{found.scale:>9.5f}{found.freedom:>9.2f}"
        yield f"{name:<14}{sample.name:<16}{numbers}{found.gain:>8.3f}{found.gain_error:>7.3f}"
    yield "gain: of Student's t over a Gaussian of this sd, in nats a shot, in games left out"
    if len(first[0].games):
        sds = " and ".join(f"{sd_with(sample, HUMAN.freedom):.4f}" for sample in first)
        human = f"--noise human has {HUMAN.speed} and {HUMAN.angle}"
        yield f"sd of first draws with {HUMAN.freedom:g} degrees of freedom: {sds}; {human}"
    missed, thrown = lone_take_outs(ends)
    yield f"take-outs at a lone stone that missed it: {missed} of {thrown}"


def _by_task(shots: Sequence[Shot]) -> Iterator[tuple[str, list[Shot]]]:
    for name in TASKS:
        some = [shot for shot in shots if shot.task == name]
        if some:
            yield name, some
