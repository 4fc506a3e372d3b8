"""Folders of word-level LSTMs with random weights, as programs that train them leave them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tests.models.lstm.reference import as_tensors, bits_of, random_weights


def save_random_lstm(
    folder: Path,
    words: Sequence[str],
    *,
    tied: bool = False,
    n_layers: int = 2,
    marks: Sequence[str] = ("<unk>", "<eos>"),
    **config: Any,
) -> Path:
    """Write a model of the two marks and `words`; return its folder."""
    from safetensors.torch import save_file

    vocabulary = [*marks, *words]
    sizes = {"embedding_size": 16 if tied else 12, "hidden_size": 16, "n_layers": n_layers}
    weights = as_tensors(random_weights(len(vocabulary), tied=tied, **sizes))
    folder.mkdir()
    (folder / "vocabulary.txt").write_text("".join(f"{word}\n" for word in vocabulary), "utf-8")
    (folder / "config.json").write_text(json.dumps({**sizes, "tied": tied, **config}))
    save_file(weights, folder / "model.safetensors")
    return folder


def reference_bits(folder: Path, ids: Sequence[int]) -> list[float]:
    """Return the surprisals of all words but the first, a word at a time, in double precision."""
    from safetensors.numpy import load_file

    weights = load_file(folder / "model.safetensors")
    return bits_of({name: each.astype(np.float64) for name, each in weights.items()}, ids)
