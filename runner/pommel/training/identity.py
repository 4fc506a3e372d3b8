"""What makes a training another one: its settings, by the names of their options."""

from collections.abc import Mapping
from typing import Any

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
