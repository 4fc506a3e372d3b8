"""`list`, `tokenize`, `unkify`, `get-surprisals`, `get-predictions`."""

import io
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import h5py
import pytest
from tests.cli.samples import Pommel
from tests.cli.terminal import all_shown

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so

TEXT = 'This is "a" test .\n\n NA zorbl \r\n'
HEADER = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
LINES = ['This is "a" test .', "", "NA zorbl"]


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    """A file of three lines."""
    path = tmp_path / "sentences.txt"
    path.write_text(TEXT)
    return path


def test_list_short_has_the_names(pommel: Pommel) -> None:
    outcome = pommel("list", "--short")
    assert outcome.status == 0
    assert outcome.stdout.split("\n") == [
        *("gpt2", "GRNN", "JRNN", "ngram", "ordered-neurons", "RNNG", "tinylstm"),
        "",
    ]


def test_list_has_what_is_known_of_each(pommel: Pommel) -> None:
    listed = pommel("list").stdout
    assert (
        "GRNN\n"
        "\tImage URI:  docker.io/cpllab/language-models:grnn\n"
        "\tFull name: GRNN\n"
        "\tReference URL: https://github.com/facebookresearch/colorlessgreenRNNs\n"
        "\tMaintainer: Unknown\n"
        "\tLast updated: 2020-05-25\n"
        "\tSize: 4.44GB\n"
    ) in listed
    assert listed.count("\tLast updated: 20") == 7


def test_tokenize_prints_a_line_a_sentence(pommel: Pommel, sentences: Path) -> None:
    outcome = pommel("tokenize", "dummy://", sentences)
    assert outcome.status == 0
    assert outcome.stdout == 'This is " a " test .\n\nNA zorbl\n'
    assert outcome.stderr == ""


def test_unkify_prints_zeros_and_ones(pommel: Pommel, sentences: Path) -> None:
    assert pommel("unkify", "builtin://en-ngram", sentences).stdout == (
        "0 0 1 0 1 0 0 0\n0\n1 1 0\n"
    )


def test_get_surprisals_prints_a_table(pommel: Pommel, sentences: Path) -> None:
    outcome = pommel("get-surprisals", "dummy://uniform?bits=2.5", sentences)
    assert outcome.stdout == (
        "sentence_id\ttoken_id\ttoken\tsurprisal\n"
        '1\t1\tThis\t0.0\n1\t2\tis\t2.5\n1\t3\t"\t2.5\n1\t4\ta\t2.5\n1\t5\t"\t2.5\n'
        "1\t6\ttest\t2.5\n1\t7\t.\t2.5\n"
        "3\t1\tNA\t0.0\n3\t2\tzorbl\t2.5\n"
    )


@pytest.mark.parametrize("model", ["dummy://", "builtin://en-gpt2"])
def test_the_table_is_pandas_own(pommel: Pommel, model: str) -> None:
    lines = ["This is a test .", "NA zorbl"]
    printed = pommel("get-surprisals", model, "-", stdin="\n".join(lines)).stdout
    buffer = io.StringIO()
    # This is what lm-zoo did.
    Z.get_surprisals(model, lines).to_csv(buffer, sep="\t")
    assert printed == buffer.getvalue()


def test_what_is_printed_can_be_recorded(pommel: Pommel, tmp_path: Path) -> None:
    line = 'This is "a" test NA .'
    printed = pommel("get-surprisals", "dummy://", "-", stdin=line).stdout
    (tmp_path / "s.tsv").write_text(printed)
    again = pommel("get-surprisals", f"recorded://{tmp_path}/s.tsv", "-", stdin=line)
    assert again.stdout == printed


@pytest.mark.parametrize("command", ["tokenize", "unkify"])
def test_nothing_in_nothing_out(pommel: Pommel, command: str) -> None:
    outcome = pommel(command, "dummy://", "-", stdin="")
    assert (outcome.status, outcome.stdout) == (0, "")


def test_lines_are_read_as_lm_zoo_read_them(pommel: Pommel) -> None:
    outcome = pommel("tokenize", "dummy://", "-", stdin="\ufeff a \r\nb\rc\u2028d")
    assert outcome.stdout == "a\nb\nc d\n"


