"""From a folder to a language model and its tokenizer in memory, or to one clear line.

Which kind of model it is, its configuration says before any weights are read; on which devices they
go, what they need and what is free; whether weights are missing, what the numbers depend on.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pommel.errors import ModelNotAvailableError, first_line, quoted
from pommel.models.huggingface.files import ModelFiles, find_files, n_numbers, read_json
from pommel.models.huggingface.tokens import Vocabulary
from pommel.models.model import LoadOptions
from pommel.models.neural.memory import find_dtype, free_gpu_bytes
from pommel.models.neural.precision import check_products
from pommel.values import frozen

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Kind = Literal["causal", "masked", "encoder-decoder"]

# The class of transformers that loads a kind.
AUTO_CLASSES: Mapping[Kind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "encoder-decoder": "AutoModelForSeq2SeqLM",
}


def kind_of(config: Mapping[str, Any], *, trust_remote_code: bool) -> Kind:
    """Return the kind of the model that a config.json describes.

    Raises `ModelNotAvailableError` if it is no language model, or none that we can run.
    """
    own_code = config.get("auto_map")
    if own_code and trust_remote_code:
        # What it was saved as comes first.
        offered = [kind for kind, name in AUTO_CLASSES.items() if name in own_code]
        if "masked" in offered and "ForMaskedLM" in " ".join(config.get("architectures") or ()):
            return "masked"
        return offered[0] if offered else "causal"
    auto: Any = import_module("transformers.models.auto.modeling_auto")
    known: Any = import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING_NAMES
    # XLM says `causal` where the others say `is_decoder`.
    is_decoder = config.get("is_decoder") or config.get("causal")
    name = config.get("model_type")
    problem = f"{name!r} is not a language model"
    if name not in known:
        problem = f"this version of transformers does not know the model type {name!r}"
        if own_code:
            problem = f"it {_NEEDS_CODE}; {_TRUST}"
        elif name is None:
            problem = "config.json names no model_type"
    elif config.get("is_encoder_decoder"):
        if name in auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
            return "encoder-decoder"
    elif name in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES and not is_decoder:
        return "masked"
    elif name in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "causal"
    raise ModelNotAvailableError(problem)


_NEEDS_CODE = "needs Python code that comes with the model"
_TRUST = "if you trust its authors, run it with --trust-remote-code"


# A few different tokens: what none of them shows is not used.
_PROBE = (3, 5, 7, 4, 6, 3)


def needed_but_missing(network: Any, missing: Iterable[str]) -> list[str]:
    """Return those of the names `missing` whose random values would show in the logits, sorted.

    A parameter that is tied to one in the files has that one's values, and one that feeds nothing
    (the pooler of a network made to classify sentences) has no effect.
    """
    import torch

    parameters = dict(network.named_parameters(remove_duplicate=False))
    lacking = set(missing)
    there = {id(each) for name, each in parameters.items() if name not in lacking}
    own = sorted(name for name in lacking if id(parameters.get(name)) not in there)
    # An expert that no token of the probe is sent to may be another token's.
    if not own or any(name not in parameters or ".experts." in name for name in own):
        return own
    embeddings = network.get_input_embeddings().weight
    ids = torch.tensor([_PROBE], device=embeddings.device) % len(embeddings)
    inputs = {"input_ids": ids}
    if network.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids
    with torch.no_grad():
        for name in own:
            parameters[name].fill_(float("nan"))
        shows = bool(network(**inputs).logits.isnan().any())
    return own if shows else []


# The rest of a GPU is for what is computed.
_FOR_WEIGHTS = 0.9
_GB = 10**9


def place_weights(weight_bytes: int, free_bytes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the GPUs that hold a model: the first that it fits on, or all of them together.

    `free_bytes` is what is free on each GPU; none gives none. Raises `ModelNotAvailableError` if
    even all of them do not hold the weights.
    """
    for device, free in free_bytes.items():
        if weight_bytes <= free * _FOR_WEIGHTS:
            return (device,)
    if free_bytes and weight_bytes > sum(free_bytes.values()) * _FOR_WEIGHTS:
        raise ModelNotAvailableError(
            f"its weights take {_gb(weight_bytes)}, and only "
            f"{_gb(sum(free_bytes.values()))} are free on {', '.join(free_bytes)}; "
            "use --device cpu, or a smaller --dtype"
        )
    return tuple(free_bytes)


def require_accelerate(weight_bytes: int) -> None:
    """Raise `ModelNotAvailableError` if what spreads weights over GPUs is not installed."""
    try:
        import accelerate  # type: ignore[import-not-found,unused-ignore]  # noqa: F401 - an extra
    except ImportError:
        raise ModelNotAvailableError(
            f"its weights take {_gb(weight_bytes)}, more than any one GPU has free; "
            "to spread them over several: pip install accelerate"
        ) from None


