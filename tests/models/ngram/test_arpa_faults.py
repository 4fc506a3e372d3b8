"""What is wrong in an ARPA file is named with its line."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.ngram.samples import VARIED, write

from pommel.errors import InputError, ModelNotAvailableError
from pommel.models.ngram.arpa import read_arpa


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            "ngram 1=6",
            "ngram 1=7",
            r"14: \1-grams: ends after 6 n-grams, \data\ says 7; "
            'complete the section or write "ngram 1=6"',
            id="fewer than declared",
        ),
        pytest.param(
            "ngram 2=4",
            "ngram 2=3",
            r"19: \2-grams: goes on after 3 n-grams, which is what \data\ says; "
            r'expected "\3-grams:", or a higher "ngram 2="',
            id="more than declared",
        ),
        pytest.param(
            "ngram 2=4\n",
            "",
            '4: "ngram 3=2" has no place here; expected "ngram 2=COUNT" or "\\1-grams:"',
            id="a count is missing",
        ),
        pytest.param(
            "ngram 1=6",
            "ngrams 1=6",
            '3: "ngrams 1=6" has no place here; expected "ngram 1=COUNT"',
            id="not a count",
        ),
        pytest.param(
            "\\2-grams:",
            "\\4-grams:",
            r'15: "\4-grams:" has no place here; expected "\2-grams:"',
            id="a section is missing",
        ),
        pytest.param(
            "\\data\\",
            "\\date\\",
            r'1: no line is "\data\"; an ARPA file is expected, plain or gzipped',
            id="no data mark",
        ),
        pytest.param(
            "\\end\\", "", r'25: the file ends before "\end\"; it is cut short', id="no end mark"
        ),
        pytest.param(
            "a b\n",
            "a b c d\n",
            "17: the line has 5 fields; expected a log10 probability, "
            "2 words and maybe a log10 back-off weight",
            id="too many fields",
        ),
        pytest.param(
            "\t</s>",
            "",
            "9: the line has 1 fields; expected a log10 probability, "
            "1 word and maybe a log10 back-off weight",
            id="too few fields",
        ),
        pytest.param(
            "-0.5\ta b",
            "-O.5\ta b",
            '17: "-O.5" is no number; expected a log10 probability',
            id="not a number",
        ),
        pytest.param(
            "-0.5\ta b",
            "nan\ta b",
            '17: "nan" is no number; expected a log10 probability',
            id="nan",
        ),
        pytest.param(
            "-0.5\ta b",
            "0.5\ta b",
            '17: the log10 probability "0.5" is above 0; '
            "a probability is at most 1, its logarithm at most 0",
            id="above 1",
        ),
        pytest.param(
            "a 5\t-1.0",
            "a 5\tx",
            '19: "x" is no finite number; expected a log10 back-off weight after the 2-gram',
            id="weight is not a number",
        ),
        pytest.param(
            "a 5\t-1.0",
            "a 5\tinf",
            '19: "inf" is no finite number; expected a log10 back-off weight after the 2-gram',
            id="infinite weight",
        ),
        pytest.param(
            "a 5\t-1.0",
            "a b\t-1.0",
            "16: 1 of the 4 2-grams from here on are duplicates; each n-gram may be listed once",
            id="duplicate",
        ),
        pytest.param(
            "a 5\t-1.0",
            "a zebra\t-1.0",
            '19: "zebra" is in a 2-gram and has no unigram; '
            "a model lists each of its words among the 1-grams",
            id="a word that is no unigram",
        ),
    ],
)
def test_says_what_is_wrong_and_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in VARIED
    path = write(tmp_path / "faulty.arpa", VARIED.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    assert str(caught.value) == f"{path}:{message}"
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            b"", r':1: no line is "\data\"; an ARPA file is expected, plain or gzipped', id="empty"
        ),
        pytest.param(
            b"mmap lm http://kheafield.com/code format version 5\n",
            ":1: this is a binary KenLM model; give the ARPA file that it was built from",
            id="KenLM binary",
        ),
        pytest.param(
            VARIED[: VARIED.index("\\1-grams:")].encode(),
            r':6: the file ends before "\1-grams:"; it is cut short',
            id="ends in the header",
        ),
        pytest.param(
            VARIED[: VARIED.index("-0.5\ta b")].encode(),
            ":16: the file ends after 1 of 4 2-grams; it is cut short",
            id="ends in a section",
        ),
        pytest.param(
            VARIED.replace("<unk>", "unknown").encode(),
            ': the model has no unigram "<unk>"; '
            "estimate it with an open vocabulary (SRILM: ngram-count -unk)",
            id="no unknown word",
        ),
        pytest.param(
            VARIED.replace("-0.75\tb", "-0.75\tcaf\u00e9").encode("latin-1"),
            ':12: "caf\\xe9" is not UTF-8; convert the file to UTF-8',
            id="Latin-1",
        ),
    ],
)
def test_says_what_file_it_is_instead(tmp_path: Path, text: bytes, message: str) -> None:
    path = write(tmp_path / "other.arpa", text)
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize("damage", [slice(-20, None), slice(-8, -4)], ids=["cut short", "checksum"])
def test_says_that_a_gzip_stream_is_damaged(tmp_path: Path, damage: slice) -> None:
    content = bytearray(gzip.compress(VARIED.encode()))
    content[damage] = b"" if damage.stop is None else b"0000"
    path = write(tmp_path / "tiny.arpa.gz", bytes(content))
    with pytest.raises(InputError, match=r"the gzip stream is cut short or damaged; fetch the"):
        read_arpa(path)


def test_says_that_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "none.arpa"
    with pytest.raises(ModelNotAvailableError) as caught:
        read_arpa(path)
    message = f"{path}: cannot read the n-gram model: No such file or directory"
    assert str(caught.value) == message
    assert caught.value.exit_status == 4


@given(cut=st.integers(min_value=0, max_value=len(VARIED) - 1))
def test_a_file_cut_anywhere_is_an_error_or_whole(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = write(tmp_path_factory.mktemp("cut") / "tiny.arpa", VARIED[:cut])
    if VARIED[:cut].endswith("\\end\\"):
        assert read_arpa(path).order == 3
    else:
        with pytest.raises(InputError):
            read_arpa(path)


@pytest.mark.parametrize(
    ("faulty", "message"),
    [
        pytest.param("-1\tw x y", "70003: the line has 4 fields; expected", id="fields"),
        # Where the section begins.
        pytest.param("-1\tw1", "4: 1 of the 70001 1-grams from here on are", id="duplicate"),
        pytest.param("", r"70003: \1-grams: ends after 69999 n-grams, \data\ says", id="blank"),
    ],
)
def test_faults_far_down_have_their_line(tmp_path: Path, faulty: str, message: str) -> None:
    words = ["<unk>", *(f"w{number}" for number in range(69_998)), "last"]
    lines = [f"-1\t{word}" for word in words]
    lines.insert(69_999, faulty)
    text = "\n".join(["\\data\\", "ngram 1=70001", "\\1-grams:", *lines, "\\end\\"])
    path = write(tmp_path / "long.arpa", text)
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    assert str(caught.value).startswith(f"{path}:{message}")
