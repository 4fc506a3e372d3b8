"""N-gram models: words with their offsets, the policy's marks, and surprisals in bits."""

import hashlib
import math
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pommel.errors import ModelError, UnsupportedFeatureError
from pommel.models.model import Policy, score_all
from pommel.models.ngram.model import NgramModel, open_arpa
from pommel.testing import check_model

TINY = r"""\data\
ngram 1=7
ngram 2=5

\1-grams:
-99	<s>	-0.5
-1	</s>
-2	<unk>	-0.125
-0.5	the	-0.25
-0.75	Dog	-0.0625
-1.25	barks
-1.5	.

\2-grams:
-0.25	<s> the
-0.375	the Dog
-0.625	Dog barks
-0.0625	barks .
-0.03125	. </s>

\end\
"""

BITS = math.log2(10)


@pytest.fixture(scope="module")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ngram") / "tiny.arpa"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tiny(tiny_path: Path) -> NgramModel:
    return open_arpa(tiny_path, reference=f"arpa:{tiny_path}", name="tiny")


def _rows(model: NgramModel, text: str, policy: Policy) -> list[tuple[str, float | None]]:
    """Return each token and its log10 probability."""
    (scored,) = score_all(model, [text], policy)
    return [
        (token.text, None if token.surprisal_bits is None else -token.surprisal_bits / BITS)
        for token in scored.tokens
    ]


def test_it_keeps_the_contract(tiny: NgramModel, bare: NgramModel) -> None:
    check_model(tiny)
    check_model(bare)


def test_scores_a_sentence_from_mark_to_mark(tiny: NgramModel) -> None:
    (scored,) = score_all(tiny, ["The Dog barks."], Policy())
    assert [(token.text, token.start, token.end) for token in scored.tokens] == [
        ("The", 0, 3),
        ("Dog", 4, 7),
        ("barks", 8, 13),
        (".", 13, 14),
        ("</s>", 14, 14),
    ]
    bits = [token.surprisal_bits for token in scored.tokens]
    assert bits == pytest.approx([each * BITS for each in (0.25, 0.375, 0.625, 0.0625, 0.03125)])
    assert [token.role for token in scored.tokens] == ["text"] * 4 + ["eos"]
    assert not any(token.oov for token in scored.tokens)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param(Policy(), [("the", -0.25), ("</s>", -0.25 - 1)], id="auto"),
        pytest.param(
            Policy(bos="always", eos="always"), [("the", -0.25), ("</s>", -1.25)], id="always"
        ),
        pytest.param(Policy(eos="never"), [("the", -0.25)], id="no </s>"),
        pytest.param(Policy(bos="never"), [("the", None), ("</s>", -1.25)], id="no <s>"),
        pytest.param(Policy.SYNTAXGYM, [("the", 0.0), ("</s>", -1.25)], id="first token zero"),
    ],
)
def test_follows_the_policy(
    tiny: NgramModel, policy: Policy, expected: list[tuple[str, float | None]]
) -> None:
    assert _rows(tiny, "the", policy) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(), [("</s>", -1.5)]),
        (Policy(eos="never"), []),
        (Policy(bos="never"), [("</s>", None)]),
        (Policy.SYNTAXGYM, [("</s>", 0.0)]),
    ],
)
@pytest.mark.parametrize("text", ["", "  "])
def test_scores_a_sentence_without_words(
    tiny: NgramModel, text: str, policy: Policy, expected: list[tuple[str, float | None]]
) -> None:
    assert _rows(tiny, text, policy) == expected


def test_unknown_words_keep_their_text(tiny: NgramModel) -> None:
    (scored,) = score_all(tiny, ["the zebra barks <unk>"], Policy(eos="never"))
    assert [(token.text, token.oov) for token in scored.tokens] == [
        ("the", False),
        ("zebra", True),
        ("barks", False),
        ("<unk>", True),
    ]
    bits = [token.surprisal_bits for token in scored.tokens]
    assert bits == pytest.approx([each * BITS for each in (0.25, 2.25, 1.375, 2)])


