"""The masked engine against plain float64, one input at a time, on small random networks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.models.neural.counting import counted
from tests.models.neural.masked_networks import (
    CONFIGURATIONS,
    MASK,
    METHODS,
    N_KNOWN,
    Odd,
    Oracle,
    answers_of,
    check,
    engine_of,
    network,
    sentence,
)

from pommel.models.model import LoadOptions
from pommel.models.neural import masked
from pommel.models.neural.masked import MaskedEngine, MaskedMethod, MaskedRequest


@pytest.fixture(scope="module", params=list(CONFIGURATIONS))
def pair(request: pytest.FixtureRequest) -> tuple[MaskedEngine, Oracle]:
    # The oracle has a model of its own: an engine may change the operations of one.
    return engine_of(network(request.param)), Oracle(network(request.param))


@pytest.fixture(scope="module")
def roberta() -> tuple[MaskedEngine, Oracle]:
    return engine_of(network("Roberta")), Oracle(network("Roberta"))


# Every id that there is, the mask, the marks and the padding included.
_TOKENS = st.integers(0, N_KNOWN - 1)


@st.composite
def sentences(draw: st.DrawFn) -> MaskedRequest:
    # Of three beginnings, so that much is shared.
    beginning = draw(st.sampled_from([[], [7, 8], [7, 9, 9]]))
    tokens = beginning + draw(st.lists(_TOKENS, max_size=5))
    words = sorted(draw(st.integers(0, 4)) for _ in tokens)
    asked = draw(st.sets(st.integers(0, len(tokens) + 1), max_size=4))
    return sentence(tokens, sorted(asked), words)


@st.composite
def request_lists(draw: st.DrawFn) -> list[MaskedRequest]:
    distinct = draw(st.lists(sentences(), min_size=1, max_size=5))
    return draw(st.permutations([*distinct, *draw(st.lists(st.sampled_from(distinct)))]))


@settings(max_examples=15, deadline=None)
@given(
    requests=request_lists(),
    method=st.sampled_from(METHODS),
    batch_tokens=st.sampled_from([1, 10, 25, None]),
)
def test_numbers_are_those_of_each_input_alone_in_float64(
    pair: tuple[MaskedEngine, Oracle],
    requests: list[MaskedRequest],
    method: MaskedMethod,
    batch_tokens: int | None,
) -> None:
    engine, oracle = pair
    options = LoadOptions(batch_tokens=batch_tokens)
    check(replace(engine, options=options), oracle, requests, method)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_every_architecture(
    pair: tuple[MaskedEngine, Oracle], method: MaskedMethod
) -> None:
    engine, oracle = pair
    requests = [
        sentence([5, 6, 7, 8, 9, 10, 11], words=[0, 0, 0, 1, 1, 2, 3]),
        sentence([12], [0, 1, 2]),
        sentence([5, 6, 7, 13, 9, 10, 11], [4], words=[0, 0, 0, 1, 1, 2, 3]),
        sentence([14, 15, 16], [2, 3], words=[0, 1, 1]),
    ]
    assert (engine.path, engine.why) == ("padded batches", "")
    check(engine, oracle, requests, method)


def test_methods_differ_where_they_should(roberta: tuple[MaskedEngine, Oracle]) -> None:
    engine, _ = roberta
    # The second of three tokens, and the first two are one word.
    request = sentence([5, 6, 7], [1], words=[0, 0, 1])
    bits = {method: answers_of(engine, [request], method)[0].bits[0] for method in METHODS}
    assert bits["focus-mask"] == pytest.approx(bits["pll"], abs=1e-6)
    distinct = [bits[method] for method in METHODS if method != "focus-mask"]
    assert min(np.diff(sorted(distinct))) > 0.01


@pytest.mark.parametrize("method", METHODS)
def test_the_padding_id_within_a_sentence_is_a_token(
    roberta: tuple[MaskedEngine, Oracle], method: MaskedMethod
) -> None:
    # RoBERTa gives it the position of padding, wherever it stands; it is seen all the same.
    engine, oracle = roberta
    assert engine.network.pad_id == 1
    requests = [sentence([5, 1, 7, 1], [1, 2, 3, 4]), sentence([5, 6, 7, 8, 9, 10, 11], [2, 7])]
    check(engine, oracle, requests, method)


def test_equal_inputs_are_fed_once(roberta: tuple[MaskedEngine, Oracle]) -> None:
    engine, _ = roberta
    requests = [
        # Differ in what is masked: one input, one row, two targets.
        sentence([5, 6, 7], [2]),
        sentence([5, 8, 7], [2]),
        # The same again, and one position more.
        sentence([5, 6, 7], [2, 3]),
    ]
    counts = counted(engine.network)
    answers_of(engine, requests, "pll")
    assert (counts.n_tokens_fed, counts.n_rows_projected) == (
        2 * 5,
        2,
    )
    assert counts.n_passes == 1


def test_masked_l2r_feeds_shared_beginnings_once(roberta: tuple[MaskedEngine, Oracle]) -> None:
    engine, _ = roberta
    counts = counted(engine.network)
    answers_of(engine, [sentence([5, 6, 7]), sentence([5, 6, 8])], "masked-l2r")
    assert (counts.n_tokens_fed, counts.n_rows_projected) == (
        3 * 5,
        3,
    )


def test_unmasked_ce_feeds_a_sentence_once(roberta: tuple[MaskedEngine, Oracle]) -> None:
    engine, _ = roberta
    counts = counted(engine.network)
    answers_of(engine, [sentence([5, 6, 7], [0, 1, 2, 3, 4])], "unmasked-ce")
    assert (counts.n_tokens_fed, counts.n_rows_projected) == (5, 5)


def test_batches_are_as_large_as_the_budget(roberta: tuple[MaskedEngine, Oracle]) -> None:
    engine = MaskedEngine(
        network=roberta[0].network, mask_id=MASK, options=LoadOptions(batch_tokens=20)
    )
    counts = counted(engine.network)
    # Seven inputs of 9 ids, then three of 5: 2 + 2 + 2 + (1 and, padded, 1) + 2.
    answers_of(engine, [sentence([5, 6, 7]), sentence([5, 6, 7, 8, 9, 10, 11])], "pll")
    assert (counts.n_passes, counts.n_tokens_fed) == (5, 4 * 18 + 10)


def test_nothing_asked_is_answered_without_the_network(
    roberta: tuple[MaskedEngine, Oracle],
) -> None:
    engine, _ = roberta
    counts = counted(engine.network)
    assert list(engine.answers([], "pll")) == []
    (answer,) = answers_of(engine, [sentence([5, 6], [])], "unmasked-ce")
    assert (len(answer.bits), counts.n_passes) == (0, 0)


def test_many_requests_go_a_block_at_a_time(
    roberta: tuple[MaskedEngine, Oracle], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, oracle = roberta
    requests = [sentence([5 + number % 7, 6, 7], [1, 3]) for number in range(20)]
    everything = MaskedEngine(network=engine.network, mask_id=MASK)
    expected = [oracle.bits(request, "pll") for request in requests]
    # Two requests of two inputs of five ids.
    monkeypatch.setattr(masked, "_BLOCK_IDS", 20)
    counts = counted(engine.network)
    given = everything.answers(requests, "pll")
    first = next(given)
    assert counts.n_passes == 1
    for index, answer in [first, *given]:
        assert answer.bits == pytest.approx(expected[index], abs=1e-4)
    assert counts.n_passes == 10


def test_a_pass_that_does_not_fit_is_made_smaller() -> None:
    model = Odd(network("Bert"))
    engine, oracle = engine_of(model), Oracle(network("Bert"))
    model.n_most, model.shapes = 30, []
    check(engine, oracle, [sentence([5, 6, 7, 8]), sentence([9, 10]), sentence([11] * 8)], "pll")
    # Eight sentences of ten, then of what the budget of 2,048 has become for good.
    assert model.shapes[0][1] == 10
    assert all(rows * length <= 30 for rows, length in model.shapes[-3:])


def test_a_single_input_that_does_not_fit_is_an_error() -> None:
    model = Odd(network("Bert"))
    engine = engine_of(model)
    model.n_most = 9
    with pytest.raises(MemoryError):
        list(engine.answers([sentence([5] * 8)], "pll"))
