"""What the tests of Hugging Face models have in common."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface import model as huggingface
from pommel.models.model import LoadOptions
from pommel.surprisal import ScoredSentence

FolderOf = Callable[[str], Path]


def open_tiny(folder: Path, **options: Any) -> huggingface.HuggingFaceModel:
    """Open the model in a folder."""
    model = huggingface.open_model(f"huggingface://{folder}", LoadOptions(**options))
    assert isinstance(model, huggingface.HuggingFaceModel)
    return model


def bits(scored: ScoredSentence) -> list[float | None]:
    """Return the surprisals of a sentence's tokens."""
    return [token.surprisal_bits for token in scored.tokens]


def outcomes(scored: ScoredSentence) -> list[Any]:
    """Return for each token its surprisal, or else why it has none."""
    return [
        token.why_unscored if token.surprisal_bits is None else token.surprisal_bits
        for token in scored.tokens
    ]


def texts(scored: ScoredSentence) -> list[str]:
    """Return the texts of a sentence's tokens."""
    return [token.text for token in scored.tokens]


def places(scored: ScoredSentence) -> list[tuple[str, int, int]]:
    """Return the texts of a sentence's tokens and where they stand."""
    return [(token.text, token.start, token.end) for token in scored.tokens]


def refusal(folder: Path | str, **options: Any) -> str:
    """Return the message, without the reference and with `FOLDER` for the folder."""
    reference = f"huggingface://{folder}"
    with pytest.raises(ModelNotAvailableError) as caught:
        huggingface.open_model(reference, LoadOptions(**options))
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{reference}: ")
    return message.removeprefix(f"{reference}: ").replace(str(folder), "FOLDER")


def to_pickle(folder: Path) -> None:
    """Replace the weights of a model by a pickle of them."""
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def exact_network(kind: str, folder: Path) -> Any:
    """Return the network of a folder in float64, as transformers' own class `kind` loads it."""
    import torch

    transformers: Any = import_module("transformers")
    old = transformers.__version__ < "4.56"
    dtype = {"torch_dtype" if old else "dtype": torch.float64}
    return getattr(transformers, kind).from_pretrained(folder, **dtype).eval()


def log2_softmax(network: Any, inputs: Sequence[int], **others: Any) -> Any:
    """Return log2 p (positions x vocabulary) of one plain float64 pass over one input."""
    import torch

    name = "decoder_input_ids" if others else "input_ids"
    tensors = {key: torch.tensor([value]) for key, value in {name: inputs, **others}.items()}
    with torch.no_grad():
        logits = network(**tensors).logits[0]
    return torch.log_softmax(logits.double(), -1) / torch.log(torch.tensor(2.0).double())