def test_looks_words_up_as_written_then_in_lower_case(tiny: NgramModel) -> None:
    (scored,) = score_all(tiny, ["THE Dog DOG dog"], Policy(eos="never"))
    assert [(token.text, token.oov) for token in scored.tokens] == [
        ("THE", False),
        ("Dog", False),
        ("DOG", True),
        ("dog", True),
    ]


def test_marks_written_in_a_sentence_are_words(tiny: NgramModel) -> None:
    (scored,) = score_all(tiny, ["the </s>"], Policy(eos="never"))
    assert [(token.text, token.oov, token.role) for token in scored.tokens] == [
        ("the", False, "text"),
        ("<", True, "text"),
        ("/", True, "text"),
        ("s", True, "text"),
        (">", True, "text"),
    ]


def test_describes_itself(tiny: NgramModel, tiny_path: Path) -> None:
    assert tiny.info.to_dict() == {
        "reference": f"arpa:{tiny_path}",
        "name": "tiny",
        "kind": "ngram",
        "fingerprint": hashlib.sha256(TINY.encode()).hexdigest(),
        "revision": None,
        "n_parameters": None,
        "max_tokens": None,
        "bos": "<s>",
        "eos": "</s>",
        "dtype": None,
        "device": None,
        "methods": ["ngram"],
        "details": {
            "order": 2,
            "n_ngrams": 12,
            "vocabulary_size": 4,
            "case": "as written, then lower case",
            "reader": "python",
        },
    }


def test_its_method_and_whole_words(tiny: NgramModel) -> None:
    (scored,) = score_all(tiny, ["The Dog barks."], Policy())
    assert score_all(tiny, ["The Dog barks."], Policy(boundary="corrected")) == [scored]
    # What costs so little is scored as a whole.
    assert score_all(tiny, ["The Dog barks."], Policy(), [[(0, 3)]]) == [scored]
    with pytest.raises(UnsupportedFeatureError) as raised:
        score_all(tiny, ["The Dog barks."], Policy(method="pll"))
    assert str(raised.value) == (
        f"{tiny.info.reference} does not take the method 'pll'; it takes ngram"
    )


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> NgramModel:
    """A model without marks."""
    path = tmp_path_factory.mktemp("ngram") / "bare.arpa"
    path.write_text(
        "\\data\\\nngram 1=2\n\n\\1-grams:\n-1 <unk>\n-2 a\n\\end\\\n", encoding="utf-8"
    )
    return open_arpa(path, reference="arpa:bare", name="bare")


def test_a_model_without_marks_leaves_the_first_word_unscored(bare: NgramModel) -> None:
    assert (bare.info.bos, bare.info.eos) == (None, None)
    assert _rows(bare, "a a", Policy()) == [("a", None), ("a", -2)]


def test_a_mark_that_is_not_there_cannot_be_asked_for(bare: NgramModel) -> None:
    with pytest.raises(ModelError, match=r"^bare has no mark for the end of a sentence; score it"):
        score_all(bare, ["a"], Policy(eos="always"))


sentences = st.lists(
    st.sampled_from(["the", "Dog", "barks", "barks.", "zebra", "n't", "(", "dog's", "  ", "\n"])
    | st.text(max_size=8)
).map(" ".join)


@given(text=sentences)
def test_cutting_the_words_apart_changes_nothing(tiny: NgramModel, text: str) -> None:
    (scored,) = score_all(tiny, [text], Policy())
    words = [token for token in scored.tokens if token.role == "text"]
    assert all(text[token.start : token.end] == token.text for token in words)
    (apart,) = score_all(tiny, [" ".join(token.text for token in words)], Policy())
    assert [token.surprisal_bits for token in apart.tokens] == [
        token.surprisal_bits for token in scored.tokens
    ]
