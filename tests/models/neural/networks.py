"""Tiny causal networks with random weights, and what they say one sentence at a time."""

import copy
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pommel.models.model import LoadOptions
from pommel.models.neural.causal import CausalEngine, causal_engine
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass
from pommel.models.neural.questions import Answer, Ids, Request

N_KNOWN = 97
# Shorter than some of the sentences, so that what is beyond it shows.
WINDOW = 8
_SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
_LIMIT = {"max_position_embeddings": 64}
_LLAMA = {**_SIZE, **_LIMIT, "intermediate_size": 64, "num_key_value_heads": 2}
# The name of an architecture's classes in transformers, and its smallest sensible shape.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "GPT2": {"n_layer": 2, "n_embd": 32, "n_head": 4, "n_positions": 64},
    "GPTNeoX": {**_SIZE, **_LIMIT, "intermediate_size": 64},
    "Llama": _LLAMA,
    "OPT": {**_SIZE, **_LIMIT, "ffn_dim": 64, "word_embed_proj_dim": 32},
    "Bloom": {"n_layer": 2, "hidden_size": 32, "n_head": 4},
    "Gemma2": {**_LLAMA, "head_dim": 8, "sliding_window": WINDOW},
    "Mistral": {**_LLAMA, "sliding_window": WINDOW},
    "Mamba": {"num_hidden_layers": 2, "hidden_size": 32, "state_size": 4},
    "GPTNeo": {
        **_LIMIT,
        "num_layers": 2,
        "hidden_size": 32,
        "num_heads": 4,
        "attention_types": [[["global", "local"], 1]],
        "window_size": WINDOW,
    },
    "GPTJ": {"n_layer": 2, "n_embd": 32, "n_head": 4, "rotary_dim": 4, "n_positions": 64},
    "XGLM": {**_LIMIT, "num_layers": 2, "d_model": 32, "attention_heads": 4, "ffn_dim": 64},
    "Qwen2": _LLAMA,
}
_MARKS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
# Initial weights are so small that hardly anything depends on the context. Enlarged ones make a
# fault show; too large ones make rounding show (Mamba takes exponentials of them).
_ENLARGED = {"Mamba": 2.0}


def network(name: str, *, scale: float | None = None, **changes: Any) -> Any:
    """Return a network in float32, the same at each call."""
    torch: Any = import_module("torch")
    hf: Any = import_module("transformers")
    options = {"vocab_size": N_KNOWN, **_MARKS, **CONFIGURATIONS[name], **changes}
    torch.manual_seed(1)
    model = getattr(hf, f"{name}ForCausalLM", None) or getattr(hf, f"{name}LMHeadModel")
    model = model(getattr(hf, f"{name}Config")(**options)).eval()
    factor = _ENLARGED.get(name, 5.0) if scale is None else scale
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(factor)
    return model


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """What a network says in float64, one whole sentence at a time, all logits of it."""

    model: Any
    _known: dict[bytes, NDArray[np.float64]] = field(default_factory=dict)

    def log2_probabilities(self, ids: Ids) -> NDArray[np.float64]:
        """Return what is expected after each of `ids`, (n_ids x n_outputs)."""
        torch: Any = import_module("torch")
        key = ids.tobytes()
        if key not in self._known:
            with torch.inference_mode():
                logits = self.model(torch.tensor(ids)[None], use_cache=False).logits[0]
            rows = logits.double().log_softmax(-1).numpy()
            self._known[key] = rows / math.log(2)
        return self._known[key]

    def answer(self, request: Request, group: NDArray[np.bool_] | None = None) -> Answer:
        """Return what an engine should answer."""
        rows = self.log2_probabilities(request.ids)
        bits = -rows[request.positions - 1, request.ids[request.positions]]
        if group is None:
            return Answer(bits=bits, boundary_bits=np.full(len(request.boundaries), np.nan))
        shares = np.exp2(rows[request.boundaries - 1][:, group]).sum(axis=-1)
        return Answer(bits=bits, boundary_bits=-np.log2(shares))


