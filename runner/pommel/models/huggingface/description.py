"""What is said of a model that has been loaded, for people and for stored runs."""

from typing import Any

from pommel.models.huggingface.left_to_right import LeftToRight
from pommel.models.huggingface.loading import Loaded, text_config
from pommel.models.huggingface.masked import Masked
from pommel.models.huggingface.source import Source
from pommel.models.huggingface.tokens import Encoder
from pommel.models.model import ModelInfo

# How configurations name the longest input they can take.
_LIMITS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_sequence_length")
# A tokenizer without a limit says 1e30.
_SANE_LIMIT = 1 << 30


def describe(
    source: Source, loaded: Loaded, encoder: Encoder, scorer: LeftToRight | Masked
) -> ModelInfo:
    """Return the description of a model."""
    import torch  # noqa: PLC0415 - an extra
    import transformers  # noqa: PLC0415 - an extra

    start = scorer.start if isinstance(scorer, LeftToRight) else None
    start = encoder.marks.start if start is None else start
    return ModelInfo(
        reference=source.reference,
        name=source.name,
        kind="huggingface",
        fingerprint=loaded.files.fingerprint(loaded.dtype),
        revision=source.revision,
        n_parameters=sum(weights.numel() for weights in loaded.network.parameters()),
        max_tokens=_max_tokens(loaded.network, loaded.tokenizer),
        bos=encoder.text_of(start),
        eos=encoder.text_of(encoder.marks.end),
        dtype=loaded.dtype,
        device=", ".join(loaded.devices),
        methods=scorer.methods,
        details={
            "network": loaded.kind,
            "architecture": type(loaded.network).__name__,
            "scoring": _way(scorer.engine.path, scorer.engine.why),
            "vocabulary_size": len(loaded.tokenizer),
            "tokenizer_hash": loaded.files.tokenizer_hash(),
            "transformers": transformers.__version__,
            "torch": str(torch.__version__),
        },
        # What sentences share is computed once a call; masked inputs of other suites share nothing.
        costly_calls=loaded.kind != "masked",
        n_together=_n_together(loaded),
    )


def _n_together(loaded: Loaded) -> int:
    """Return how many sentences a call had better have: work of some ten seconds.

    They depend on each other by rounding, since passes are filled with whatever comes together, and
    a product of matrices is rounded otherwise in another shape. The speeds are rough: weights x
    sentences a second of a processor core and of a GPU. Masked sentences are as many inputs as they
    have tokens.
    """
    n_parameters = sum(weights.numel() for weights in loaded.network.parameters())
    speed = 2e10 if all(device == "cpu" for device in loaded.devices) else 5e12
    n_sentences = 10 * speed / n_parameters / (10 if loaded.kind == "masked" else 1)
    return int(min(max(n_sentences, 32), 1024))


def _way(path: str, why: str) -> str:
    return f"{path} ({why})" if why else path


def _max_tokens(network: Any, tokenizer: Any) -> int | None:
    """Return the smallest of the limits that the configuration and the tokenizer give."""
    config = text_config(network)
    given = [getattr(config, name, None) for name in _LIMITS]
    limits = [*given, getattr(tokenizer, "model_max_length", None), _n_places(network)]
    numbers = [int(limit) for limit in limits if isinstance(limit, int | float)]
    return min((number for number in numbers if 0 < number < _SANE_LIMIT), default=None)


def _n_places(network: Any) -> int | None:
    """Return for how many tokens there are position embeddings where some are for padding.

    RoBERTa and its kin count positions from the one after that of padding.
    """
    for name, module in network.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and isinstance(padding, int):
            return int(module.weight.shape[0]) - padding - 1
    return None
