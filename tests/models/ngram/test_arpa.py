"""ARPA files are read exactly, in every variant of the format."""

import gzip
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.models.ngram.samples import (
    VARIED,
    listed,
    log10_probability,
    next_log10_probabilities,
    write,
)

from pommel.errors import InputError
from pommel.models.ngram.arpa import BackoffModel, read_arpa


@pytest.fixture
def tiny(tmp_path: Path) -> BackoffModel:
    return read_arpa(write(tmp_path / "tiny.arpa", VARIED))


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
def test_backs_off_exactly(tiny: BackoffModel, word: str, context: list[str], log10: float) -> None:
    assert log10_probability(tiny, word, context) == log10
    ((*_, bits),) = tiny.surprisals_bits([[*context, word]])
    assert bits == pytest.approx(-log10 * math.log2(10), abs=1e-12)


def test_certain_word_has_surprisal_of_positive_zero(tiny: BackoffModel) -> None:
    ((*_, bits),) = tiny.surprisals_bits([["a", "5", "5"]])
    assert math.copysign(1, bits) == 1


def test_knows_its_words_and_sizes(tiny: BackoffModel) -> None:
    assert tiny.order == 3
    assert tiny.n_ngrams == (6, 4, 2)
    assert tiny.unk == "<unk>"
    assert tiny.vocabulary == ("<s>", "</s>", "<unk>", "a", "b", "5")
    asked = ("a", "5", "<s>", "A", "zebra", 5)
    assert [word for word in asked if word in tiny] == ["a", "5", "<s>"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(VARIED.replace("\t", " ").encode(), id="spaces"),
        pytest.param(VARIED.replace(" ", "\t").replace("ngram\t", "ngram ").encode(), id="tabs"),
        pytest.param(VARIED.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf" + VARIED.lstrip().encode(), id="byte order mark"),
        pytest.param(b"a comment\n" + VARIED.encode() + b"\nwhatever\n", id="text around it"),
        pytest.param(VARIED.replace("ngram 1=6", "ngram  1 = 6").encode(), id="blanks in a count"),
        pytest.param(VARIED.replace("b </s>", "b </s>\t0").encode(), id="explicit weight 1"),
        pytest.param(VARIED.replace("a 5 5", "a 5 5\t-0.5").encode(), id="weight at the top"),
        pytest.param(VARIED.replace("\n\n", "\n").encode(), id="no blank lines"),
        pytest.param(gzip.compress(VARIED.encode()), id="gzip, whatever the name"),
        pytest.param(VARIED.removesuffix("\n").encode(), id="no last line end"),
    ],
)
def test_reads_the_variants_of_the_format(tmp_path: Path, tiny: BackoffModel, text: bytes) -> None:
    variant = read_arpa(write(tmp_path / "variant", text))
    # Nothing backs off from the longest n-grams.
    assert listed(variant)[:2] == listed(tiny)[:2]
    trigrams, expected = (
        [(text, log10) for text, (log10, _) in listed(model)[2].items()]
        for model in (variant, tiny)
    )
    assert trigrams == expected
    assert (variant.unk, variant.n_ngrams) == (tiny.unk, tiny.n_ngrams)


