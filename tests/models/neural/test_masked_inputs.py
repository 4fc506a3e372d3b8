"""Inputs of masked networks, spelled out; and the law that each distinct one is there once."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pommel.models.neural.masked import (
    MaskedMethod,
    MaskedRequest,
    blocks,
    inputs_of,
    masked_plan,
)

# In these examples 1 and 2 are the marks at the ends, 0 is the mask.
MASK, OPEN, CLOSE = 0, 1, 2
METHODS: list[MaskedMethod] = ["pll", "pll-word-l2r", "masked-l2r", "focus-mask", "unmasked-ce"]


def request(
    ids: Sequence[int],
    positions: Sequence[int],
    words: Sequence[int] | None = None,
    n_closing: int = 1,
) -> MaskedRequest:
    if words is None:
        words = [-1, *range(len(ids) - 1 - n_closing), *[-1] * n_closing]
    return MaskedRequest(
        ids=np.array(ids, dtype=np.int64),
        positions=np.array(positions, dtype=np.int64),
        words=np.array(words, dtype=np.int64),
        n_closing=n_closing,
    )


def fed(each: MaskedRequest, method: MaskedMethod) -> list[list[int]]:
    return [np.frombuffer(one, dtype=np.int64).tolist() for one in inputs_of(each, method, MASK)]


@pytest.mark.parametrize("method", ["pll", "focus-mask"])
def test_pll_masks_the_position_alone(method: MaskedMethod) -> None:
    sentence = request([OPEN, 7, 8, 9, CLOSE], positions=[1, 3])
    assert fed(sentence, method) == [[OPEN, MASK, 8, 9, CLOSE], [OPEN, 7, 8, MASK, CLOSE]]


def test_pll_may_be_asked_for_a_mark() -> None:
    sentence = request([OPEN, 7, CLOSE], positions=[0, 2])
    assert fed(sentence, "pll") == [[MASK, 7, CLOSE], [OPEN, 7, MASK]]


def test_pll_word_l2r_masks_the_later_parts_of_the_word_too() -> None:
    # so|u|vent|ir, then a word of one part, then the first word's number never comes again.
    sentence = request([OPEN, 5, 6, 7, 8, CLOSE], [1, 2, 3, 4], words=[-1, 0, 0, 0, 1, -1])
    assert fed(sentence, "pll-word-l2r") == [
        [OPEN, MASK, MASK, MASK, 8, CLOSE],
        [OPEN, 5, MASK, MASK, 8, CLOSE],
        [OPEN, 5, 6, MASK, 8, CLOSE],
        [OPEN, 5, 6, 7, MASK, CLOSE],
    ]


def test_pll_word_l2r_takes_marks_for_no_word() -> None:
    sentence = request([OPEN, 7, CLOSE], positions=[0, 2])
    assert fed(sentence, "pll-word-l2r") == [[MASK, 7, CLOSE], [OPEN, 7, MASK]]


def test_masked_l2r_is_the_papers_example() -> None:
    # "The girls run fast ." at "run": [bos] The girls and four masks, N + 2 in all.
    sentence = request([OPEN, 10, 11, 12, 13, 14, CLOSE], positions=[3])
    assert fed(sentence, "masked-l2r") == [[OPEN, 10, 11, MASK, MASK, MASK, MASK]]


@pytest.mark.parametrize("closing", [[], [CLOSE], [CLOSE, CLOSE]])
def test_masked_l2r_has_one_place_after_the_sentence(closing: list[int]) -> None:
    sentence = request([OPEN, 7, 8, *closing], positions=[1, 2], n_closing=len(closing))
    assert fed(sentence, "masked-l2r") == [[OPEN, MASK, MASK, MASK], [OPEN, 7, MASK, MASK]]


def test_masked_l2r_reads_the_closing_mark_in_that_place() -> None:
    sentence = request([OPEN, 7, 8, CLOSE], positions=[3])
    assert fed(sentence, "masked-l2r") == [[OPEN, 7, 8, MASK]]


def test_masked_l2r_has_no_place_for_a_second_closing_mark() -> None:
    sentence = request([OPEN, 7, 8, CLOSE, CLOSE], positions=[1, 4], n_closing=2)
    with pytest.raises(ValueError, match=r"^masked-l2r: an input of 4 has no position 4$"):
        fed(sentence, "masked-l2r")


def test_unmasked_ce_feeds_the_sentence_as_it_is() -> None:
    sentence = request([OPEN, 7, 8, CLOSE], positions=[0, 1, 2, 3])
    assert fed(sentence, "unmasked-ce") == [[OPEN, 7, 8, CLOSE]]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_fed_where_nothing_is_asked(method: MaskedMethod) -> None:
    sentence = request([OPEN, 7, 8, CLOSE], positions=[])
    assert fed(sentence, method) == []
    assert sentence.n_fed(method) == 0
    plan, questions = masked_plan([sentence], method=method, mask_id=MASK)
    assert (len(plan), len(questions.rows)) == (0, 0)
    assert [index for index, _ in questions.nothing_asked()] == [0]


def test_sentences_that_differ_in_the_masked_word_share_its_row() -> None:
    plan, questions = masked_plan(
        [request([OPEN, 7, 8, CLOSE], [2]), request([OPEN, 7, 9, CLOSE], [2])],
        method="pll",
        mask_id=MASK,
    )
    assert [each.tolist() for each in plan.sequences] == [[OPEN, 7, MASK, CLOSE]]
    assert [each.tolist() for each in plan.rows] == [[2]]
    assert questions.targets_of(plan.places[0])[1].tolist() == [8, 9]


def test_masked_l2r_shares_equal_beginnings_of_sentences_of_equal_length() -> None:
    plan, _ = masked_plan(
        [
            request([OPEN, 7, 8, 4, CLOSE], [2, 3]),
            request([OPEN, 7, 9, 5, CLOSE], [2, 3]),
            request([OPEN, 7, 9, CLOSE], [2]),
        ],
        method="masked-l2r",
        mask_id=MASK,
    )
    assert [each.tolist() for each in plan.sequences] == [
        [OPEN, 7, MASK, MASK, MASK],
        [OPEN, 7, 8, MASK, MASK],
        [OPEN, 7, 9, MASK, MASK],
        [OPEN, 7, MASK, MASK],
    ]


def test_unmasked_ce_feeds_equal_sentences_once_for_all_their_positions() -> None:
    plan, questions = masked_plan(
        [request([OPEN, 7, 8, CLOSE], [0, 2]), request([OPEN, 7, 8, CLOSE], [2, 3])],
        method="unmasked-ce",
        mask_id=MASK,
    )
    assert [each.tolist() for each in plan.rows] == [[0, 2, 3]]
    assert len(questions.rows) == 3


def test_the_longest_inputs_come_first_and_equal_ones_stay_in_order() -> None:
    sentences = [[OPEN, 5, CLOSE], [OPEN, 5, 6, CLOSE], [OPEN, 6, CLOSE], [OPEN, 6, 6, CLOSE]]
    plan, _ = masked_plan(
        [request(each, [1]) for each in sentences], method="unmasked-ce", mask_id=MASK
    )
    assert [each.tolist() for each in plan.sequences] == [
        sentences[index] for index in (1, 3, 0, 2)
    ]


def test_equal_lengths_are_passed_on() -> None:
    for equal_lengths in (True, False):
        plan, _ = masked_plan([], method="pll", mask_id=MASK, equal_lengths=equal_lengths)
        assert plan.equal_lengths is equal_lengths


def test_blocks_hold_requests_of_equal_length_and_beginning_together() -> None:
    requests = [
        request([OPEN, 5, 6, CLOSE], [1]),
        request([OPEN, 5, CLOSE], [1]),
        request([OPEN, 4, 6, CLOSE], [1]),
        request([OPEN, 5, 6, CLOSE], [2]),
    ]
    assert list(blocks(requests, "pll", 8)) == [[2, 0], [3, 1]]


def test_a_request_too_big_for_a_block_has_one_of_its_own() -> None:
    requests = [request([OPEN, 5, 6, CLOSE], [1, 2]), request([OPEN, 5, CLOSE], [1])]
    assert list(blocks(requests, "pll", 3)) == [[0], [1]]


def plainly(each: MaskedRequest, position: int, method: MaskedMethod) -> tuple[list[int], int]:
    """Return the input in which a position is read, by the definition, and its target."""
    ids, words = each.ids.tolist(), each.words.tolist()
    masked = list(ids)
    if method == "masked-l2r":
        n_tokens = len(ids) - 1 - each.n_closing
        masked = ids[:position]
        masked += [MASK] * (1 + n_tokens + 1 - position)
    elif method != "unmasked-ce":
        masked[position] = MASK
        if method == "pll-word-l2r":
            for later in range(position + 1, len(ids)):
                if words[later] == words[position] != -1:
                    masked[later] = MASK
    return masked, ids[position]


@st.composite
def random_requests(draw: st.DrawFn) -> list[MaskedRequest]:
    # Few ids, so that much is shared; some of them are the mask and the marks.
    made = []
    for _ in range(draw(st.integers(0, 6))):
        n_closing = draw(st.integers(0, 2))
        tokens = draw(st.lists(st.integers(0, 4), max_size=5))
        words = sorted(draw(st.integers(0, 3)) for _ in tokens)
        ids = [OPEN, *tokens, *[CLOSE] * n_closing]
        asked = draw(st.sets(st.integers(0, len(tokens) + min(n_closing, 1))))
        all_words = [-1, *words, *[-1] * n_closing]
        made.append(request(ids, sorted(asked), words=all_words, n_closing=n_closing))
    return made


@given(requests=random_requests(), method=st.sampled_from(METHODS))
def test_every_distinct_input_and_position_is_there_once(
    requests: list[MaskedRequest], method: MaskedMethod
) -> None:
    plan, questions = masked_plan(requests, method=method, mask_id=MASK)
    wanted = {
        (*input_ids, -1, position, target)
        for each in requests
        for position in each.positions.tolist()
        for input_ids, target in [plainly(each, position, method)]
    }
    found = []
    for sequence, rows, places in zip(plan.sequences, plan.rows, plan.places, strict=True):
        row_of_target, targets = questions.targets_of(places)
        found += [
            (*sequence.tolist(), -1, int(rows[row]), int(target))
            for row, target in zip(row_of_target, targets, strict=True)
        ]
    assert sorted(found) == sorted(wanted)
    assert len({each.tobytes() for each in plan.sequences}) == len(plan)
    assert sum(map(len, plan.rows)) == len({each[:-1] for each in wanted}) == len(questions.rows)
    assert [len(each) for each in plan.sequences] == sorted(map(len, plan.sequences), reverse=True)


@given(requests=random_requests(), method=st.sampled_from(METHODS), n_most=st.integers(1, 60))
def test_blocks_hold_every_request_once_and_no_more_ids_than_they_may(
    requests: list[MaskedRequest], method: MaskedMethod, n_most: int
) -> None:
    found = list(blocks(requests, method, n_most))
    assert sorted(index for block in found for index in block) == list(range(len(requests)))
    for block in found:
        n_ids = sum(len(one) for index in block for one in fed(requests[index], method))
        assert n_ids == sum(requests[index].n_fed(method) for index in block)
        assert n_ids <= n_most or len([i for i in block if requests[i].n_fed(method)]) == 1
