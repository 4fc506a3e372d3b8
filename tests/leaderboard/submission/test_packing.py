"""Packing: the same runs are the same bytes, and what no leaderboard would take is not packed."""

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.leaderboard.submission.samples import (
    ABOUT,
    AGREEMENT,
    BIRDS,
    SONG,
    SOURCE,
    SUITES,
    Parts,
    packed,
    records_of,
    results,
    surprisals,
    word_model,
)
from tests.store.run_samples import agreement, imported, made, store_at
from tests.word_model import WordModel

from pommel.errors import PommelError, UsageError
from pommel.files.shipped import json_schema
from pommel.leaderboard.submission import Limits, Submitter, read_submission, write_submission
from pommel.models.model import ModelInfo, Policy
from pommel.models.recorded import Recording
from pommel.scoring import RunRecord
from pommel.store import Selection, Store


class OtherModel(WordModel):
    """A model of another fingerprint."""

    @property
    def info(self) -> ModelInfo:
        return replace(super().info, name="letters", fingerprint="1")


class InContainer(WordModel):
    """A model of a container's kind."""

    @property
    def info(self) -> ModelInfo:
        return replace(super().info, kind="container")


def refusal(store: Store, folder: Path) -> str:
    """Pack all of a store, which cannot be; return why. Nothing is left behind."""
    folder.mkdir()
    with pytest.raises(PommelError) as caught:
        write_submission(store, records_of(store), folder / SOURCE, about=ABOUT)
    assert list(folder.iterdir()) == []
    return str(caught.value).removeprefix(f"{folder / SOURCE}: ")


# --- what is written


def test_the_same_runs_are_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.zip" for n in range(3)]
    with store_at(tmp_path) as store:
        for suite in SUITES:
            made(store, suite, word_model())
        records = records_of(store)
        write_submission(store, records, paths[0], about=ABOUT)
        write_submission(store, records[::-1], paths[1], about=ABOUT)
    with Store.open(tmp_path / "store.sqlite", read_only=True) as store:
        ids = tuple(each.run_id for each in records)
        found = store.runs.records(Selection(run_ids=ids))
        write_submission(store, found, paths[2], about=ABOUT)
    assert len({path.read_bytes() for path in paths}) == 1


def test_other_programs_can_unpack_it(tmp_path: Path, sound: Parts) -> None:
    (tmp_path / SOURCE).write_bytes(sound.packed())
    with zipfile.ZipFile(tmp_path / SOURCE) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            *(name for suite in SUITES for name in (surprisals(suite), results(suite))),
            "manifest.json",
        ]
        for each in archive.infolist():
            assert each.date_time == (1980, 1, 1, 0, 0, 0)
            assert (each.create_system, each.external_attr) == (0, 0)


def test_tokens_are_recorded_surprisals(tmp_path: Path) -> None:
    """What is unpacked can be read as `recorded://`."""
    raw, runs = packed(tmp_path)
    for run, suite in zip(runs, SUITES, strict=True):
        text = Parts.of(raw).files[surprisals(suite)].decode()
        recording = Recording.parse(text, where="x")
        every = {each.text: each for row in run.surprisals.sentences for each in row}
        assert recording.sentences == every
        assert recording.method == "causal"
        schema = Draft202012Validator(json_schema("surprisals"))
        assert all(schema.is_valid(json.loads(line)) for line in text.splitlines())


def test_the_manifest(tmp_path: Path) -> None:
    raw, runs = packed(tmp_path)
    manifest = Parts.of(raw).manifest
    Draft202012Validator(json_schema("submission")).validate(manifest)
    assert manifest["submitter"] == {
        "by": "A. Linguist",
        "name": "Words",
        "contact": "",
        "url": "https://example.org/words",
        "note": "",
    }
    assert manifest["created"] == max(run.result.provenance["date"] for run in runs)
    assert manifest["model"] == word_model().info.to_dict()
    assert manifest["policy"]["method"] == "causal"
    assert (manifest["compat"], manifest["oov"], manifest["score_rule"]) == (None, "keep", "all")
    assert [each["name"] for each in manifest["suites"]] == ["agreement", "song"]
    first = manifest["suites"][0]
    assert (first["n_items"], first["n_sentences"], first["n_tokens"]) == (3, 6, 24)
    assert first["scores"] == [{"label": "", "n_holding": 1, "n_items": 3}]
    assert first["provenance"]["pommel"] == runs[0].result.provenance["pommel"]
    assert not {"suite", "model", "policy"} & first["provenance"].keys()


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(json_schema("submission"))


def test_without_a_name_the_model_has_its_own(tmp_path: Path) -> None:
    packed(tmp_path, about=Submitter(by="A. Linguist"))
    assert read_submission(tmp_path / SOURCE).model.name == "words"


@pytest.mark.parametrize(
    ("digests", "digest"),
    [(["b@sha256:" + "1" * 64, "a@sha256:" + "2" * 64], "a@sha256:" + "2" * 64), ([], None)],
)
def test_the_image_of_a_container(tmp_path: Path, digests: list[str], digest: str | None) -> None:
    model = InContainer(details={"image": {"digests": digests}})
    raw, _ = packed(tmp_path, model=model)
    assert Parts.of(raw).manifest["image_digest"] == digest