def bytes_of_weights(files: ModelFiles, item_bytes: int) -> int:
    """Return how much memory a model's weights take as numbers of `item_bytes` each.

    For pickles, which are not opened to find out, it is the size of the files.
    """
    return sum(
        n_numbers(path) * item_bytes if files.safe else path.stat().st_size
        for path in files.weights
    )


def _gb(n_bytes: int) -> str:
    return f"{n_bytes / _GB:.1f} GB"


_COMPUTING = ("torch", "transformers", "tokenizers")


@frozen
class Loaded:
    """A model that is ready to score: `network` on its devices, in evaluation mode.

    Its input goes to the device of `options`; `devices` are all that hold a part of it.
    `max_tokens` is the smallest of the limits that the configuration and the tokenizer give.
    `packages` are what computes, the arithmetic first, with their versions.
    """

    network: Any
    vocabulary: Vocabulary
    files: ModelFiles
    kind: Kind
    devices: tuple[str, ...]
    options: LoadOptions
    architecture: str
    n_parameters: int
    max_tokens: int | None
    packages: Mapping[str, str]


def require_extra(reference: str) -> None:
    """Raise `ModelNotAvailableError` if torch or transformers are not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch  # noqa: F401 - an extra
            import transformers  # noqa: F401 - an extra
    except ImportError:
        message = (
            f"{reference} needs the Hugging Face extra: {ModelNotAvailableError.install('hf')}"
        )
        raise ModelNotAvailableError(message) from None


def load(folder: Path, device: str, options: LoadOptions) -> Loaded:
    """Read the model in `folder`, checked from the cheapest check to the dearest.

    Raises `ModelNotAvailableError` for anything that is missing, broken, unsafe without a word
    of consent, or no language model. Nothing is downloaded.
    """
    dtype = find_dtype(options.dtype)
    files = find_files(folder, allow_pickle=options.allow_pickle)
    config = read_json(files.config)
    _check_counts(config)
    kind = kind_of(config, trust_remote_code=options.trust_remote_code)
    devices: tuple[str, ...] = (device,)
    if options.device == "auto" and (free := free_gpu_bytes()):
        weight_bytes = bytes_of_weights(files, dtype.itemsize)
        devices = place_weights(weight_bytes, free)
        if len(devices) > 1:
            require_accelerate(weight_bytes)
    tokenizer = _load_tokenizer(folder, files, options)
    with _one_line("the model cannot be loaded"):
        network, report = _load_network(files, kind, devices, options)
    if len(devices) == 1:
        with _one_line(f"cannot move the model to {devices[0]}"):
            network.to(devices[0])
            _take_out_of_files(network)
    network.eval()
    check_products(devices[0])
    _check_weights(network, kind, report)
    known = network.get_input_embeddings().weight
    # Added tokens (padding, say) may lie beyond: they matter only in a sentence that has one.
    if tokenizer.vocab_size > len(known):
        raise ModelNotAvailableError(
            f"its tokenizer has {tokenizer.vocab_size} tokens, but the model knows "
            f"only {len(known)}; the tokenizer belongs to another model"
        )
    versions = {name: str(import_module(name).__version__) for name in _COMPUTING}
    return Loaded(
        network=network,
        vocabulary=Vocabulary(tokenizer, n_known=len(known)),
        files=files,
        kind=kind,
        devices=devices,
        options=replace(options, device=str(known.device)),
        architecture=type(network).__name__,
        n_parameters=sum(weights.numel() for weights in network.parameters()),
        max_tokens=_max_tokens(network, tokenizer),
        packages=versions,
    )


def _check_weights(network: "PreTrainedModel", kind: Kind, report: Mapping[str, Any]) -> None:
    """Raise `ModelNotAvailableError` where files lack weights, or have further layers of the same.

    What they lack would be random numbers, with a warning at best; without its last layers a model
    gives other numbers, and nobody is told. `report` is what transformers says of the loading.
    """
    with _one_line("the model cannot be tried"):
        lacking = needed_but_missing(network, report["missing_keys"])
    if lacking:
        raise ModelNotAvailableError(
            f"the weights lack {len(lacking)} of the model's parameters "
            f"({lacking[0]}); they are not those of {_A_MODEL[kind]}"
        )
    own = {_PLACE.sub("#", name) for name in network.state_dict()}
    # Files may name what they have without what a head adds in front.
    own |= {name.partition(".")[2] for name in own}
    if more := sorted(name for name in report["unexpected_keys"] if _PLACE.sub("#", name) in own):
        raise ModelNotAvailableError(
            f"its files have layers that its config.json does not ask for ({more[0]}); correct its "
            "number of layers there, or save the model with those that it is to have"
        )


# A layer's number among its like.
_PLACE = re.compile(r"(?<=\.)\d+(?=\.)")


def _take_out_of_files(network: "PreTrainedModel") -> None:
    """Copy weights that lie on the processor: they may be a file's pages.

    Those change, or are gone (SIGBUS), when somebody writes the file again, as trainers do.
    """
    for weights in (*network.parameters(), *network.buffers()):
        if weights.device.type == "cpu":
            weights.data = weights.data.clone()


# How configurations name the longest input they can take.
_LIMITS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_sequence_length")
# A tokenizer without a limit says 1e30.
_SANE_LIMIT = 1 << 30


def _max_tokens(network: "PreTrainedModel", tokenizer: object) -> int | None:
    config = network.config.get_text_config(decoder=True)
    given = [getattr(config, name, None) for name in _LIMITS]
    given += [getattr(tokenizer, "model_max_length", None), _n_places(network)]
    limits = [int(limit) for limit in given if isinstance(limit, int | float)]
    return min((limit for limit in limits if 0 < limit < _SANE_LIMIT), default=None)


def _n_places(network: "PreTrainedModel") -> int | None:
    """Return for how many tokens there are position embeddings where some are for padding.

    RoBERTa and its kin count positions from the one after that of padding.
    """
    for name, module in network.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and isinstance(padding, int):
            return int(module.weight.shape[0]) - padding - 1
    return None


# Of what transformers makes one by one, before it looks at the weights; sizes cost nothing there.
_COUNT = re.compile("layer|block|expert|label|depth|stage")
_MOST_COUNTED = 10_000


def _check_counts(config: Mapping[str, object]) -> None:
    """Raise `ModelNotAvailableError` for numbers of layers, labels and the like that no model has.

    What such a number has to fit is known only when all of these have been made.
    """
    for key, value in config.items():
        parts = value if isinstance(value, list) else [value]
        for each in parts:
            if isinstance(each, dict):
                _check_counts(each)
                continue
            is_count = _COUNT.search(key) and "size" not in key
            if is_count and isinstance(each, int) and each > _MOST_COUNTED:
                many = f"more than {_MOST_COUNTED:,} ({quoted(key)}), which no model has"
                raise ModelNotAvailableError(f"its config.json asks for {many}")


def _load_tokenizer(folder: Path, files: ModelFiles, options: LoadOptions) -> Any:
    from transformers import AutoConfig, AutoTokenizer

    nothing = (
        f"{folder} has no tokenizer (tokenizer.json, or what its class needs); copy "
        "its files there (a Trainer leaves them in the folder above its checkpoints)"
    )
    if not files.tokenizer:
        raise ModelNotAvailableError(nothing)
    with _one_line(f"{files.config} cannot be used"):
        AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=options.trust_remote_code
        )
    with _one_line(f"{folder} has no tokenizer that can be read"):
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=options.trust_remote_code
        )
    # Without its files a tokenizer may come out empty, with nothing but special tokens.
    needed = (getattr(tokenizer, "vocab_files_names", None) or {}).values()
    if needed and not any((folder / name).is_file() for name in ("tokenizer.json", *needed)):
        raise ModelNotAvailableError(nothing)
    return tokenizer


def _load_network(
    files: ModelFiles, kind: Kind, devices: tuple[str, ...], options: LoadOptions
) -> tuple[Any, Mapping[str, Any]]:
    """Return the network, and what transformers says of loading it."""
    transformers: Any = import_module("transformers")
    major, minor = (int(part) for part in transformers.__version__.split(".")[:2])
    dtype_keyword = "dtype" if (major, minor) >= (4, 56) else "torch_dtype"
    spread: Mapping[str, Any] = {}
    if len(devices) > 1:
        # Only GPUs: what lies with the processor or on disk would be moved for every batch.
        free = {int(name.removeprefix("cuda:")): room for name, room in free_gpu_bytes().items()}
        spread = {"device_map": "auto", "max_memory": free}
    network, report = getattr(transformers, AUTO_CLASSES[kind]).from_pretrained(
        files.config.parent,
        local_files_only=True,
        trust_remote_code=options.trust_remote_code,
        use_safetensors=files.safe,
        output_loading_info=True,
        **{dtype_keyword: find_dtype(options.dtype)},
        **spread,
    )
    return network, report


_A_MODEL = {
    "causal": "a causal language model",
    "masked": "a masked language model",
    "encoder-decoder": "an encoder-decoder language model",
}


@contextmanager
def _one_line(problem: str) -> Iterator[None]:
    """Turn whatever transformers and its libraries raise into one line."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - tokenizers raises plain Exception
        if "trust_remote_code" in str(error):
            problem, hint = f"it {_NEEDS_CODE}", _TRUST
        elif "mismatch" in str(error):
            hint = "its weights have other shapes than config.json says; one is another model's"
        elif type(error).__name__ == "SafetensorError":
            hint = (
                f"a file of its weights is cut off or damaged ({first_line(error)}); get it again, "
                "from Git by `git lfs pull`"
            )
        else:
            hint = f"{type(error).__name__}: {first_line(error)}"
        raise ModelNotAvailableError(f"{problem}; {hint}") from None
