"""Small random masked networks, and what they give in plain float64, one input at a time."""

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from pommel.models.model import LoadOptions
from pommel.models.neural.masked import MaskedEngine, MaskedMethod, MaskedRequest, masked_engine
from pommel.models.neural.questions import Answer

N_KNOWN, MASK, OPEN, CLOSE = 24, 4, 0, 2
METHODS: list[MaskedMethod] = ["pll", "pll-word-l2r", "masked-l2r", "focus-mask", "unmasked-ce"]

# Initial weights are ten times as large as usual: flat distributions would hide a wrong mask.
_SHAPE: dict[str, Any] = {
    "vocab_size": N_KNOWN,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
    "initializer_range": 0.2,
}
_OTHER_SHAPE: dict[str, Any] = {
    "vocab_size": N_KNOWN,
    "n_layers": 2,
    "n_heads": 2,
    "max_position_embeddings": 40,
}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "Bert": _SHAPE,
    # Their positions are counted from the padding id on.
    "Roberta": {**_SHAPE, "pad_token_id": 1},
    "XLMRoberta": {**_SHAPE, "pad_token_id": 1},
    "DistilBert": {**_OTHER_SHAPE, "dim": 16, "hidden_dim": 32, "initializer_range": 0.2},
    "Albert": {**_SHAPE, "embedding_size": 8},
    "Electra": {**_SHAPE, "embedding_size": 8},
    "MPNet": {**_SHAPE, "pad_token_id": 1},
    "DebertaV2": {**_SHAPE, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    # Every other layer sees two tokens to each side.
    "ModernBert": {
        **_SHAPE,
        "pad_token_id": 1,
        "local_attention": 4,
        "global_attn_every_n_layers": 2,
    },
}


def network(name: str, **changes: Any) -> Any:
    torch.manual_seed(3)
    configuration = {**CONFIGURATIONS[name], **changes}
    config = getattr(transformers, f"{name}Config")(**configuration)
    return getattr(transformers, f"{name}ForMaskedLM")(config).eval()


def engine_of(model: Any, *, mask_id: int = MASK, dtype: str = "float32") -> MaskedEngine:
    return masked_engine(model, LoadOptions(dtype=dtype), mask_id=mask_id)


class Oracle:
    """A network in float64, asked for one token of one input at a time."""

    def __init__(self, model: Any) -> None:
        self.model = copy.deepcopy(model).double()

    def bits(self, request: MaskedRequest, method: MaskedMethod) -> list[float]:
        given = zip(*self.inputs(request, method), strict=True)
        return [self._bits(ids, position, target) for ids, position, target in given]

    def inputs(
        self, request: MaskedRequest, method: MaskedMethod
    ) -> tuple[list[list[int]], list[int], list[int]]:
        ids, words = request.ids.tolist(), request.words.tolist()
        positions = request.positions.tolist()
        inputs = []
        for position in positions:
            one = list(ids)
            match method:
                case "pll" | "focus-mask":
                    one[position] = MASK
                case "pll-word-l2r":
                    same = [place for place, word in enumerate(words) if word == words[position]]
                    for place in same if words[position] != -1 else [position]:
                        if place >= position:
                            one[place] = MASK
                case "masked-l2r":
                    n_fed = len(ids) - request.n_closing + 1
                    one = ids[:position] + [MASK] * (n_fed - position)
                case "unmasked-ce":
                    pass
            inputs.append(one)
        return inputs, positions, [ids[position] for position in positions]

    def _bits(self, ids: list[int], position: int, target: int) -> float:
        with torch.inference_mode():
            logits = self.model(torch.tensor([ids])).logits[0, position]
        return float(-logits.log_softmax(-1)[target]) / math.log(2)


def sentence(
    tokens: Sequence[int], asked: Sequence[int] | None = None, words: Sequence[int] | None = None
) -> MaskedRequest:
    """Return the request of `tokens` between two marks; `asked` counts the opening mark."""
    words = range(len(tokens)) if words is None else words
    asked = range(1, len(tokens) + 1) if asked is None else asked
    return MaskedRequest(
        ids=np.array([OPEN, *tokens, CLOSE], dtype=np.int64),
        positions=np.array(asked, dtype=np.int64),
        words=np.array([-1, *words, -1], dtype=np.int64),
        n_closing=1,
    )


def answers_of(
    engine: MaskedEngine, requests: Sequence[MaskedRequest], method: MaskedMethod
) -> list[Answer]:
    pairs = list(engine.answers(requests, method))
    assert sorted(index for index, _ in pairs) == list(range(len(requests)))
    return [dict(pairs)[index] for index in range(len(requests))]


def check(
    engine: MaskedEngine, oracle: Oracle, requests: Sequence[MaskedRequest], method: MaskedMethod
) -> None:
    for request, answer in zip(requests, answers_of(engine, requests, method), strict=True):
        assert answer.bits == pytest.approx(oracle.bits(request, method), abs=1e-4)
        assert len(answer.boundary_bits) == 0


class Odd(torch.nn.Module):
    """A network with something odd about it; as it is, nothing is."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self.config, self.dtype = inner.config, inner.dtype
        self.get_input_embeddings = inner.get_input_embeddings
        self.get_output_embeddings = inner.get_output_embeddings
        self.n_most = 1_000
        self.shapes: list[tuple[int, ...]] = []

    def forward(self, input_ids: Any, attention_mask: Any = None, **others: Any) -> Any:
        self.shapes.append(tuple(input_ids.shape))
        if input_ids.numel() > self.n_most:
            raise RuntimeError("CUDA out of memory. Tried to allocate 1.00 GiB")
        return self.inner(input_ids, attention_mask=attention_mask, **others)
