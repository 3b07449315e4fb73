import os
import pickle
import re
import subprocess
import sys
import textwrap
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.core import jit
from bonspiel.planners.core.jit.atomics import add_and_publish, add_to, exchange, load, publish, read_published
from bonspiel.planners.core.search import extend
from bonspiel.planners.jit import compiled, problem_of, search_kernel, step, table
from bonspiel.planners.wrappers.threads.descent import back_up
from bonspiel.planners.wrappers.threads.shared_tree import EXAMPLE_TREE, EXAMPLE_WALK

ROOT = Path(__file__).parents[3]


def run(code, folder, cache):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{folder}", "BONSPIEL_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


def test_an_edited_helper_in_another_file_is_seen_despite_the_cache(tmp_path):
    (tmp_path / "model.py").write_text(
        textwrap.dedent("""
        import bonspiel.planners.jit
        from parts import factor

        @bonspiel.planners.jit.compiled("player")
        def player(state, params):
            return factor() * state[0]
    """)
    )
    parts = "from bonspiel.planners.jit import helper\n\n@helper\ndef factor():\n    return {}\n"
    use = "import numpy as np, model; print(model.player(np.ones(1), np.ones(1)))"
    for factor in ("2.0", "13.0"):  # of other lengths: Python takes a file of the same second and size for unchanged
        (tmp_path / "parts.py").write_text(parts.format(factor))
        assert run(use, tmp_path, tmp_path / "cache")[0] == factor


def test_code_for_functions_as_arguments_is_not_kept_since_no_other_process_finds_it(tmp_path):
    (tmp_path / "applied.py").write_text(
        textwrap.dedent("""
        from bonspiel.planners.jit import helper

        @helper
        def twice(function, x):
            return function(function(x)) if function is not None else x

        @helper
        def plus(x):
            return x + 1.0
    """)
    )
    cache = tmp_path / "cache"
    assert run("import applied; print(applied.twice(applied.plus, 1.0))", tmp_path, cache)[0] == "3.0"
    assert [file.name.split("-")[0] for file in cache.rglob("applied.*.nbc")] == ["applied.plus"]
    assert run("import applied; print(applied.twice(None, 1.0), applied.plus(1.0))", tmp_path, cache)[0] == "1.0 2.0"
    assert sorted(file.name.split("-")[0] for file in cache.rglob("applied.*.nbc")) == ["applied.plus", "applied.twice"]


def test_what_is_compiled_is_named_with_its_time_and_not_again_from_the_cache(tmp_path):
    code = """import numpy as np
from bonspiel.planners.core import hash_table, jit, zobrist
jit.lazy.WORTH_A_LINE = 0.5 * jit.lazy.SECONDS_A_BYTE * jit.lazy._byte_code(zobrist.box_cells, set())
jit.compile_missing()
zobrist.box_cells(np.ones(1), 0, 1, np.ones(2), np.zeros(1, np.uint64))"""
    first, second = (run(code, tmp_path, tmp_path / "cache")[1] for _ in range(2))
    kernel = "bonspiel.planners.core.zobrist.box_cells"
    line = f"bonspiel: compiling {kernel} for this machine, once for this version of the sources"
    assert first.count(f"{line}: about ") == 1
    assert second == ""


def test_the_longer_a_function_with_its_helpers_the_more_time_it_is_said_to_take():
    from bonspiel.planners.core import hash_table
    from bonspiel.planners.trees import dpw

    small, large = (jit.lazy._byte_code(function, set()) for function in (hash_table.fill_slots, dpw._search))
    assert len(dpw._search.py_func.__code__.co_code) < large and large > 5 * small > 0


def test_processes_that_need_the_same_code_compile_it_once(tmp_path):
    code = """import time
from pathlib import Path
from bonspiel.planners.core import hash_table, jit
look, place, met = jit.CompiledFunction.is_on_disk, Path({folder!r}), []
def both_have_looked(self):
    found = look(self)
    if self is hash_table.fill_slots and not met:
        met.append(True)
        (place / "looked{{}}".format({number})).touch()
        while len(list(place.glob("looked*"))) < 2:
            time.sleep(0.01)
    return found
jit.CompiledFunction.is_on_disk = both_have_looked
hash_table.fill_slots.load()
print(sum(hash_table.fill_slots.stats.cache_hits.values()))"""
    codes = [code.format(folder=str(tmp_path), number=number) for number in range(2)]
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda one: run(one, tmp_path, tmp_path / "cache")[0], codes))
    assert sorted(found) == ["0", "1"]


def test_code_of_which_only_the_index_was_written_is_compiled_again(tmp_path):
    code = """from bonspiel.planners.core import hash_table, jit
jit.compile_missing()
print(hash_table.fill_slots.is_on_disk())"""
    for _ in range(2):
        assert run(code, tmp_path, tmp_path / "cache")[0] == "True"
        written = [*tmp_path.rglob("*fill_slots*.nbc")]
        assert written
        for file in written:
            file.unlink()


