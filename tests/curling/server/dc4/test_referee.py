"""The referee: rules, clocks, score and record of one match."""

from functools import partial

import numpy as np
import pytest

from bonspiel.curling.ice.noise import NOISES
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.protocols.dc4_server import Player, Shot
from bonspiel.curling.records.match_data import Match, Record, Result
from bonspiel.curling.records.record import RecordedShot
from bonspiel.curling.records.umpire import outcome, replay
from bonspiel.curling.server.dc4.games import with_players
from bonspiel.curling.server.dc4.referee import Dc4Referee
from bonspiel.curling.server.referee import Referee, ThinkingTimes, error_sampler

DRAW, AWAY = (0.1317, 2.3997, 1.0), (0.0, 2.0, 1.0)  # to the tee; not as far as the hog line
TIMES = ThinkingTimes(100_000, 20_000)


def referee_of(ends=1, extra_ends=3, noise="none", physics="fcv1", seed=1, times=TIMES):
    match = Match(players=("a", "b"), physics=physics, rule=None, noise=noise, ends=ends, extra_ends=extra_ends)
    kept, model = [], match.model()
    return Referee(match, model, times, [error_sampler(model, seed)] * 2, kept.append), kept


def throw(referee, aim=AWAY):
    thrown = referee.add_error(aim)
    referee.apply_shot(aim, thrown, outcome(referee.model, referee.state, thrown), 0.25)
    return thrown


def play_end(referee, scorer=None):
    """An end in which the scorer's last stone alone is in the house."""
    end = referee.end
    while referee.result is None and referee.end == end:
        throw(referee, DRAW if referee.shot >= 14 and referee.team == scorer else AWAY)


def record_of(kept):
    shots, ends = (tuple(item for item in kept if type(item).__name__ == name) for name in ("RecordedShot", "End"))
    return Record(kept[0], shots, ends, kept[-1])


def test_the_scoreboard_and_the_hammer():
    referee, kept = referee_of(ends=3)
    assert (referee.team, referee.hammer, referee.next_stones.shape) == (0, 1, (16, 2))
    throw(referee)
    assert referee.team == 1
    for scorer, hammer in ((1, 0), (None, 0)):
        play_end(referee, scorer)
        assert referee.hammer == hammer and referee.team == 1 - hammer
    assert (referee.scores, referee.end, referee.shot) == ([[0, 0, None], [1, 0, None]], 2, 0)
    play_end(referee, 0)
    assert referee.result is None and referee.scores == [[0, 0, 1], [1, 0, 0]]
    play_end(referee, 1)
    assert referee.result == Result((1, 2), 1, 0.0, "score")
    assert (referee.scores, referee.extra_score, referee.total) == ([[0, 0, 1], [1, 0, 0]], [0, 1], (1, 2))
    replay(record_of(kept))


def test_extra_ends_have_their_own_clocks_and_continue_until_a_team_wins():
    referee, kept = referee_of()
    assert referee.charge(99_999)
    play_end(referee)
    assert referee.result is None and referee.remaining == [20_000, 20_000]
    assert referee.charge(5_000)
    play_end(referee)
    assert referee.remaining == [20_000, 20_000] and referee.extra_score == [None, None]
    play_end(referee, 0)
    assert referee.result == Result((1, 0), 0, 1.0, "score")
    assert (referee.scores, referee.extra_score) == ([[0], [0]], [1, 0])
    assert replay(record_of(kept)).shape[0] == 3 * STONES + 1


def test_a_tie_that_remains_is_a_draw():
    referee, _ = referee_of(extra_ends=0)
    play_end(referee)
    assert referee.result == Result((0, 0), None, 0.5, "draw")


@pytest.mark.parametrize(
    ("used", "in_time", "left"), [(0, True, 1000), (999, True, 1), (1000, False, 0), (5000, False, 0)]
)
def test_a_move_must_come_before_all_time_is_used(used, in_time, left):
    referee, _ = referee_of(times=ThinkingTimes(1000, 1000))
    throw(referee)
    assert referee.charge(used) is in_time
    assert referee.remaining == [1000, left]


@pytest.mark.parametrize(("act", "reason"), [(Referee.concede, "concede"), (Referee.time_up, "time_limit")])
def test_conceding_and_time_limit(act, reason):
    referee, kept = referee_of(ends=2)
    play_end(referee, 1)
    throw(referee, DRAW)
    stones = referee.next_stones
    mover = referee.team
    act(referee)
    assert referee.result == Result((0, 1), 1 - mover, float(mover), reason)
    assert (referee.end, referee.shot, referee.remaining[mover]) == (1, 2, 0 if reason == "time_limit" else 100_000)
    assert np.array_equal(referee.next_stones, stones, equal_nan=True)
    replay(record_of(kept))