def test_reads_a_unigram_model_with_kenlms_name_for_unknown_words(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<UNK>\n-inf\tna\u00a0me\n\n\\end\\\n"
    model = read_arpa(write(tmp_path / "unigrams.arpa", text))
    assert model.unk == "<UNK>"
    assert model.order == 1
    assert log10_probability(model, "zebra", ["na\u00a0me"]) == -1
    # Only ASCII space separates fields; the word has a no-break space in it.
    assert model.surprisals_bits([["na\u00a0me"]]) == [[math.inf]]


def test_reads_an_order_without_ngrams(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=1\nngram 2=0\n\n\\1-grams:\n-1\t<unk>\n\n\\2-grams:\n\n\\end\\\n"
    model = read_arpa(write(tmp_path / "none.arpa", text))
    assert model.n_ngrams == (1, 0)
    assert log10_probability(model, "a", ["b"]) == -1
    assert next_log10_probabilities(model, ["b"]).tolist() == [-1]


def test_the_order_of_the_lines_says_nothing(tmp_path: Path, tiny: BackoffModel) -> None:
    head, *sections = VARIED.split("\n\n")
    shuffled = [head]
    for section in sections[:-1]:
        mark, *lines = section.split("\n")
        shuffled.append("\n".join([mark, *lines[1::2], *lines[::2][::-1]]))
    text = "\n\n".join([*shuffled, sections[-1]])
    assert text != VARIED
    model = read_arpa(write(tmp_path / "shuffled.arpa", text))
    assert [dict(sorted(table.items())) for table in listed(model)] == [
        dict(sorted(table.items())) for table in listed(tiny)
    ]


def test_ngrams_whose_beginnings_were_pruned_are_found(tmp_path: Path) -> None:
    # "b a b" stands there without "b a", and so does its beginning's beginning, in order 4.
    text = VARIED.replace("ngram 3=2", "ngram 3=3\nngram 4=1").replace(
        "-0.0\ta 5 5\n", "-0.0\ta 5 5\n-0.875\tb a b\n\n\\4-grams:\n-0.5\t5 b 5 a\n"
    )
    model = read_arpa(write(tmp_path / "pruned.arpa", text))
    assert model.n_ngrams == (6, 4, 3, 1)
    assert log10_probability(model, "b", ["b", "a"]) == -0.875
    assert log10_probability(model, "5", ["b", "a"]) == -0.625  # no weight, then "a 5"
    assert log10_probability(model, "a", ["b"]) == -0.5  # no weight, no bigram
    assert log10_probability(model, "a", ["5", "b", "5"]) == -0.5
    assert log10_probability(model, "b", ["5", "b", "5"]) == 0.125 - 0.75
    # What was there before has not moved.
    assert log10_probability(model, "b", ["<s>", "a"]) == -0.125
    assert log10_probability(model, "5", ["a", "5"]) == 0.0
    for context in (["b", "a"], ["5", "b"], ["5", "b", "5"], ["a", "5"]):
        assert next_log10_probabilities(model, context).tolist() == [
            log10_probability(model, word, context) for word in model.vocabulary
        ]


def test_unigrams_can_be_read_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.arpa", VARIED[: VARIED.index("-0.25\t<s> a")])
    unigrams = read_arpa(path, only_unigrams=True)
    assert unigrams.n_ngrams == (6, 4, 2)
    assert unigrams.vocabulary == ("<s>", "</s>", "<unk>", "a", "b", "5")
    assert unigrams.unk == "<unk>"
    twice = write(tmp_path / "twice.arpa", VARIED.replace("-0.75\tb", "-0.75\ta"))
    message = "8: 1 of the 6 1-grams from here on are duplicates; each n-gram may be listed once"
    with pytest.raises(InputError) as caught:
        read_arpa(twice, only_unigrams=True)
    assert str(caught.value) == f"{twice}:{message}"


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
            b"\\data\\\nngram 1=" + b"9" * 5000,
            f':2: "ngram 1={"9" * 52}" has no place here; expected "ngram 1=COUNT"',
            id="a count of thousands of digits",
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


WORDS = ("<unk>", "<s>", "</s>", "a", "b")
Table = dict[tuple[str, ...], tuple[float, float]]


def arpa_text(tables: Sequence[Table]) -> str:
    """Return an ARPA file of the n-grams."""
    counts = [f"ngram {n}={len(table)}\n" for n, table in enumerate(tables, start=1)]
    sections = []
    for n, table in enumerate(tables, start=1):
        lines = [
            f"{log10!r}\t{' '.join(words)}" + (f"\t{weight!r}\n" if n < len(tables) else "\n")
            for words, (log10, weight) in table.items()
        ]
        sections.append("".join([f"\n\\{n}-grams:\n", *lines]))
    return "".join(["\\data\\\n", *counts, *sections, "\n\\end\\\n"])


def expected_log10(tables: Sequence[Table], words: tuple[str, ...]) -> float:
    """Return log10 p of the last word by the formula, with dictionaries."""
    words = words[-len(tables) :]
    found = tables[len(words) - 1].get(words)
    if found is not None:
        return found[0]
    _, weight = tables[len(words) - 2].get(words[:-1], (0.0, 0.0))
    return weight + expected_log10(tables, words[1:])


# Multiples of 1/8, whose sums are exact.
probabilities = st.integers(min_value=-40, max_value=0).map(lambda number: number / 8)
weights = st.integers(min_value=-16, max_value=16).map(lambda number: number / 8)
entries = st.tuples(probabilities, weights)


def tables_of(n: int) -> st.SearchStrategy[Table]:
    """Return any n-grams: neither their beginnings nor their ends have to be there."""
    words = st.tuples(*[st.sampled_from(WORDS)] * n)
    return st.dictionaries(words, entries, max_size=12)


unigrams = st.tuples(*[entries] * len(WORDS)).map(
    lambda found: {(word,): entry for word, entry in zip(WORDS, found, strict=True)}
)
models = st.integers(min_value=0, max_value=3).flatmap(
    lambda n_longer: st.tuples(unigrams, *(tables_of(n + 2) for n in range(n_longer)))
)
sentences = st.lists(st.lists(st.sampled_from((*WORDS, "zebra")), max_size=6), max_size=4)


@given(tables=models, texts=sentences)
def test_any_model_gives_what_the_formula_gives(
    tmp_path_factory: pytest.TempPathFactory,
    tables: tuple[Table, ...],
    texts: list[list[str]],
) -> None:
    model = read_arpa(write(tmp_path_factory.mktemp("any") / "any.arpa", arpa_text(tables)))
    assert model.n_ngrams == tuple(len(table) for table in tables)
    surprisals = model.surprisals_bits(texts)
    assert [len(bits) for bits in surprisals] == [len(words) for words in texts]
    for words, bits in zip(texts, surprisals, strict=True):
        known = tuple("<unk>" if word == "zebra" else word for word in words)
        for end in range(len(words)):
            log10 = expected_log10(tables, known[: end + 1])
            assert log10_probability(model, words[end], words[:end]) == log10
            assert bits[end] == pytest.approx(-log10 * 3.321928094887362, abs=1e-12)
            everything = next_log10_probabilities(model, words[:end])
            assert everything.tolist() == [
                expected_log10(tables, (*known[:end], word)) for word in WORDS
            ]


def test_a_sentence_does_not_depend_on_the_others(tmp_path: Path) -> None:
    tables: tuple[Table, ...] = (
        {(word,): (-1.0, -0.5) for word in WORDS},
        {("a", "b"): (-0.25, 0.0), ("b", "a"): (-0.125, 0.0)},
    )
    model = read_arpa(write(tmp_path / "model.arpa", arpa_text(tables)))
    texts = [["a"], [], ["b", "a"], ["a", "b"], []]
    together = model.surprisals_bits(texts)
    assert together == [model.surprisals_bits([words])[0] for words in texts]
    assert model.surprisals_bits([]) == []
