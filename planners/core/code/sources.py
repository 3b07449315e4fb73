"""The sources and data that compiled searches and their results depend on, and their digest."""

import ast
import functools
import hashlib
import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]  # of the packages: the checkout, or bonspiel/ where it is installed
PREFIX = "bonspiel."
NOT_COMPUTING = "runs"  # which only plays and reports what the other packages compute
COMPILER = {"bonspiel.planners.jit", "bonspiel.planners.kernel", "bonspiel.planners.core.jit"}
SUFFIXES = (".py", ".json", ".npz")
PACKAGES = {"site-packages", "dist-packages"}  # names of folders with installed packages
# beside a module: tables and weights that programs read, not what they write, as .csv and .txt may be
DATA = (".json", ".npy", ".npz", ".onnx", ".pkl", ".pt", ".pth", ".safetensors", ".yaml", ".yml")

_IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import (\([^)]*\)|.*)", re.MULTILINE)
_REGISTERED = re.compile(r'"([\w.]+):\w+"')


@functools.cache
def packages() -> tuple[str, ...]:
    """The packages in `bonspiel`, which are links in a checkout."""
    home = ROOT / "bonspiel" if (ROOT / "bonspiel").is_dir() else ROOT
    return tuple(sorted(file.parent.name for file in home.glob("*/__init__.py")))


def find_folders(root: Path) -> tuple[Path, ...]:
    """The folders with modules that import the compiler, and those that their modules import or register.

    Files are read for it, and nothing is imported: a digest must not depend on the modules imported so far. Folders
    that only import compiled code, such as the network's, are not among them: their changes recompile nothing.

    Args:
        root: the folder of the packages.
    """
    names = {
        PREFIX + ".".join(folder.relative_to(root).parts): folder
        for package in packages()
        if package != NOT_COMPUTING
        for folder in (root / package, *(root / package).rglob("*/"))
    }
    imported = {name: _imported(folder) for name, folder in names.items()}
    found: set[str] = set()
    due = {name for name in names if imported[name] & COMPILER}
    while due:
        found |= due
        due = set().union(*(imported[name] for name in due)) & names.keys() - found
    return tuple(names[name] for name in sorted(found))


def _imported(folder: Path) -> set[str]:
    """The dotted names in a folder's imports and registries, with the packages that they lie in."""
    found: set[str] = set()
    for file in folder.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        for name in _dotted(text) | set(_REGISTERED.findall(text)):
            found |= set(accumulate(name.split("."), "{}.{}".format))
    return found


def _dotted(text: str) -> set[str]:
    """The dotted names that a source imports, such as "bonspiel.planners.jit.helper"."""
    return {
        f"{module}.{name.split()[0]}".strip(".")
        for module, names in _IMPORT.findall(text)
        for name in names.strip("()\n").split(",")
        if name.strip()
    }


def _dotted_in_any_form(text: str, package: tuple[str, ...]) -> set[str]:
    """The same of a user's source in a package, however its imports are written, `import_module("name")` included."""
    found = set[str]()
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return found
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            outer = package[: len(package) + 1 - node.level] if node.level else ()
            module = [*outer, *filter(None, [node.module])]
            found |= {".".join([*module, alias.name]) for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            found |= {str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant)}
    return found


def _own_folders() -> Iterator[Path]:
    """The folders that a user has put on the path of modules, next to installed ones."""
    for entry in sys.path:
        folder = Path(entry or ".").resolve()
        if folder != ROOT and folder.is_dir() and not is_installed(folder):
            yield folder


@functools.cache
def _standard_library() -> tuple[Path, ...]:
    return tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))


def is_installed(path: Path) -> bool:
    """True for a file or folder of the standard library, or of packages that were installed, in whichever place."""
    return not PACKAGES.isdisjoint(path.parts) or any(path.is_relative_to(one) for one in _standard_library())


@functools.cache
def is_own(file: str) -> bool:
    """True for a file of this project's packages."""
    path = Path(file).resolve()
    return any(path.is_relative_to(ROOT / package) for package in packages())


@functools.cache
def folders() -> tuple[Path, ...]:
    """The folders of this project's packages."""
    return find_folders(ROOT)


@functools.cache
def imports_of(file: Path) -> tuple[Path, ...]:
    """The files that the compiled code of a module may depend on: itself, the modules that it imports, and their data.

    Modules are looked for in this project and beside the file, in the folder that its package lies in. This project's
    own `__init__.py` count by what they import alone, so that registering a class recompiles nothing.
    """
    found, due = set[Path](), {file}
    while due:
        found |= due
        due = set().union(*map(_direct_imports, due)) - found
    folders = {one.parent for one in found}
    data = {folder / name for folder in folders for name in _names_in(str(folder)) if name.endswith(DATA)}
    registries = {one for one in found if one.name == "__init__.py" and ROOT in one.parents}
    return tuple(sorted(found - registries | data))


@functools.cache
def _direct_imports(file: Path) -> set[Path]:
    home = file.parent
    while (home / "__init__.py").exists():
        home = home.parent
    text = file.read_text(encoding="utf-8")
    is_ours = is_own(str(file))
    names = _dotted(text) if is_ours else _dotted_in_any_form(text, file.parent.relative_to(home).parts)
    own = {
        (str(ROOT), name.removeprefix(PREFIX))
        for name in names
        if name.startswith(PREFIX) and name.split(".")[1] in packages()  # nothing beside the packages computes
    }
    others = set[tuple[str, str]]()
    if not is_ours:  # else: numpy, beside a wheel
        roots = {home, file.parent, *_own_folders()}
        others = {(str(root), name) for name in names if not name.startswith(PREFIX) for root in roots}
    return {Path(module) for root, name in own | others if (module := _module(root, name))}


@functools.cache
def _module(root: str, name: str) -> str | None:
    """The file of the module in a dotted name, which may end with the name of something in that module."""
    found, folder = None, root
    for part in name.split("."):
        names, folder = _names_in(folder), f"{folder}/{part}"
        if f"{part}.py" in names:
            found = f"{folder}.py"
        elif part not in names:
            break
        elif "__init__.py" in _names_in(folder):
            found = f"{folder}/__init__.py"
    return found


@functools.cache
def _names_in(folder: str) -> frozenset[str]:
    """The files and folders in a folder; none if there is no such folder."""
    with suppress(OSError):
        return frozenset(os.listdir(folder))
    return frozenset()


@functools.cache
def digest(places: tuple[Path, ...]) -> str:
    """An identity of the sources and data in these folders, and of files that are named themselves."""
    result = hashlib.blake2b(digest_size=8)
    for place in places:
        for file in _files(place) if place.is_dir() else [place]:
            result.update(file.read_bytes())
    return result.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES and file.is_file())
