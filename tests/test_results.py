"""Pages of results: each has a command that reproduces a number, and the leaderboard shows the shipped episodes."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from bonspiel.runs import cli
from bonspiel.runs.reporting import origins
from bonspiel.runs.results import packed
from bonspiel.runs.statistics import ends

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((DOCS / "results").glob("*.md"))}
CELL = "To check a cell: "
CHECK = re.compile(
    rf"\*(?P<what>{CELL}|To check the program in a few seconds: )"
    r"`bonspiel (?P<command>[^`]+)` prints `(?P<value>[^`]+)`(?:; [^`]+)?\.\*"
)
SHOWN = 6  # rows of each table of the leaderboard on its page


def checks(text):
    """The lines of a page that say which command prints which value, each on one line."""
    return [found for block in re.split(r"\n\s*\n", text) if (found := CHECK.fullmatch(" ".join(block.split())))]


def rows_of(text):
    """Cells of the rows of all tables in a text, headings and rules included."""
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]


def prints(output, value):
    """Whether this value stands in the output as it is, and is no part of a longer one."""
    return re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w.-])", " ".join(output.split())) is not None


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_results_says_how_to_check_a_number(page):
    assert checks(PAGES[page])
    assert PAGES[page].count("*To check ") == len(checks(PAGES[page])), "a line in another form"


@pytest.mark.parametrize(
    ("page", "what", "command", "value"),
    [(page, *found.group("what", "command", "value")) for page, text in PAGES.items() for found in checks(text)],
)
def test_a_command_of_a_page_prints_the_number_that_the_page_has(
    page, what, command, value, capsys, monkeypatch, tmp_path
):
    if what == CELL:
        assert any(prints(cell, value) for row in rows_of(PAGES[page]) for cell in row)
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(command)) == 0
    assert prints(capsys.readouterr().out, value)


def test_a_longer_number_is_another_number():
    assert prints("| uct | 1.4 |", "1.4") and prints("1.4 [1.3,\n 1.5]", "1.4 [1.3, 1.5]")
    assert not any(prints(other, "1.4") for other in ("1.40", "11.4", "-1.4", "1.4.1"))


@pytest.fixture(scope="module")
def board():
    """The mean score of the shipped episodes, by budget, planner and problem."""
    with packed.read_any(Path("peers")) as store:
        (called,) = origins.names([store])
        returns = store.returns()
        scales = ends.scales(returns.items())
    found = {}
    for of, sample in returns.items():
        assert len(sample) == (50 if of.budget == 1_000 else 200)
        planner = called[of.env, of.planner]
        found.setdefault(of.budget, {}).setdefault(planner, {})[of.env] = scales[of.env].scores(sample).mean()
    return found


def test_the_page_of_the_leaderboard_shows_the_means_of_the_episodes_that_come_with_bonspiel(board):
    text = PAGES["leaderboard"].split("\n## Mean scores by simulations per decision\n")[1].split("\n\nHalf")[0]
    (_, *heads), _, *rows = rows_of(text)
    budgets = [int(head.split()[0].replace(",", "")) for head in heads]
    assert budgets == [10, 30, 100, 300, 1000] and len(rows) == 18
    at_100 = {name: np.mean([*scores.values()]) for name, scores in board[100].items() if "defaults" not in name}
    best = sorted(at_100, key=at_100.get, reverse=True)
    assert [row[0] for row in rows] == [f"`{name}`" for name in best]
    for name, (_, *shown) in zip(best, rows, strict=True):
        means = [f"{np.mean([*board[n][name].values()]):.3f}" if name in board[n] else "" for n in budgets]
        assert [cell.split(" ")[0] for cell in shown] == means


def test_the_page_of_the_leaderboard_shows_each_problem_of_the_first(board):
    text = PAGES["leaderboard"].split("\n**With 100 simulations, the first six in each problem:**\n")[1].split("\n*")[0]
    head, _, *rows = rows_of(text)
    first, problems = head.index("trap"), [name.split()[0] for name in head[head.index("trap") :]]
    assert {*problems} == {env for scores in board[100].values() for env in scores}
    means = {planner: np.mean([*scores.values()]) for planner, scores in board[100].items()}
    best = sorted(means, key=means.get, reverse=True)[:SHOWN]
    assert [row[0] for row in rows] == [f"`{name}`" for name in best]
    for name, row in zip(best, rows, strict=True):
        value, low, high = map(float, re.fullmatch(r"([\d.]+) \[([\d.]+), ([\d.]+)\]", row[1]).groups())
        assert f"{means[name]:.3f}" == f"{value:.3f}" and low < value < high
        assert row[first:] == [f"{board[100][name][problem]:.3f}" for problem in problems]


def test_the_leaderboard_counts_planners_and_problems(board):
    assert PAGES["leaderboard"].split("\n\n")[1].startswith("Eighteen planners in eight problems")
    assert {len(scores) for planners in board.values() for scores in planners.values()} == {8}
    assert (len(board[30]), len(board[300])) == (19, 18)  # weighted_uct plays no more than 100 simulations


def test_the_leaders_by_problem_are_those_of_the_leaderboard(board):
    advice = (DOCS / "which-planner.md").read_text(encoding="utf-8")
    shown = rows_of("\n".join(re.findall(r"^\| `[\w:=,]+`.*`\w+` [\d.]+ \|$", advice, re.MULTILINE)))
    expected = {}
    for budget in (30, 300):
        for problem in next(iter(board[budget].values())):
            names = {}  # score -> the planners that share it
            for planner in sorted(board[budget], key=lambda name: -np.mean([*board[budget][name].values()])):
                names.setdefault(f"{board[budget][planner][problem]:.3f}", []).append(f"`{planner}`")
            best = sorted(names, key=float, reverse=True)[:2]
            expected.setdefault(problem, []).extend(f"{', '.join(names[score])} {score}" for score in best)
    assert {name.split("`")[1]: leaders for name, *leaders in shown} == expected


def test_the_questions_name_every_leader_and_no_planner_that_leads_nowhere(board):
    advice = (DOCS / "which-planner.md").read_text(encoding="utf-8")
    rows = [row for row in rows_of(advice) if len(row) == 5 and row[1][-1].isdigit()]
    assert len(rows) == 8
    first, second = (
        {name for row in rows for cell in (row[place], row[place + 2]) for name in re.findall(r"`(\w+)`", cell)}
        for place in (1, 2)
    )
    named = {*re.findall(r"`(\w+)`", advice.partition("\n```")[0])}
    assert first <= named
    assert named & {*board[300]} <= first | second
