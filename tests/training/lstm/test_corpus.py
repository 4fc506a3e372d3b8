"""From a text to numbers."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.training.lstm.samples import TINY, write_text

from pommel.errors import InputError
from pommel.training.lstm.recipe import Corpus, Recipe, Section, Sources, read_corpus
from pommel.training.text import TextFile

SMALL = Recipe(batch_size=1, validation_share=0.5)


def text(tmp_path: Path, content: str, name: str = "text.txt") -> Path:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    return path


def words(corpus: Corpus, section: Section) -> list[str]:
    return [corpus.vocabulary[number] for number in section.words]


def test_a_text_is_one_stream_with_a_mark_after_each_sentence(tmp_path: Path) -> None:
    sources = Sources(
        text=text(tmp_path, "The dogs bark.\n\nA dog barks <eos>\n"),
        validation=text(tmp_path, "the cats bark\n", "validation.txt"),
    )
    corpus = read_corpus(sources, replace(SMALL, cased=False))
    assert words(corpus, corpus.training) == [
        *("the", "dogs", "bark", ".", "<eos>"),
        *("a", "dog", "barks", "<eos>"),
    ]
    assert words(corpus, corpus.validation) == ["the", "<unk>", "bark", "<eos>"]
    assert (corpus.training.n_sentences, corpus.training.n_unknown) == (2, 0)
    assert (corpus.validation.n_sentences, corpus.validation.n_unknown) == (1, 1)
    assert corpus.validation.unknown_share == 1 / 3


def test_the_vocabulary_is_the_marks_and_the_most_frequent_words(tmp_path: Path) -> None:
    path = text(tmp_path, "b a c\nb a\nb <unk>\n")
    sources = Sources(text=path, validation=path)
    assert read_corpus(sources, SMALL).vocabulary == ("<unk>", "<eos>", "b", "a", "c")
    few = read_corpus(sources, replace(SMALL, vocabulary_size=1))
    assert few.vocabulary == ("<unk>", "<eos>", "b")
    # The text's own <unk> is one of them.
    assert words(few, few.training) == [
        *("b", "<unk>", "<unk>", "<eos>"),
        *("b", "<unk>", "<eos>"),
        *("b", "<unk>", "<eos>"),
    ]
    assert few.training.n_unknown == 4
    frequent = read_corpus(sources, replace(SMALL, min_count=2))
    assert frequent.vocabulary == ("<unk>", "<eos>", "b", "a")


def test_a_word_that_only_the_validation_has_is_no_word_of_the_vocabulary(tmp_path: Path) -> None:
    path = text(tmp_path, "one two\nthree four\n")
    corpus = read_corpus(Sources(text=path), SMALL)
    assert len(corpus.vocabulary) == 4
    assert words(corpus, corpus.validation) == ["<unk>", "<unk>", "<eos>"]
    assert corpus.training.n_unknown == 0


def test_whole_sentences_are_set_aside_and_none_is_lost(tmp_path: Path) -> None:
    path = write_text(tmp_path / "text.txt", n_sentences=200)
    corpus = read_corpus(Sources(text=path), replace(TINY, vocabulary_size=5_000, cased=False))
    assert (corpus.training.n_sentences, corpus.validation.n_sentences) == (180, 20)
    known = set(corpus.vocabulary)
    there = [
        tuple(word if word in known else "<unk>" for word in sentence)
        for sentence in TextFile(path=path, cased=False).sentences()
    ]
    found = [
        tuple(sentence.split())
        for section in (corpus.training, corpus.validation)
        for sentence in " ".join(words(corpus, section)).split("<eos>")
    ]
    assert sorted(each for each in found if each) == sorted(there)
    # In the order of the text, not only those at its end.
    assert [each for each in there if each in found[:180]] != there[:180]


def test_a_vocabulary_may_be_given(tmp_path: Path) -> None:
    path = text(tmp_path, "b a c\n")
    vocabulary = text(tmp_path, "c\n<eos>\nz\n", "vocabulary.txt")
    corpus = read_corpus(Sources(text=path, validation=path, vocabulary=vocabulary), SMALL)
    # In its order, which is that of the weights; the mark that it lacks comes last.
    assert corpus.vocabulary == ("c", "<eos>", "z", "<unk>")
    assert corpus.training.words.tolist() == [3, 3, 0, 1]


def test_a_text_that_is_cut_already_is_cut_at_spaces(tmp_path: Path) -> None:
    path = text(tmp_path, "It 's the U.S. .\n")
    sources = Sources(text=path, validation=path)
    by_spaces = read_corpus(sources, replace(SMALL, split="spaces"))
    assert words(by_spaces, by_spaces.training) == ["It", "'s", "the", "U.S.", ".", "<eos>"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b" \n\n", "text.txt: there is no sentence in it; write one a line"),
        (b"one\nt\xe9\n", "text.txt:2: this is not UTF-8; convert the file to UTF-8"),
        (
            b"one sentence\n",
            (
                "text.txt: one sentence cannot be for training and for validation; "
                "take more text, or give another file as --validation"
            ),
        ),
        (
            b"a b c\nd e f\n",
            (
                "text.txt: 4 words and ends of sentences to train on cannot fill 5 streams; take "
                "more text or a smaller --batch-size"
            ),
        ),
    ],
)
def test_refuses_a_text_that_cannot_be_trained_on(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_corpus(Sources(text=path), replace(SMALL, batch_size=5))
    assert str(caught.value) == f"{tmp_path}/{message}"


def test_refuses_a_vocabulary_that_is_none(tmp_path: Path) -> None:
    path = text(tmp_path, "b a c\n")
    twice = text(tmp_path, "a\nb\na\n", "twice.txt")
    with pytest.raises(InputError, match=r"twice\.txt: 1 duplicate \('a' in line 3"):
        read_corpus(Sources(text=path, vocabulary=twice), SMALL)
    capital = text(tmp_path, "a\nBob\n", "capital.txt")
    with pytest.raises(InputError) as caught:
        read_corpus(Sources(text=path, vocabulary=capital), replace(SMALL, cased=False))
    assert str(caught.value) == (
        f"{capital}: 'Bob' is not in lower case, as every word is with --lower; give another "
        "vocabulary"
    )
    with pytest.raises(InputError, match=r"nowhere\.txt: No such file"):
        read_corpus(Sources(text=path, vocabulary=tmp_path / "nowhere.txt"), SMALL)
