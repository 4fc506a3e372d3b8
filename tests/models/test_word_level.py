"""Models over words: how sentences are cut, which words are known, and the marks around them."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pommel.errors import (
    AlignmentError,
    InputError,
    ModelError,
    SurprisalError,
)
from pommel.models.model import Policy
from pommel.models.word_level import WordReader, read_word_list, word_spans


def _written(folder: Path, text: str) -> Path:
    path = folder / "vocabulary.txt"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text", ["<unk>\nthe\nThe\n", "<unk>\r\nthe\r\nThe", "\ufeff<unk>\n the\nThe "]
)
def test_words_come_in_the_order_of_the_file(tmp_path: Path, text: str) -> None:
    assert read_word_list(_written(tmp_path, text)) == ("<unk>", "the", "The")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb c\n", ":2: 'b c' is not one word; a vocabulary has a word a line"),
        ("a\n\nb\n", ":2: the line is blank; a vocabulary has a word a line"),
        ("", ": there is no word in it; a vocabulary has a word a line"),
        (
            "a\nb\na\n",
            ": 1 duplicate ('a' in line 3 is there in line 1); a word may be listed once",
        ),
        pytest.param(
            "a\na\na\na\na\n",
            ": 4 duplicates ('a' in line 2 is there in line 1, 'a' in line 3 is there in line 1, "
            "'a' in line 4 is there in line 1, ...); a word may be listed once",
            id="many",
        ),
    ],
)
def test_what_is_no_list_of_words_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = _written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_word_list(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("text", "vocabulary", "words"),
    [
        ("The cat sat.", "", "The|cat|sat|."),
        ("The cat sat .", "", "The|cat|sat|."),
        ('"Well," (she) said...', "", '"|Well|,|"|(|she|)|said|.|.|.'),
        ('said..."', "...", 'said|...|"'),
        ("U.S. troops", "U.S.", "U.S.|troops"),
        ("the U.S., too", "U.S.", "the|U.S.|,|too"),
        ("(Mr. Smith)", "Mr.", "(|Mr.|Smith|)"),
        ("'tis so", "'tis", "'tis|so"),
        ("the dog's, dogs'", "", "the|dog's|,|dogs|'"),
        ("the dog's, dogs'", "'s dog", "the|dog|'s|,|dogs|'"),
        ("I don't", "", "I|don't"),
        ("I don't", "n't", "I|do|n't"),
        ("I DON'T", "N'T", "I|DO|N'T"),
        ("I don't", "n't don't", "I|don't"),
        ("don\u2019t we\u2019ll", "n\u2019t 'll", "do|n\u2019t|we\u2019ll"),
        ("n't 's", "n't 's", "n't|'s"),
        ("(n't)", "n't", "(|n't|)"),
        ("mother-in-law costs $3.50", "", "mother-in-law|costs|$|3.50"),
        ("a - b -- c", "--", "a|-|b|--|c"),
        ("  two  spaces\u00a0no-break ", "", "two|spaces|no-break"),
        ("cafe\u0301!", "", "cafe\u0301|!"),
        (
            "\u0928\u092e\u0938\u094d\u0924\u0947\u0964",
            "",
            "\u0928\u092e\u0938\u094d\u0924\u0947|\u0964",
        ),
        ("", "", ""),
    ],
)
def test_cuts_sentences_into_words(text: str, vocabulary: str, words: str) -> None:
    spans = word_spans(text, frozenset(vocabulary.split()).__contains__)
    assert [text[start:end] for start, end in spans] == (words.split("|") if words else [])


sentences = st.lists(
    st.sampled_from(["the", "Dog", "barks", "barks.", "zebra", "n't", "(", "dog's", "  ", "\n"])
    | st.text(max_size=8)
).map(" ".join)


@given(text=sentences, vocabulary=st.frozensets(st.text(max_size=4)))
def test_words_spell_the_sentence(text: str, vocabulary: frozenset[str]) -> None:
    spans = word_spans(text, vocabulary.__contains__)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(start < end for start, end in spans)
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())


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
    assert Policy().first_outcome == "no context"
    assert Policy.SYNTAXGYM.first_outcome == 0.0
