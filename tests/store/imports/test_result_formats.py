"""Which format a file has, and which options mean something for it."""

from pathlib import Path

import pytest
from tests.store.imports.files import read
from tests.store.imports.test_items import PLAIN
from tests.store.imports.test_scores import TAB, loss

from pommel.errors import InputError, UsageError
from pommel.store.imports.results import RESULT_FORMATS, ImportOptions, read_results, recognised

ROWS = "model,suite,share\nm,s,0.5\n"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (PLAIN, "items"),
        (PLAIN.replace(",", "\t"), "items"),
        ('"suite","model_name","item_number","result"\n', "items"),
        ("model,a,b\nm,0.5,\n", "accuracies"),
        ("model;a;b\nm;0,5;\n", "accuracies"),
        ("model\ta\nm\t0,5\n", "accuracies"),
        (ROWS, "accuracies"),
        (ROWS.replace(",", "\t"), "accuracies"),
        (TAB, "gulordava"),
        (loss(1, 2), "gevalm"),
        # What has no scores is no result.
        (TAB.replace("hidden", "dense"), ""),
        (loss(1, 2).replace("probs", "props"), ""),
        ("model,a\nm,good\n", ""),
        ('{"sentence_good": "a", "UID": "x", "linguistics_term": "y"}\n', ""),
        ("", ""),
    ],
)
def test_how_a_file_begins_says_what_it_is(text: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    if form:
        assert recognised([path]).name == form
    else:
        with pytest.raises(UsageError) as caught:
            recognised([path])
        names = ", ".join(each.name for each in RESULT_FORMATS)
        assert str(caught.value) == f"{path}: say with --from what it is, one of {names}"


def test_files_of_two_formats_do_not_belong_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"x.csv is items and .*1-x.csv is accuracies; import"):
        read(tmp_path, PLAIN, "model,a\nm,0.5\n")


def test_without_any_file_there_is_no_format() -> None:
    with pytest.raises(UsageError, match=r"^name a file of results$"):
        recognised([])


def test_options_say_what_columns_are_called(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    # Without them it is like a matrix.
    path.write_text("model,pair,acc\na,1,0\n")
    assert recognised([path]).name == "accuracies"
    options = ImportOptions(suite="s", columns={"item": "pair", "result": "acc"})
    assert recognised([path], options).name == "items"


def test_what_is_no_utf_8_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(PLAIN, encoding="utf-16")
    with pytest.raises(InputError) as caught:
        recognised([path])
    assert str(caught.value) == (
        f"{path}:1:1: the file is UTF-16, not UTF-8; save the file with the encoding UTF-8"
    )


def test_a_file_may_be_called_like_our_own_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^pommel is the name of pommel's own runs; say with"):
        read(tmp_path, PLAIN, name="pommel.csv")
    assert read(tmp_path, PLAIN, name="pommel.csv", source="x").records


def test_languages_are_tags(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"^--language: 'english' is no language tag; did you mean"
    ):
        read(tmp_path, PLAIN, language="english")
    # What a file says stays as it is.
    imported = read(tmp_path, "model,suite,item,result,language\na,s,1,1,Basque\n")
    assert imported.notes == ("'Basque' is no language tag; did you mean eu?",)
    assert imported.records[0].suite.language == "Basque"


def test_files_of_one_name_are_all_told(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "x.csv" for folder in "ab"]
    for path, suite in zip(paths, "st", strict=True):
        path.parent.mkdir()
        path.write_text(PLAIN.replace(",s,", f",{suite},"))
    imported = read_results(paths, ImportOptions(source="x"))
    files = imported.records[0].result.provenance["files"]
    assert [each["name"] for each in files] == ["x.csv", "x.csv"]
    assert len({each["sha256"] for each in files}) == 2


def test_nothing_is_left_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x.csv: nothing is left$"):
        read(tmp_path, "model,a\nm,\n", form="accuracies")


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^accuracies has no --model: its files name the models$"):
        read(tmp_path, ROWS, model="m")
    with pytest.raises(UsageError, match=r"^items has no --items: its files say how many"):
        read(tmp_path, PLAIN, n_items_of={"a": 3})
