"""ARPA files are read exactly, and what is wrong in one is named with its line."""

import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.errors import InputError, ModelNotAvailableError
from pommel.models.arpa import ArpaModel, read_arpa

# "5" is a word, " b" follows a tab or a space, and "b" and "a b" have no back-off weight.
TINY = r"""
\data\
ngram 1=6
ngram 2=4
ngram 3=2

\1-grams:
-99	<s>	-0.5
-1.0	</s>
-2.0	<unk>
-0.5	a	-0.25
-0.75	b
-1.5	5	0.125

\2-grams:
-0.25	<s> a	-0.0625
-0.5	a b
-0.375	b </s>
-0.625	a 5	-1.0

\3-grams:
-0.125	<s> a b
-0.0	a 5 5

\end\
"""


@pytest.fixture
def tiny(tmp_path: Path) -> ArpaModel:
    return read_arpa(_write(tmp_path, TINY))


def _write(folder: Path, text: str | bytes, name: str = "tiny.arpa") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("word", "context", "log10"),
    [
        pytest.param("a", [], -0.5, id="unigram"),
        pytest.param("<s>", [], -99, id="never predicted"),
        pytest.param("a", ["<s>"], -0.25, id="bigram"),
        pytest.param("b", ["<s>", "a"], -0.125, id="trigram"),
        pytest.param("b", ["b", "5", "<s>", "a"], -0.125, id="only order - 1 words count"),
        pytest.param("5", ["<s>", "a"], -0.0625 - 0.625, id="one step back"),
        pytest.param("a", ["<s>", "a"], -0.0625 - 0.25 - 0.5, id="two steps back"),
        pytest.param("a", ["b", "b"], -0.5, id="missing weights are 1"),
        pytest.param("a", ["b", "a"], -0.25 - 0.5, id="missing context, then a weight"),
        pytest.param("b", ["5"], 0.125 - 0.75, id="a weight above 1"),
        pytest.param("5", ["a", "5"], 0.0, id="certain"),
        pytest.param("zebra", [], -2, id="unknown word"),
        pytest.param("zebra", ["<s>", "a"], -0.0625 - 0.25 - 2, id="unknown word in context"),
        pytest.param("b", ["a", "zebra"], -0.75, id="unknown word in the context"),
        pytest.param("\ud800", [], -2, id="half a surrogate pair"),
    ],
)
def test_backs_off_exactly(tiny: ArpaModel, word: str, context: list[str], log10: float) -> None:
    assert tiny.log10_probability(word, context) == log10
    assert tiny.surprisal_bits(word, context) == pytest.approx(-log10 * math.log2(10), abs=1e-12)


def test_certain_word_has_surprisal_of_positive_zero(tiny: ArpaModel) -> None:
    assert math.copysign(1, tiny.surprisal_bits("5", ["a", "5"])) == 1


def test_knows_its_words_and_sizes(tiny: ArpaModel) -> None:
    assert tiny.order == 3
    assert tiny.n_ngrams == (6, 4, 2)
    assert tiny.unk == "<unk>"
    asked = ("a", "5", "<s>", "A", "zebra", 5)
    assert [word for word in asked if word in tiny] == ["a", "5", "<s>"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TINY.replace("\t", " ").encode(), id="spaces"),
        pytest.param(TINY.replace(" ", "\t").replace("ngram\t", "ngram ").encode(), id="tabs"),
        pytest.param(TINY.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf" + TINY.lstrip().encode(), id="byte order mark"),
        pytest.param(b"a comment\n" + TINY.encode() + b"\nwhatever\n", id="text around it"),
        pytest.param(TINY.replace("ngram 1=6", "ngram  1 = 6").encode(), id="blanks in a count"),
        pytest.param(TINY.replace("b </s>", "b </s>\t0").encode(), id="explicit weight 1"),
        pytest.param(TINY.replace("a 5 5", "a 5 5\t-0.5").encode(), id="weight at the top"),
        pytest.param(TINY.replace("\n\n", "\n").encode(), id="no blank lines"),
        pytest.param(gzip.compress(TINY.encode()), id="gzip, whatever the name"),
        pytest.param(TINY.removesuffix("\n").encode(), id="no last line end"),
    ],
)
def test_reads_the_variants_of_the_format(tmp_path: Path, tiny: ArpaModel, text: bytes) -> None:
    assert read_arpa(_write(tmp_path, text, "variant")) == tiny


def test_reads_a_unigram_model_with_kenlms_name_for_unknown_words(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<UNK>\n-inf\tna\u00a0me\n\n\\end\\\n"
    model = read_arpa(_write(tmp_path, text))
    assert model.unk == "<UNK>"
    assert model.log10_backoffs == ()
    assert model.log10_probability("zebra", ["na\u00a0me"]) == -1
    # Only ASCII space separates fields; the word has a no-break space in it.
    assert model.surprisal_bits("na\u00a0me") == math.inf


def test_reads_an_order_without_ngrams(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=1\nngram 2=0\n\n\\1-grams:\n-1\t<unk>\n\n\\2-grams:\n\n\\end\\\n"
    assert read_arpa(_write(tmp_path, text)).n_ngrams == (1, 0)


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
    ],
)
def test_says_what_is_wrong_and_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TINY
    path = _write(tmp_path, TINY.replace(old, new))
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
            TINY[: TINY.index("\\1-grams:")].encode(),
            r':6: the file ends before "\1-grams:"; it is cut short',
            id="ends in the header",
        ),
        pytest.param(
            TINY[: TINY.index("-0.5\ta b")].encode(),
            ":16: the file ends after 1 of 4 2-grams; it is cut short",
            id="ends in a section",
        ),
        pytest.param(
            TINY.replace("<unk>", "unknown").encode(),
            ': the model has no unigram "<unk>"; '
            "estimate it with an open vocabulary (SRILM: ngram-count -unk)",
            id="no unknown word",
        ),
        pytest.param(
            TINY.replace("-0.75\tb", "-0.75\tcaf\u00e9").encode("latin-1"),
            ':12: "caf\\xe9" is not UTF-8; convert the file to UTF-8',
            id="Latin-1",
        ),
    ],
)
def test_says_what_file_it_is_instead(tmp_path: Path, text: bytes, message: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize("damage", [slice(-20, None), slice(-8, -4)], ids=["cut short", "checksum"])
def test_says_that_a_gzip_stream_is_damaged(tmp_path: Path, damage: slice) -> None:
    content = bytearray(gzip.compress(TINY.encode()))
    content[damage] = b"" if damage.stop is None else b"0000"
    path = _write(tmp_path, bytes(content), "tiny.arpa.gz")
    with pytest.raises(InputError, match=r"the gzip stream is cut short or damaged; fetch the"):
        read_arpa(path)


def test_says_that_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "none.arpa"
    with pytest.raises(ModelNotAvailableError) as caught:
        read_arpa(path)
    message = f"{path}: cannot read the n-gram model: No such file or directory"
    assert str(caught.value) == message
    assert caught.value.exit_status == 4


@given(cut=st.integers(min_value=0, max_value=len(TINY) - 1))
def test_a_file_cut_anywhere_is_an_error_or_whole(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = _write(tmp_path_factory.mktemp("cut"), TINY[:cut])
    if TINY[:cut].endswith("\\end\\"):
        assert read_arpa(path).order == 3
    else:
        with pytest.raises(InputError):
            read_arpa(path)
