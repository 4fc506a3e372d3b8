"""The weights of a word-level LSTM: which there have to be, and what may be wrong with them.

Their names are those of torch modules: `encoder.weight` (words x embedding_size);
`rnn.weight_ih_l0` (4 * hidden_size x its inputs), `rnn.weight_hh_l0` (4 * hidden_size x
hidden_size), `rnn.bias_ih_l0` and `rnn.bias_hh_l0` (4 * hidden_size,), and so on for each layer;
`decoder.weight` (words x hidden_size; the encoder's in a tied model) and `decoder.bias` (words,).
The four blocks of `rnn` are those of torch's `LSTM`: input gate, forget gate, cell, output gate.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import InputError, counted, first_line
from pommel.files.writing import replacing
from pommel.models.lstm.config import LstmConfig

if TYPE_CHECKING:
    import torch

SAFETENSORS = "model.safetensors"
PICKLE = "model.pt"

Shape = tuple[int, ...]

_TIED = "decoder.weight"


def shapes(config: LstmConfig, n_words: int) -> dict[str, Shape]:
    """Return the names and shapes of all weights of a network, in order."""
    hidden = config.hidden_size
    found: dict[str, Shape] = {"encoder.weight": (n_words, config.embedding_size)}
    for layer in range(config.n_layers):
        n_inputs = hidden if layer else config.embedding_size
        found[f"rnn.weight_ih_l{layer}"] = (4 * hidden, n_inputs)
        found[f"rnn.weight_hh_l{layer}"] = (4 * hidden, hidden)
        found[f"rnn.bias_ih_l{layer}"] = (4 * hidden,)
        found[f"rnn.bias_hh_l{layer}"] = (4 * hidden,)
    if not config.tied:
        found[_TIED] = (n_words, hidden)
    found["decoder.bias"] = (n_words,)
    return found


def read_weights(
    path: Path, wanted: Mapping[str, Shape], *, tied: bool
) -> "dict[str, torch.Tensor]":
    """Return the weights in a file: just those that are `wanted`.

    Shapes are checked before anything is read, where the file's format allows it. Raises
    `InputError` for a file that is damaged or holds other weights, or numbers that are none, and
    `OSError` for one that can't be read.
    """
    read = _read_safetensors if path.name == SAFETENSORS else _read_pickle
    # torch lists a tied matrix under both names.
    weights = read(path, wanted, {_TIED: wanted["encoder.weight"]} if tied else {})
    for name, each in weights.items():
        _check_numbers(path, name, each)
    if tied and _TIED in weights and not weights.pop(_TIED).equal(weights["encoder.weight"]):
        raise InputError(
            f"{path}: {_TIED} is not encoder.weight, and config.json says that they are tied"
        )
    return weights


def write_tensors(
    path: Path, tensors: "Mapping[str, torch.Tensor]", metadata: Mapping[str, str] | None = None
) -> None:
    """Write a file of safetensors, as a whole or not at all; raises `PommelError` as `replacing`.

    The tensors lie on the processor, contiguous, and share no memory.
    """
    from safetensors import SafetensorError  # noqa: PLC0415 - an extra
    from safetensors.torch import save_file  # noqa: PLC0415 - an extra

    with replacing(path) as aside:
        try:
            save_file(dict(tensors), aside, metadata=dict(metadata) if metadata else None)
        except SafetensorError as error:
            # So it calls a full disk, too.
            raise OSError(first_line(error)) from None


def _read_safetensors(
    path: Path, wanted: Mapping[str, Shape], also: Mapping[str, Shape]
) -> "dict[str, torch.Tensor]":
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - an extra

    try:
        with safe_open(path, framework="pt") as file:
            found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - the file is no mapping
            _check_shapes(path, found, wanted, also)
            return {name: file.get_tensor(name) for name in found}
    except SafetensorError as error:
        raise InputError(
            f"{path}: this is no whole file of safetensors ({first_line(error)})"
        ) from None


def _read_pickle(
    path: Path, wanted: Mapping[str, Shape], also: Mapping[str, Shape]
) -> "dict[str, torch.Tensor]":
    import torch  # noqa: PLC0415 - an extra

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - pickles fail in any way that they like
        raise InputError(
            f"{path}: no tensors can be read from it, and no code in it is run; "
            "save the network's state_dict()"
        ) from None
    if not isinstance(content, Mapping) or not all(
        isinstance(name, str) and isinstance(each, torch.Tensor) for name, each in content.items()
    ):
        raise InputError(f"{path}: this is no dictionary of tensors; save the state_dict()")
    found = {name: tuple(each.shape) for name, each in content.items()}
    _check_shapes(path, found, wanted, also)
    return dict(content)


def _check_shapes(
    path: Path,
    found: Mapping[str, Shape],
    wanted: Mapping[str, Shape],
    also: Mapping[str, Shape],
) -> None:
    """Raise `InputError` if not all that is `wanted` is there, or more than that and `also`."""
    missing = [name for name in wanted if name not in found]
    if missing:
        hint = '; a model without one has "tied": true' if _TIED in missing else ""
        raise InputError(f"{path}: {_listed(missing)} missing, which config.json asks for{hint}")
    accepted = {**wanted, **also}
    strange = sorted(name for name in found if name not in accepted)
    if strange:
        raise InputError(f"{path}: {_listed(strange)} there, and no part of config.json's network")
    for name, shape in accepted.items():
        if name in found and found[name] != shape:
            raise InputError(
                f"{path}: a checkpoint of another shape: {name} is {_times(found[name])}, and "
                f"config.json and vocabulary.txt ask for {_times(shape)}"
            )


def _check_numbers(path: Path, name: str, weights: "torch.Tensor") -> None:
    import torch  # noqa: PLC0415 - an extra

    if weights.dtype not in {torch.float64, torch.float32, torch.float16, torch.bfloat16}:
        kind = str(weights.dtype).removeprefix("torch.")
        raise InputError(
            f"{path}: {name} has numbers of the kind {kind}; they have to be float32, float64, "
            "float16 or bfloat16"
        )
    wrong = int((~torch.isfinite(weights)).sum())
    if wrong:
        raise InputError(
            f"{path}: {name} has {counted(wrong, 'number')} that "
            f"{'is' if wrong == 1 else 'are'} infinite or none at all (NaN)"
        )


def _listed(names: Sequence[str]) -> str:
    others = f" and {counted(len(names) - 1, 'other')}" if len(names) > 1 else ""
    return f"{names[0]}{others} {'are' if others else 'is'}"


def _times(shape: Shape) -> str:
    return " x ".join(map(str, shape)) or "a single number"
