"""What the record of a training says: its settings, how two differ, what it was computed with."""

import platform
from collections.abc import Iterable, Mapping
from typing import Any

from pommel.errors import package_version

# What settings are called on the command line where it isn't `--their-name`.
_OPTIONS = {
    "n_layers": "--layers",
    "n_heads": "--heads",
    "n_positions": "--positions",
    "bptt_steps": "--bptt",
    "n_epochs": "--epochs",
    "cased": "--lower",
    "text_sha256": "TEXT",
    "validation_sha256": "--validation",
    "vocabulary_sha256": "--vocabulary",
}


def option_of(name: str) -> str:
    """Return what a setting of a recipe, or of a training's identity, is called for users."""
    return _OPTIONS.get(name) or f"--{name.replace('_', '-')}"


def differences(recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return how two trainings differ, a setting each: "--clip was 0.25 and is 1.0"."""
    return [
        _difference(name, recorded.get(name), asked.get(name))
        for name in {**asked, **recorded}
        if recorded.get(name) != asked.get(name)
    ]


def _difference(name: str, before: object, now: object) -> str:
    if name.endswith("_sha256"):
        if before is None or now is None:
            return f"{option_of(name)} was {'not ' if before is None else ''}given"
        return f"{option_of(name)} has another content"
    if name in ("cased", "tied"):
        was_given = before == (name == "tied")
        return f"{option_of(name)} was {'' if was_given else 'not '}given"
    return f"{option_of(name)} was {before} and is {now}"


def environment(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of pommel, of these packages and of Python, and the machine's system."""
    return {
        **{name: package_version(name) for name in ("pommel", *packages)},
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
