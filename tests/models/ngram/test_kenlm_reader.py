"""kenlm gives the numbers that we give, and nothing of what it prints is seen."""

import gzip
import math
import struct
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from tests.models.ngram.samples import TINY, tiny_binary, write

from pommel.errors import InputError
from pommel.files.shipped import shipped_folder
from pommel.models.model import Policy, score_all
from pommel.models.ngram.arpa import read_arpa
from pommel.models.ngram.model import (
    KenlmRefusalError,
    NgramModel,
    NgramTables,
    is_kenlm_binary,
    ngram_model,
    open_arpa,
    read_with_kenlm,
)
from pommel.scoring import run_suites
from pommel.sources.load import load_suites
from recipes.english.grammar import held_out_corpus

EN_NGRAM = shipped_folder("builtin") / "en-ngram" / "model.arpa.gz"
STRANGE = (
    "",
    "zebra",
    "The zorbl near the grolp sleeps .",
    "the <unk> <UNK> <s> </s> sleeps",
    "the \0dog the\0 dogs sleep",
    "\ud800 the dog \udfff",
    "caf\u00e9 \u65e5\u672c\u8a9e the the the the the the",
    "happy happy is the is the woman woman .",
)


@pytest.fixture(scope="module")
def both() -> tuple[NgramModel, NgramModel]:
    """The built-in model, read by ourselves and by kenlm."""
    tables = read_with_kenlm(EN_NGRAM)
    return (
        open_arpa(EN_NGRAM, reference="ours", name="ours"),
        ngram_model(tables, EN_NGRAM, reference="kenlm", name="kenlm"),
    )


@pytest.mark.parametrize("policy", [Policy(), Policy.SYNTAXGYM, Policy(bos="never", eos="never")])
def test_both_readers_give_the_same_numbers(
    both: tuple[NgramModel, NgramModel], policy: Policy
) -> None:
    sentences = [*STRANGE, *islice(held_out_corpus(300, 1), 300)]
    ours, theirs = (score_all(model, sentences, policy) for model in both)
    n_unknown = 0
    for expected, found in zip(ours, theirs, strict=True):
        assert [token.text for token in found.tokens] == [token.text for token in expected.tokens]
        for token, other in zip(expected.tokens, found.tokens, strict=True):
            assert (token.oov, token.role) == (other.oov, other.role), expected.text
            assert other.surprisal_bits == pytest.approx(token.surprisal_bits, abs=1e-4)
            n_unknown += token.oov
    assert n_unknown > 15


def test_both_readers_give_the_same_verdicts(both: tuple[NgramModel, NgramModel]) -> None:
    """Both halves of these items are the same words in another order, many with the same sum."""
    suites = load_suites(["center_embed", "center_embed_mod"]).suites
    for model in both:
        predictions = [run.result.predictions[0] for run in run_suites(model, suites)]
        assert [(each.n_holding, each.n_ties) for each in predictions] == [(20, 5), (12, 13)]


def test_both_readers_describe_the_model_alike(both: tuple[NgramModel, NgramModel]) -> None:
    ours, theirs = (model.info.to_dict() for model in both)
    assert (ours["details"].pop("reader"), theirs["details"].pop("reader")) == ("python", "kenlm")
    assert ours["details"] == theirs["details"]
    assert ours["fingerprint"] == theirs["fingerprint"]
    assert (ours["bos"], ours["eos"]) == (theirs["bos"], theirs["eos"]) == ("<s>", "</s>")
    assert both[0].tables.vocabulary == both[1].tables.vocabulary


def _assert_same(tables: NgramTables, expected: NgramTables) -> None:
    words = ("the", "dog", "barks", "</s>", "<unk>", "zebra")
    contexts = ((), ("<s>",), ("zebra",), ("<s>", "the"), ("the", "dog"))
    sentences = [[*context, word] for context in contexts for word in words]
    sentences.append(["<s>", *words, *words])
    for found, wanted in zip(
        tables.surprisals_bits(sentences), expected.surprisals_bits(sentences), strict=True
    ):
        # kenlm gives the mark in front 0, which nothing asks for.
        marked = len(found) > 1
        assert found[marked:] == pytest.approx(wanted[marked:], abs=1e-5)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TINY.encode(), id="ARPA"),
        pytest.param(gzip.compress(TINY.encode()), id="gzip"),
        pytest.param(tiny_binary(), id="binary"),
        pytest.param(TINY.replace("<unk>", "<UNK>").encode(), id="<UNK>"),
    ],
)
def test_every_form_of_a_file_gives_the_same_numbers(tmp_path: Path, content: bytes) -> None:
    tables = read_with_kenlm(write(tmp_path / "tiny", content))
    expected = read_arpa(write(tmp_path / "tiny.arpa", TINY))
    _assert_same(tables, expected)
    assert tables.order == 3
    asked = ("the", "The", "zebra", "<s>", "</s>", tables.unk, "the\0", "\ud800", 5)
    known = ["the", "<s>", "</s>", tables.unk]
    assert [word for word in asked if word in tables] == known
    is_binary = is_kenlm_binary(tmp_path / "tiny")
    assert tables.n_ngrams == (None if is_binary else (6, 4, 1))
    assert tables.vocabulary == (
        None if is_binary else ("<s>", "</s>", tables.unk, "the", "dog", "barks")
    )


