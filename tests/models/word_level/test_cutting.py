"""Sentences are cut into words by one rule, and the words spell the sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.models.word_level import word_spans


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
