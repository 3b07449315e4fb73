"""The matches of docs/results/go.md: against GNU Go, part by part, and of territory in self-play.

python docs/studies/go.py level10 ablation --out results/go --jobs 2
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bonspiel.runs import provenance
from bonspiel.runs.experiment import RunError, UsageError
from bonspiel.runs.games.match import by_workers, play_match, sources_of
from bonspiel.runs.games.tournament import make_tournament
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.tables import estimate
from bonspiel.runs.verbs.options import flag, option

GNU_GO = "gtp:gnugo --mode gtp --chinese-rules --capture-all-dead"
LEVEL_10 = f"{GNU_GO} --level 10"
MONTE_CARLO = f"{GNU_GO} --monte-carlo --mc-patterns mogo_classic --level 1 --mc-games-per-level"
GAME = "go:size=9"
LIGHT = f"{GAME},playout=light"
PLAIN = "rave_k=0,priors=false,exploration=0.5"  # UCT
RAVE = "priors=false,exploration=0.5"
QUICK_GAMES = 4


class Meeting(NamedTuple):
    """A match of the study.

    Attributes:
        part: the table it belongs to.
        name: its row.
        sides: two players.
        simulations: of a decision of both; a program from outside plays at its own strength.
        games: to play.
        game: NAME[:key=value,...].
    """

    part: str
    name: str
    sides: tuple[str, str]
    simulations: int
    games: int
    game: str = GAME


def _ablation() -> Iterator[Meeting]:
    """The planner without one part, or with another in its place, against GNU Go."""
    changes = {
        "all": "",
        "no RAVE, C = 0.3": ":rave_k=0,exploration=0.3",
        "no priors": ":priors=false",
        "no first-play urgency": ":first_play=none",
        "UCB1-Tuned": ":bonus=ucb1_tuned,exploration=1",
        "beta of Fuego": ":beta=fuego",
    }
    for name, change in changes.items():
        yield Meeting("ablation", name, (f"rave_uct{change}", LEVEL_10), 2_000, 100)
    yield Meeting("ablation", "light playouts", ("rave_uct", LEVEL_10), 2_000, 100, LIGHT)
    yield Meeting("ablation", "light playouts, no priors", ("rave_uct:priors=false", LEVEL_10), 2_000, 100, LIGHT)


def _territory() -> Iterator[Meeting]:
    """PTS against none, plain and with RAVE; criticality."""
    for name, base in (("PTS, no RAVE", PLAIN), ("PTS, with RAVE", RAVE)):
        yield Meeting("territory", name, (f"territory_uct:{base}", f"rave_uct:{base}"), 500, 400, LIGHT)
    critical = f"territory_uct:{PLAIN}", f"territory_uct:statistic=criticality,{PLAIN}"
    yield Meeting("territory", "PTS against criticality, no RAVE", critical, 500, 200, LIGHT)


MEETINGS = (
    Meeting("level10", "GNU Go 3.8, level 10", ("rave_uct", LEVEL_10), 5_000, 100),
    Meeting("mogo_classic", "GNU Go's Monte-Carlo mode", ("rave_uct", f"{MONTE_CARLO} 2000"), 2_000, 100),
    *_ablation(),
    *_territory(),
)
PARTS = tuple(dict.fromkeys(meeting.part for meeting in MEETINGS))


def play(meeting: Meeting, games: int, out: Path, seed: int, jobs: int) -> dict[str, Any]:
    """Play the missing games of a match; its results, as `bonspiel match --json` prints them."""
    tournament = make_tournament(meeting.sides, meeting.game, seed, [meeting.simulations], [])
    folder = out / f"{meeting.part}-{meeting.name}-{seed}".replace(" ", "-").replace("/", "-")
    facts = provenance.collect(sys.argv[1:], sources_of(tournament.game))
    return play_match(tournament, games, folder, by_workers(tournament, jobs), True, facts)[0]


def table(part: str, rows: Iterable[tuple[Meeting, dict[str, Any]]]) -> Iterator[str]:
    """The share of points of the first side, with its 95 % interval."""
    yield f"| {part} | games | wins | draws | share of points |"
    yield "|---|---|---|---|---|"
    for meeting, found in rows:
        share = estimate(Interval(found["win_rate"], found["low"], found["high"]), 2)
        yield f"| {meeting.name} | {found['games']} | {found['wins']} | {found['draws']} | {share} |"


def main(line: Sequence[str] | None = None) -> int:
    """Play the parts asked for and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "parts", "PART", f"parts to play: {', '.join(PARTS)} (default: all)", nargs="*")
    flag(parser, "--quick", f"{QUICK_GAMES} games per match, with a fifth of the simulations")
    option(parser, "--out", "FOLDER", "folder for the matches, which are continued", Path("results/go"))
    option(parser, "--seed", "N", "random seed", 1)
    option(parser, "--jobs", "N", "worker processes", 1)
    given = parser.parse_args(line)
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    out = given.out / "quick" if given.quick else given.out  # a match is continued with its own simulations alone
    try:
        for part in given.parts or PARTS:
            rows = []
            for meeting in (one for one in MEETINGS if one.part == part):
                simulations = meeting.simulations // 5 if given.quick else meeting.simulations
                games = QUICK_GAMES if given.quick else meeting.games
                scaled = meeting._replace(simulations=simulations)
                rows.append((meeting, play(scaled, games, out, given.seed, given.jobs)))
            print("\n".join(table(part, rows)), "", sep="\n", flush=True)
    except (UsageError, RunError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
