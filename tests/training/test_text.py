"""A training text is a file with a sentence a line; what is wrong in it has its line."""

import gzip
from pathlib import Path

import pytest

from pommel.errors import InputError, UsageError
from pommel.training.text import Split, TextFile, most_frequent, numbered


def _written(folder: Path, content: bytes, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("split", "cased", "words"),
    [
        ("words", True, ["The", "dog", "'s", ",", "U", ".", "S", "."]),
        ("words", False, ["the", "dog", "'s", ",", "u", ".", "s", "."]),
        ("spaces", True, ["The", "dog's,", "U", ".", "S", "."]),
        ("spaces", False, ["the", "dog's,", "u", ".", "s", "."]),
    ],
)
def test_lines_become_words(tmp_path: Path, split: Split, cased: bool, words: list[str]) -> None:  # noqa: FBT001
    path = _written(tmp_path, b"The dog's, U . S .\n")
    assert list(TextFile(path=path, split=split, cased=cased).sentences()) == [words]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"a b\n\nc\n", id="plain"),
        pytest.param(b"a b\r\n  \r\nc", id="CRLF, no last line end"),
        pytest.param(b"\xef\xbb\xbfa b <eos>\n<eos>\nc <eos>\n", id="byte order mark, <eos>"),
        pytest.param(gzip.compress(b"a b\n\nc\n"), id="gzip, whatever the name"),
    ],
)
def test_sentences_have_the_numbers_of_their_lines(tmp_path: Path, content: bytes) -> None:
    text = TextFile(path=_written(tmp_path, content))
    for _ in range(2):
        assert list(text.numbered_sentences()) == [(1, ["a", "b"]), (3, ["c"])]
    assert list(text.sentences()) == [["a", "b"], ["c"]]


def test_marks_in_a_text_are_words(tmp_path: Path) -> None:
    text = TextFile(path=_written(tmp_path, b"the <unk>, <eos> of\n"))
    assert list(text.sentences()) == [["the", "<unk>", ",", "<eos>", "of"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": there is no sentence in it; write one a line"),
        (b"\n <eos>\n", ": there is no sentence in it; write one a line"),
        (b"a\nb\ncaf\xe9\n", ":3: this is not UTF-8; convert the file to UTF-8"),
        (
            gzip.compress(b"a b\n", mtime=0)[:12],
            (
                ":1: the gzip stream is cut short or damaged "
                "(Compressed file ended before the end-of-stream marker was reached)"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = _written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        list(TextFile(path=path).sentences())
    assert str(caught.value) == f"{path}{message}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    text = TextFile(path=tmp_path / "none.txt")
    message = f"{tmp_path}/none.txt: cannot read the training text: No such file or directory"
    with pytest.raises(InputError) as caught:
        list(text.sentences())
    assert str(caught.value) == message


def test_there_are_two_ways_to_split(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="split cannot be 'lines'; it is one of words, spaces"):
        TextFile(path=tmp_path, split="lines")  # type: ignore[arg-type]


def test_frequent_words_come_first() -> None:
    ids: dict[str, int] = {}
    text, lengths = numbered([["b", "a"], ["c", "b", "a", "d"]], ids)
    assert (text.tolist(), lengths.tolist()) == ([0, 1, 2, 0, 1, 3], [2, 4])
    assert most_frequent([*ids], text, size=None) == ["a", "b", "c", "d"]
    assert most_frequent([*ids], text, size=3, without={"b"}) == ["a", "c", "d"]
    assert most_frequent([*ids], text, size=9, min_count=2) == ["a", "b"]
