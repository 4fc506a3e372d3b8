"""From a folder to a language model and its tokenizer in memory, or to one clear line."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pommel.errors import ModelNotAvailableError, first_line
from pommel.models.huggingface.files import ModelFiles, find_files, read_json
from pommel.models.huggingface.kinds import AUTO_CLASSES, Kind, kind_of
from pommel.models.huggingface.missing_weights import needed_but_missing
from pommel.models.huggingface.placement import (
    bytes_of_weights,
    place_weights,
    require_accelerate,
)
from pommel.models.model import LoadOptions
from pommel.models.neural.device import find_device, find_dtype, free_gpu_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that is ready to score: `network` on its devices, in evaluation mode.

    `device` is where its input goes; `devices` are all that hold a part of it.
    """

    network: Any
    tokenizer: Any
    files: ModelFiles
    kind: Kind
    device: str
    devices: tuple[str, ...]
    dtype: str

    @property
    def n_known(self) -> int:
        """How many token ids the network knows."""
        return int(self.network.get_input_embeddings().weight.shape[0])


def require_extra(reference: str) -> None:
    """Raise `ModelNotAvailableError` if torch or transformers are not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch  # noqa: F401, PLC0415 - an extra
            import transformers  # noqa: F401, PLC0415 - an extra
    except ImportError:
        message = f"{reference} needs the Hugging Face extra: pip install 'pommel[hf]'"
        raise ModelNotAvailableError(message) from None


def load(folder: Path, *, reference: str, options: LoadOptions) -> Loaded:
    """Read the model in `folder`, checked from the cheapest check to the dearest.

    Raises `ModelNotAvailableError` for anything that is missing, broken, unsafe without a word
    of consent, or no language model. Nothing is downloaded.
    """
    device, dtype = find_device(options.device), find_dtype(options.dtype)
    files = find_files(folder, allow_pickle=options.allow_pickle, reference=reference)
    kind = kind_of(
        read_json(files.config, reference=reference),
        reference=reference,
        trust_remote_code=options.trust_remote_code,
    )
    devices = _devices(files, dtype, reference, options) or (str(device),)
    with quiet():
        tokenizer = _load_tokenizer(folder, files, reference, options)
        with _one_line(reference, "the model cannot be loaded"):
            network, missing = _load_network(folder, files, kind, dtype, devices, options)
        if len(devices) == 1:
            with _one_line(reference, f"cannot move the model to {devices[0]}"):
                network.to(devices[0])
        network.eval()
        _check_weights(network, missing, kind, reference)
    _check_vocabulary(tokenizer, network, reference)
    return Loaded(
        network=network,
        tokenizer=tokenizer,
        files=files,
        kind=kind,
        device=str(network.get_input_embeddings().weight.device),
        devices=devices,
        dtype=options.dtype,
    )


def text_config(network: Any) -> Any:
    """Return the part of a model's configuration that concerns text (all of it, mostly)."""
    return network.config.get_text_config(decoder=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars, advice and warnings to itself, and restore them."""
    logging: Any = import_module("transformers.utils.logging")
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _devices(
    files: ModelFiles, dtype: Any, reference: str, options: LoadOptions
) -> tuple[str, ...]:
    """Return the GPUs for `--device auto`; none if there are none, or a device was named."""
    free = free_gpu_bytes() if options.device == "auto" else {}
    if not free:
        return ()
    weight_bytes = bytes_of_weights(files, dtype.itemsize)
    devices = place_weights(weight_bytes, free, reference=reference)
    if len(devices) > 1:
        require_accelerate(weight_bytes, reference=reference)
    return devices


def _load_tokenizer(folder: Path, files: ModelFiles, reference: str, options: LoadOptions) -> Any:
    from transformers import AutoTokenizer  # noqa: PLC0415 - an extra

    nothing = (
        f"{reference}: {folder} has no tokenizer (tokenizer.json, or what its class needs); copy "
        "its files there (a Trainer leaves them in the folder above its checkpoints)"
    )
    if not files.tokenizer:
        raise ModelNotAvailableError(nothing)
    with _one_line(reference, f"{folder} has no tokenizer that can be read"):
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=options.trust_remote_code
        )
    # Without its files a tokenizer may come out empty, with nothing but special tokens.
    needed = (getattr(tokenizer, "vocab_files_names", None) or {}).values()
    if needed and not any((folder / name).is_file() for name in ("tokenizer.json", *needed)):
        raise ModelNotAvailableError(nothing)
    return tokenizer


def _load_network(  # noqa: PLR0913, PLR0917 - what loading depends on
    folder: Path,
    files: ModelFiles,
    kind: Kind,
    dtype: Any,
    devices: tuple[str, ...],
    options: LoadOptions,
) -> tuple[Any, list[str]]:
    """Return the network and the names of what its files lack."""
    transformers: Any = import_module("transformers")
    major, minor = (int(part) for part in transformers.__version__.split(".")[:2])
    dtype_keyword = "dtype" if (major, minor) >= (4, 56) else "torch_dtype"
    network, report = getattr(transformers, AUTO_CLASSES[kind]).from_pretrained(
        folder,
        local_files_only=True,
        trust_remote_code=options.trust_remote_code,
        use_safetensors=files.safe,
        output_loading_info=True,
        **{dtype_keyword: dtype},
        **(_spread() if len(devices) > 1 else {}),
    )
    return network, sorted(report["missing_keys"])


def _spread() -> dict[str, Any]:
    """Return the arguments that spread a network over all GPUs."""
    # Only GPUs: what lies with the processor or on disk would be moved for every batch.
    room = {int(device.removeprefix("cuda:")): free for device, free in free_gpu_bytes().items()}
    return {"device_map": "auto", "max_memory": room}


def _check_weights(network: Any, missing: list[str], kind: Kind, reference: str) -> None:
    # What the files lack would be random numbers, with a warning at best.
    with _one_line(reference, "the model cannot be tried"):
        lacking = needed_but_missing(network, missing)
    if lacking:
        raise ModelNotAvailableError(
            f"{reference}: the weights lack {len(lacking)} of the model's parameters "
            f"({lacking[0]}); they are not those of {_A_MODEL[kind]}"
        )


_A_MODEL = {
    "causal": "a causal language model",
    "masked": "a masked language model",
    "encoder-decoder": "an encoder-decoder language model",
}


def _check_vocabulary(tokenizer: Any, network: Any, reference: str) -> None:
    # Added tokens (padding, say) may lie beyond: they matter only in a sentence that has one.
    known = network.get_input_embeddings().weight.shape[0]
    if tokenizer.vocab_size > known:
        raise ModelNotAvailableError(
            f"{reference}: its tokenizer has {tokenizer.vocab_size} tokens, but the model knows "
            f"only {known}; the tokenizer belongs to another model"
        )


@contextmanager
def _one_line(reference: str, problem: str) -> Iterator[None]:
    """Turn whatever transformers and its libraries raise into one line."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - tokenizers raises plain Exception
        if "trust_remote_code" in str(error):
            problem = "it needs Python code that comes with the model"
            hint = "if you trust its authors, run it with --trust-remote-code"
        else:
            hint = f"{type(error).__name__}: {first_line(error)}"
        raise ModelNotAvailableError(f"{reference}: {problem}; {hint}") from None
