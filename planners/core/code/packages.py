"""Code of other packages: found by entry point, imported by its place, identified by version and sources."""

import difflib
import functools
import importlib
import importlib.metadata
import importlib.util
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from bonspiel.planners.core.code import sources
from bonspiel.planners.core.code.errors import error_place, error_text


def load(place: str) -> Any:
    """Import the attribute named by "module:attribute"; the current folder counts as importable, last in order.

    Raises:
        ValueError: it cannot be imported, or has no such attribute.
    """
    module, _, attribute = place.partition(":")
    if not (module and attribute):
        raise ValueError(f"{place!r}: must be module:attribute, such as my_module:MyClass")
    found = imported(module)
    try:
        return functools.reduce(getattr, attribute.split("."), found)
    except AttributeError:
        close = "".join(f"; did you mean {one!r}?" for one in difflib.get_close_matches(attribute, dir(found), 1))
        raise ValueError(f"{module} has no {attribute!r}{close}") from None


def imported(module: str) -> Any:
    """Import a module by its name; the current folder counts as importable, last in order.

    Raises:
        ValueError: there is none, or its own code fails.
    """
    importable()
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:  # whatever the author's module raises
        missing = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        is_itself = f"{module}.".startswith(f"{missing}.")
        rest = "; install its package, or run where its file is" if is_itself else error_place(error)
        if missing in sources.packages():  # the names of version 0.1
            name = module if is_itself else missing
            rest = f"{'' if is_itself else rest}; import names begin with bonspiel: write bonspiel.{name}"
        raise ValueError(f"{module} cannot be imported ({error_text(error)}){rest}") from error


def importable() -> None:
    """Make modules in the current folder importable, after everything else."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)


MISSING = "missing"


def origin(module: str) -> str:
    """The version of a module's package, if it is installed, and the digest of the sources that it may depend on.

    MISSING where the module cannot be found.
    """
    importable()
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        return MISSING
    top = module.partition(".")[0]
    facts = []
    with suppress(importlib.metadata.PackageNotFoundError):
        facts.append(f"{top} {importlib.metadata.version(top)}")
    if spec.origin is not None:
        facts.append(f"sources {sources.digest(sources.imports_of(Path(spec.origin).resolve()))}")
    return ", ".join(facts)
