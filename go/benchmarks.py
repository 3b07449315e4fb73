"""Speed of the playouts of Go, and of the search for life and death."""

import time
from collections.abc import Iterator, Sequence

import numpy as np

from bonspiel.go.estimate import owned_parts
from bonspiel.go.model import Go
from bonspiel.go.tsumego.generator import make_problem
from bonspiel.go.tsumego.problem import ALL, SwitchesOfTsumego, solve_tsumego
from bonspiel.planners.dfpn.solve import ProofLimits
from bonspiel.planners.model import Rng
from bonspiel.runs.benchmarks.measurement import Measurement

SIZES = {9: 20_000, 19: 5_000}  # playouts timed on each
PROOF_SEED, PROOF_POINTS, PROOF_SECONDS = 1, 20, 2.0


def playout_rate(model: Go, playouts: int, rng: Rng) -> float:
    """Playouts per second of CPU time."""
    state = model.initial_state(rng)
    owned_parts(model, state, rng, 1)  # loads compiled code
    start = time.process_time()
    owned_parts(model, state, rng, playouts)
    return playouts / (time.process_time() - start)


def go_playouts(texts: Sequence[str]) -> Iterator[Measurement]:
    """Playouts on one core, from the empty board to the owners of all points, by CPU time."""
    rng = np.random.default_rng(0)
    for size, playouts in SIZES.items():
        for model in (Go(size, playout="light"), Go(size, playout="mogo")):
            rate = playout_rate(model, playouts, rng)
            yield Measurement("go", rate, "playouts/s", "(none)", f"{model.playout} playouts, {size} x {size}")


def go_proofs(texts: Sequence[str]) -> Iterator[Measurement]:
    """Nodes of the proof-number search on a generated problem of life and death, plain and with all switches."""
    problem = make_problem(PROOF_SEED, PROOF_POINTS)
    for name, switches in (("plain", SwitchesOfTsumego()), ("all switches", ALL)):
        found = solve_tsumego(problem, switches, ProofLimits(seconds=PROOF_SECONDS))
        yield Measurement("go", found.nodes / found.seconds, "nodes/s", "dfpn", f"life and death, {name}")