def test_a_model_pruned_of_the_end_of_an_ngram_gives_the_same_numbers(tmp_path: Path) -> None:
    # kenlm puts what is missing between the other bigrams, if there are enough of them.
    more = [f"-1.25\t{left} {right}\n" for left in ("the", "dog") for right in ("the", "<unk>")]
    text = TINY.replace("-0.5\tthe dog\t-0.25\n", "".join(more)).replace("2=4", "2=7")
    path = write(tmp_path / "pruned.arpa", text)
    _assert_same(read_with_kenlm(path), read_arpa(path))


def test_unknown_words_are_found_by_either_name(tmp_path: Path) -> None:
    for name in ("<unk>", "<UNK>"):
        path = write(tmp_path / "tiny.arpa", TINY.replace("<unk>", name))
        tables = (read_arpa(path), read_with_kenlm(path))
        for model in (ngram_model(each, path, reference="x", name="x") for each in tables):
            (scored,) = score_all(model, ["the <unk> <UNK>"], Policy(eos="never"))
            assert [(token.text, token.oov) for token in scored.tokens] == [
                ("the", False),
                ("<unk>", True),
                ("<UNK>", True),
            ]


def test_a_certain_word_has_a_surprisal_of_positive_zero(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.arpa", TINY.replace("-0.125\t<s> the dog", "-0.0\t<s> the dog"))
    ((*_, bits),) = read_with_kenlm(path).surprisals_bits([["<s>", "the", "dog"]])
    assert math.copysign(1, bits) == 1


@pytest.mark.parametrize("form", ["ARPA", "binary"])
def test_a_model_without_unknown_words_is_refused(tmp_path: Path, form: str) -> None:
    if form == "ARPA":
        content = TINY.replace("<unk>", "unknown").encode()
    else:
        # What kenlm writes into a binary if the ARPA file has none.
        before, after = (struct.pack("<f", log10) for log10 in (-2.0, -100.0))
        content = tiny_binary().replace(before, after)
    path = write(tmp_path / "closed", content)
    with pytest.raises(InputError) as caught:
        read_with_kenlm(path)
    assert str(caught.value) == (
        f'{path}: the model has no unigram "<unk>"; '
        "estimate it with an open vocabulary (SRILM: ngram-count -unk)"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            b"\\data\\\nngram 1=1\n\n\\1-grams:\n-1\t<unk>\n\n\\end\\\n",
            "This ngram implementation assumes at least a bigram model",
            id="unigrams",
        ),
        pytest.param(
            TINY[: TINY.index("-0.625")].encode(), "End of file in the 2-gram at byte 200", id="cut"
        ),
        pytest.param(
            tiny_binary()[:200],
            "Binary file has size 200 but the headers say it should be at least 428",
            id="binary cut",
        ),
        pytest.param(
            tiny_binary()[:60] + b"x" + tiny_binary()[61:],
            "File looks like it should be loaded with mmap, but the test values don't match",
            id="binary of another machine",
        ),
    ],
)
def test_what_kenlm_refuses_has_its_reason(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(KenlmRefusalError) as caught:
        read_with_kenlm(write(tmp_path / "refused", content))
    assert str(caught.value) == message


def test_nothing_that_kenlm_prints_is_seen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # A bar, and the advice to build a binary.
    read_with_kenlm(write(tmp_path / "tiny.arpa", TINY))
    with pytest.raises(KenlmRefusalError):
        read_with_kenlm(write(tmp_path / "cut.arpa", TINY[:-10]))
    sys.stderr.write("still there\n")
    assert capfd.readouterr() == ("", "still there\n")


def test_a_process_without_standard_error_reads_all_the_same(tmp_path: Path) -> None:
    program = (
        "import os, sys; os.close(2); from pathlib import Path; "
        "from pommel.models.ngram.model import read_with_kenlm; "
        "print(read_with_kenlm(Path(sys.argv[1])).order)"
    )
    path = write(tmp_path / "tiny.arpa", TINY)
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True
    )
    assert done.stdout == "3\n"