def test_code_of_an_equal_module_in_another_place_is_not_taken_for_its_own(tmp_path):
    source = "from bonspiel.planners.core import jit\n\n@jit.kernel('f8(f8)')\ndef twice(x):\n    return 2.0 * x\n"
    found = []
    for name in ("one", "other", "one"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "doubling.py").write_text(source)
        code = f"""import sys
sys.path.insert(0, {str(tmp_path / name)!r})
import doubling
print(doubling.twice.is_on_disk())
doubling.twice.load()"""
        found.append(run(code, tmp_path, tmp_path / "cache")[0])
    assert found == ["False", "False", "True"]


def test_importing_a_planner_compiles_and_loads_nothing(tmp_path):
    code = """import bonspiel.planners.trees.dpw
from bonspiel.planners.core import jit
print(sum(len(f.overloads) for f in jit.lazy._unchecked))"""
    assert run(code, tmp_path, tmp_path / "cache") == ("0", "")
    assert not [*tmp_path.rglob("*.nbi")]


def made(signature="f8(f8[::1])"):
    scope = {}
    exec("def first(values):\n    return values[0]", scope)
    return jit.kernel(signature)(scope["first"])


@pytest.mark.parametrize("values", [np.ones(2, np.int64), np.ones(4)[::2], np.ones((1, 1))])
def test_other_types_than_those_declared_are_refused_from_the_first_call_on(values):
    function = made()
    for _ in range(2):
        with pytest.raises(TypeError, match="No matching definition"):
            function(values)
    assert function(np.full(1, 3.0)) == 3.0


def test_threads_that_call_at_the_same_time_compile_once():
    function = made()
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(function, [np.full(1, float(i)) for i in range(8)])] == [*range(8)]
    assert len(function.overloads) == 1


def test_a_function_compiled_for_another_role_is_refused():
    class Confused(Pulse):
        rollout = staticmethod(own_player())

    with pytest.raises(Exception, match="not available"):
        problem_of(Confused(), np.zeros(1))


def test_compiling_takes_nothing_from_the_budget_of_the_first_decision():
    scope = {}
    text = """def count(tree, walk, problem, simulations, rng, settings):
    for _ in range(simulations):
        tree[0] += rng.random()
    return simulations"""
    exec(text, scope)
    count, nothing = search_kernel(np.zeros(1), np.zeros(1), 1.0)(scope["count"]), np.zeros(1)
    problem, rng = problem_of(Pulse(), nothing), np.random.default_rng(0)
    begin = time.perf_counter()
    budget = planners.Budget(seconds=0.05)
    _, done = extend(count, nothing, nothing, problem, model=Pulse(), settings=1.0, budget=budget, rng=rng)
    assert done > 1000
    assert 0.0 < jit.seconds_loading(begin) < time.perf_counter() - begin
    assert jit.seconds_loading(time.perf_counter()) == 0.0


def test_a_kernel_that_was_pickled_is_one_still(tmp_path):
    (tmp_path / "kernel").write_bytes(pickle.dumps(made()))
    code = "import pathlib, pickle; f = pickle.loads(pathlib.Path('{}').read_bytes()); print(f.load().signature)"
    assert (
        run(code.format(tmp_path / "kernel"), tmp_path, tmp_path / "cache")[0]
        == "(Array(float64, 1, 'C', False, aligned=True),) -> float64"
    )


def test_an_unknown_role_is_refused():
    with pytest.raises(ValueError, match="role='stop': must be one of step"):
        compiled("stop")


def test_a_function_without_a_file_compiles_without_the_cache():
    assert own_player()(np.full(1, 2.0), np.ones(1)) == 2.0


def own_player():
    scope = {}
    exec("def player(state, params):\n    return state[0]", scope)
    return compiled("player")(scope["player"])


class PairTree(NamedTuple):
    total: np.ndarray


class PairSettings(NamedTuple):
    factor: float
    times: int
    weights: np.ndarray
    doubled: bool


@compiled("step")
def pulse_step(state, action, next_state, params, rng):
    return params[0], False


class Reordered(NamedTuple):
    weights: np.ndarray
    times: int
    factor: float
    doubled: bool


class Pulse:
    """A model of which only `step` is called."""

    compiled = True
    params = np.ones(1)
    discount, horizon, state_dim = 1.0, 3, 1
    action_low, action_high = np.zeros(1), np.ones(1)

    step = staticmethod(pulse_step)
    sample_action = staticmethod(envs.Trap.sample_action)


SETTINGS = PairSettings(2.0, 1, np.ones(1), False)


@search_kernel(PairTree(np.zeros(1)), np.zeros(1), SETTINGS)
def pair_search(tree, walk, problem, simulations, rng, settings):
    for _ in range(simulations):
        reward, _ = step(problem, problem.state, walk, walk, rng)
        tree.total[0] += settings.factor * settings.weights[0] * reward * settings.times
    return simulations


def searched_pair(settings, tree=None, model_class=Pulse):
    """The total after 2 simulations, for a class of models that was not seen before."""
    model = type("Fresh", (model_class,), {})()
    tree = PairTree(np.zeros(1)) if tree is None else tree
    problem = problem_of(model, np.zeros(1))
    jit.run(pair_search, model, tree, np.zeros(1), problem, 2, np.random.default_rng(0), settings)
    return tree.total[0]


