"""Writes the pages of parameters of the site, into a folder: python docs/site/parameters.py FOLDER."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bonspiel import envs, planners
from bonspiel.planners.registry import Registry
from bonspiel.runs.verbs.parameters import describe

PAGES = (
    ("planner-parameters", "Parameters of planners", planners.REGISTRY),
    ("problem-parameters", "Parameters of problems", envs.REGISTRY),
)
SPECIAL = re.compile(r"[*_<|$\[\]\\]")


def lines(title: str, registry: Registry) -> Iterator[str]:
    """A page with a section for each entry: its class, its docstring and a table of its parameters."""
    yield f"# {title}\n"
    yield "From the docstrings of the classes, as `bonspiel list NAME` prints them. Write a parameter after the name,"
    yield f"`{'dpw:exploration=0.5,k_action=2' if registry is planners.REGISTRY else 'trap:noise_range=0.3'}`.\n"
    for name in registry.everything():
        place, text, parameters = describe(registry, name)
        yield f"## `{name}`\n\n`{place}`\n\n{escaped(text)}\n"
        if parameters:
            yield "| parameter | default | meaning |\n|---|---|---|"
        for of in parameters:
            default = f"`{of.default}`" if of.default else "required"
            yield f"| `{of.name}` | {default} | {escaped(of.meaning)} |"
        yield "" if parameters else "It has no parameters.\n"


def escaped(text: str) -> str:
    """Plain text as Markdown that shows every character; what stands in backticks is code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else SPECIAL.sub(lambda of: f"&#{ord(of[0])};", part) for part in parts)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, title, registry in PAGES:
        (folder / f"{name}.md").write_text("\n".join(lines(title, registry)) + "\n", encoding="utf-8")
