"""Pages name modules, functions and folders that exist."""

import functools
import importlib
import re
from pathlib import Path

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


def test_the_names_on_the_pages_exist():
    named, folders = [], []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named += [(page, name) for name in names_in(text)]
        folders += [(page, folder) for folder in re.findall(rf"`((?:{PACKAGES}|tests|docs)/[\w/.-]+)`", text)]
    assert [(page, name) for page, name in named if not exists(name)] == []
    assert [one for one in folders if "NAME" not in one[1] and not (ROOT / one[1]).exists()] == []
    assert len(named) > 50 and not exists("planners.nothing") and exists("planners.make")


def test_the_members_that_the_reference_lists_exist():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md")]
    listed = re.findall(r"^::: bonspiel\.(\S+)\n +options: \{members: \[(.+?)\]", "\n".join(pages), re.M)
    named = [f"{place}.{member}" for place, members in listed for member in members.split(", ")]
    assert [name for name in named if not exists(name)] == [] and named
