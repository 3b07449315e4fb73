import pytest

from bonspiel.curling.analysis.report import report
from bonspiel.curling.model import Curling
from bonspiel.curling.replay.judgement import Judged, Judgement
from bonspiel.curling.win_probability import win_probability


def one(loss, luck=0.0, before=0.6, name="draw"):
    aimed = before - loss
    return Judgement((0.1, 2.4, 1.0), name, "guard", before, aimed, aimed + luck, 0.01, 0.02)


@pytest.fixture
def lines(played):
    def of(judgements):
        return report(played, Judged("dpw, 9 simulations", played.shots, judgements)).splitlines()

    return of


def test_a_line_for_each_shot_under_the_heading_of_its_end(lines, played):
    found = lines({0: one(0.123, 0.045, name="take-out of red 1"), 1: one(-0.2, -0.01), 17: one(0.004)})
    hammers = ["red", "yellow"][played.shots[0].hammer], ["red", "yellow"][played.shots[16].hammer]
    assert "random (red) against random (yellow)" in found[0] and "dpw, 9 simulations" in found[1]
    headings = [line for line in found if line.startswith("End ")]
    assert headings == [f"End {end} of 2: {hammer} has the hammer" for end, hammer in enumerate(hammers, 1)]
    first, second, third = (line.split() for line in found if line.strip()[:1].isdigit())
    thrower = ["red", "yellow"][played.shots[0].team]
    before = 100.0 * abs(played.shots[0].team - win_probability(Curling(2), Curling(2).initial_state(None)))
    said = f"1 {thrower} {before:.1f} guard 48 take-out of red 1 60 12.3 ± 1.0 +4.5 ± 2.0 ?? blunder"
    assert " ".join(first) == said
    assert " ".join(second).endswith("guard 80 draw 60 not worse -1.0 ± 2.0")
    assert third[0] == "2" and "blunder" not in third


def test_columns_are_aligned(lines):
    found = lines({0: one(0.1, name="double take-out of red 1 and red 2"), 1: one(0.1)})
    columns = [line.index("10.0 ±") for line in found if "10.0 ±" in line and "blunder" in line and "shot" not in line]
    assert len(columns) == 2 and len(set(columns)) == 1


def test_a_summary_for_each_team(lines, played):
    red = [number for number, shot in enumerate(played.shots) if shot.team == 0]
    judgements = {red[0]: one(0.2, 0.05), red[9]: one(0.01), red[3]: one(-0.03)}
    text = lines(judgements)
    (summary,) = [line for line in text if line.startswith("red, random:")]
    assert summary == "red, random: 3 shots, mean loss 6.0 ± 0.6, 1 blunder, luck of the throws +5.0 ± 3.5 in all"
    assert (
        text[-1] == f"  costliest: end 1 of 2 shot {red[0] + 1} (20.0 ± 1.0), end 2 of 2 shot {red[9] - 15} (1.0 ± 1.0)"
    )
    assert not any(line.startswith("yellow,") for line in text)


def test_a_player_better_than_the_judge_is_not_worse(lines):
    assert "on the mean not worse than the judge" in lines({0: one(-0.1)})[-1]
