"""What installed packages add to bonspiel by entry points; it imports nothing heavy, as every command asks it."""

import functools
import importlib.metadata
import pkgutil
from collections.abc import Sequence
from typing import Any, NamedTuple


class Extension(NamedTuple):
    """Something that an installed package adds: its place, "module" or "module:attribute", and "package version"."""

    place: str
    package: str

    @property
    def guest(self) -> str:
        """The package of this project that the place lies in, such as "envs"; empty for one of another project."""
        top, _, rest = self.place.partition(".")
        return rest.partition(".")[0] if top == "bonspiel" else ""

    def load(self) -> Any:
        """The object at the place.

        Raises:
            ValueError: it cannot be imported, or the module has no such attribute; the message names the package.
        """
        try:
            if self.guest:
                return pkgutil.resolve_name(self.place)
            load = pkgutil.resolve_name("bonspiel.planners.core.code.packages:load")  # which imports numpy
            return load(self.place)
        except (ImportError, ValueError) as error:
            raise ValueError(f"{error} (an entry point of {self.package})") from error


@functools.cache
def _entry_points() -> Any:
    """Those of all installed packages, for which each of them is looked at once."""
    return importlib.metadata.entry_points()


@functools.cache
def extensions(group: str) -> dict[str, tuple[Extension, ...]]:
    """The entry points of a group in installed packages, by name; two packages may use one name.

    This project's own packages for single games are among them; what another package adds by a name of theirs is left
    out.
    """
    found: dict[str, tuple[Extension, ...]] = {}
    for entry in sorted(_entry_points().select(group=group)):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"
        extension = Extension(entry.value.replace(" ", ""), package)
        if extension not in found.get(entry.name, ()):  # an editable installation may be listed twice
            found[entry.name] = (*found.get(entry.name, ()), extension)
    return {name: tuple(one for one in added if one.guest) or added for name, added in found.items()}


def sole(kind: str, name: str, added: Sequence[Extension], remedy: str) -> Extension:
    """The extension of a name that one installed package alone adds.

    Raises:
        ValueError: several do; the message ends with the remedy.
    """
    if len(added) > 1:
        who = " and ".join(f"{package} ({place})" for place, package in added)
        raise ValueError(f"{kind} {name!r} is added by {who}: {remedy}")
    return added[0]
