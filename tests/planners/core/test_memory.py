import platform
import subprocess
import sys

import pytest

DECISIONS = """
import resource
import numpy as np
from bonspiel import envs, planners

model, budget = envs.make_model("treasure_hunt"), planners.Budget(simulations=1_000)
planner, state = planners.make("uct"), model.initial_state(np.random.default_rng(0))

def faults(decisions):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for seed in range(decisions):
        planner.plan(model, state, budget, np.random.default_rng(seed))
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults(20)
print(faults(20))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have rules of their own")
def test_a_decision_uses_the_pages_of_the_last_one():
    done = subprocess.run([sys.executable, "-c", DECISIONS], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20 * 40  # some 400 pages a decision, where each asks the system for its memory
