"""KR-UCT: kernel regression over actions with execution noise (Yee, Lisy, Bowling, IJCAI 2016)."""

from bonspiel.planners.trees.kr_uct.planner import KRUCT

__all__ = ["KRUCT"]