def test_a_sentence_of_two_items_is_there_once(tmp_path: Path) -> None:
    suite = agreement(items=(BIRDS[0], BIRDS[0]))
    raw, _ = packed(tmp_path, (suite,))
    assert Parts.of(raw).manifest["suites"][0]["n_sentences"] == 2


def test_one_suite_in_two_languages(tmp_path: Path) -> None:
    other = agreement("song", BIRDS)
    other = replace(other, meta={**other.meta, "language": "sv"})
    packed(tmp_path, (SONG, other))
    names = [each.entry.language for each in read_submission(tmp_path / SOURCE).runs]
    assert names == ["en", "sv"]


# --- what is not packed


def test_no_runs(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        assert refusal(store, tmp_path / "out") == "a submission has one run or more"


def test_two_models(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, AGREEMENT)
        made(store, SONG, OtherModel())
        assert refusal(store, tmp_path / "out") == (
            "a submission is of one model, and these runs are of words and letters; choose one "
            "with --model or by the ids of its runs"
        )


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"policy": Policy(bos="never")}, "bos is auto in {0} (agreement) and never in {1} (song)"),
        ({"compat": "syntaxgym"}, "compat is none in {0} (agreement) and syntaxgym in {1} (song)"),
        ({"oov": "skip"}, "oov is keep in {0} (agreement) and skip in {1} (song)"),
        (
            {"score_rule": "first"},
            "the score rule is all in {0} (agreement) and first in {1} (song)",
        ),
    ],
)
def test_runs_that_were_not_scored_alike(
    tmp_path: Path, choices: dict[str, Any], said: str
) -> None:
    with store_at(tmp_path) as store:
        made(store, AGREEMENT)
        made(store, SONG, **choices)
        ids = [each.run_id for each in records_of(store)]
        found = refusal(store, tmp_path / "out")
    start = "a submission's runs are all scored alike, and "
    assert found.startswith(f"{start}{said.format(*ids)}; choose with --")


def test_two_runs_on_a_suite(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, SONG)
        made(store, agreement("song", BIRDS[:1]))
        one, other = (each.run_id for each in records_of(store))
        said = f"{one} and {other} are both runs on song; name one of them"
        assert refusal(store, tmp_path / "out") == said


def test_results_of_others(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, SONG)
        store.runs.save_records([imported()])
        assert refusal(store, tmp_path / "out") == (
            "there are no tokens of 0123456789ab: only results were imported; run the model with "
            "`pommel run`"
        )


def test_tokens_that_are_gone(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, SONG)
        with store.database.transaction() as connection:
            connection.execute("DELETE FROM scored")
        assert "has not scored 4 of 4 sentences of song" in refusal(store, tmp_path / "out")


def test_an_infinite_surprisal(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, SONG, word_model(bits={"sing": math.inf}))
        assert refusal(store, tmp_path / "out") == (
            f"{surprisals(SONG)}:2: token 'sing' has an infinite surprisal; a submission's are "
            f"finite"
        )


def test_results_that_do_not_follow_from_the_tokens(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        run = made(store, SONG)
        (first, *others) = run.result.predictions
        result = replace(run.result, predictions=(replace(first, holds=~first.holds), *others))
        store.runs.save(replace(run, result=result))
        assert refusal(store, tmp_path / "out").startswith(
            "suite song, item 1, prediction 0: holds is claimed to be false, and comes out true"
        )


def test_tokens_of_two_number_formats(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        run = made(store, SONG)
        store.runs.delete([RunRecord.of(run).run_id])
        told = {"verdicts": {"dtype": "float32", "fingerprint": "0", "sentences": []}}
        result = replace(run.result, provenance={**run.result.provenance, **told})
        store.runs.save(replace(run, result=result))
        assert refusal(store, tmp_path / "out") == (
            "song: its tokens are of two number formats (--verdicts), and whoever scores them "
            "again has one; run it without --verdicts, or in float32"
        )


def test_more_than_may_be(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        made(store, SONG)
        limits = Limits(n_file_bytes=100)
        with pytest.raises(PommelError) as caught:
            write_submission(
                store, records_of(store), tmp_path / SOURCE, about=ABOUT, limits=limits
            )
    assert str(caught.value) == f"{surprisals(SONG)} would have more than 100 bytes; submit less"
    assert not (tmp_path / SOURCE).exists()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"by": ""}, "by is empty; write who submits"),
        ({"by": "a", "url": "example.org"}, "url cannot be 'example.org'; write https://..."),
        ({"by": "a", "url": "https://a b"}, "url cannot be 'https://a b'; write https://..."),
        (
            {"by": "a", "note": "two\nlines"},
            (
                "note cannot be 'two\\nlines'; write one line, without blanks around it or "
                "characters that are not shown"
            ),
        ),
        (
            {"by": " a"},
            (
                "by cannot be ' a'; write one line, without blanks around it or characters that "
                "are not shown"
            ),
        ),
        ({"by": "a", "name": "x" * 101}, "name has more than 100 characters"),
    ],
)
def test_what_submitters_cannot_say(said: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        Submitter(**said)
    assert str(caught.value) == reason


def test_addresses_of_people_beside_those_of_pages() -> None:
    note = "Weights at https://example.org/w, questions to me@example.org"
    assert Submitter(by="a", contact="https://lab.example (me@lab.example)", note=note).note == note
