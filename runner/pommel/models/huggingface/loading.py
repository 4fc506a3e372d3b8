"""From a folder to a causal language model and its tokenizer in memory, or to one clear line."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface.device import find_device, find_dtype
from pommel.models.huggingface.files import ModelFiles, find_files, read_json
from pommel.models.huggingface.source import first_line
from pommel.models.model import LoadOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that is ready to score: `network` on its device, in evaluation mode."""

    network: Any
    tokenizer: Any
    files: ModelFiles
    device: str
    dtype: str


def require_extra(reference: str) -> None:
    """Raise `ModelNotAvailableError` if torch or transformers are not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch  # noqa: F401, PLC0415
            import transformers  # noqa: F401, PLC0415
    except ImportError:
        message = f"{reference} needs the Hugging Face extra: pip install 'pommel[hf]'"
        raise ModelNotAvailableError(message) from None


def load(folder: Path, *, reference: str, options: LoadOptions) -> Loaded:
    """Read the model in `folder`, checked from the cheapest check to the dearest.

    Raises `ModelNotAvailableError` for anything that is missing, broken, unsafe without a word
    of consent, or no causal language model. Nothing is downloaded.
    """
    device, dtype = find_device(options.device), find_dtype(options.dtype)
    files = find_files(folder, allow_pickle=options.allow_pickle, reference=reference)
    _check_kind(read_json(files.config, reference=reference), reference, options)
    with quiet():
        tokenizer = _load_tokenizer(folder, files, reference, options)
        network = _load_network(folder, files, dtype, reference, options)
        with _one_line(reference, f"cannot move the model to {device}"):
            network.to(device)
    network.eval()
    _check_vocabulary(tokenizer, network, reference)
    return Loaded(
        network=network,
        tokenizer=tokenizer,
        files=files,
        device=str(device),
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


def _check_kind(config: Mapping[str, Any], reference: str, options: LoadOptions) -> None:
    """Raise unless the configuration is that of a causal language model we can run."""
    auto: Any = import_module("transformers.models.auto.modeling_auto")
    known: Any = import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING_NAMES
    kind = config.get("model_type")
    if "auto_map" in config and options.trust_remote_code:
        return
    if kind not in known:
        if "auto_map" in config:
            problem = (
                "it needs Python code that comes with the model; if you trust its authors, "
                "run it with --trust-remote-code"
            )
        elif kind is None:
            problem = "config.json names no model_type"
        else:
            problem = f"this version of transformers does not know the model type {kind!r}"
    elif config.get("is_encoder_decoder"):
        problem = f"{kind!r} is an encoder-decoder model; only causal models are supported yet"
    elif kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES and not _is_decoder(config):
        problem = f"{kind!r} is a masked language model; only causal models are supported yet"
    elif kind not in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        problem = f"{kind!r} is not a causal language model"
    else:
        return
    raise ModelNotAvailableError(f"{reference}: {problem}")


def _is_decoder(config: Mapping[str, Any]) -> bool:
    # XLM says `causal` where the others say `is_decoder`.
    return bool(config.get("is_decoder") or config.get("causal"))


def _load_tokenizer(folder: Path, files: ModelFiles, reference: str, options: LoadOptions) -> Any:
    from transformers import AutoTokenizer  # noqa: PLC0415

    nothing = f"{reference}: {folder} has no tokenizer (tokenizer.json, or what its class needs)"
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


def _load_network(
    folder: Path, files: ModelFiles, dtype: Any, reference: str, options: LoadOptions
) -> Any:
    transformers: Any = import_module("transformers")
    major, minor = (int(part) for part in transformers.__version__.split(".")[:2])
    dtype_keyword = "dtype" if (major, minor) >= (4, 56) else "torch_dtype"
    with _one_line(reference, "the model cannot be loaded"):
        network, report = transformers.AutoModelForCausalLM.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=options.trust_remote_code,
            use_safetensors=files.safe,
            output_loading_info=True,
            **{dtype_keyword: dtype},
        )
    # What the files lack would be random numbers, with a warning at best.
    if missing := sorted(report["missing_keys"]):
        raise ModelNotAvailableError(
            f"{reference}: the weights lack {len(missing)} of the model's parameters "
            f"({missing[0]}); they are not those of a causal language model"
        )
    return network


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
