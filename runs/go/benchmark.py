"""Speed of the playouts of Go, and of the search for life and death."""

from collections.abc import Iterator, Sequence

import numpy as np

from bonspiel.runs.benchmarks.measurement import Measurement

PROOF_SEED, PROOF_POINTS, PROOF_SECONDS = 1, 20, 2.0


def go_playouts(texts: Sequence[str]) -> Iterator[Measurement]:
    """Playouts from the empty board to whose each point is; `python -m bonspiel.envs.go.bench` prints the same."""
    from bonspiel.envs.go.bench import playout_rates

    for model, rate in playout_rates(np.random.default_rng(0)):
        yield Measurement("go", rate, "playouts/s", "(none)", f"{model.playout} playouts, {model.size} x {model.size}")


def go_proofs(texts: Sequence[str]) -> Iterator[Measurement]:
    """Nodes of the proof-number search on a generated problem of life and death, plain and with all switches."""
    from bonspiel.envs.go.tsumego.generator import make_problem
    from bonspiel.envs.go.tsumego.problem import ALL, SwitchesOfTsumego, solve_tsumego
    from bonspiel.planners.dfpn.solve import Limits

    problem = make_problem(PROOF_SEED, PROOF_POINTS)
    for name, switches in (("plain", SwitchesOfTsumego()), ("all switches", ALL)):
        found = solve_tsumego(problem, switches, Limits(seconds=PROOF_SECONDS))
        yield Measurement("go", found.nodes / found.seconds, "nodes/s", "dfpn", f"life and death, {name}")
