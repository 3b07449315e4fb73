"""Gain of each switch of the search for life and death, on generated problems, as the table of docs/results/go.md.

python docs/studies/tsumego.py --problems 300 --seconds 10 --jobs 2
"""

import argparse
import sys
from collections.abc import Sequence

from joblib import Parallel, delayed

from bonspiel.go.tsumego.generator import make_problem
from bonspiel.go.tsumego.problem import ALL, OPEN, Solution, SwitchesOfTsumego, Tsumego, solve_tsumego
from bonspiel.planners.dfpn.solve import ProofLimits
from bonspiel.runs.progress import followed
from bonspiel.runs.verbs.options import flag, option

SMALLEST, LARGEST, USUAL = 8, 24, 16  # empty points of the region
SETS = {
    "(1) none": SwitchesOfTsumego(),
    "(2) (1) + connections": SwitchesOfTsumego(connections=True),
    "(3) (2) + forced": SwitchesOfTsumego(connections=True, forced=True),
    "(4) (3) + simulation": SwitchesOfTsumego(connections=True, forced=True, simulation=True),
    "(5) all: + estimate, widening": ALL,
}


def solve_with(sets: Sequence[str], number: int, empty: int, limits: ProofLimits) -> tuple[Tsumego, list[Solution]]:
    """A generated problem, and the solutions by some sets of switches."""
    problem = make_problem(number, empty)
    return problem, [solve_tsumego(problem, SETS[name], limits) for name in sets]


def table(problems: Sequence[Tsumego], found: dict[str, list[Solution]]) -> list[str]:
    """Solved, time and nodes of each set of switches; nodes on the problems that all of them solved."""
    common = [i for i in range(len(problems)) if all(of[i].verdict != OPEN for of in found.values())]
    small = [i for i, problem in enumerate(problems) if problem.empty <= USUAL]
    lines = [
        f"| switches | solved of {len(problems)} | of {len(small)} up to {USUAL} points | time, s "
        f"| nodes on the {len(common)} that all solved | nodes/s |",
        "|---|---|---|---|---|---|",
    ]
    for name, of in found.items():
        solved = sum(one.verdict != OPEN for one in of)
        of_small = sum(of[i].verdict != OPEN for i in small)
        nodes, seconds = sum(one.nodes for one in of), sum(one.seconds for one in of)
        common_nodes = sum(of[i].nodes for i in common)
        lines.append(
            f"| {name} | {solved} | {of_small} ({of_small / max(len(small), 1):.0%}) | {seconds:,.0f} "
            f"| {common_nodes:,} | {nodes / max(seconds, 1e-9):,.0f} |"
        )
    return lines


def disagreements(found: dict[str, list[Solution]]) -> int:
    """The problems on which two sets of switches give different verdicts."""
    verdicts = [{one.verdict for one in of} - {OPEN} for of in zip(*found.values(), strict=True)]
    return sum(len(one) > 1 for one in verdicts)


def main(line: Sequence[str] | None = None) -> int:
    """Generate, solve with every set of switches, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--problems", "N", "problems to generate", 300)
    option(parser, "--seconds", "S", "maximum of CPU time per search, in seconds", 10.0)
    option(parser, "--seed", "N", "random seed", 1)
    allowed = range(1, len(SETS) + 1)
    option(parser, "--sets", "N", "sets of switches (default: all five)", nargs="+", choices=allowed)
    option(parser, "--jobs", "N", "worker processes", 1)
    flag(parser, "--quick", "10 problems, 0.5 seconds per search")
    given = parser.parse_args(line)
    count, seconds = (10, 0.5) if given.quick else (given.problems, given.seconds)
    sizes = [SMALLEST + i % (LARGEST - SMALLEST + 1) for i in range(count)]
    sets = [list(SETS)[number - 1] for number in given.sets] if given.sets else list(SETS)
    tasks = (
        delayed(solve_with)(sets, given.seed * 10_000 + i, sizes[i], ProofLimits(seconds=seconds)) for i in range(count)
    )
    solved = iter(Parallel(given.jobs, return_as="generator")(tasks))
    pairs = [next(solved) for _ in followed(range(count), "problems")]
    problems = [problem for problem, _ in pairs]
    found = {name: [solutions[k] for _, solutions in pairs] for k, name in enumerate(sets)}
    title = (
        f"{count} generated problems, {SMALLEST} to {LARGEST} empty points, seed {given.seed}; {seconds:g} s a search"
    )
    print(title, "", *table(problems, found), "", f"Different verdicts: {disagreements(found)}.", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
