"""What a model over words is asked of a sentence: forms, marks, and what has no context."""

import pytest

from pommel.errors import AlignmentError, ModelError, SurprisalError
from pommel.models.model import Policy
from pommel.models.word_level import WordReader, first_outcome

KNOWN = {"the", "dog", "barks", "<unk>"}


def _form(word: str) -> str | None:
    return word.lower() if word.lower() in KNOWN else None


READER = WordReader(name="tiny", form=_form, unk="<unk>", bos="<s>", eos="</s>")
BARE = WordReader(name="bare", form=_form, unk="<unk>", bos=None, eos=None)


def test_words_have_the_form_that_the_model_knows_and_the_text_that_the_sentence_has() -> None:
    sentence = READER.read("The zebra <unk> barks.", Policy())
    assert sentence.context == ("<s>",)
    assert sentence.forms == ("the", "<unk>", "<unk>", "barks", "<unk>", "</s>")
    assert [(token.text, token.oov, token.role) for token in sentence.tokens] == [
        ("The", False, "text"),
        ("zebra", True, "text"),
        ("<unk>", True, "text"),
        ("barks", False, "text"),
        (".", True, "text"),
        ("</s>", False, "eos"),
    ]


@pytest.mark.parametrize(
    ("reader", "policy", "context", "forms"),
    [
        pytest.param(READER, Policy(), ("<s>",), ("dog", "</s>"), id="auto"),
        pytest.param(READER, Policy(bos="always", eos="always"), ("<s>",), ("dog", "</s>")),
        pytest.param(READER, Policy(bos="never"), (), ("dog", "</s>"), id="no <s>"),
        pytest.param(READER, Policy(bos="tokenizer"), (), ("dog", "</s>"), id="tokenizer"),
        pytest.param(READER, Policy(eos="never"), ("<s>",), ("dog",), id="no </s>"),
        pytest.param(BARE, Policy(), (), ("dog",), id="a model without marks"),
    ],
)
def test_marks_stand_where_policy_and_model_have_them(
    reader: WordReader, policy: Policy, context: tuple[str, ...], forms: tuple[str, ...]
) -> None:
    sentence = reader.read("dog", policy)
    assert (sentence.context, sentence.forms) == (context, forms)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Policy(bos="always"),
            "bare has no mark for the beginning of a sentence; score it with bos=auto or bos=never",
        ),
        (
            Policy(eos="always"),
            "bare has no mark for the end of a sentence; score it with eos=auto or eos=never",
        ),
    ],
)
def test_a_mark_that_is_not_there_cannot_be_asked_for(policy: Policy, message: str) -> None:
    READER.check(policy)
    with pytest.raises(ModelError) as caught:
        BARE.check(policy)
    assert str(caught.value) == message


def test_outcomes_are_surprisals_or_reasons() -> None:
    sentence = READER.read("dog barks", Policy(bos="never"))
    scored = sentence.scored(["no context", 2.5, 0.25])
    assert [(token.surprisal_bits, token.why_unscored) for token in scored.tokens] == [
        (None, "no context"),
        (2.5, "no context"),
        (0.25, "no context"),
    ]
    left_out = sentence.scored([1.0, "not asked for", 0.5])
    assert left_out.tokens[1].surprisal_bits is None
    assert left_out.tokens[1].why_unscored == "not asked for"


def test_what_cannot_be_is_refused() -> None:
    sentence = READER.read("dog", Policy(eos="never"))
    with pytest.raises(SurprisalError, match=r"token 'dog' has a surprisal of -1.0 bits in 'dog'"):
        sentence.scored([-1.0])
    with pytest.raises(ValueError, match="zip"):
        sentence.scored([1.0, 2.0])


def test_every_word_belongs_to_a_token() -> None:
    sentence = READER.read("dog", Policy())
    with pytest.raises(AlignmentError, match="no token stands for 'dog'"):
        type(sentence)(text="dog", context=(), forms=(), tokens=()).scored([])


def test_a_first_token_gets_what_the_policy_says() -> None:
    assert first_outcome(Policy()) == "no context"
    assert first_outcome(Policy.SYNTAXGYM) == 0.0
