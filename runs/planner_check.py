"""Planners of other packages: each must keep the contract of planners before it plays."""

import sys
import threading
from collections.abc import Callable
from typing import Any

from bonspiel.runs.experiment import UsageError

SILENCE = 60.0  # s; a check that takes longer prints a line


def refuse_broken(text: str, env: str, parse: Callable[[str], Any], model: Callable[[], Any]) -> None:
    """Refuse a planner of another package that breaks the contract, as far as a brief check shows."""
    from bonspiel.planners import REGISTRY

    if not any(REGISTRY.modules(text)):
        return
    from bonspiel.planners.contract.apart import check_contract
    from bonspiel.planners.contract.decisions import check_pickles

    news = f"{text} is being checked in {env} before it plays"
    notice = threading.Timer(SILENCE, print, (news,), {"file": sys.stderr, "flush": True})
    notice.daemon = True
    notice.start()
    try:
        check_pickles(parse(text), text)
        check_contract(text, lambda: (parse(text), model()), 0, is_brief=True)
    except ValueError as error:
        raise UsageError(f"{error} ({env}; bonspiel.planners.testing.check_planner tests planners)") from error
    finally:
        notice.cancel()
