"""What a vocabulary shows of where words begin and end."""

import pytest

from pommel.models.huggingface.tokens import is_common, vocabulary_spec


@pytest.mark.parametrize(
    ("words", "sentinel", "position", "metaspace"),
    [
        (["▁the", "s"], "", "", "▁"),
        (["Ġthe", "s"], "Ġ", "initial", ""),
        (["the", "##s"], "##", "medial", ""),
        (["the</w>", "s"], "</w>", "final", ""),
        (["the@@", "s"], "", "", ""),
    ],
)
def test_how_a_vocabulary_marks_its_words(
    words: list[str], sentinel: str, position: str, metaspace: str
) -> None:
    class Tokenizer:
        unk_token = "<unk>"
        all_special_tokens = ("<unk>", "<pad>")

        def get_vocab(self) -> dict[str, int]:
            return {word: number for number, word in enumerate(words)}

    spec = vocabulary_spec(Tokenizer())
    assert (spec.sentinel, spec.sentinel_position) == (sentinel, position)
    assert spec.metaspace == metaspace
    assert (set(spec.unk_types), set(spec.special_types)) == ({"<unk>"}, {"<pad>"})


@pytest.mark.parametrize(
    ("n_carriers", "n_words", "expected"),
    [
        (0, 10, False),
        (1, 10, True),
        (1, 50, True),
        (1, 51, False),
        (2, 100, True),
        (2, 101, False),
    ],
)
def test_a_mark_is_common_from_a_fiftieth_of_the_vocabulary_on(
    n_carriers: int, n_words: int, *, expected: bool
) -> None:
    others = ["the"] * (n_words - n_carriers)
    assert is_common("##", ["##s"] * n_carriers + others) is expected
    assert is_common("@@", ["do@@"] * n_carriers + others, at_end=True) is expected
    assert not is_common("@@", ["@@s"] * n_words, at_end=True)
