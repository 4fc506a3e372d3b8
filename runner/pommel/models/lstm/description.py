"""What is said of a word-level LSTM, for people and for stored runs."""

import hashlib
import json
from pathlib import Path
from typing import Any

from pommel.models.lstm.folder import RECORD, LstmFiles
from pommel.models.model import ModelInfo

_KEPT_FIGURES = ("n_steps", "validation_perplexity")


def describe(  # noqa: PLR0913 - who the model is, and how it was loaded
    files: LstmFiles, folder: Path, *, reference: str, name: str, device: str, dtype: str
) -> ModelInfo:
    """Return the description of the model in `folder`."""
    import torch  # noqa: PLC0415 - an extra

    config = files.config
    training = _training(folder / RECORD)
    return ModelInfo(
        reference=reference,
        name=name,
        kind="lstm",
        fingerprint=hashlib.sha256(f"{files.fingerprint} {dtype}\n".encode()).hexdigest(),
        n_parameters=sum(weights.numel() for weights in files.weights.values()),
        bos=config.eos,
        eos=config.eos,
        dtype=dtype,
        device=device,
        methods=("causal",),
        details={
            "scoring": "prefix tree (states)",
            "n_layers": config.n_layers,
            "embedding_size": config.embedding_size,
            "hidden_size": config.hidden_size,
            "tied": config.tied,
            # Words; the marks are not counted.
            "vocabulary_size": len(files.vocabulary) - len({config.unk, config.eos}),
            "case": "as written" if config.cased else "lower case",
            **({"training": training} if training else {}),
            "torch": str(torch.__version__),
        },
        # What sentences share is computed once a call; products are rounded by their shape.
        costly_calls=True,
        n_together=1024,
    )


def _training(path: Path) -> dict[str, int | float]:
    """Return what tells one training of a recipe from another, if a training has left it."""
    try:
        record: Any = json.loads(path.read_text("utf-8"))
    # Nobody's scores depend on it.
    except (OSError, ValueError):
        return {}
    known = record if isinstance(record, dict) else {}
    figures = known.get("figures")
    kept = {"seed": known.get("seed")}
    if isinstance(figures, dict):
        kept |= {name: figures.get(name) for name in _KEPT_FIGURES}
    return {name: value for name, value in kept.items() if isinstance(value, int | float)}