def reference(name: str, model: Any) -> Reference:
    """Return the oracle of a network, which is copied."""
    exact = copy.deepcopy(model)
    # XGLM's embeddings of positions are float32 whatever its weights are.
    return Reference(exact if name == "XGLM" else exact.double())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """An engine and its oracle."""

    engine: CausalEngine
    reference: Reference


@functools.cache
def trial(name: str) -> Trial:
    """Return the trial of an architecture, made once for all tests."""
    model = network(name)
    # Before the engine makes its activations faster ones.
    oracle = reference(name, model)
    return Trial(engine=engine_of(model), reference=oracle)


class AncestorsHidden(Network):
    """Hides the first token of a packed row from all others."""

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        given = super().inputs(a_pass)
        if a_pass.tree is not None:
            given["attention_mask"][:, :, 1:, 0] = given["attention_mask"].min()
        return given


def engine_of(model: Any, *, dtype: str = "float32", **options: Any) -> CausalEngine:
    return causal_engine(Network(model, device="cpu"), LoadOptions(dtype=dtype, **options))


def limited(engine: CausalEngine, **limits: int | None) -> CausalEngine:
    """Return an engine that may use less."""
    return replace(engine, options=replace(engine.options, **limits))  # type: ignore[arg-type]


def request(
    ids: Sequence[int], positions: Sequence[int] | None = None, boundaries: Sequence[int] = ()
) -> Request:
    """Return a request; without `positions` for all that there can be."""
    return Request(
        ids=np.array(ids, dtype=np.int64),
        positions=np.array(range(1, len(ids)) if positions is None else positions, dtype=np.int64),
        boundaries=np.array(boundaries, dtype=np.int64),
    )


def random_requests(n: int, *, longest: int = 20, seed: int = 0) -> list[Request]:
    """Return requests that share beginnings, some of them longer than the windows."""
    random = np.random.default_rng(seed)
    stems = [random.integers(0, N_KNOWN, longest) for _ in range(4)]
    made = []
    for _ in range(n):
        stem = stems[random.integers(4)][: random.integers(1, longest)]
        ids = np.concatenate([stem, random.integers(0, N_KNOWN, random.integers(1, 9))])
        asked = random.random(len(ids)) < random.random()
        boundaries = np.flatnonzero(random.random(len(ids)) < 0.2) + 1
        positions = np.flatnonzero(asked[1:]) + 1
        made.append(request(ids.tolist(), positions.tolist(), boundaries.tolist()))
    return made


@st.composite
def requests(draw: st.DrawFn) -> list[Request]:
    """Requests over few ids, so that much is shared; some repeat, some ask nothing."""
    sequences = st.lists(st.integers(0, 2), min_size=1, max_size=WINDOW + 4)
    made = []
    for ids in draw(st.lists(sequences, max_size=7)):
        asked = draw(st.sets(st.integers(1, len(ids) - 1))) if len(ids) > 1 else ()
        boundaries = draw(st.sets(st.integers(1, len(ids)), max_size=2))
        made.append(request(ids, sorted(asked), sorted(boundaries)))
    return [*made, *made[: draw(st.integers(0, 2))]]


def largest_difference(given: Sequence[Answer], expected: Sequence[Answer]) -> float:
    """Return by how many bits any two numbers differ; NaN equals NaN alone."""
    largest = 0.0
    for one, other in zip(given, expected, strict=True):
        for numbers, right in ((one.bits, other.bits), (one.boundary_bits, other.boundary_bits)):
            assert numbers.shape == right.shape
            assert (np.isnan(numbers) == np.isnan(right)).all()
            largest = max(largest, float(np.nanmax(np.abs(numbers - right), initial=0)))
    return largest


def answers(
    engine: CausalEngine, asked: Sequence[Request], group: NDArray[np.bool_] | None = None
) -> list[Answer]:
    """Return the answers in the order of the requests, each of which is answered once."""
    pairs = list(engine.answers(asked, group=group))
    given = dict(pairs)
    assert len(pairs) == len(given) == len(asked)
    return [given[index] for index in range(len(asked))]
