"""`ngram://FILE` reads with kenlm or without; what cannot be read is an error of one line."""

import gzip
import hashlib
import sys
from pathlib import Path

import pytest
from tests.models.ngram.samples import TINY, tiny_binary, write

from pommel.errors import InputError, ModelNotAvailableError, PommelError, UsageError
from pommel.models.model import LoadOptions, Policy, score_all
from pommel.models.ngram.model import open_model
from pommel.models.registry import load_model

UNIGRAMS = "\\data\\\nngram 1=2\n\n\\1-grams:\n-0.25\t<unk>\n-0.5\ta\n\n\\end\\\n"


@pytest.fixture
def without_kenlm(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it is not installed."""
    monkeypatch.setitem(sys.modules, "kenlm", None)


def _bits(reference: str) -> list[float | None]:
    (scored,) = score_all(open_model(reference, LoadOptions()), ["The dog zebra barks"], Policy())
    return [token.surprisal_bits for token in scored.tokens]


@pytest.mark.parametrize(
    ("setting", "reader"),
    [
        ("", "kenlm"),
        ("?reader=auto", "kenlm"),
        ("?reader=kenlm", "kenlm"),
        ("?reader=python", "python"),
    ],
)
@pytest.mark.parametrize(
    ("name", "content"),
    [("tiny.arpa", TINY.encode()), ("tiny.arpa.gz", gzip.compress(TINY.encode()))],
)
def test_a_file_is_read_by_the_reader_that_is_asked_for(
    tmp_path: Path, setting: str, reader: str, name: str, content: bytes
) -> None:
    path = write(tmp_path / name, content)
    model = load_model(f"ngram://{path}{setting}")
    assert model.info.reference == f"ngram://{path}{setting}"
    assert (model.info.name, model.info.kind) == ("tiny", "ngram")
    assert model.info.fingerprint == hashlib.sha256(content).hexdigest()
    assert model.info.details == {
        "order": 3,
        "n_ngrams": 11,
        "vocabulary_size": 3,
        "case": "as written, then lower case",
        "reader": reader,
    }
    log10 = [-0.25, -0.125, -0.25 - 0.125 - 2, -1.5, -0.625]
    expected = [-each * 3.321928094887362 for each in log10]
    assert _bits(f"ngram://{path}{setting}") == pytest.approx(expected, abs=1e-5)


def test_a_path_may_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "tiny.arpa", TINY)
    for reference in ("ngram://~/tiny.arpa", "~/tiny.arpa"):
        assert load_model(reference).info.name == "tiny"


@pytest.mark.usefixtures("without_kenlm")
def test_without_kenlm_a_file_is_read_by_ourselves(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.arpa", TINY)
    assert load_model(f"ngram://{path}").info.details["reader"] == "python"
    with pytest.raises(ModelNotAvailableError) as caught:
        load_model(f"ngram://{path}?reader=kenlm")
    assert str(caught.value) == (
        f"ngram://{path}?reader=kenlm needs kenlm: {PommelError.install('kenlm')}, "
        "or read it without: ngram://FILE?reader=python"
    )


def test_a_binary_is_read_with_kenlm(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.binary", tiny_binary())
    model = load_model(f"ngram://{path}")
    assert model.info.name == "tiny"
    assert model.info.details == {
        "order": 3,
        "case": "as written, then lower case",
        "reader": "kenlm",
    }
    arpa = write(tmp_path / "tiny.arpa", TINY)
    assert _bits(f"ngram://{path}") == pytest.approx(_bits(f"ngram://{arpa}?reader=python"))


@pytest.mark.usefixtures("without_kenlm")
def test_a_binary_needs_kenlm(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.binary", tiny_binary())
    with pytest.raises(ModelNotAvailableError) as caught:
        load_model(f"ngram://{path}")
    assert str(caught.value) == (
        f"{path}: this is a binary KenLM model, which needs kenlm: {PommelError.install('kenlm')}, "
        "or give the ARPA file that it was built from"
    )


def test_a_binary_that_kenlm_cannot_read(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.binary", tiny_binary()[:200])
    with pytest.raises(InputError) as caught:
        load_model(f"ngram://{path}")
    assert str(caught.value) == (
        f"{path}: kenlm cannot read this binary: "
        "Binary file has size 200 but the headers say it should be at least 428"
    )
    with pytest.raises(InputError, match="1: this is a binary KenLM model; give the ARPA file"):
        load_model(f"ngram://{path}?reader=python")


def test_what_kenlm_does_not_take_is_read_by_ourselves(tmp_path: Path) -> None:
    path = write(tmp_path / "unigrams.arpa", UNIGRAMS)
    model = load_model(f"ngram://{path}")
    assert model.info.details["reader"] == "python"
    (scored,) = score_all(model, ["a a"], Policy())
    assert scored.tokens[1].surprisal_bits == pytest.approx(0.5 * 3.321928094887362)
    with pytest.raises(InputError) as caught:
        load_model(f"ngram://{path}?reader=kenlm")
    assert str(caught.value) == (
        f"{path}: kenlm does not take this model: This ngram implementation assumes at least a "
        "bigram model; write ngram://FILE?reader=python"
    )


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("ngram://", "ngram://: it names no file; write ngram://FILE"),
        (
            "ngram://x.arpa?reader=srilm",
            "reader cannot be 'srilm'; it is one of auto, python, kenlm",
        ),
        (
            "ngram://x.arpa?order=3",
            "ngram://x.arpa?order=3: 'order=3' is no setting; write reader=..., each once",
        ),
    ],
)
def test_a_reference_that_makes_no_sense(reference: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_model(reference)
    assert str(caught.value) == message
