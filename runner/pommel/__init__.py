"""Run SyntaxGym test suites on language models.

import pommel

results = pommel.run("builtin://en-gpt2", "suites:en")
results.to_frame("suites")
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pommel.api import (
        Results,
        SuiteWarning,
        compute_surprisals,
        conditional_scores,
        evaluate,
        load_model,
        load_suite,
        open_store,
        run,
        stored_results,
    )
    from pommel.errors import PommelError, SuiteError
    from pommel.models.model import Policy
    from pommel.suite.suite import Suite

__all__ = [
    "Policy",
    "PommelError",
    "Results",
    "Suite",
    "SuiteError",
    "SuiteWarning",
    "compute_surprisals",
    "conditional_scores",
    "evaluate",
    "load_model",
    "load_suite",
    "open_store",
    "run",
    "stored_results",
]

# Names are looked up when they are first used: `import pommel` costs next to nothing.
_HOMES = {
    "Policy": "pommel.models.model",
    "PommelError": "pommel.errors",
    "Suite": "pommel.suite.suite",
    "SuiteError": "pommel.errors",
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pommel' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - it is no name of `pommel`

    value = getattr(import_module(_HOMES.get(name, "pommel.api")), name)
    globals()[name] = value
    return value
