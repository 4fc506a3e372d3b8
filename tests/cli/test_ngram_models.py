"""N-gram models on the command line: what cannot be read is one line and an exit status."""

import gzip
import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.models.ngram.samples import TINY, write

from pommel.errors import PommelError
from pommel.models.registry import load_model


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        pytest.param(None, 4, ": cannot read the n-gram model: No such file or directory"),
        pytest.param("folder", 4, ": cannot read the n-gram model: Is a directory"),
        pytest.param(
            b"",
            3,
            r':1: no line is "\data\"; an ARPA file is expected, plain or gzipped',
            id="empty",
        ),
        pytest.param(
            TINY[: TINY.index("-0.375\tdog")].encode(),
            3,
            ":16: the file ends after 2 of 4 2-grams; it is cut short",
            id="cut",
        ),
        pytest.param(
            gzip.compress(TINY.encode(), mtime=0)[:-9],
            3,
            ":1: the gzip stream is cut short or damaged; fetch the file again "
            "(Compressed file ended before the end-of-stream marker was reached)",
            id="gzip cut",
        ),
        pytest.param(
            TINY.replace("barks", "b\u00e4rks").encode("latin-1"),
            3,
            ':12: "b\\xe4rks" is not UTF-8; convert the file to UTF-8',
            id="Latin-1",
        ),
        pytest.param(
            TINY.replace("<unk>", "unknown").encode(),
            3,
            ': the model has no unigram "<unk>"; '
            "estimate it with an open vocabulary (SRILM: ngram-count -unk)",
            id="no <unk>",
        ),
    ],
)
def test_a_fault_is_one_line(
    pommel: Pommel, tmp_path: Path, content: bytes | str | None, status: int, message: str
) -> None:
    path = tmp_path / "x.arpa"
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        write(path, content)
    outcome = pommel("run", f"ngram://{path}", "suites:en/agreement")
    assert (outcome.status, outcome.stdout) == (status, "")
    assert outcome.stderr == f"pommel: {path}{message}\n"
    # Neither reader knows more of it than the other.
    for reader in ("kenlm", "python"):
        with pytest.raises(PommelError) as caught:
            load_model(f"ngram://{path}?reader={reader}")
        assert (caught.value.exit_status, str(caught.value)) == (status, f"{path}{message}")


def test_the_reader_is_a_setting(pommel: Pommel, tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.arpa", TINY)
    sentences = write(tmp_path / "sentences.txt", "The dog barks zebra\n")
    tables = [
        pommel("get-surprisals", f"ngram://{path}?reader={reader}", sentences)
        for reader in ("kenlm", "python")
    ]
    assert [outcome.status for outcome in tables] == [0, 0]
    rows = [[line.split("\t") for line in outcome.stdout.splitlines()[1:]] for outcome in tables]
    assert [row[:3] for row in rows[0]] == [row[:3] for row in rows[1]]
    assert [row[2] for row in rows[0]] == ["The", "dog", "barks", "zebra", "</s>"]
    for found, expected in zip(*rows, strict=True):
        assert float(found[3]) == pytest.approx(float(expected[3]), abs=1e-4)
    outcome = pommel("models", "show", f"ngram://{path}?reader=python", "--format", "json-full")
    assert json.loads(outcome.stdout)["details"]["reader"] == "python"
