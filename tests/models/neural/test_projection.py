"""From logits to bits, against what torch's own log-softmax gives."""

import math
from typing import Any

import numpy as np
import pytest

from pommel.models.neural import network
from pommel.models.neural.network import reading
from pommel.models.neural.questions import Bits, Ids

torch: Any = pytest.importorskip("torch")

N_ROWS, N_OUTPUTS = 11, 300
# Of float32, for logits up to about 20; bfloat16's would be a thousand times as much and more.
ROUNDING_BITS = 2e-6
ROWS = np.array([0, 0, 2, 5, 5, 5, 10], dtype=np.int64)
TARGETS = np.array([0, 299, 7, 1, 2, 3, 150], dtype=np.int64)
GROUP = torch.arange(N_OUTPUTS) % 7 == 0


def logits(dtype: Any) -> Any:
    generator = torch.Generator().manual_seed(2)
    return (torch.randn(N_ROWS, N_OUTPUTS, generator=generator) * 5).to(dtype)


def read(*asked: Any) -> tuple[Bits, Bits | None]:
    return reading(*asked)()


def integers(*numbers: int) -> Ids:
    return np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_log_softmax_is_taken_in_float32_whatever_the_logits_are(dtype: str) -> None:
    given = logits(getattr(torch, dtype))
    bits, group_bits = read(given.clone(), ROWS, TARGETS, GROUP)
    exact = given.double().log_softmax(-1) / math.log(2)
    assert group_bits is not None
    assert [bits.dtype.name, group_bits.dtype.name] == ["float64", "float64"]
    np.testing.assert_allclose(bits, -exact[ROWS, TARGETS], atol=ROUNDING_BITS)
    shares = exact[:, GROUP].exp2().sum(-1)
    np.testing.assert_allclose(group_bits, -shares.log2(), atol=ROUNDING_BITS)


def test_float64_stays_float64() -> None:
    given = logits(torch.float64)
    bits, _ = read(given.clone(), ROWS, TARGETS)
    exact = given.log_softmax(-1) / math.log(2)
    np.testing.assert_allclose(bits, -exact[ROWS, TARGETS], rtol=1e-13)


@pytest.mark.parametrize("n_rows_in_chunk", [1, 2, 5, 11, 12])
def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch, n_rows_in_chunk: int) -> None:
    whole = read(logits(torch.float32), ROWS, TARGETS, GROUP)
    monkeypatch.setattr(network, "_LOGITS_PER_CHUNK", n_rows_in_chunk * N_OUTPUTS)
    in_pieces = read(logits(torch.float32), ROWS, TARGETS, GROUP)
    np.testing.assert_array_equal(whole[0], in_pieces[0])
    assert whole[1] is not None
    assert in_pieces[1] is not None
    np.testing.assert_array_equal(whole[1], in_pieces[1])


def test_a_vocabulary_larger_than_a_piece_is_read_row_by_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, _ = read(logits(torch.float32), ROWS, TARGETS)
    monkeypatch.setattr(network, "_LOGITS_PER_CHUNK", N_OUTPUTS - 1)
    np.testing.assert_array_equal(read(logits(torch.float32), ROWS, TARGETS)[0], whole)


def test_without_a_group_nothing_is_said_of_it() -> None:
    assert read(logits(torch.float32), ROWS, TARGETS)[1] is None


def test_without_targets_there_are_only_groups() -> None:
    bits, group_bits = read(logits(torch.float32), integers(), integers(), GROUP)
    assert bits.shape == (0,)
    assert group_bits is not None
    assert group_bits.shape == (N_ROWS,)


def test_without_rows_there_is_nothing() -> None:
    bits, group_bits = read(torch.empty(0, N_OUTPUTS), integers(), integers(), GROUP)
    assert bits.shape == (0,)
    assert group_bits is not None
    assert group_bits.shape == (0,)


def test_what_is_certain_has_no_surprisal_and_never_a_negative_one() -> None:
    given = logits(torch.float32)
    given[:, 4] = 60
    rows = np.arange(N_ROWS)
    bits, group_bits = read(given, rows, np.full(N_ROWS, 4), torch.arange(N_OUTPUTS) < 200)
    assert group_bits is not None
    for numbers in (bits, group_bits):
        assert numbers.min() >= 0
        assert numbers.max() < 1e-6


def test_a_group_that_is_certain_has_no_negative_surprisal() -> None:
    # Sums over all items and over all but an impossible one are rounded differently.
    given = torch.randn(2_000, N_OUTPUTS, generator=torch.Generator().manual_seed(3))
    given[:, 0] = -math.inf
    _, group_bits = read(given, integers(), integers(), torch.arange(N_OUTPUTS) > 0)
    assert group_bits is not None
    assert 0 <= group_bits.min() <= group_bits.max() < ROUNDING_BITS


def test_what_is_impossible_is_infinitely_surprising() -> None:
    given = torch.tensor([[0.0, -math.inf]])
    nothing = torch.zeros(2, dtype=torch.bool)
    bits, group_bits = read(given, integers(0), integers(1), nothing)
    assert bits.tolist() == [math.inf]
    assert group_bits is not None
    assert group_bits.tolist() == [math.inf]


def test_no_numbers_stay_no_numbers() -> None:
    given = torch.tensor([[0.0, math.nan], [0.0, 0.0]])
    bits, group_bits = read(given, integers(0, 1), integers(0, 0), torch.tensor([True, False]))
    np.testing.assert_allclose(bits, [math.nan, 1])
    assert group_bits is not None
    np.testing.assert_allclose(group_bits, [math.nan, 1])
