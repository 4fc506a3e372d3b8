"""Frequency lists, and texts to count words in."""

import gzip
from math import log10
from pathlib import Path

import pytest

from pommel.errors import FaultyFileError, InputError
from pommel.lint.frequencies import Frequencies, read_frequencies, words


def read(tmp_path: Path, text: str | bytes) -> dict[str, int]:
    path = tmp_path / "words"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return dict(read_frequencies(path).counts)


@pytest.mark.parametrize(
    "text",
    [
        "the\t20\ndog\t3\n",
        "the,20\ndog,3",
        "the 20\r\ndog 3\r\n",
        "word\tcount\nthe\t20\ndog\t3\n",
        "\N{ZERO WIDTH NO-BREAK SPACE}Word,Freq\nthe,20\n\ndog,3\n",
        "The,10\nthe,10\nDog,3\n",
        "the\t20\n,\t400\n.\t90\ndog\t3\n",  # marks are no words
        gzip.compress(b"the\t20\ndog\t3\n"),
    ],
)
def test_lists(tmp_path: Path, text: str | bytes) -> None:
    assert read(tmp_path, text) == {"the": 20, "dog": 3}


def test_a_text_is_counted(tmp_path: Path) -> None:
    text = "The dog's bone -- the dog -- (it)\nIn 1984 the end.\n"
    assert read(tmp_path, text) == {
        "the": 3,
        "dog's": 1,
        "bone": 1,
        "dog": 1,
        "it": 1,
        "in": 1,
        "1984": 1,
        "end": 1,
    }


def test_every_line_of_a_list_that_is_no_entry_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FaultyFileError) as caught:
        read(tmp_path, "the\t20\ndog\nice cream\t4\ncat\t-2\nso\t1e5\nend\t1\n")
    path = tmp_path / "words"
    hint = "write e.g. the<tab>1234, the count a whole number"
    assert str(caught.value).splitlines() == [
        f"{path}:2:1: this is no word with its count: 'dog'; {hint}",
        f"{path}:3:1: this is no word with its count: 'ice cream\\t4'; {hint}",
        f"{path}:4:1: this is no word with its count: 'cat\\t-2'; {hint}",
        f"{path}:5:1: this is no word with its count: 'so\\t1e5'; {hint}",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "there are no words in this file"),
        (b" \n.\n", "there are no words in this file"),
        (b"fine\n\xff\n", "2: this line is not UTF-8; save the file as UTF-8"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    path = tmp_path / "words"
    separator = ":" if message[0].isdigit() else ": "
    assert str(caught.value) == f"{path}{separator}{message}"


def test_a_damaged_archive_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the gzip file is damaged"):
        read(tmp_path, gzip.compress(b"the\t20\n" * 99)[:-9])
    with pytest.raises(InputError, match="No such file"):
        read_frequencies(tmp_path / "none")


def test_the_zipf_scale() -> None:
    # A million running words: a word that comes once in a thousand has 6, one never seen below 3.
    counts = {"the": 999_000, "dog": 999, "cat": 0}
    frequencies = Frequencies(file="list", counts=counts)
    per_million = 999_999 / 1e6 + 3 / 1e6
    assert frequencies.zipf("dog") == pytest.approx(log10(1000 / per_million) + 3)
    assert frequencies.zipf("dog") == pytest.approx(6, abs=1e-4)
    assert frequencies.zipf("cat") == frequencies.zipf("bird") == pytest.approx(3, abs=1e-4)


def test_words() -> None:
    assert list(words("«The» DOG's ... e-mail, 3.5 _x_ Straße")) == [
        "the",
        "dog's",
        "e-mail",
        "3.5",
        "x",
        "straße",
    ]
