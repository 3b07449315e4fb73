"""The orders in which threads see each other's writes, which x86 keeps whatever is asked for, and ARM does not."""

import re

import numba
import numpy as np
import pytest

from bonspiel.planners.core.jit import no_validity
from bonspiel.planners.core.jit.atomics import add_and_publish, add_to, exchange, load, publish, read_published
from bonspiel.planners.wrappers.threads.descent import back_up
from bonspiel.planners.wrappers.threads.shared_tree import EXAMPLE_TREE, EXAMPLE_WALK

ORDERS = {
    add_to: "atomicrmw add monotonic",
    add_and_publish: "atomicrmw add acq_rel",
    exchange: "atomicrmw xchg acq_rel",
    publish: "store atomic release",
    load: "load atomic monotonic",
    read_published: "load atomic acquire",
}
ATOMIC = re.compile(r"(atomicrmw \w+|load atomic|store atomic) .*?\b(monotonic|acquire|release|acq_rel)\b")


def accesses(function, *arguments):
    """The atomic instructions of a compiled function with their orders, one after another."""
    compiled = numba.njit(tuple(map(numba.typeof, arguments)))(function)
    return [" ".join(found) for found in ATOMIC.findall(compiled.inspect_llvm(compiled.signatures[0]))]


@pytest.mark.parametrize("function", ORDERS, ids=lambda function: function.__name__)
def test_an_access_has_its_order(function):
    values = () if function in (load, read_published) else (1,)

    def access(array):
        return function(array, 0, 0, *values)

    assert accesses(access, np.zeros((1, 1), np.int64))[0] == ORDERS[function]


def test_the_count_of_visits_shows_the_sum_of_their_returns():
    """Else the last thread to write an edge's mean might leave out another's return."""

    def take(tree, walk, validity):
        back_up(tree, walk, 1, 0.0, 1.0, validity, 0, 1)

    expected = [add_and_publish, read_published, load, publish, exchange, read_published]  # the sum is the plain load
    assert " ".join(ORDERS[function] for function in expected) in " ".join(
        accesses(take, EXAMPLE_TREE, EXAMPLE_WALK, no_validity())
    )
