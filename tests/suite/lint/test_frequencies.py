"""Frequency lists, and texts to count words in."""

import gzip
from math import log10
from pathlib import Path

import pytest

from pommel.errors import FaultyFileError, InputError
from pommel.suite.lint.frequencies import Frequencies, words


def read(tmp_path: Path, text: str | bytes) -> dict[str, float]:
    path = tmp_path / "words"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return dict(Frequencies.read(path).counts)


@pytest.mark.parametrize(
    "text",
    [
        "the\t20\ndog\t3\n",
        "the,20\ndog,3",
        "the 20\r\ndog 3\r\n",
        "the\t20\rdog\t3\r",
        "word\tcount\nthe\t20\ndog\t3\n",
        "\N{ZERO WIDTH NO-BREAK SPACE}Word,Freq\nthe,20\n\ndog,3\n",
        "The,10\nthe,10\nDog,3\n",
        "the\t20\n,\t400\n.\t90\ndog\t3\n",  # marks are no words
        gzip.compress(b"the\t20\ndog\t3\n", mtime=0),
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


@pytest.mark.parametrize(
    "text",
    [
        "the;20\ndog;3\n",
        '"word","count"\n"the","20"\n"dog","3"\n',
        "the\t20.0\ndog\t3e0\n",
        "     20 the\n      3 dog\n",  # what `uniq -c` writes
        "Word\tFREQcount\tCDcount\tLg10WF\nthe\t20\t8\t1.3\ndog\t3\t2\t0.6\n",
        "rank;word;count\n1;the;20\n2;dog;3\n",
        "count\tlemma\tword\n20\tthe\tthe\n3\tdog\tdog\n",
        'the\t20\n"\t7\ndog\t3\n',  # a quote that is an entry
        'word,count\nthe,20\n",",7\ndog,3\n',  # a comma that is one
        "\n\nword,count\nthe,20\n\ndog,3\n",
    ],
)
def test_lists_of_other_shapes(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == {"the": 20, "dog": 3}


def test_counts_may_have_decimals(tmp_path: Path) -> None:
    assert read(tmp_path, "the 20.5\ndog .5\ncat 1e3\n") == {"the": 20.5, "dog": 0.5, "cat": 1000}


@pytest.mark.parametrize(
    "text",
    [
        "Chapter 1\n\nIt was late.\nThe dog barked and barked.\nNobody came.\n",
        "the dog\nthe cat\nthe cow\n",
        "1\tThe dog barks.\n2\tA cat sits.\n",
        "# The dog\n\nThe dog barks.\nIt has 3\n",
        "dog 1 cat\ncow 2 pig\n",  # too few lines to be a table
        "\n" * 10 + "The dog barked in 1984.\nNobody came.\n",
    ],
)
def test_texts_with_numbers(tmp_path: Path, text: str) -> None:
    assert sum(read(tmp_path, text).values()) == sum(1 for _ in words(text))


@pytest.mark.parametrize(
    ("text", "taken_as"),
    [
        ("the dog barks and\nthe cat\n", "a text of 6 words"),
        ("the 20\ndog 3\n", "a list of 2 words"),
        ("Word,FREQcount,CDcount\nthe,20,8\n", "a list of 1 word"),
    ],
)
def test_what_a_file_is_taken_as(tmp_path: Path, text: str, taken_as: str) -> None:
    path = tmp_path / "words"
    path.write_text(text)
    assert Frequencies.read(path).taken_as == taken_as


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("ortho,phon,films\nle,l@,2.5\nchien,Sj5,1.5\n", "ortho, phon, films"),
        ("word\tZipf\nthe\t7.5\ndog\t4.4\n", "word, zipf"),
        ("word,per_million\nthe,7.5\ndog,4.4\n", "word, permillion"),
    ],
)
def test_tables_that_are_not_understood(tmp_path: Path, text: str, columns: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == (
        f"{tmp_path / 'words'}: its columns are {columns}, and none of them is known to have "
        "counts; call the columns word and count"
    )


HINT = "write e.g. the<tab>1234; a count is 0 or more, without marks but the decimal point"


def test_lines_of_a_list_that_are_no_entries_are_reported(tmp_path: Path) -> None:
    good = "the\t20\n" * 10
    with pytest.raises(FaultyFileError) as caught:
        read(tmp_path, f"{good}dog\nice cream\t4\ncat\t-2\nso\t1,000\nit\t1e99\nend\t1\n")
    path = tmp_path / "words"
    assert str(caught.value).splitlines() == [
        f"{path}:11:1: this is no word with its count: 'dog'; {HINT}",
        f"{path}:12:1: this is no word with its count: 'ice cream\\t4'; {HINT}",
        f"{path}:13:1: this is no word with its count: 'cat\\t-2'; {HINT}",
        f"{path}:14:1: this is no word with its count: 'so\\t1,000'; {HINT}",
        f"{path}:15:1: this is no word with its count: 'it\\t1e99'; {HINT}",
    ]


def test_the_first_ten_faults_are_enough(tmp_path: Path) -> None:
    with pytest.raises(FaultyFileError) as caught:
        read(tmp_path, "the 20\n" * 100 + "and so on\n" * 500)
    *first, last = str(caught.value).splitlines()
    path = tmp_path / "words"
    assert first[9] == f"{path}:110:1: this is no word with its count: 'and so on'; {HINT}"
    assert last == f"{path}: 490 more of its lines are no words with counts"
    assert len(first) == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "there are no words in this file"),
        (b" \n.\n", "there are no words in this file"),
        (b"fine\n\xff\n", "the file is not UTF-8; save it with the encoding UTF-8"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    path = tmp_path / "words"
    assert str(caught.value) == f"{path}: {message}"


def test_a_damaged_archive_and_no_file(tmp_path: Path) -> None:
    packed = gzip.compress(b"the\t20\n" * 99, mtime=0)
    for damaged in (packed[:-9], packed[:-8] + b"\0" * 4 + packed[-4:]):
        with pytest.raises(InputError, match="the gzip file is damaged"):
            read(tmp_path, damaged)
    with pytest.raises(InputError, match="No such file"):
        Frequencies.read(tmp_path / "none")


def test_the_zipf_scale() -> None:
    # A million running words: a word that comes once in a thousand has 6, one never seen below 3.
    counts = {"the": 999_000, "dog": 999, "cat": 0}
    frequencies = Frequencies(file="list", counts=counts)
    per_million = 999_999 / 1e6 + 3 / 1e6
    assert frequencies.zipf("dog") == pytest.approx(log10(1000 / per_million) + 3)
    assert frequencies.zipf("dog") == pytest.approx(6, abs=1e-4)
    assert frequencies.zipf("cat") == frequencies.zipf("bird") == pytest.approx(3, abs=1e-4)


def test_words() -> None:
    assert list(words("«The» DOG's ... e-mail, 3.5 _x_ Straße (किताबी)")) == [
        "the",
        "dog's",
        "e-mail",
        "3.5",
        "x",
        "straße",
        # A vowel sign at its end belongs to a word.
        "किताबी",
    ]
