"""Streams and windows."""

import pytest

pytest.importorskip("torch")

import numpy as np
import torch
from hypothesis import given, strategies as st

from pommel.training.lstm.recipe import NO_WORD, Streams, streams


def cut(n_words: int, n_streams: int, window_size: int) -> Streams:
    words = np.arange(100, 100 + n_words, dtype=np.int32)
    return streams(words, n_streams=n_streams, window_size=window_size, eos=7, device="cpu")


def test_streams_are_read_side_by_side_and_a_target_is_the_next_word() -> None:
    text = cut(7, n_streams=3, window_size=2)
    assert text.inputs.tolist() == [[7, 102, 104], [100, 103, 105], [101, 7, 7]]
    assert text.targets.tolist() == [[100, 103, 105], [101, 104, 106], [102, NO_WORD, NO_WORD]]
    assert text.n_windows == 2
    assert [text.window(index)[2] for index in range(2)] == [6, 1]


@given(n_words=st.integers(1, 60), n_streams=st.integers(1, 12), window_size=st.integers(1, 15))
def test_every_word_is_a_target_once_behind_the_word_before_it(
    n_words: int, n_streams: int, window_size: int
) -> None:
    text = cut(n_words, n_streams, window_size)
    pairs = []
    for index in range(text.n_windows):
        inputs, targets, n_there = text.window(index)
        assert inputs.dtype == targets.dtype == torch.int64
        assert inputs.shape == targets.shape
        assert len(inputs) <= window_size
        there = targets != NO_WORD
        assert int(there.sum()) == n_there > 0
        pairs += list(zip(inputs[there].tolist(), targets[there].tolist(), strict=True))
    before = [7, *range(100, 99 + n_words)]
    assert sorted(pairs, key=lambda pair: pair[1]) == [
        (context, word) for word, context in enumerate(before, start=100)
    ]
    assert text.n_streams == min(n_streams, n_words)
