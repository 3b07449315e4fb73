"""README is one page with working links; figures and names agree between README, the docs and the code."""

import re
from pathlib import Path

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.optimal import optimal_value, random_value
from bonspiel.envs.references import REFERENCES
from bonspiel.runs.results import packed
from bonspiel.runs.statistics import ranks
from bonspiel.runs.suites import lookup as suites

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURE, LINK = re.compile(r"\*\*([\d.]+(?: million| times)?)\*\*"), re.compile(r"\]\((?!http)([^)#]+)[^)]*\)")


def figures():
    """Each figure in bold with the pages of results that its paragraph links to."""
    for paragraph in re.split(r"\n\n|\n(?=- )", README):
        pages = [link for link in LINK.findall(paragraph) if "/results/" in link and link.endswith(".md")]
        yield from ((figure, pages) for figure in FIGURE.findall(paragraph))


def test_it_is_one_page():
    text = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    assert len(text.split()) <= 500 and len(README.split()) <= 800


@pytest.mark.parametrize(("figure", "pages"), [*figures()])
def test_a_figure_in_bold_stands_in_a_page_of_results_beside_it(figure, pages):
    found = [page for page in pages if re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", (ROOT / page).read_text())]
    assert found, f"{figure} in none of {pages}"


def test_there_are_such_figures_and_every_link_leads_to_a_file():
    assert len([*figures()]) >= 5
    assert [link for link in LINK.findall(README) if not (ROOT / link).exists()] == []


def rows_of(text):
    """Cells of the rows of all tables in a text, headings and rules included."""
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_caption_of_the_picture_counts_planners_and_problems():
    peers = (ROOT / "docs/results/leaderboard.md").read_text()
    head, _, *rows = rows_of(peers.split("### 30 simulations per decision")[1].split("Mean ranks")[0])
    ranked = [row[0] for row in rows if not row[0].endswith(", defaults")]
    assert (len(ranked), len(head) - 5) == (18, 8)
    assert peers.split("\n\n")[1].startswith("Eighteen planners in eight")


def test_the_picture_of_readme_and_of_the_first_page_is_that_of_the_quick_suite():
    experiments = suites.load("quick").experiment
    assert [len(experiment.planners) for experiment in experiments] == [5, 5]
    problems = [experiment.env.partition(":")[0].replace("_", " ").title() for experiment in experiments]
    for page, picture in ((README, "docs/bench.png"), ((ROOT / "docs/index.md").read_text(), "bench.png")):
        (title,) = re.findall(rf"!\[(.*)\]\({picture}\)", page)
        assert title.startswith("Mean return of five planners") and " and ".join(problems) in title


def test_the_leaders_by_problem_are_those_of_the_leaderboard():
    peers, advice = ((ROOT / "docs" / name).read_text() for name in ("results/leaderboard.md", "which-planner.md"))
    shown = rows_of("\n".join(re.findall(r"^\| `[\w:=,]+`.*`\w+` [\d.]+ \|$", advice, re.MULTILINE)))
    expected = {}
    for budget in (30, 300):
        section = peers.split(f"### {budget} simulations per decision")[1].split("Mean ranks")[0]
        head, _, *rows = rows_of(section)
        for column in range(5, len(head)):
            names = {}  # score -> the planners that share it
            for row in rows:
                names.setdefault(row[column].split()[0], []).append(f"`{row[0]}`")
            best = sorted(names, key=float, reverse=True)[:2]
            leaders = expected.setdefault(head[column].split()[0], [])
            leaders.extend(f"{', '.join(names[score])} {score}" for score in best)
    assert {name.split("`")[1]: leaders for name, *leaders in shown} == expected


@pytest.mark.parametrize("budget", [30, 100, 300])
def test_the_page_of_the_leaderboard_shows_the_episodes_that_come_with_bonspiel(budget):
    page = (ROOT / "docs/results/leaderboard.md").read_text()
    head, _, *rows = rows_of(page.split(f"### {budget} simulations per decision")[1].split("Mean ranks")[0])
    with packed.read_any(Path("peers")) as store:
        (called,) = ranks.names([store])
        returns = {
            (setting.env, called[setting.env, setting.planner]): sample
            for setting, sample in store.returns().items()
            if setting.budget == budget
        }
    assert {env for env, _ in returns} == {name.split()[0] for name in head[5:]}
    assert {name for _, name in returns} == {row[0] for row in rows}
    assert {len(sample) for sample in returns.values()} == {200}
    for column, name in enumerate(head[5:], 5):
        means = np.array([returns[name.split()[0], row[0]].mean() for row in rows])
        scores = np.array([float(row[column]) for row in rows])
        line = np.polyval(np.polyfit(means, scores, 1), means)  # a score is linear in the mean return
        np.testing.assert_allclose(scores, line, atol=0.0011)


def test_the_questions_name_every_leader_and_no_planner_that_leads_nowhere():
    advice, peers = ((ROOT / "docs" / name).read_text() for name in ("which-planner.md", "results/leaderboard.md"))
    rows = [row for row in rows_of(advice) if len(row) == 5 and row[1][-1].isdigit()]
    assert len(rows) == 8
    first, second = (
        {name for row in rows for cell in (row[place], row[place + 2]) for name in re.findall(r"`(\w+)`", cell)}
        for place in (1, 2)
    )
    questions = advice.partition("\n```")[0]
    named = {*re.findall(r"`(\w+)`", questions)}
    ranked = {row[0] for row in rows_of(peers)}
    assert first <= named
    assert named & ranked <= first | second


NEEDS = {
    name: needs
    for names, needs in rows_of((ROOT / "docs/which-planner.md").read_text().split("## What each planner needs")[1])[2:]
    for name in re.findall(r"`(\w+)`", names)
}


class Unbounded:
    """A model with nothing that planners may ask for."""

    state_dim, horizon, discount, compiled = 1, 3, 1.0, False
    params = np.zeros(1)
    action_low, action_high = np.array([-np.inf]), np.array([np.inf])
    step = sample_action = initial_state = print


class TwoPlayers(Unbounded):
    action_low, action_high = -np.ones(1), np.ones(1)
    player = print


def test_the_table_of_needs_has_every_planner_of_no_game():
    assert {*NEEDS} == {*planners.names()} - {"random"}


@pytest.mark.parametrize("name", [name for name in NEEDS if name not in {"root", "threads", "valued"}])
def test_needs_of_the_table_are_those_by_which_a_planner_refuses_a_model(name):
    planner, needs = planners.make(name), NEEDS[name]
    refused = planners.unsupported(planner, Unbounded()) or ""
    assert ("bounded actions" in needs) == ("finite `action_low`" in refused)
    assert ("one player" in needs) == (planners.unsupported(planner, TwoPlayers()) == "one player only")
    parts = {*re.findall(r"`(\w+)`", refused)} - {"action_low", "action_high", "max_actions", "n_regions"}
    assert parts <= {*re.findall(r"`(\w+)`", needs)}


@pytest.mark.parametrize("name", planners.REGISTRY.everything())
def test_every_planner_has_a_row_among_all_planners(name):
    named = [row[0].strip("`").split(":")[0] for row in rows_of((ROOT / "docs/planners.md").read_text())]
    assert named.count(name) == 1


PROBLEMS = [row for row in rows_of((ROOT / "docs/problems.md").read_text().split("## Which C")[0])[2:] if row[0]]
# problems whose optimum takes ten seconds or more
SLOW = {"pendulum", "mountain_car", "donut", "noisy_mountain_car", "hill_car", "navigation"}


@pytest.mark.parametrize(("name", "optimum", "random"), [(row[0], row[2], row[3]) for row in PROBLEMS])
def test_optimum_and_random_policy_of_a_problem_are_those_of_the_code(name, optimum, random):
    model = envs.parse(name.strip("`"))
    shown = random.split(",")[0]
    assert f"{random_value(model):.{len(shown.partition('.')[2])}f}" == shown
    if optimum and "300" not in optimum and name.strip("`") not in SLOW:
        highest = optimum.split(" to ")[0]
        assert f"{optimal_value(model):.{len(highest.partition('.')[2])}f}" == highest


def test_as_many_problems_have_a_known_optimum_as_readme_says():
    names = {row[0].strip("`").partition(":")[0] for row in PROBLEMS}
    solved = {row[0].strip("`").partition(":")[0] for row in PROBLEMS if row[2] and not row[2].startswith("at most")}
    assert (len(solved), len(names)) == (10, 14)
    assert re.search("ten of fourteen", " ".join(README.split()), re.IGNORECASE)


def test_the_problems_page_says_what_each_problem_tests_and_what_its_optimum_is():
    page = (ROOT / "docs/problems.md").read_text().partition("\n## Trap\n")
    cards = {card.splitlines()[0]: card for card in "".join(page[1:]).split("\n## ")[1:-1]}
    titles = {title.lower().replace(" ", "_").replace("-", "_") for title in cards}
    assert titles == {row[0].strip("`").partition(":")[0] for row in PROBLEMS}
    for said in ("Tests", "Optimum", "Reward"):
        assert [title for title, card in cards.items() if f"**{said}**" not in card] == []


def test_the_references_of_the_problems_page_are_those_of_the_code():
    rows = rows_of((ROOT / "docs/problems.md").read_text().split("## References")[1])[2:]
    assert {row[0].strip("`"): row[1:] for row in rows} == {
        name: [f"{of.mean:g} +- {of.error:g}", str(of.episodes), f"`bonspiel run {of.run}`"]
        for name, of in REFERENCES.items()
    }