def test_whole_numbers_pass_where_fractions_are_declared():
    assert searched_pair(SETTINGS) == searched_pair(SETTINGS._replace(factor=2)) == 4.0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", np.ones(1, np.int64)),
        ("weights", np.ones(4)[::2]),
        ("weights", np.ones((1, 1))),
        ("weights", [1.0]),
        ("times", 1.5),
        ("times", "1"),
        ("factor", "2"),
        ("doubled", 1),
    ],
)
def test_a_field_of_another_type_is_named(field, value):
    with pytest.raises(TypeError, match=f"settings.{field} is .*: must be"):
        searched_pair(SETTINGS._replace(**{field: value}))


def test_fields_in_another_order_are_refused():
    Reordered.__name__ = "PairSettings"
    with pytest.raises(TypeError, match=r"settings is PairSettings\(weights.*must be PairSettings\(factor"):
        searched_pair(Reordered(np.ones(1), 1, 2.0, False))
    with pytest.raises(TypeError, match="tree is PairSettings"):
        searched_pair(SETTINGS, tree=SETTINGS._replace(weights=np.ones(1)))


def test_params_are_looked_at_every_time():
    class Wired(Pulse):
        def __init__(self, params):
            self.params = params

    assert problem_of(Wired(np.ones(2)), np.zeros(1)).steps == 3
    for params in (np.ones(4)[::2], np.ones(2, np.float32), np.ones((1, 2)), [1.0]):
        with pytest.raises(TypeError, match=r"Wired.params=.*must be a contiguous float64 vector"):
            problem_of(Wired(params), np.zeros(1))


def test_a_planner_takes_whole_numbers_for_its_fractions():
    state, rng = np.zeros(2), np.random.default_rng
    decisions = [
        planners.make("dpw", k_action=k, exploration=k).plan(envs.Trap(), state, planners.Budget(50), rng(0))
        for k in (1, 1.0)
    ]
    assert decisions[0].value == decisions[1].value


def test_only_code_compiled_here_has_the_faster_reader_of_generators():
    """Not a function of numba's user that ours calls, though it is compiled along with it."""
    scope = {"foreign": numba.njit(draw)}
    exec("def player(rng):\n    return foreign(rng)", scope)
    own = jit.kernel(numba.float64(jit.RNG))(scope["player"])
    assert own(np.random.default_rng(0)) == np.random.default_rng(0).random()
    for function, is_own in ((own, True), (scope["foreign"], False)):
        (code,) = function.inspect_llvm().values()
        wrapper = code[code.index("@_ZN7cpython") :]
        assert ("PyCapsule_GetPointer" in wrapper) == is_own


def draw(rng):
    return rng.random()


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_compiled_functions_draw_what_the_generator_would(kind):
    model, action = envs.Trap(), np.empty(1)
    compiled_draws, own_draws = np.random.Generator(kind(7)), np.random.Generator(kind(7))
    for _ in range(3):
        model.sample_action(np.zeros(2), action, model.params, compiled_draws)
        assert action[0] == own_draws.random()


def _one_draw(rng):
    return rng.random()


def test_a_compiled_search_keeps_nothing_of_its_generator():
    """numba's own reader keeps 71 bytes a call of code that is compiled without reference counts, and a reference."""
    draw, rng, gathered = jit.kernel(numba.float64(jit.RNG))(_one_draw), np.random.default_rng(0), []
    draw = draw.load().entry_point
    for _ in range(3):
        tracemalloc.start()
        for _ in range(5_000):
            draw(rng)
        gathered.append((tracemalloc.get_traced_memory()[0], sys.getrefcount(rng)))
        tracemalloc.stop()
    assert gathered[-1][0] < 50_000 and gathered[0][1] == gathered[-1][1]


VALUES = np.arange(24.0).reshape(2, 3, 4)
numbers = table("test_jit.numbers", VALUES)


def corner():
    found = numbers()
    return found[1, 2, 3], found[0, 1, 2], found.shape, found.strides


def test_compiled_code_reads_of_a_table_what_python_reads():
    assert numba.njit(corner)() == corner() == (23.0, 6.0, (2, 3, 4), (96, 32, 8))


def test_the_code_names_the_table_and_holds_no_values():
    compiled = numba.njit(corner)
    compiled()
    (code,) = compiled.inspect_llvm().values()
    assert re.findall("^@.*numbers.*", code, re.MULTILINE) == [
        "@bonspiel.test_jit.numbers = external local_unnamed_addr constant [24 x double], align 8"
    ]


def test_values_of_a_table_cannot_change_and_a_name_is_that_of_one_table():
    with pytest.raises(ValueError, match="read-only"):
        numbers()[0] = 1.0
    assert table("test_jit.numbers", VALUES)() is numbers()  # as where a module is imported anew
    with pytest.raises(ValueError, match=r"'test_jit.numbers': must differ from the names of other tables"):
        table("test_jit.numbers", VALUES + 1.0)


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


# x86 keeps every order, whatever is asked for, and ARM does not
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
        accesses(take, EXAMPLE_TREE, EXAMPLE_WALK, jit.no_validity())
    )
