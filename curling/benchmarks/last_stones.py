"""Speed of the proofs for the last stones of an end."""

import statistics
import time
from collections.abc import Iterator, Sequence

from bonspiel.curling.benchmarks.positions import state_after
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.last_stones import MOST_STONES, forced_scores
from bonspiel.curling.model import Curling
from bonspiel.runs.benchmarks.measurement import Measurement

POSITIONS = 40


def curling_proofs(texts: Sequence[str]) -> Iterator[Measurement]:
    """CPU time of all verdicts, from -8 to 8 points, of the last stones: the median and the slowest of 40 positions."""
    model = Curling()
    forced_scores(model, state_after(0, STONES - 1))  # loads compiled code
    for stones in range(1, MOST_STONES + 1):
        times = []
        for seed in range(POSITIONS):
            state, began = state_after(seed, STONES - stones), time.process_time()
            forced_scores(model, state)
            times.append(time.process_time() - began)
        for name, seconds in (("median", statistics.median(times)), ("slowest", max(times))):
            yield Measurement("curling", seconds, "s", "dfpn", f"{stones} to come, {name} of {POSITIONS}")
