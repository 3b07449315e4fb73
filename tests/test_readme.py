"""README is one page, its links lead to files, and its figures are those of the results pages that it links to."""

import re
from pathlib import Path

import pytest

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
    assert len(text.split()) <= 600 and len(README.split()) <= 1_500


@pytest.mark.parametrize(("figure", "pages"), [*figures()])
def test_a_figure_in_bold_stands_in_a_page_of_results_beside_it(figure, pages):
    found = [page for page in pages if re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", (ROOT / page).read_text())]
    assert found, f"{figure} in none of {pages}"


def test_there_are_such_figures_and_every_link_leads_to_a_file():
    assert len([*figures()]) >= 5
    assert [link for link in LINK.findall(README) if not (ROOT / link).exists()] == []


def test_the_leaders_by_problem_are_those_of_the_leaderboard():
    peers, advice = ((ROOT / "docs" / name).read_text() for name in ("results/peers.md", "which-planner.md"))
    shown = [row for row in advice.splitlines() if re.match(r"\| `[\w:=]+`.*`\w+` [\d.]+ \|", row)]
    expected = {}
    for budget in (30, 300):
        section = peers.split(f"### {budget} simulations per decision")[1].split("Mean ranks")[0]
        head, _, *rows = (
            [cell.strip() for cell in row.strip("| ").split("|")] for row in section.splitlines() if "|" in row
        )
        for column in range(5, len(head)):
            best = sorted(rows, key=lambda row: -float(row[column].split()[0]))[:2]
            name = head[column].split()[0]
            expected.setdefault(name, []).extend(f"`{row[0]}` {row[column].split()[0]}" for row in best)
    cells = [[cell.strip() for cell in row.strip("| ").split("|")] for row in shown]
    assert {name.split("`")[1]: leaders for name, *leaders in cells} == expected
