"""Where a number comes from: everything that could change it, as plain JSON values."""

import datetime as dt
import platform
import sys
from typing import Any

from pommel.errors import package_version, pommel_version
from pommel.models.model import ModelInfo
from pommel.models.policy import Method, Policy
from pommel.suite.read import suite_hash
from pommel.suite.suite import Suite

_PACKAGES = ("numpy", "torch", "transformers", "tokenizers")


def provenance(  # noqa: PLR0913 - each of these could change a number
    suite: Suite,
    model: ModelInfo,
    policy: Policy,
    *,
    method: Method = "auto",
    compat: str | None = None,
    regions: str = "all",
) -> dict[str, Any]:
    """Return suite hash and version, model, policy, package versions, machine and time (UTC).

    `policy` is what was asked for, `method` the scoring method that it meant for the model,
    `regions` which of a sentence's regions had to be scored: "all", or those "needed".
    """
    return {
        "suite": {
            "name": suite.name,
            "version": suite.version or None,
            "sha256": suite_hash(suite),
            "n_items": len(suite.items),
        },
        "model": model.to_dict(),
        "policy": {**policy.to_dict(), "fingerprint": policy.fingerprint},
        "method": method,
        "compat": compat,
        "regions": regions,
        **environment(),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def environment() -> dict[str, Any]:
    """Return what the numbers are computed with: pommel, packages, Python and machine."""
    return {
        "pommel": pommel_version(),
        "packages": _loaded_packages(),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _loaded_packages() -> dict[str, str]:
    # Only what is loaded can have had a say in the numbers.
    loaded = [name for name in _PACKAGES if name in sys.modules]
    return {name: package_version(name) or "unknown" for name in loaded}
