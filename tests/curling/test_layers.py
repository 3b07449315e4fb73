"""The layers of curling, by its imports: what simulates and plays knows nothing of servers, protocols and pages."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = "client", "protocols", "replay", "server"  # of curling, that speak to other programs or to people
ABOVE = "analysis", "arena", "benchmarks", "env", "game", "logs", "play", "regret", "verbs"  # what uses them, and runs
NETWORK = {"asyncio", "h11", "http", "selectors", "socket", "starlette", "uvicorn"}
MODULES = {
    "bonspiel." + ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for package in ("planners", "curling", "envs", "runs")
    for file in (ROOT / package).rglob("*.py")
}
CURLING = sorted(name for name in MODULES if name.startswith("bonspiel.curling"))
UPPER = tuple(f"bonspiel.curling.{room}" for room in (*ROOMS, *ABOVE))
LOWER = [name for name in CURLING if not name.startswith(UPPER)]


@cache
def imports(name):
    """The modules that a module imports anywhere, for the sake of types and within functions too."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {part if part in MODULES else node.module for part in parts}
    return found - {name}


def reached(name):
    """All that a module imports, and what that imports, with the module that does so."""
    found, waiting = {}, [name]
    while waiting:
        importer = waiting.pop()
        for imported in imports(importer) - found.keys():
            found[imported] = importer
            if imported in MODULES:
                waiting.append(imported)
    return found


def test_simulation_and_players_know_neither_sockets_nor_pages():
    assert LOWER
    wrong = set()
    for imported, importer in {pair for name in LOWER for pair in reached(name).items()}:
        room = imported.removeprefix("bonspiel.curling.").split(".")[0]
        if (imported in MODULES and room in ROOMS) or imported.split(".")[0] in NETWORK:
            wrong.add(f"{importer} imports {imported}")
    assert wrong == set()


def test_no_modules_of_curling_import_each_other_in_a_circle():
    graph = {name: imports(name) & set(CURLING) for name in CURLING}
    TopologicalSorter(graph).prepare()  # a CycleError names the circle
