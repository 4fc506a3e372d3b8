"""What the tests of misbehaving images share."""

import sys
from collections.abc import Callable
from pathlib import Path

from tests.containers_support.answering import connected

from pommel.models.container.engines.engine import Sandbox
from pommel.models.model import LoadOptions, Policy, closing, score_all
from pommel.models.registry import load_model

# Builds an image with a fault (see misbehaving/model.py) and returns its tag.
Misbehaving = Callable[..., str]

SENTENCES = ("The cats sleep .", "A dog barks !", "I see you .")
SURPRISALS = [[3.0, 4.0, 5.0, 1.0], [1.0, 3.0, 5.0, 1.0], [1.0, 3.0, 3.0, 1.0]]


def scored(reference: str, **limits: str) -> list[list[float | None]]:
    """Return the surprisals of `SENTENCES`; `limits` are as `--sandbox` has them."""
    limits = {"time": "20", **limits}
    sandbox = Sandbox().with_settings(f"{key}={value}" for key, value in limits.items())
    with closing(load_model(reference, LoadOptions(sandbox=sandbox, pull="never"))) as model:
        return [
            [token.surprisal_bits for token in sentence.tokens]
            for sentence in score_all(model, SENTENCES, Policy())
        ]


def run_command(*words: str | Path) -> list[str]:
    """Return the words of `pommel run`, in a process of its own."""
    return [sys.executable, "-m", "pommel", "run", *map(str, words)]


def containers_of(url: str, process: int) -> dict[str, str]:
    """Return the containers that a process has started, running or not, each with its command."""
    with connected(url) as client:
        found = client.containers(all=True, filters={"name": f"pommel-{process}-"})
    return {container["Id"]: container["Command"] for container in found}
