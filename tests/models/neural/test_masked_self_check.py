"""What the check of a masked network finds out when an engine is made."""

from typing import Any

import pytest
import torch
from tests.models.neural.masked_networks import (
    N_KNOWN,
    Odd,
    Oracle,
    answers_of,
    check,
    engine_of,
    network,
    sentence,
)

from pommel.errors import ModelNotAvailableError


class BlindToPadding(Odd):
    """It cannot be told what is padding."""

    def forward(self, input_ids: Any, **others: Any) -> Any:  # type: ignore[override]
        return super().forward(input_ids, **others)


class Mixing(Odd):
    """Its numbers depend on how many sentences there are."""

    def forward(self, input_ids: Any, **others: Any) -> Any:  # type: ignore[override]
        return super().forward((input_ids + len(input_ids) - 1) % N_KNOWN, **others)


class Unwilling(Odd):
    """It wants more than token ids."""

    def forward(self, input_ids: Any, pictures: Any, **others: Any) -> Any:  # type: ignore[override]
        raise NotImplementedError


def test_a_network_that_cannot_be_told_what_is_padding_gets_none() -> None:
    model = BlindToPadding(network("Bert"))
    engine, oracle = engine_of(model), Oracle(network("Bert"))
    assert engine.path == "batches of equal length"
    assert engine.why.startswith("padding: its numbers differ by ")
    check(engine, oracle, [sentence([5, 6, 7, 8]), sentence([9, 10]), sentence([11, 12])], "pll")


def test_reduced_precision_finds_the_same_path() -> None:
    engine = engine_of(network("Roberta").bfloat16(), dtype="bfloat16")
    oracle = Oracle(network("Roberta"))
    assert engine.path == "padded batches"
    request = sentence([5, 6, 7, 8])
    (answer,) = answers_of(engine, [request], "pll")
    assert answer.bits == pytest.approx(oracle.bits(request, "pll"), abs=0.3)


@pytest.mark.parametrize("mask_id", [-1, N_KNOWN])
def test_a_mask_that_the_network_does_not_know_is_an_error(mask_id: int) -> None:
    message = rf"^it does not know its mask, the token id {mask_id}$"
    with pytest.raises(ModelNotAvailableError, match=message):
        engine_of(network("Bert"), mask_id=mask_id)


def test_a_network_that_looks_back_only_is_no_masked_one() -> None:
    message = "^it is not a masked language model: tokens do not depend on those that follow$"
    with pytest.raises(ModelNotAvailableError, match=message):
        engine_of(network("Bert", is_decoder=True))


def test_a_network_that_mixes_a_batchs_sentences_is_an_error() -> None:
    message = r"^in a batch its numbers differ by [\d.]+ bits$"
    with pytest.raises(ModelNotAvailableError, match=message):
        engine_of(Mixing(network("Bert")))


def test_a_network_that_wants_more_than_token_ids_is_an_error() -> None:
    message = r"^it fails on plain token ids: TypeError: .*missing 1 required .* 'pictures'$"
    with pytest.raises(ModelNotAvailableError, match=message):
        engine_of(Unwilling(network("Bert")))


def test_a_network_that_gives_no_numbers_is_an_error() -> None:
    model = network("Bert")
    with torch.no_grad():
        model.get_input_embeddings().weight.fill_(float("nan"))
    with pytest.raises(ModelNotAvailableError, match=r"^it gives no numbers \(NaN\)$"):
        engine_of(model)