def test_get_predictions_writes_a_file(pommel: Pommel, sentences: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.hdf5"
    outcome = pommel("get-predictions", "builtin://en-gpt2", sentences, out)
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"Predictions: {out}\n"
    with h5py.File(out) as file:
        assert sorted(file["sentence"]) == ["0", "1", "2"]
        n_tokens = len(Z.tokenize("builtin://en-gpt2", LINES)[0])
        assert file["sentence/0/predictions"].shape == (n_tokens, len(file["vocabulary"]))


def test_get_predictions_of_a_model_without(
    pommel: Pommel, sentences: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.hdf5"
    out.write_bytes(b"what was there")
    outcome = pommel("get-predictions", "builtin://en-ngram", sentences, out)
    assert (
        outcome.failure(1) == "builtin://en-ngram: this model gives surprisals and no predictions"
    )
    assert out.read_bytes() == b"what was there"


def test_get_predictions_writes_to_a_pipe(pommel: Pommel, sentences: Path, tmp_path: Path) -> None:
    pipe, copy = tmp_path / "pipe", tmp_path / "copy.hdf5"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()))
    reader.start()
    outcome = pommel("get-predictions", "builtin://en-gpt2", sentences, pipe)
    reader.join()
    assert (outcome.status, outcome.stderr) == (0, f"Predictions: {pipe}\n")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with h5py.File(copy) as file:
        assert sorted(file["sentence"]) == ["0", "1", "2"]


def test_get_predictions_leaves_a_link_a_link(
    pommel: Pommel, sentences: Path, tmp_path: Path
) -> None:
    link, target = tmp_path / "link.hdf5", tmp_path / "target.hdf5"
    link.symlink_to(target)
    assert pommel("get-predictions", "builtin://en-gpt2", sentences, link).status == 0
    assert link.is_symlink()
    with h5py.File(target) as file:
        assert "vocabulary" in file


@pytest.mark.parametrize(
    ("command", "raw", "shown"),
    [
        ("tokenize", "\x1b b \x9b\n", "? b ?\n"),
        ("unkify", "0 0 0\n", "0 0 0\n"),
        (
            "get-surprisals",
            f"{HEADER}1\t1\t\x1b\t0.0\n1\t2\tb\t1.0\n1\t3\t\x9b\t1.0\n",
            f"{HEADER}1\t1\t?\t0.0\n1\t2\tb\t1.0\n1\t3\t?\t1.0\n",
        ),
    ],
)
def test_tokens_cannot_steer_a_terminal(
    pommel: Pommel, tmp_path: Path, command: str, raw: str, shown: str
) -> None:
    path = tmp_path / "s.txt"
    path.write_text("\x1b b\x9b\n")
    assert pommel(command, "dummy://uniform?bits=1", path).stdout == raw
    assert _on_a_terminal(command, "dummy://uniform?bits=1", str(path)) == shown


def _on_a_terminal(*arguments: str) -> str:
    screen, stdout = os.openpty()
    line = (sys.executable, "-m", "pommel", *arguments)
    subprocess.run(line, stdout=stdout, stderr=subprocess.DEVNULL, check=True)
    os.close(stdout)
    shown = all_shown(screen)
    os.close(screen)
    return shown


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("tokenize", "dummy://", "nosuch.txt"),
            3,
            "pommel: nosuch.txt: No such file or directory\n",
        ),
        (
            ("unkify", "builtin://nosuch", "-"),
            4,
            (
                "pommel: there is no built-in model 'nosuch'; "
                "there is: de-gpt2, de-ngram, de-unigram, ...\n"
            ),
        ),
        (
            ("tokenize", "dummy://", "-", "--backend", "Docker"),
            2,
            "pommel: dummy:// cannot be run by docker; it is run by dummy\n",
        ),
        (
            ("tokenize", "dummy://", "-", "--checkpoint", "here"),
            2,
            (
                "pommel: dummy://: only a model in a container takes a checkpoint; name the folder "
                "as the model\n"
            ),
        ),
        (
            ("get-predictions", "dummy://", "-", "-"),
            2,
            "pommel: HDF5 cannot be written to standard output; name a file\n",
        ),
    ],
)
def test_what_goes_wrong(
    pommel: Pommel, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel(*arguments, stdin="a\n")
    assert (outcome.status, outcome.stdout, outcome.stderr) == (status, "", message)


def test_what_is_not_utf8(pommel: Pommel) -> None:
    outcome = pommel("tokenize", "dummy://", "-", stdin=b"a\nb\xff")
    assert outcome.status == 3
    assert outcome.stderr.startswith("pommel: <stdin>:2:2: the byte 0xff is not UTF-8")


def test_help_says_what_is_printed(pommel: Pommel) -> None:
    outcome = pommel("get-surprisals", "--help")
    assert outcome.status == 0
    assert "sentence_id token_id token surprisal" in " ".join(outcome.stdout.split())
    assert "[docker|podman|singularity|apptainer]" in outcome.stdout
