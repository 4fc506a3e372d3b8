"""Folders of studies: what is done once is not done again, whatever has stopped it."""

import csv
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.studies.studies import TRAINED, study_of, written

from pommel.errors import InputError, PommelError, UsageError
from pommel.sources import PublishedSource
from pommel.studies import Asked, Study, StudyFolder

ENGLISH = """
title = "English <numbers>"
paper = "Nobody (2026)"

[scales.tiny]
about = "seconds"

[[models]]
name = "ngrams"
references = ["builtin://en-unigram", "builtin://en-ngram"]

[[runs]]
models = ["ngrams"]
suites = ["number_simple"]
options = "--limit 2"

[[tables]]
name = "scores"
title = "Scores"
keys = ["model_name"]
value = "accuracy"
own = "stats accuracy"

[[figures]]
name = "heat"
title = "Scores & more"
options = "--plot heat-map"
"""

# A source that is not in the cache, and cannot be fetched offline.
MISSING = """
[[published]]
fetch = "hu2020"
files = ["data/*"]

[[tables]]
name = "published"
title = "Published"
keys = ["model_name"]
value = "accuracy"
published = "stats accuracy"
"""

PAPER = """
[[materials]]
fetch = "hu2020"
only = ["test_suites/json/number_*"]
"""


def done(folder: StudyFolder) -> list[str]:
    """Do a study, and return the names of the steps that were begun."""
    for _ in folder.run():
        pass
    return [each.step.name for each in folder.ends]


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def folder_of(path: Path, text: str) -> StudyFolder:
    """Return a study of a text, to be done in a folder beside it."""
    study = study_of(path, text)
    return StudyFolder(study=study, asked=Asked(offline=True), path=path / "done")


@pytest.fixture(scope="module", name="english")
def english_done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that is done, beside its file."""
    path = tmp_path_factory.mktemp("english")
    names = done(folder_of(path, ENGLISH + MISSING))
    assert sorted(names) == ["fetch-hu2020", "figure-heat", "report", "run-1", "table-scores-own"]
    return path


def test_a_study_ends_in_its_values_and_a_page(english: Path) -> None:
    folder = english / "done"
    header, *rows = (folder / "values.csv").read_text("utf-8").splitlines()
    assert header.startswith("table,keys,printed")
    assert [row.split(",")[1] for row in rows] == ["model_name=en-unigram", "model_name=en-ngram"]
    page = (folder / "index.html").read_text("utf-8")
    assert "<h1>English &lt;numbers&gt;</h1>" in page
    assert "data:image/svg+xml;base64," in page
    assert "<script" not in page
    # No model was trained on text of pommel's.
    assert "circular" not in page
    assert (folder / "report.html").exists()
    assert (folder / "study.toml").read_text("utf-8") == ENGLISH + MISSING


def test_what_is_optional_and_fails_is_left_out_with_what_needs_it(english: Path) -> None:
    page = (english / "done" / "index.html").read_text("utf-8")
    for name in ("fetch-hu2020", "import-hu2020", "table-published-published"):
        row = page[page.index(f'<th scope="row">{name}</th>') :].partition("</tr>")[0]
        assert "left out" in row
    log = (english / "done" / "logs" / "fetch-hu2020.log").read_text("utf-8")
    assert "without --offline" in log


@pytest.mark.full
def test_models_run_on_the_suites_of_the_paper(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "hu2020" / PublishedSource.named("hu2020").commit
    shutil.copytree(shared_data / "hu2020" / "suites", cache / "test_suites" / "json")
    shutil.copy(shared_data / "hu2020" / "LICENSE", cache)
    monkeypatch.setenv("POMMEL_CACHE", str(tmp_path / "cache"))
    text = ENGLISH.replace('"number_simple"', '"materials/hu2020/number_*.json"') + PAPER
    text = text.replace('keys = ["model_name"]', 'keys = ["suite", "model_name"]')
    folder = folder_of(tmp_path, text)
    assert done(folder)[:2] == ["materials-hu2020", "run-1"]
    with (folder.path / "tables" / "scores.own.csv").open(encoding="utf-8") as file:
        found = {(each["suite"], each["model_name"]) for each in csv.DictReader(file)}
    assert len(found) == 3 * 2  # number_orc, number_prep, number_src
    # What is fetched otherwise is cleared away before.
    fewer = folder_of(tmp_path, text.replace("number_*", "number_orc*"))
    assert "materials-hu2020" in done(fewer)
    made = {path.name for path in (folder.path / "materials" / "hu2020").glob("*.json")}
    assert made == {"number_orc.json"}


RATED = """
title = "People"
paper = "Nobody (2026)"

