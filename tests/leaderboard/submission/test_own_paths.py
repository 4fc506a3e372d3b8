"""A submitter's own paths: in no submission, on no board, and on no site."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.leaderboard.samples import KEEPER, WHEN, added, board_at, rescored, snapshot
from tests.leaderboard.submission.samples import ABOUT, SOURCE, SUITES, Parts, packed
from tests.word_model import WordModel

from pommel.errors import InputError, UsageError
from pommel.leaderboard import BoardFolder
from pommel.leaderboard.site import Ranking
from pommel.leaderboard.submission import Submitter, parse_submission
from pommel.leaderboard.submission.own_paths import has_path, is_local, published_name
from pommel.models.model import ModelInfo

PRIVATE = "/home/ana/models/secret"


class LocalModel(WordModel):
    """A model in a folder, whose description has paths at several depths."""

    reference = f"huggingface://{PRIVATE}"

    @property
    def info(self) -> ModelInfo:
        details: dict[str, Any] = {
            "network": "causal",
            "made": {"of": [f"{PRIVATE}/data.txt", "text"], "in": "C:\\Users\\ana\\x"},
            "habits": f"it has printed: no file {PRIVATE}",
        }
        return replace(
            super().info, reference=self.reference, name="secret", revision=None, details=details
        )


@pytest.mark.parametrize(
    "text",
    [
        PRIVATE,
        f"huggingface://{PRIVATE}",
        "huggingface://~/x",
        "huggingface://./x",
        "lstm://../x",
        "ngram://C:\\models\\x.arpa",
        "C:/Users/ana",
        "\\\\host\\share\\x",
        "file:///home/ana/x",
        "no file '/data/x'",
        "weights=~ana/x",
        "File:/data/x",
        "%2Fhome%2Fana%2Fx",
        "it lies in /Users/ana/my models.",
        "`/data/x`, „/data/x“ or {/data/x}",
        "/data//x",
        "/data/.cache",
        "~1234567/x",
    ],
)
def test_what_is_a_path(text: str) -> None:
    assert has_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "gpt2",
        "EleutherAI/pythia-70m",
        "huggingface://EleutherAI/pythia-70m@main",
        "docker://ghcr.io/lab/model:1",
        "https://example.org/~ana/models/x",
        "a:b, 1/2 and and/or 2026/01/02",
        "prefix tree (states)",
        "Linux-6.1-x86_64",
        "see /x",
        "the contrast of /p/, /b/ and /t/-/d/ (as in /p/).",
        "~5k/s, ~0.5/step and ~3/4",
        "24/7, o. ä./u. ä., C: und D:, 100%/50%",
    ],
)
def test_what_is_no_path(text: str) -> None:
    assert not has_path(text)


@pytest.mark.parametrize(
    ("reference", "revision", "expected"),
    [
        ("huggingface://gpt2", "0" * 40, False),
        # A folder has no commit, and a name no two slashes.
        ("huggingface://gpt2", None, True),
        ("huggingface://models/mine/gpt2", "0" * 40, True),
        ("lstm:///home/ana/mine", None, True),
        ("recorded://../mine.jsonl", None, True),
        ("ngram://C:\\mine.arpa", None, True),
        ("apptainer://~/mine.sif", None, True),
        # It says its own name only.
        ("ngram://steps/1.arpa?reader=python", None, False),
        ("apptainer://docker://lab/model", None, False),
        ("builtin://en-gpt2", None, False),
        ("https://example.org/v1", None, False),
    ],
)
def test_which_models_are_local(*, reference: str, revision: str | None, expected: bool) -> None:
    assert is_local(reference, revision) is expected


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("gpt2", "gpt2"),
        ("lab/gpt2", "lab/gpt2"),
        (PRIVATE, "secret"),
        ("%2Fa%2Fb", "b"),
        ("C:\\a\\b\\", "b"),
    ],
)
def test_of_a_name_that_is_a_path_the_last_part_is_shown(name: str, shown: str) -> None:
    assert published_name(name) == shown


def test_the_name_of_a_local_model_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        packed(tmp_path, SUITES, LocalModel(methods=("causal",)), about=Submitter(by="Ana"))
    assert str(caught.value) == (
        f"the model 'huggingface://{PRIVATE}' is called by a path of this machine, which is not "
        f"published; say what it is to be called, with --name 'NAME'"
    )
    assert not (tmp_path / SOURCE).exists()


@pytest.mark.parametrize("field", ["by", "name", "contact", "note"])
def test_what_is_said_has_no_path(tmp_path: Path, field: str) -> None:
    about = replace(ABOUT, **{field: f"of {PRIVATE}"})
    with pytest.raises(UsageError, match=f"^{field} has a path of a machine in it, and everyone "):
        packed(tmp_path, about=about)


def test_a_submission_has_no_path(tmp_path: Path) -> None:
    raw, _ = packed(tmp_path, SUITES, LocalModel(methods=("causal",)))
    parts = Parts.of(raw)
    for content in parts.files.values():
        assert b"ana" not in content
    model = parts.manifest["model"]
    assert (model["reference"], model["name"]) == ("local://Words", "Words")
    assert model["details"] == {
        "network": "causal",
        "made": {"of": ["(a path, left out)", "text"], "in": "(a path, left out)"},
        "habits": "(a path, left out)",
    }
    place = board_at(tmp_path)
    added(place, tmp_path / SOURCE)
    (row,) = Ranking.of(place).rows
    # Nobody else can have its weights.
    assert (row.name, row.is_available) == ("Words", False)


def packed_before(folder: Path) -> bytes:
    """Return a submission as it was packed before paths were left out."""
    raw, _ = packed(folder, SUITES, LocalModel(methods=("causal",)))
    private = {"reference": LocalModel.reference, "name": PRIVATE}
    parts = Parts.of(raw)
    for suite in SUITES:
        parts = parts.with_lines(lambda lines: lines[0]["model"].update(private), suite)

    def change(manifest: Any) -> None:
        manifest["model"].update(private)
        manifest["submitter"]["name"] = PRIVATE

    return parts.with_manifest(change).packed()


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["submitter"].update(note=f"of {PRIVATE}"),
        lambda manifest: manifest["submitter"].update(by=f"ana ({PRIVATE})"),
        lambda manifest: manifest["submitter"].update(contact=PRIVATE),
        lambda manifest: manifest["suites"][1]["provenance"].update(of=[{"x": PRIVATE}]),
    ],
)
def test_a_board_takes_no_path_wherever_it_is_said(tmp_path: Path, change: Any) -> None:
    packed(tmp_path)
    place = board_at(tmp_path)
    raw = Parts.of((tmp_path / SOURCE).read_bytes()).with_manifest(change).packed()
    (tmp_path / SOURCE).write_bytes(raw)
    with pytest.raises(InputError, match="the manifest has a path of the submitter's machine"):
        added(place, tmp_path / SOURCE)


def test_an_address_of_the_web_is_no_path(tmp_path: Path) -> None:
    packed(tmp_path, about=replace(ABOUT, url="https://example.org/?of=/home/ana"))
    place = board_at(tmp_path)
    assert added(place, tmp_path / SOURCE).n_ranked == 1


def test_a_board_takes_no_path(tmp_path: Path) -> None:
    raw = packed_before(tmp_path)
    (tmp_path / SOURCE).write_bytes(raw)
    place = board_at(tmp_path)
    before = snapshot(place.folder)
    with pytest.raises(InputError) as caught:
        added(place, tmp_path / SOURCE)
    assert str(caught.value) == (
        f"{tmp_path / SOURCE}: the manifest has a path of the submitter's machine, which everyone "
        "could read; `pommel submit` of this version leaves it out (its --name says what the model "
        "is called), so have it packed again"
    )
    assert snapshot(place.folder) == before


def holding_a_path(folder: Path) -> BoardFolder:
    """Return a board that had taken such a submission before."""
    raw = packed_before(folder)
    sha256 = parse_submission(raw, source=SOURCE).sha256
    place = board_at(folder)
    known = {
        "id": sha256[:16],
        "file_sha256": hashlib.sha256(raw).hexdigest(),
        "content_sha256": sha256,
        "supersedes": [],
    }
    ledger = place.ledger(place.board()).with_event("added", known, when=WHEN, by=KEEPER)
    place.ledger_file.write_text(ledger.text)
    place.archive(sha256[:16]).write_bytes(raw)
    return place


def test_a_site_shows_the_name_of_what_the_board_has_already(tmp_path: Path) -> None:
    place = holding_a_path(tmp_path)
    assert [*place.verified()] == []
    Ranking.write_site(place, tmp_path / "site")
    site = snapshot(tmp_path / "site")
    assert not [name for name, content in site.items() if b"ana/" in content]
    (row,) = Ranking.of(place).rows
    assert row.name == "secret"
    assert b'"reference": "local://secret"' in site["leaderboard.json"]


def test_what_was_kept_with_a_path_is_made_again(tmp_path: Path) -> None:
    place = holding_a_path(tmp_path)
    board = place.board()
    ledger = place.ledger(board)
    (entry,) = place.entries(board, ledger, keep=True)
    place.write_standings(board, ledger, [entry])
    old = replace(entry, name=PRIVATE, model={**entry.model, "reference": LocalModel.reference})
    place.entry_file(entry.id).write_text(old.to_text())
    place.write_standings(board, ledger, [old])
    # What was kept of the same submission is taken as it is.
    place.standings_file.unlink()
    place.write_standings(board, ledger, [old])
    assert PRIVATE in place.standings_file.read_text()
    assert [row.name for row in Ranking.of(place).rows] == ["secret"]
    assert place.entries(board, ledger) == [entry]


@pytest.mark.parametrize(
    ("model", "written"),
    [
        ("builtin://en-ngram", "builtin://en-ngram"),
        ("huggingface://lab/gpt2", "huggingface://lab/gpt2"),
        (f"huggingface://{PRIVATE}", "local://ID"),
        ("recorded://~/x.jsonl", "local://ID"),
    ],
)
def test_a_keepers_path_is_in_no_ledger(tmp_path: Path, model: str, written: str) -> None:
    place = board_at(tmp_path)
    packed(tmp_path)
    name = added(place, tmp_path / SOURCE).standing.id
    place.record_rerun(name, rescored(), model=model, when=WHEN, by=KEEPER)
    line = place.ledger_file.read_text().splitlines()[-1]
    assert f'"model":"{written.replace("ID", name)}"' in line
