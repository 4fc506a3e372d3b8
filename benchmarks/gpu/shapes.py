"""Networks of well-known shapes with random weights, and sentences in the shape of BLiMP."""

import json
import random
import shutil
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.scoring.networks import SEED, make_gpt2_tokenizer
from benchmarks.scoring.workload import Work

# Every one by the configuration that its authors have published.
SHAPES: dict[str, tuple[str, dict[str, int | float]]] = {
    "tiny": ("GPT2Config", {"vocab_size": 6_000, "n_layer": 2, "n_embd": 16, "n_head": 2}),
    "gpt2-small": ("GPT2Config", {"vocab_size": 50_257}),
    "pythia-1.4b": (
        "GPTNeoXConfig",
        {
            "vocab_size": 50_304,
            "hidden_size": 2_048,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 8_192,
            "max_position_embeddings": 2_048,
        },
    ),
    "llama-8b": (
        "LlamaConfig",
        {
            "vocab_size": 128_256,
            "hidden_size": 4_096,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "intermediate_size": 14_336,
            "max_position_embeddings": 8_192,
        },
    ),
}

# As many layers and next to no weights: as much is asked of torch.
_NARROW: dict[str, dict[str, int]] = {
    "tiny": {},
    "gpt2-small": {"n_embd": 24},
    "pythia-1.4b": {"hidden_size": 64, "intermediate_size": 64},
    "llama-8b": {
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
    },
}
SHAPES |= {
    f"{shape}-narrow": (SHAPES[shape][0], SHAPES[shape][1] | narrow | {"vocab_size": 6_000})
    for shape, narrow in _NARROW.items()
}


def make_network(
    folder: Path, shape: str, texts: Iterable[str], *, device: str, dtype: str
) -> None:
    """Write a causal network of one of `SHAPES`, its weights drawn on `device`, kept in `dtype`."""
    import torch

    hf: Any = import_module("transformers")
    marks = make_gpt2_tokenizer(folder, texts)
    name, size = SHAPES[shape]
    torch.manual_seed(SEED)
    with torch.device(device):
        network = hf.AutoModelForCausalLM.from_config(getattr(hf, name)(**size, **marks))
    network.to(getattr(torch, dtype)).save_pretrained(folder)


def perturbed(source: Path, folder: Path, *, share: float) -> Path:
    """Write a network whose weights are those of another with normal noise; return its folder.

    The noise of a tensor has so much of the tensor's own standard deviation.
    """
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    draw = torch.Generator().manual_seed(SEED)
    weights = load_file(source / "model.safetensors")
    moved = {
        name: each + share * each.float().std() * torch.randn(each.shape, generator=draw).to(each)
        for name, each in weights.items()
    }
    save_file(moved, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


N_PARADIGMS, N_PAIRS_EACH = 67, 1_000


def blimp_shaped_work(files: Sequence[Path], n_paradigms: int = N_PARADIGMS) -> Work:
    """Return sentences in the shape of BLiMP's 67,000 pairs, their words drawn from some of them.

    Of a paradigm, every pair is as long as one of the pairs in `files`, and differs in one word at
    the same place as that one. What is looked at is everything from that word on.
    """
    pairs = [
        (pair["sentence_good"].split(), pair["sentence_bad"].split())
        for file in files
        for pair in map(json.loads, file.read_text("utf-8").splitlines())
        if "sentence_good" in pair
    ]
    words = [word for good, _ in pairs for word in good]
    draw = random.Random(SEED)  # noqa: S311 - no secret
    sentences: list[str] = []
    spans: list[tuple[tuple[int, int], ...]] = []
    for _ in range(n_paradigms):
        for good, bad in draw.choices(pairs, k=N_PAIRS_EACH):
            same = next((i for i, (a, b) in enumerate(zip(good, bad, strict=False)) if a != b), 0)
            drawn = draw.choices(words, k=len(good))
            before = len(" ".join(drawn[:same]))
            for critical in draw.sample(words, 2):
                sentence = " ".join([*drawn[:same], critical, *drawn[same + 1 :]])
                sentences.append(sentence)
                spans.append(((before, len(sentence)),))
    return Work(sentences=tuple(sentences), spans=tuple(spans))
