"""The record of a training, `training.json`: what was done, with what, and what came of it."""

import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pommel.errors import package_version
from pommel.training.lstm.corpus import Corpus, Section
from pommel.training.lstm.progress import Progress

_PACKAGES = ("torch", "numpy", "safetensors")


def described(
    recipe: Mapping[str, Any], sha256: Mapping[str, str | None], corpus: Corpus, *, seed: int
) -> dict[str, Any]:
    """Return what decides the weights, and how much text it is."""
    return {
        "recipe": dict(recipe),
        "seed": seed,
        "sha256": dict(sha256),
        "corpus": {
            "n_vocabulary": len(corpus.vocabulary),
            "training": _section(corpus.training),
            "validation": _section(corpus.validation),
        },
    }


def outcome(progress: Progress, *, n_steps: int, n_parameters: int) -> dict[str, Any]:
    """Return the figures of all epochs, and those of the one whose weights the model has."""
    best = progress.best
    return {
        "n_steps": n_steps,
        "n_parameters": n_parameters,
        "best_epoch": best.epoch if best else None,
        "validation_perplexity": best.validation_perplexity if best else None,
        "seconds": round(sum(each.seconds for each in progress.epochs) + progress.seconds, 1),
        "epochs": [asdict(each) for each in progress.epochs],
    }


def environment(*, device: str, n_threads: int) -> dict[str, Any]:
    """Return what the arithmetic was done with."""
    return {
        "pommel": package_version("pommel"),
        **{name: package_version(name) for name in _PACKAGES},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": device,
        "n_threads": n_threads,
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "n_sentences": section.n_sentences,
        "n_words": len(section.words) - section.n_sentences,
        "n_unknown": section.n_unknown,
    }
