"""Teacher forcing against plain float64, one sentence at a time, on small random networks."""

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings, strategies as st
from tests.models.neural.counting import counted, in_torch

from pommel.errors import ModelNotAvailableError
from pommel.models.model import LoadOptions
from pommel.models.neural.causal import CausalEngine, teacher_forced_engine
from pommel.models.neural.questions import Request

N_KNOWN, START = 24, 3
SOURCE = [5, 1]


def t5(**changes: Any) -> Any:
    torch.manual_seed(3)
    config = transformers.T5Config(
        vocab_size=N_KNOWN,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        **changes,
    )
    return _louder(transformers.T5ForConditionalGeneration(config))


def bart() -> Any:
    torch.manual_seed(3)
    config = transformers.BartConfig(
        vocab_size=N_KNOWN,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=40,
        init_std=0.2,
    )
    return _louder(transformers.BartForConditionalGeneration(config))


def _louder(model: Any) -> Any:
    """Make positions matter, and surprisals as large as a trained network's."""
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "relative_attention_bias" in name:
                weights.normal_(std=2.0)
            elif "embed_positions" in name:
                weights.mul_(3.0)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(std=0.5)
    return model.eval()


MODELS = {
    "T5": lambda: t5(initializer_factor=2.0),
    # Its logits are not scaled: they would be as large as no trained network's.
    "T5 1.1": lambda: t5(
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, initializer_factor=0.5
    ),
    "BART": bart,
}


def engine_of(
    model: Any,
    source_ids: Sequence[int] = SOURCE,
    start_id: int | None = START,
    batch_tokens: int | None = None,
) -> CausalEngine:
    options = LoadOptions(batch_tokens=batch_tokens)
    return teacher_forced_engine(model, options, source_ids=source_ids, start_id=start_id)


class Oracle:
    """A network in float64 that reads source and sentence afresh for every token."""

    def __init__(self, model: Any, source_ids: Sequence[int] = SOURCE) -> None:
        self.model = copy.deepcopy(model).double()
        self.source_ids = list(source_ids)

    def nats(self, context: Sequence[int]) -> Any:
        """Return the log-probabilities of what follows `context`."""
        with torch.inference_mode():
            output = self.model(
                input_ids=torch.tensor([self.source_ids]),
                decoder_input_ids=torch.tensor([list(context)]),
            )
        return output.logits[0, -1].log_softmax(-1)

    def bits(self, ids: Sequence[int], position: int) -> float:
        return float(-self.nats(ids[:position])[ids[position]]) / math.log(2)


@pytest.fixture(scope="module", params=list(MODELS))
def pair(request: pytest.FixtureRequest) -> tuple[CausalEngine, Oracle]:
    model = MODELS[request.param]()
    # The oracle is a copy of the model as it was before an engine had it.
    oracle = Oracle(model)
    return engine_of(model), oracle


def sentence(tokens: Sequence[int], asked: Sequence[int] | None = None) -> Request:
    asked = range(1, len(tokens) + 1) if asked is None else asked
    return Request(
        ids=np.array([START, *tokens], dtype=np.int64), positions=np.array(asked, dtype=np.int64)
    )


def check(engine: CausalEngine, oracle: Oracle, requests: Sequence[Request]) -> None:
    pairs = list(engine.answers(requests))
    assert sorted(index for index, _ in pairs) == list(range(len(requests)))
    for index, answer in pairs:
        ids = requests[index].ids.tolist()
        expected = [oracle.bits(ids, position) for position in requests[index].positions.tolist()]
        assert answer.bits == pytest.approx(expected, abs=1e-4)


@st.composite
def sentences(draw: st.DrawFn) -> Request:
    beginning = draw(st.sampled_from([[], [7, 8], [7, 9, 9]]))
    tokens = beginning + draw(st.lists(st.integers(0, N_KNOWN - 1), max_size=5))
    asked = draw(st.sets(st.integers(1, len(tokens)), max_size=4)) if tokens else set()
    return sentence(tokens, sorted(asked))


@settings(max_examples=15, deadline=None)
@given(requests=st.lists(sentences(), max_size=6), batch_tokens=st.sampled_from([1, 10, 25, None]))
def test_numbers_are_those_of_each_sentence_alone_in_float64(
    pair: tuple[CausalEngine, Oracle], requests: list[Request], batch_tokens: int | None
) -> None:
    engine, oracle = pair
    options = LoadOptions(batch_tokens=batch_tokens)
    check(replace(engine, options=options), oracle, requests)


def test_the_padding_id_within_a_sentence_is_a_token(pair: tuple[CausalEngine, Oracle]) -> None:
    engine, oracle = pair
    padding = in_torch(engine.network).pad_id
    check(engine, oracle, [sentence([5, padding, 6, padding]), sentence([5, 6, 7, 8, 9, 10, 11])])


def test_the_path_is_padded_batches(pair: tuple[CausalEngine, Oracle]) -> None:
    # Neither relative positions nor those that are counted off can be told of a tree.
    engine, _ = pair
    assert (engine.path, in_torch(engine.network).n_known) == ("padded batches", N_KNOWN)
    assert engine.why == "prefix tree: it raises NotImplementedError"


def test_log_probabilities_are_those_of_what_comes_next(
    pair: tuple[CausalEngine, Oracle],
) -> None:
    engine, oracle = pair
    ids = [START, 7, 8, 9]
    expected = torch.stack([oracle.nats(ids[: n + 1]) for n in range(len(ids))])
    torch.testing.assert_close(
        torch.from_numpy(engine.log_probabilities(ids)),
        expected.float(),
        atol=1e-4,
        rtol=0,
        check_stride=False,
    )


def test_the_source_is_encoded_once() -> None:
    model = t5()
    seen: list[tuple[int, ...]] = []
    model.get_encoder().register_forward_pre_hook(
        lambda _module, _arguments, named: seen.append(tuple(named["input_ids"].shape)),
        with_kwargs=True,
    )
    engine = engine_of(model, batch_tokens=4)
    counts = counted(engine.network)
    list(engine.answers([sentence([5, 6, 7, 8]), sentence([9, 10, 11, 12])]))
    assert counts.n_passes == 2
    assert seen == [(1, len(SOURCE))]


def test_the_source_matters() -> None:
    request = sentence([5, 6, 7])
    answers = []
    for source in ([5, 1], [9, 9, 9, 1]):
        engine = engine_of(bart(), source)
        check(engine, Oracle(bart(), source), [request])
        answers += [answer.bits for _, answer in engine.answers([request])]
    assert np.abs(answers[0] - answers[1]).max() > 0.01


@pytest.mark.parametrize("start_id", [None, -1, N_KNOWN])
def test_a_decoder_without_a_start_is_an_error(start_id: int | None) -> None:
    message = r"^it does not say which token its decoder starts with \(decoder_start_token_id\)$"
    with pytest.raises(ModelNotAvailableError, match=message):
        engine_of(t5(), start_id=start_id)


@pytest.mark.parametrize("source_ids", [[], [5, N_KNOWN]])
def test_a_source_that_the_encoder_can_not_read_is_an_error(source_ids: list[int]) -> None:
    message = "^its encoder needs a source of one token at least, all of them known to it$"
    with pytest.raises(ModelNotAvailableError, match=message):
        engine_of(t5(), source_ids)
