import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.curling.client.planning.time_manager import (
    FRACTION,
    HICCUP,
    LATE,
    LATE_SHARE,
    LONGEST,
    MOST_RESERVE,
    REMEMBERED,
    RESERVE,
    SHARES,
    TimeManager,
    shots_left,
    slices_left,
)

DELAY = 0.2  # s


def late(rng, seconds, limit):
    """How long a planner takes: 5 % or 4 ms more than it was given, sometimes 300 ms; at the limit it is stopped."""
    taken = seconds + rng.random() * max(LATE_SHARE * seconds, LATE) + HICCUP * (rng.random() < 0.1)
    return min(taken, limit) if seconds else 0.0


def match(ends, total, seed, guess=DELAY, longest=LONGEST, left=slices_left):
    """Play with the clock alone; the part of the time that was used, and the largest parts of slices."""
    rng = np.random.default_rng(seed)
    clock, remaining, parts = TimeManager(guess, longest=longest), total, []
    for end in range(ends):
        for shot in range(int(rng.integers(2)), 16, 2):
            shots = left(shot, ends - end)
            allowance = clock.allowance(remaining, shots)
            own = late(rng, *allowance) + 0.003
            charged = own + DELAY * rng.uniform(0.9, 1.1)
            parts.append(charged * shots / remaining)
            clock.learn_move(charged, own)
            remaining -= charged
            assert remaining > 0.0
    return 1.0 - remaining / total, parts


def test_shots_left_are_the_own_ones():
    places = (0, 1), (1, 1), (2, 1), (14, 1), (15, 1), (0, 10), (1, 10), (15, 2)
    assert [shots_left(*place) for place in places] == [8, 8, 7, 1, 1, 80, 80, 9]


def test_an_end_of_mixed_doubles_has_five_shots_of_a_team():
    assert [shots_left(shot, 3, first_shot=6) for shot in (6, 7, 15)] == [15, 15, 11]
    later = 2 * sum(SHARES[6:]) / 2.0
    assert slices_left(15, 3, first_shot=6) == pytest.approx(1.0 + later / SHARES[15])


@pytest.mark.parametrize("left", [shots_left, slices_left])
@pytest.mark.parametrize(
    ("ends", "total", "matches", "least"),
    [(10, 219.0, 50, 0.85), (2, 20.0, 100, 0.85), (1, 21.9, 50, 0.85), (8, 60.0, 50, 0.7), (1, 4.0, 50, 0.6)],
)
def test_no_match_is_lost_on_time_and_the_time_is_used(ends, total, matches, least, left):
    """With 200 ms for the way there and back, a planner that overruns, and a busy machine."""
    for seed in range(matches):
        used, parts = match(ends, total, seed, left=left)
        assert used > least
        assert max(parts) <= FRACTION


def test_the_shots_of_an_end_have_their_shares_of_the_time_late_ones_larger_ones():
    assert slices_left(15, 1) == slices_left(14, 1) == 1.0
    remaining = total = 100.0
    for end in range(3):
        for shot in range(1, 16, 2):
            slice_ = remaining / slices_left(shot, 3 - end)
            own, all_ends = SHARES[1::2], sum(SHARES) / 2.0
            later = sum(SHARES[shot::2]) + (2 - end) * all_ends
            assert slice_ == pytest.approx(remaining * SHARES[shot] / later)
            remaining -= slice_
    assert remaining == pytest.approx(0.0, abs=1e-9) and len(own) == 8 and total == 100.0
    assert all(late >= early for early, late in itertools.pairwise(SHARES)) and SHARES[14] > 1.2 * SHARES[0]


def test_the_last_move_leaves_a_reserve_that_is_small_in_a_long_match():
    assert TimeManager().allowance(3.0, 1).limit < 0.7 * 3.0
    assert TimeManager().allowance(40.0, 1).limit == pytest.approx(FRACTION * (40.0 - MOST_RESERVE))


def test_larger_delays_than_expected_are_learned():
    firsts = []
    for seed in range(20):
        _, parts = match(10, 219.0, seed, guess=0.0)
        firsts.append(parts[0])
        assert max(parts[4:]) <= FRACTION  # few of them may be rare ones
    assert max(firsts) > FRACTION  # or this test shows nothing


def test_the_longest_time_is_kept():
    used, _ = match(10, 219.0, 0, longest=0.1)
    assert used < 80 * (0.1 + HICCUP + LATE + DELAY + 0.05) / 219.0
    assert TimeManager(longest=0.5).allowance(1000.0, 1).seconds == pytest.approx(0.5)


def test_unlimited_time_allows_a_minute_for_a_move():
    for remaining in (1e4, 1e9, 1e308):
        allowance = TimeManager().allowance(remaining, 1)
        assert allowance.seconds == pytest.approx(LONGEST) and LONGEST < allowance.limit < 1.1 * LONGEST


def test_spent_time_reduces_the_share_and_not_the_longest_planning_time():
    assert TimeManager().allowance(100.0, 10, spent=2.0).limit == pytest.approx(
        TimeManager().allowance(100.0, 10).limit - 2.0
    )
    assert TimeManager(longest=0.5).allowance(100.0, 10, spent=2.0) == TimeManager(longest=0.5).allowance(100.0, 10)


def test_time_spent_before_planning_is_no_overrun():
    clock = TimeManager()
    seconds = clock.allowance(100.0, 10, spent=2.0).seconds
    clock.learn_move(2.0 + seconds, 2.0 + seconds)
    assert clock.allowance(100.0, 10) == TimeManager().allowance(100.0, 10)


