"""What ships with pommel, without torch and transformers: its network in numpy, its tokenizer."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pommel.models.huggingface.files import find_files, read_json
from pommel.models.huggingface.loading import Loaded
from pommel.models.huggingface.tokens import Vocabulary
from pommel.models.model import LoadOptions
from pommel.models.neural.gpt2 import NumpyGpt2


class PlainTokenizer:
    """A `tokenizer.json` and its marks: what is asked of a tokenizer of transformers, as it is."""

    is_fast = True
    mask_token = mask_token_id = None

    def __init__(self, folder: Path) -> None:
        """Read the tokenizer in `folder`, which has one mark for whatever is none of its text."""
        tokenizers: Any = import_module("tokenizers")
        self.backend_tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        mark = read_json(folder / "tokenizer_config.json")["bos_token"]
        self.bos_token = self.eos_token = self.unk_token = mark
        self.bos_token_id = self.backend_tokenizer.token_to_id(mark)
        self.eos_token_id = self.unk_token_id = self.bos_token_id
        self.all_special_tokens, self.all_special_ids = [mark], [self.bos_token_id]
        self.get_vocab = self.backend_tokenizer.get_vocab

    def __len__(self) -> int:
        return len(self.get_vocab())

    def __call__(
        self, texts: list[str], *, add_special_tokens: bool, verbose: bool
    ) -> SimpleNamespace:
        """Return the texts' `encodings`."""
        del verbose
        batch = self.backend_tokenizer.encode_batch(texts, add_special_tokens=add_special_tokens)
        return SimpleNamespace(encodings=batch)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the ids of a text's tokens."""
        ids: list[int] = self.backend_tokenizer.encode(
            text, add_special_tokens=add_special_tokens
        ).ids
        return ids

    def tokenize(self, text: str) -> list[str]:
        """Return a text's tokens as they are written."""
        return self.convert_ids_to_tokens(self.encode(text, add_special_tokens=False))

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        """Return how tokens are written."""
        return [*map(self.backend_tokenizer.id_to_token, ids)]


def load_in_numpy(folder: Path, options: LoadOptions) -> Loaded:
    """Read the shipped model in `folder`; raises `ModelNotAvailableError` for files that lack."""
    safetensors: Any = import_module("safetensors.numpy")
    files = find_files(folder, allow_pickle=False)
    config: Any = read_json(files.config)
    network = NumpyGpt2(
        safetensors.load_file(files.weights[0]),
        n_heads=config["n_head"],
        epsilon=config["layer_norm_epsilon"],
        dtype=options.dtype,
    )
    tokenizer: Any = PlainTokenizer(folder)
    names = ("numpy", "tokenizers")
    return Loaded(
        network=network,
        vocabulary=Vocabulary(tokenizer, n_known=network.n_outputs),
        files=files,
        kind="causal",
        devices=("cpu",),
        options=replace(options, device="cpu"),
        architecture=config["architectures"][0],
        n_parameters=network.n_parameters,
        max_tokens=network.max_tokens,
        packages={name: str(import_module(name).__version__) for name in names},
    )