[scales.tiny]
about = "seconds"

[[models]]
name = "unigram"
references = ["builtin://de-unigram"]

[[runs]]
models = ["unigram"]
suites = ["de_argument_structure"]
options = "--limit 1"

[[tables]]
name = "auc"
title = "AUC"
keys = ["comparison", "model_name"]
value = "auc"
own = "stats auc --ratings={ratings}"
"""


@pytest.mark.full
def test_people_stand_beside_the_models_where_there_are_ratings(tmp_path: Path) -> None:
    study = study_of(tmp_path, RATED)
    ratings = tmp_path / "ratings.csv"
    names = ("plausible_nom1-acc2-dat3", "double-nom_nom3-nom2-acc1", "double-dat_dat1-dat2-acc3")
    said = [f"1,{name},{rating}\n" for name, rating in zip(names, (5, 1, 5), strict=True)]
    ratings.write_text("item,condition,rating\n" + "".join(said), "utf-8")
    asked = Asked(offline=True, ratings={"": ratings})
    folder = StudyFolder(study=study, asked=asked, path=tmp_path / "done")
    assert sorted(done(folder)) == ["report", "run-1", "table-auc-own"]
    rows = rows_of(folder.path / "values.csv")
    assert {row["keys"]: row["own"] for row in rows if "human" in row["keys"]} == {
        "comparison=all; model_name=human": "0.75",
        "comparison=double-nom; model_name=human": "1",
        "comparison=double-dat; model_name=human": "0.5",
        "comparison=plausible; model_name=human": "0.75",
    }
    # In another file they are others.
    ratings.write_text("item,condition,rating\n" + "".join(said[:2]), "utf-8")
    assert done(StudyFolder(study=study, asked=asked, path=folder.path)) == ["table-auc-own"]
    with pytest.raises(UsageError, match="the study has no table that people stand in"):
        done(StudyFolder(study=study_of(tmp_path, ENGLISH), asked=asked, path=folder.path))
    ratings.unlink()
    with pytest.raises(InputError, match=r"ratings\.csv: there is no such table of ratings"):
        done(StudyFolder(study=study, asked=asked, path=folder.path))


def test_what_is_done_is_not_done_again(english: Path) -> None:
    assert done(folder_of(english, ENGLISH + MISSING)) == ["fetch-hu2020"]


def test_what_is_done_stays_so_on_another_machine_but_not_in_another_number_format(
    english: Path,
) -> None:
    folder = folder_of(english, ENGLISH + MISSING)

    def undone(asked: Asked) -> set[str]:
        again = replace(folder, asked=asked)
        return {each.name for each in again.plan.steps if not again.is_done(each)}

    missing = undone(Asked())
    assert undone(Asked(device="cuda", max_memory="8G")) == missing
    assert undone(Asked(dtype="bfloat16")) - missing == {
        "run-1",
        "table-scores-own",
        "figure-heat",
        "report",
    }


def test_what_has_changed_or_gone_is_done_again_with_what_rests_on_it(english: Path) -> None:
    again = ENGLISH.replace("number_simple", "number_prep")
    assert sorted(done(folder_of(english, again))) == [
        "figure-heat",
        "report",
        "run-1",
        "table-scores-own",
    ]
    table = english / "done" / "tables" / "scores.own.csv"
    # Runs of before are no part of it.
    assert {row["suite"] for row in rows_of(table)} == {"number_prep (first 2 of 24)"}
    table.unlink()
    assert done(folder_of(english, again)) == ["table-scores-own"]


def test_a_step_that_fails_ends_it_with_its_words_and_status(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ENGLISH.replace("number_simple", "number_simpel"))
    with pytest.raises(PommelError) as caught:
        done(folder)
    log = folder.path / "logs" / "run-1.log"
    assert str(caught.value).startswith("run-1 failed with status ")
    assert "number_simpel" in str(caught.value)
    assert str(log) in str(caught.value)
    assert caught.value.exit_status == 3
    assert not folder.page.exists()
    assert not any(map(folder.is_done, folder.plan.steps))


def test_a_statistic_without_its_column_fails_where_it_is_computed(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ENGLISH.replace('value = "accuracy"', 'value = "acuracy"'))
    with pytest.raises(PommelError, match=r"did you mean 'accuracy'\?") as caught:
        done(folder)
    assert caught.value.exit_status == 3
    assert not (folder.path / "tables" / "scores.own.csv").exists()


def test_only_what_steps_have_made_is_cleared(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ENGLISH)
    for name in ("steps", "tables", "models/old"):
        (folder.path / name).mkdir(parents=True)
    mine, old = tmp_path / "mine.txt", folder.path / "tables" / "old.csv"
    for path in (mine, old):
        path.touch()
    told = {"key": "other", "makes": [str(mine), "../mine.txt", "tables/old.csv", "tables"]}
    (folder.path / "steps" / "table-old.json").write_text(json.dumps(told), "utf-8")
    running = folder.run()
    next(running)
    running.close()
    assert mine.exists()
    assert not old.exists()


def test_trained_models_go_only_where_that_is_said(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ENGLISH)
    model = folder.path / "models" / "old"
    for path in (folder.path / "steps", model):
        path.mkdir(parents=True)
    told = {"key": "other", "makes": ["models/old"], "seconds": 9_000}
    (folder.path / "steps" / "train-old.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(UsageError, match=r"train-old was done otherwise .* --restart"):
        done(folder)
    assert model.exists()
    running = replace(folder, restart=True).run()
    next(running)
    running.close()
    assert not model.exists()


def test_runs_of_a_store_that_is_gone_are_made_again(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ENGLISH.partition("[[tables]]")[0])
    done(folder)
    store = folder.path / "store.sqlite"
    store.unlink()
    again = folder_of(tmp_path, ENGLISH.partition("[[tables]]")[0])
    assert done(again) == ["run-1"]


def test_two_at_once_are_not_let_in(tmp_path: Path) -> None:
    first, second = (folder_of(tmp_path, ENGLISH) for _ in range(2))
    running = first.run()
    next(running)
    with pytest.raises(UsageError, match="a study is being done there"):
        done(second)
    running.close()


def test_given_texts_are_joined_line_by_line_also_gzipped_ones(tmp_path: Path) -> None:
    german, french = tmp_path / "german.txt", tmp_path / "french.txt.gz"
    # No end of line behind the last sentence.
    german.write_bytes(b"Der Hund bellt .\r\nDie Hunde bellen .")
    french.write_bytes(gzip.compress(b"Le chien aboie .\n"))
    study = study_of(tmp_path, TRAINED)
    asked = Asked(corpora={"de": german, "fr": french}, offline=True)
    folder = StudyFolder(study=study, asked=asked, path=tmp_path / "done")
    (step,) = (each for each in folder.plan.steps if each.name == "text-de+fr")
    for name in ("steps", "text"):
        (folder.path / name).mkdir(parents=True)
    assert folder.start(step) is None
    joined = (folder.path / "text" / "de+fr.txt").read_text("utf-8")
    assert joined == "Der Hund bellt .\nDie Hunde bellen .\nLe chien aboie .\n"
    french.write_bytes(gzip.compress(b"Le chien")[:-4])
    with pytest.raises(InputError, match=r"french\.txt\.gz: cannot be read"):
        folder.start(step)


def test_texts_that_are_missing_are_asked_for(tmp_path: Path) -> None:
    study = study_of(tmp_path, TRAINED)
    path = tmp_path / "done"
    with pytest.raises(UsageError, match="--corpus de=FILE --corpus fr=FILE"):
        done(StudyFolder(study=study, asked=Asked(scale="paper"), path=path))
    with pytest.raises(UsageError, match="no scale small; it has tiny, paper"):
        done(StudyFolder(study=study, asked=Asked(scale="small"), path=path))
    for language, error in (("ru", UsageError), ("de", InputError)):
        asked = Asked(corpora={language: tmp_path / "none.txt"})
        with pytest.raises(error):
            done(StudyFolder(study=study, asked=asked, path=path))
    assert not path.exists()


def test_a_copy_has_its_printed_values(tmp_path: Path) -> None:
    study = Study.named("hu2020")
    copied = StudyFolder.copy(study, tmp_path)
    assert copied[0] == tmp_path / "hu2020.toml"
    assert Study.read(copied[0]).tables == study.tables
    with pytest.raises(UsageError, match="is there already"):
        StudyFolder.copy(study, tmp_path)


@pytest.mark.full
def test_a_killed_study_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path, ENGLISH)
    command = [sys.executable, "-m", "pommel", "study", "run", str(path), "-o", str(tmp_path / "x")]
    for _ in range(3):
        killed = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(2)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == str(tmp_path / "x" / "index.html")
    for file in (tmp_path / "x" / "steps").glob("*.json"):
        assert json.loads(file.read_text("utf-8"))["key"]