def test_a_planner_that_overruns_gets_less_time_but_some():
    clock = TimeManager()
    usual = clock.allowance(100.0, 10).seconds
    clock.learn_move(usual + 0.7, usual + 0.7)
    after = clock.allowance(100.0, 10).seconds
    assert 0.3 * usual < after < usual
    for _ in range(REMEMBERED):
        clock.learn_move(0.1, 0.1)
    assert clock.allowance(100.0, 10).seconds == usual


def test_a_machine_that_stands_still_is_a_delay_and_no_overrun():
    """The planner is not waited for beyond the limit, so it took no longer."""
    here, server = TimeManager(), TimeManager()
    for clock, own in ((here, 3.0), (server, 0.0)):
        limit = clock.allowance(100.0, 10).limit
        clock.learn_move(limit + 3.0, limit + own)
    assert here.allowance(100.0, 10) == server.allowance(100.0, 10)


def test_too_little_time_allows_no_planning():
    clock = TimeManager(delay=0.5)
    assert {clock.allowance(remaining, 1) for remaining in (-1.0, 0.0, 1e-6, 0.1)} == {(0.0, 0.0)}


def test_a_delay_is_never_negative():
    clock = TimeManager(delay=9.0)
    clock.learn_move(1.0, 3.0)
    assert clock.allowance(100.0, 10) == TimeManager().allowance(100.0, 10)


def test_a_usual_delay_is_charged_to_every_shot_and_is_forgotten():
    clock = TimeManager()
    usual = clock.allowance(500.0, 10).limit
    for _ in range(REMEMBERED):
        clock.learn_move(5.0, 3.0)
    assert clock.allowance(500.0, 10).limit < usual - 2.0
    for _ in range(REMEMBERED):
        clock.learn_move(1.0, 1.0)
    assert clock.allowance(500.0, 10).limit == usual


def test_a_long_delay_is_reserved_once_for_the_rest_of_the_match():
    clock = TimeManager()
    clock.learn_move(9.0, 1.0)
    limits = []
    for _ in range(20):
        limits.append(clock.allowance(200.0, 10).limit)
        clock.learn_move(1.0, 1.0)
    assert limits == pytest.approx([FRACTION * (200.0 - 1.25 * 8.0) / 10] * 20)


CLOCKS = [(10, 219.0, 0), (8, 219.0, 0), (8, 175.2, 0), (2, 43.8, 0), (1, 21.9, 0), (2, 38.0, 0), (8, 120.0, 6)]


def planned(ends, total, first_shot, delays):
    """The seconds of planning of each shot of a match whose shots have these delays."""
    clock, remaining, seconds = TimeManager(), total, []
    for end in range(ends):
        for shot in range(first_shot, 16, 2):
            given = clock.allowance(remaining, slices_left(shot, ends - end, first_shot)).seconds
            own = 1.02 * given + 0.005
            clock.learn_move(own + delays[len(seconds)], own)
            remaining -= own + delays[len(seconds)]
            assert remaining > 0.0
            seconds.append(given)
    return np.array(seconds)


def test_after_a_delay_of_2_s_every_shot_has_half_its_usual_time():
    """Whichever shot it strikes: the server paused, or this machine was swapped."""
    for ends, total, first_shot in CLOCKS:
        shots = ends * (16 - first_shot) // 2
        quick = np.full(shots, 0.002)
        usual = planned(ends, total, first_shot, quick)
        for struck in range(shots):
            delays = np.where(np.arange(shots) == struck, 2.0, quick)
            assert np.all(planned(ends, total, first_shot, delays)[struck + 1 :] >= 0.5 * usual[struck + 1 :])


def test_shots_are_planned_after_long_delays_in_a_row():
    for delay, times in itertools.product((1.0, 2.0, 3.0, 6.0, 10.0), (1, 2, 3)):
        delays = np.full(80, 0.002)
        delays[5 : 5 + times] = delay
        assert planned(10, 219.0, 0, delays).min() > 0.1


def test_a_network_that_becomes_slow_for_good_loses_no_match():
    """From any shot on; the rest would be lost with the usual plans."""
    for (ends, total, first_shot), part in itertools.product(CLOCKS, (0.3, 0.6, 0.8)):
        shots = ends * (16 - first_shot) // 2
        for begin in range(0, shots, 3):
            delays = np.where(np.arange(shots) >= begin, part * total / shots, 0.002)
            planned(ends, total, first_shot, delays)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_match_is_lost_on_time_by_a_delay_that_a_player_without_a_plan_survives(data):
    """One no longer than one before, or than the reserve; others are of any length that the clock bears."""
    ends, total, first_shot = data.draw(st.sampled_from(CLOCKS))
    clock, remaining, longest = TimeManager(), total, 0.0
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rare, heavy = data.draw(st.sampled_from([0.02, 0.2, 1.0])), data.draw(st.sampled_from([0.3, 1.0, 5.0]))
    for end in range(ends):
        for shot in range(first_shot + int(rng.integers(2)), 16, 2):
            slices = slices_left(shot, ends - end, first_shot)
            allowance = clock.allowance(remaining, slices)
            own = max(late(rng, *allowance), 0.003)
            borne = min(max(longest, min(RESERVE * remaining / (slices + RESERVE), MOST_RESERVE)), remaining - 0.003)
            surprise = (
                max(remaining - own, 0.0) * rng.random()
            )  # longer than any before: for this shot the clock bears it
            most = max(borne, surprise) if rng.random() < 0.1 else borne
            delay = min(heavy * rng.pareto(1.5), most) if rng.random() < rare else min(0.01, most)
            delay = most if rng.random() < rare / 10.0 else delay
            assert own + delay < remaining + 1e-9
            remaining -= own + delay
            longest = max([past for past in (longest, delay) if past < remaining], default=0.0)
            clock.learn_move(own + delay, own)
            if remaining < 0.1:  # no player has time for a further shot
                return
