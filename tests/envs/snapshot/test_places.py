"""The numbers that an environment holds in attributes are found by playing, and written back as they were."""

import tracemalloc
from collections import deque
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

from bonspiel.envs.snapshot.places import MOST, Places, UnknownStateError, moments
from tests.envs.snapshot.toys import Noisy


class Holding(gymnasium.Wrapper):
    """Changes what it holds in each step by a function."""

    def __init__(self, change, **first):
        super().__init__(Noisy())
        self.change, self.first = change, first

    def reset(self, **options):
        result = self.env.reset(**options)
        vars(self).update(self.first)
        self.seen = result[0][0]
        return result

    def step(self, action):
        result = self.env.step(action)
        self.change(self, result[0])
        return result


def places_of(env):
    return Places(list(moments(env)))


def attributes(names, change, **first):
    """What an environment holds, before a step, after it, and once it was restored."""
    env, rows = Holding(change, **first), []
    places = places_of(env)
    found = places.find(env)
    env.reset(seed=7)
    env.step(np.zeros(1))
    rows.append({name: getattr(env, name) for name in names})
    saved = places.read(found)
    assert len(saved) == places.width
    rows[0] = {name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in rows[0].items()}
    for _ in range(3):
        env.step(np.ones(1))
    rows.append({name: np.copy(getattr(env, name)) for name in names})
    places.write(found, saved)
    rows.append({name: getattr(env, name) for name in names})
    return env, rows


def count(env, seen):
    env.count, env.flag, env.real = env.count + 1, not env.flag, float(seen[0])
    env.half, env.none = np.float32(seen[0]), None if env.none else 5


def test_numbers_keep_their_types():
    _, (before, after, restored) = attributes(
        ("count", "flag", "real", "half", "none", "constant"),
        count,
        count=0,
        flag=False,
        real=0.0,
        half=None,
        none=5,
        constant=3,
    )
    assert before == restored and {key: type(value) for key, value in before.items()} == {
        key: type(value) for key, value in restored.items()
    }
    assert before["count"] == 1 and after["count"] == 4


def test_arrays_are_new_ones_unless_they_are_always_the_same():
    def change(env, seen):
        env.last = seen.astype(np.float32)
        env.sums += seen

    sums = np.zeros((2, 1))
    env, (before, after, restored) = attributes(("last", "sums"), change, last=None, sums=sums)
    np.testing.assert_array_equal(restored["last"], before["last"], strict=True)
    np.testing.assert_array_equal(restored["sums"], before["sums"], strict=True)
    assert env.sums is sums and not np.array_equal(after["sums"], before["sums"])


def test_parts_lists_and_attributes_of_steps_are_found():
    def change(env, seen):
        env.part.speeds["x"] += 1
        env.queue.append(seen)
        env.made_late = float(seen[0])

    part, queue = SimpleNamespace(speeds={"x": 0}), deque([np.zeros(1)] * 2, maxlen=2)
    _, (before, after, restored) = attributes(("made_late",), change, part=part, queue=queue)
    assert restored == before != after
    # each episode has 3 steps, the last one 4, of which 3 are taken back
    assert part.speeds == {"x": 10} and queue[-1] == before["made_late"]


def test_lists_and_tuples_of_numbers_are_made_anew_or_filled_again():
    def change(env, seen):
        env.place, env.rewards = (1, float(seen[0])), [seen[0], True]
        env.sums[0] += 1

    sums = [0, 0.5]
    first = {"place": (0, 0.0), "rewards": [np.float64(0.0), False], "sums": sums}
    env, (before, after, restored) = attributes(("place", "rewards", "sums"), change, **first)
    assert before["place"] == restored["place"] != tuple(after["place"]) and type(restored["rewards"][0]) is np.float64
    assert before["rewards"] == restored["rewards"] and restored["rewards"][1] is True
    assert env.sums is sums and sums[0] == after["sums"][0] - 3


def test_states_of_one_environment_are_written_to_another():
    env, other = (Holding(count, count=0, flag=False, real=0.0, half=None, none=5) for _ in range(2))
    places = places_of(env)
    env.reset(seed=1)
    env.step(np.ones(1))
    other.reset(seed=2)
    places.write(places.find(other), places.read(places.find(env)))
    assert (other.count, other.flag, other.real, other.env.x) == (1, True, env.real, env.env.x)


def text(env, seen):
    env.text = str(seen)


def kinds(env, seen):
    env.list = [seen[0] if seen[0] > 0.0 else int(seen[0])]


def growing(env, seen):
    env.list.append(float(seen[0]))


def another_shape(env, seen):
    env.list = np.zeros(int(abs(seen[0]) * 100))


def huge(env, seen):
    env.list = 2**60 + int(seen[0] * 100)


@pytest.mark.parametrize("change", [text, kinds, growing, another_shape, huge])
def test_what_changes_and_cannot_be_written_back_is_named(change):
    with pytest.raises(UnknownStateError, match=rf"^env\.{'text' if change is text else 'list'}.* changes"):
        places_of(Holding(change, text="", list=[]))


def test_too_many_numbers_are_refused():
    with pytest.raises(UnknownStateError, match=rf"numbers; at most {MOST:,}"):
        places_of(Holding(lambda env, seen: env.map.__iadd__(1.0), map=np.zeros(MOST)))


def test_an_array_that_changes_its_shape_late_is_named():
    env = Holding(lambda env, seen: setattr(env, "last", seen), last=np.zeros(1))
    places = places_of(env)
    env.last = np.zeros(2)
    with pytest.raises(ValueError, match=r"^env\.last=.*must be an array of shape \(1,\) in all steps"):
        places.read(places.find(env))


@pytest.mark.parametrize("late", [2**60 + 1, np.int64(2**60 + 1), np.array([2**60 + 1]), [2**60 + 1]], ids=repr)
def test_late_digits_that_float64_lacks_are_named(late):
    change = {int: int, list: lambda x: [int(x)], np.ndarray: lambda x: np.array([int(x)])}.get(type(late), np.int64)
    env = Holding(lambda env, seen: setattr(env, "last", change(seen[0] * 100)), last=change(0))
    places = places_of(env)
    for env.last in (late - 1 if not isinstance(late, list) else [2**60], change(2**53)):
        found = places.find(env)
        places.write(found, places.read(found))
    env.last = late
    with pytest.raises(ValueError, match=r"^env\.last=.*whole numbers of at most 53 bits; .*get_state"):
        places.read(places.find(env))


def test_large_arrays_are_not_kept_for_each_moment():
    env = Holding(count, count=0, flag=False, real=0.0, half=None, none=5, large=np.zeros(1_000_000))
    tracemalloc.start()
    places_of(env)
    assert tracemalloc.get_traced_memory()[1] < env.large.nbytes
    tracemalloc.stop()


def test_a_list_whose_types_change_late_is_named():
    env = Holding(lambda env, seen: setattr(env, "last", [float(seen[0])]), last=[0.0])
    places = places_of(env)
    env.last = [1]
    with pytest.raises(ValueError, match=r"^env\.last=\[1\]: must be"):
        places.read(places.find(env))


def test_another_environment_is_refused():
    places = places_of(Holding(growing_part, part=SimpleNamespace(n=0)))
    with pytest.raises(ValueError, match=r"^env=.*must be like the one of the model; it has no env\.\w+$"):
        places.find(Noisy())


def growing_part(env, seen):
    env.part.n += 1
