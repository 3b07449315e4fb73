"""Runs studies and prints their tables, winners and costs."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from bonspiel.runs.experiment import Entrant, Experiment
from bonspiel.runs.progress import counted, progress
from bonspiel.runs.suite import Suite, model_of, modules
from bonspiel.runs.tuning import samplers
from bonspiel.runs.tuning.final import EPISODES, TuningEffort, entries, finalists, fresh, ranked, rounds, spent, verdict
from bonspiel.runs.tuning.search import Journal, search
from bonspiel.runs.tuning.space import Space, returns_spread
from bonspiel.runs.tuning.study import TuningStudy

SHOWN = 10  # trials in the table of a search


def main(studies: Sequence[TuningStudy], folder: Path | None, resume: bool, jobs: int, unseeded: bool = False) -> None:
    """Run studies one after the other and print their results."""
    spaces = [check(study, unseeded) for study in studies]
    texts = [study.setting(text) for study in studies for text in (*study.planners, *study.against)]
    episodes = Journal(jobs)
    with nullcontext() if folder is None else episodes.kept(folder, resume, modules(texts)):
        for study, found in zip(studies, spaces, strict=True):
            run(study, found, episodes)


def check(study: TuningStudy, unseeded: bool = False) -> list[Space]:
    """Check a study; returns the parameters of its planners."""
    entrants = tuple(Entrant(text) for text in dict.fromkeys((*study.planners, *study.against)))
    Suite("tune", (Experiment(study.env, entrants, (study.budget,)),)).resolve(unseeded)
    model = model_of(study.env)
    spread = returns_spread(model)
    found = [Space(text, model, spread) for text in study.planners]
    samplers.make(study, found[0])
    return found


def run(study: TuningStudy, spaces: Sequence[Space], episodes: Journal) -> None:
    """Run one study and print its results."""
    given = (*study.planners, *study.against)
    if (spread := spaces[0].spread) > 0.0:
        print(f"{study.env}: random plans have returns of standard deviation {spread:g}", file=sys.stderr)
    else:
        print(f"{study.env}: all random plans have the same return, so that C and its like begin at 1", file=sys.stderr)
    searches = {}
    for space in spaces:
        name = type(samplers.make(study, space)).__name__
        print(f"{space.start} in {study.env}: {counted(study.trials, 'trial')} by {name}", file=sys.stderr)
        with meter((1 + study.trials) * study.episodes) as seen:
            trials = searches[space.start] = search(study, space, episodes, seen)
        full = ranked(episodes, (one.setting for one in trials if not one.pruned), range(study.episodes))
        best = dict(list(full.items())[:SHOWN])
        title = f"search: {space.start}, the best {len(best)} of {len(full)} candidates played in full"
        print(f"{rounds(title, study.env, best)}\n", flush=True)
    groups = finalists(study, searches)
    everyone = list(dict.fromkeys(setting for group in groups.values() for setting in group))
    print(f"final in {study.env}: {counted(len(everyone), 'candidate')}", file=sys.stderr)
    with meter(len(everyone) * EPISODES * study.episodes) as seen:
        episodes.play(everyone, fresh(study), seen)
    winners = []
    for start, group in groups.items():
        final = ranked(episodes, group, fresh(study))
        winners.append(next(iter(final)))
        if start in searches:
            print(f"{rounds(f'final: {start}, fresh draws', study.env, final)}\n\n{verdict(final)}\n", flush=True)
    if len(groups) > 1:
        final = ranked(episodes, dict.fromkeys(winners), fresh(study))
        print(f"{rounds('the best of each planner', study.env, final)}\n\n{verdict(final)}\n")
    efforts = {start: TuningEffort.of(study, trials, groups[start], episodes) for start, trials in searches.items()}
    print(f"{spent(efforts)}\n\nfor a suite file, env = {json.dumps(study.env)}")
    print("\n".join(entries([winner.planner for winner in dict.fromkeys(winners)], given)) + "\n", flush=True)


@contextmanager
def meter(total: int) -> Iterator[Callable[[int, float], None]]:
    """Show progress over episodes; yields the function that `Journal.play` calls."""
    done, played, spent = 0, 0, 0.0
    with progress(total) as advance:

        def seen(count: int, seconds: float) -> None:
            nonlocal done, played, spent
            done, played, spent = done + count, played + (count if seconds else 0), spent + seconds
            if count:
                advance(count, (total - done) * spent / max(1, played))

        yield seen
