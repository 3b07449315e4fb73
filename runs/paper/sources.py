"""The sources of planners and problems in BibTeX: which entries of sources.bib belong to a name."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bonspiel import planners
from bonspiel.planners.registry import NESTED, fields_of
from bonspiel.runs.provenance import joined_fact

BIB = Path(__file__).with_name("sources.bib")
OWN = "bonspiel"  # the entry of this package
# An empty value: this project's own, a 2017 thesis that is not published, or too simple to have a source.
PLANNERS = {
    **{"random": "", "do_nothing": "", "constant": "karnin2013", "random_shooting": ""},
    **{
        "uct": "kocsis2006",
        "pw": "couetoux2011",
        "dpw": "couetoux2011",
        "voot": "kim2020",
        "crave": "couetoux2011rave",
    },
    **{"hoot": "mansley2011", "poly_hoot": "mao2020", "cmcgs": "kujanpaa2024", "weighted_uct": "weinstein2014"},
    **{"abstraction": "", "scaled_abstraction": "", "adaptive": "", "presearch": "", "kr_uct": "yee2016"},
    **{"sequential_halving": "karnin2013,pepels2014", "open_loop": "perez2015", "cem": "rubinstein1999,deboer2005"},
    **{"icem": "pinneri2020", "mppi": "williams2017", "root": "chaslot2008,soejima2010,kurzer2020"},
    **{"threads": "chaslot2008", "valued": "silver2017", "rave_uct": "gelly2007"},
    **{"territory_uct": "gelly2007,coulom2009"},
}
PROBLEMS = {
    **{"trap": "couetoux2011", "treasure_hunt": "couetoux2013", "pendulum": "towers2024", "mountain_car": "towers2024"},
    **{"noisy_mountain_car": "levyehudi2026", "hill_car": "moore1995,levyehudi2026", "lunar_lander": "levyehudi2026"},
    **{"navigation": "kujanpaa2024", "cart_pole": "towers2024", "double_integrator": "", "hovering": "", "donut": ""},
    **{"bicycle": "randlov1998,ernst2005", "racetrack": "barto1995", "gym": "towers2024", "rddl": "taitler2022"},
}


def of_planner(text: str) -> list[str]:
    """The keys of a planner's sources, and of the planners inside it; none for one of another package."""
    name, parameters = planners.REGISTRY.read(text)
    found = _keys(PLANNERS, planners.REGISTRY.aliases.get(name, name))
    for of in fields_of(planners.REGISTRY.cls(name)) if name in PLANNERS else ():
        if of.metadata.get(NESTED) and isinstance(parameters.get(of.name), str):
            found += of_planner(parameters[of.name])
    return list(dict.fromkeys(found))


def of_problem(text: str) -> list[str]:
    """The keys of a problem's sources; none for one of another package."""
    return _keys(PROBLEMS, text.partition(":")[0])


def _keys(known: dict[str, str], name: str) -> list[str]:
    return [key for key in known.get(name, "").split(",") if key]


def entries(text: str | None = None) -> dict[str, str]:
    """The entries of a BibTeX file by key, of ours if `text` is None."""
    content = BIB.read_text(encoding="utf-8") if text is None else text
    return {found[1]: found[0] for found in re.finditer(r"^@\w+\{(\w+),\n.*?^\}\n", content, re.M | re.S)}


def bibliography(keys: Iterable[str], provenance: Mapping[str, Any]) -> str:
    """The content of a BibTeX file with this package, as of a run's provenance, and the entries of some keys."""
    known = entries()
    facts = {name.upper(): joined_fact(provenance, name) for name in ("version", "commit")}
    facts["STARTED"] = str(provenance.get("started") or "unknown")[:4]
    own = re.sub("|".join(facts), lambda found: facts[found[0]], known[OWN])
    return "\n".join([own, *(known[key] for key in sorted(set(keys)))])