def test_conceding_the_last_stone_scores_the_others():
    referee, kept = referee_of()
    for _ in range(14):
        throw(referee)
    throw(referee, DRAW)
    referee.concede()
    assert (referee.scores, referee.end, referee.shot) == ([[1], [0]], 1, 0)
    assert referee.result == Result((0, 0), 0, 1.0, "concede")  # of ends that were played
    replay(record_of(kept))


@pytest.mark.parametrize("act", [Referee.concede, Referee.time_up])
@pytest.mark.parametrize(("ends", "last", "remaining"), [(1, AWAY, 20_000), (1, DRAW, 100_000), (2, AWAY, 100_000)])
def test_conceding_the_last_stone_of_a_tie_sets_the_clocks_of_an_extra_end(act, ends, last, remaining):
    referee, _ = referee_of(ends=ends)
    for _ in range(14):
        throw(referee)
    throw(referee, last)
    act(referee)
    other = 0 if act is Referee.time_up and remaining == 100_000 else remaining
    assert referee.remaining == [remaining, other]


def test_a_match_is_abandoned_once_and_only_before_its_result():
    referee, kept = referee_of()
    throw(referee)
    referee.abandon("somebody left")
    referee.abandon("somebody else left")
    assert kept[-1] == Result((0, 0), None, None, "abandoned", "somebody left")
    assert [type(item).__name__ for item in kept] == ["Match", "RecordedShot", "Result"]


def test_errors_of_execution_depend_on_seed_and_throw_alone():
    def throws(seed, aims):
        referee, _ = referee_of(noise="normal_dist", seed=seed)
        return [np.subtract(throw(referee, aim)[:2], aim[:2]) for aim in aims]

    aims = [DRAW] * 6
    first, again, other = throws((3, 1), aims), throws((3, 1), [AWAY, AWAY, *aims[2:]]), throws((3, 2), aims)
    assert np.array_equal(first[2:], again[2:])
    assert not np.isclose(first, other).any()
    assert 0.001 < np.std(first) < 0.02


def test_people_s_errors_have_the_deviations_of_the_players_and_students_tails():
    team = [Player(4.0, 0.0195, 0.0045, "somebody")] * 8
    match = Match(players=("a", "b"), physics="dc4", rule=None, noise="human", ends=1, extra_ends=3)
    match = with_players(match, (team, team))
    assert match.noise == NOISES["human"]
    rngs = [np.random.default_rng(seed) for seed in (1, 2)]
    referee = Dc4Referee(match, match.model(), TIMES, (team, team), rngs, [].append)
    vx, vy = np.array([referee.throw_of(Shot(2.4, 1.57, np.pi / 2.0))[1][:2] for _ in range(5000)]).T
    for errors, sd in ((np.hypot(vx, vy) - 2.4, 0.0195), (np.arctan2(vx, vy), 0.0045)):
        assert np.quantile(np.abs(errors), 0.5) == pytest.approx(0.44 * sd, rel=0.08)  # of a Gaussian 0.67 sd


@pytest.mark.parametrize(
    ("physics", "aim", "speed"), [("fcv1", (3.0, 40.0, -1.0), 4.0), ("dc2", (0.0, 90.0, 1.0), 48.79)]
)
def test_aims_are_capped(physics, aim, speed):
    referee, kept = referee_of(physics=physics)
    thrown = throw(referee, aim)
    assert np.hypot(*thrown[:2]) == pytest.approx(speed)
    assert np.sign(thrown[2]) == aim[2]
    assert (
        isinstance(kept[1], RecordedShot)
        and kept[1].aim == aim
        and kept[1].thrown == thrown
        and kept[1].seconds == 0.25
    )


def test_four_rocks_in_digital_curling_2_and_five_in_3():
    guard = {"fcv1": (0.14100066440580375, 2.289161650612975, 1.0), "dc2": (0.95, 28.4, 1.0)}
    hit = {"fcv1": (0.105, 3.9, 1.0), "dc2": (0.65, 40.0, 1.0)}
    for physics, free in (("fcv1", 5), ("dc2", 4)):
        fouls = []
        for shot in range(1, 7):
            referee, _ = referee_of(physics=physics)
            while referee.shot < shot - 1:
                throw(referee)
            throw(referee, guard[physics])
            around = [(x, *hit[physics][1:]) for x in np.linspace(-0.2, 1.2, 141)]
            play = partial(outcome, referee.model, referee.state)
            hits = [after for after in map(play, map(referee.add_error, around)) if after.foul or after.stones.any()]
            fouls.append(any(after.foul for after in hits))
        assert fouls == [shot < free for shot in range(1, 7)]
