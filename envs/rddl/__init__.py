"""Problems in RDDL, the language of the probabilistic planning competitions (needs the extra `rddl`)."""

from bonspiel.envs.rddl.model import RddlModel, from_rddl

__all__ = ["RddlModel", "from_rddl"]
