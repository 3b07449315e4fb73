"""Pages name modules, functions and folders that exist."""

import functools
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKED_EXAMPLES = {"adding-a-planner.md", "adding-an-environment.md"}  # which add the files that they name
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
PAGES += [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in WORKED_EXAMPLES]
PACKAGES = "planners|curling|envs|runs"
# endings of files, not attributes
FILES = {"html", "js", "json", "jsonl", "md", "npz", "png", "pth", "py", "sgf", "svg", "toml"}


def names_in(text):
    """Dotted names of the packages in a text; `bonspiel.` may be left out."""
    found = re.findall(rf"(?<![\w./:-])(?:bonspiel\.)?((?:{PACKAGES})(?:\.\w+)+)", text)
    return sorted({name for name in found if name.rpartition(".")[2] not in FILES})


def exists(name):
    parts = f"bonspiel.{name}".split(".")
    for length in range(len(parts), 1, -1):
        try:
            module = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(lambda owner, part: getattr(owner, part, None), parts[length:], module) is not None
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_names_on_a_page_exist(page):
    text = page.read_text(encoding="utf-8")
    assert [name for name in names_in(text) if not exists(name)] == []
    folders = re.findall(rf"`((?:{PACKAGES}|tests|docs)/[\w/.-]+)`", text)
    assert [folder for folder in folders if "NAME" not in folder and not (ROOT / folder).exists()] == []


def test_there_are_such_names():
    assert sum(len(names_in(page.read_text(encoding="utf-8"))) for page in PAGES) > 50
    assert not exists("planners.nothing") and exists("planners.make")


@pytest.mark.parametrize("page", sorted((ROOT / "docs/reference").glob("*.md")), ids=lambda page: page.stem)
def test_the_members_that_a_page_of_the_reference_lists_exist(page):
    listed = re.findall(
        r"^::: bonspiel\.(\S+)\n +options: \{members: \[(.+?)\]", page.read_text(encoding="utf-8"), re.M
    )
    named = [f"{place}.{member}" for place, members in listed for member in members.split(", ")]
    assert [name for name in named if not exists(name)] == []
