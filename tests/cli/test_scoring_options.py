"""What is scored and how: `--regions`, `--method`, `--boundary`, and the limits of memory."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.half_model import HalfModel
from tests.word_model import WordModel, replace_kind

from pommel.models.model import LoadOptions, ModelInfo, Policy

Words = Callable[..., WordModel]


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Words:
    """Have `toy://` be the model that is returned; it does what it is asked for only."""

    def registered(**fields: object) -> WordModel:
        model = WordModel(**fields)  # type: ignore[arg-type]
        replace_kind(monkeypatch, "toy", lambda *_: model)
        return model

    return registered


NEEDED_ONLY = ((9, 12),)  # of "The pilot is good ."


@pytest.mark.parametrize(
    ("arguments", "is_all"),
    [
        # A model that is no network answers for all tokens anyway.
        ((), True),
        (("--compat", "syntaxgym"), True),
        (("--regions", "auto"), True),
        (("--regions", "needed"), False),
        (("--regions", "needed", "-o", "FOLDER"), False),
        (("-o", "FOLDER"), True),
        (("--format", "csv", "--table", "regions"), True),
        (("--format", "json", "--table", "tokens"), True),
        (("--regions", "all"), True),
    ],
)
def test_regions_are_scored_where_they_are_needed_or_asked_for(  # noqa: PLR0913 - a table of cases
    pommel: Pommel,
    suite_file: Path,
    tmp_path: Path,
    words: Words,
    arguments: tuple[str, ...],
    *,
    is_all: bool,
) -> None:
    model = words()
    folder = str(tmp_path / "results")
    given = [folder if each == "FOLDER" else each for each in arguments]
    assert pommel("run", "toy://", suite_file, *given).status == 0
    spans = dict(zip(model.asked[0], model.spans[0], strict=True))
    assert spans["The pilot is good ."] == (None if is_all else NEEDED_ONLY)


def test_scores_do_not_depend_on_which_regions_are_scored(
    pommel: Pommel, suite_file: Path, words: Words
) -> None:
    words()
    # What one has scored must not answer the other.
    table = ("--no-store", "--format", "csv", "--table", "predictions", "--regions")
    needed = pommel("run", "toy://", suite_file, *table, "needed")
    assert needed.stdout == pommel("run", "toy://", suite_file, *table, "all").stdout
    assert needed.stderr == ""


def test_regions_that_are_not_scored_are_empty(
    pommel: Pommel, suite_file: Path, tmp_path: Path, words: Words
) -> None:
    words()
    arguments = ("run", "toy://", suite_file, "--regions", "needed")
    pommel(*arguments, "-o", tmp_path / "results")
    text = (tmp_path / "results" / "regions.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))[:3]
    assert [row["sum_bits"] for row in rows] == ["", "2.0", ""]
    assert [(row["n_tokens"], row["n_unscored"]) for row in rows] == [
        ("2", "0"),
        ("1", "0"),
        ("2", "0"),
    ]
    records = json.loads(pommel(*arguments, "--format", "json", "--table", "regions").stdout)
    assert [record["sum_bits"] for record in records[:3]] == [None, 2.0, None]


def test_surprisals_are_always_those_of_all_regions(
    pommel: Pommel, suite_file: Path, words: Words
) -> None:
    model = words()
    assert pommel("surprisals", "toy://", suite_file).status == 0
    assert set(model.spans[0]) == {None}


def test_method_and_boundary_are_part_of_the_policy(
    pommel: Pommel, suite_file: Path, words: Words
) -> None:
    model = words(methods=("pll", "pll-word-l2r"))
    chosen = ("--method", "pll-word-l2r", "--boundary", "corrected", "--format", "json-full")
    (run,) = json.loads(pommel("run", "toy://", suite_file, *chosen).stdout)
    assert model.policies == [Policy(method="pll-word-l2r", boundary="corrected")]
    assert run["provenance"]["method"] == "pll-word-l2r"
    (run,) = json.loads(pommel("run", "toy://", suite_file, "--format", "json-full").stdout)
    assert (run["provenance"]["method"], run["provenance"]["policy"]["method"]) == ("pll", "auto")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("--method", "pll"),
            1,
            "pommel: dummy:// does not take the method 'pll'; it has its own\n",
        ),
        (
            ("--boundary", "corrected"),
            1,
            (
                "pommel: dummy:// does not take the boundary 'corrected'; score it with "
                "boundary=raw\n"
            ),
        ),
        (("--max-memory", "4X"), 2, "'--max-memory': '4X': write a size like 512M or 16G\n"),
        (("--max-memory", "100K"), 2, "'--max-memory': '100K': write a size from 1M up\n"),
        (("--batch-tokens", "0"), 2, "'--batch-tokens': 0 is not in the range x>=1.\n"),
    ],
)
def test_what_cannot_be_asked_for(
    pommel: Pommel, suite_file: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel("run", "dummy://", suite_file, *arguments)
    assert outcome.status == status
    assert outcome.stderr.endswith(message)
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), LoadOptions()),
        (("--max-memory", "4G"), LoadOptions(max_memory_bytes=4 << 30)),
        (("--max-memory", "1.5m"), LoadOptions(max_memory_bytes=3 << 19)),
        (("--batch-tokens", "2048"), LoadOptions(batch_tokens=2048)),
    ],
)
def test_limits_reach_the_model(
    pommel: Pommel,
    suite_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    options: LoadOptions,
) -> None:
    given: list[LoadOptions] = []

    def opened(_reference: str, own: LoadOptions) -> WordModel:
        given.append(own)
        return WordModel()

    replace_kind(monkeypatch, "toy", opened)
    assert pommel("run", "toy://", suite_file, *arguments).status == 0
    (found,) = given
    assert found.max_memory_bytes == options.max_memory_bytes
    assert found.batch_tokens == options.batch_tokens


def test_models_show_names_the_methods(pommel: Pommel, words: Words) -> None:
    assert "\nmethods          ngram\n" in pommel("models", "show", "builtin://en-ngram").stdout
    words(methods=("pll", "focus-mask"), details={"layers": [1, 2]})
    lines = pommel("models", "show", "toy://").stdout.splitlines()
    assert lines[-2:] == ["methods       pll, focus-mask", "layers        1, 2"]
    words()
    assert "methods" not in pommel("models", "show", "toy://").stdout


# --- items that cannot be compared


@pytest.fixture
def unequal(tmp_path: Path) -> Path:
    """A suite of three items; the conditions of the first have different numbers of words."""
    value = suite_value("unequal")
    value["items"][0]["conditions"][1]["regions"][1]["content"] = "is not"
    path = tmp_path / "unequal.json"
    path.write_text(json.dumps(value))
    return path


def test_skipped_items_are_told_and_counted(pommel: Pommel, unequal: Path, words: Words) -> None:
    words(methods=("unmasked-ce",))
    outcome = pommel("run", "toy://", unequal, "--format", "csv")
    (row,) = outcome.rows()
    assert (row["n_items"], row["n_skipped"], row["n_holding"]) == ("2", "1", "2")
    assert row["score"] == "1.0"
    assert outcome.stderr == (
        "note: words on unequal: prediction 0 skips 1 item whose conditions have different "
        "numbers of tokens (unmasked-ce)\n"
    )


def test_skipped_items_are_skipped_after_the_way_through_a_file(
    pommel: Pommel, unequal: Path, words: Words, tmp_path: Path
) -> None:
    words(methods=("unmasked-ce",))
    table = ("--format", "csv", "--table", "predictions")
    at_once = pommel("run", "toy://", unequal, *table).rows()
    assert [row["skipped"] for row in at_once] == ["True", "False", "False"]
    assert [(row["result"], row["margin_bits"]) for row in at_once] == [
        ("", ""),
        ("True", "1.0"),
        ("True", "1.0"),
    ]
    as_json = pommel("run", "toy://", unequal, "--format", "json", *table[2:]).stdout
    assert [(row["result"], row["margin_bits"], row["tie"]) for row in json.loads(as_json)] == [
        (None, None, False),
        (True, 1.0, False),
        (True, 1.0, False),
    ]
    evaluated = pommel("surprisals", "toy://", unequal).stdout
    later = pommel("evaluate", "-", *table, stdin=evaluated).rows()
    keys = ("item_number", "result", "margin_bits", "skipped")
    assert [[row[key] for key in keys] for row in later] == [
        [row[key] for key in keys] for row in at_once
    ]
    recorded = tmp_path / "tokens.jsonl"
    pommel("surprisals", "toy://", unequal, "--format", "jsonl", "-o", recorded)
    assert pommel("run", f"recorded://{recorded}", unequal, *table).rows() == at_once


def test_a_suite_all_of_whose_items_are_skipped(
    pommel: Pommel, unequal: Path, words: Words, tmp_path: Path
) -> None:
    value = json.loads(unequal.read_text())
    value["items"] = value["items"][:1]
    unequal.write_text(json.dumps(value))
    words(methods=("unmasked-ce",))
    outcome = pommel("run", "toy://", unequal, "-o", tmp_path / "results", "--fail-under", "0.5")
    assert outcome.status == 5
    assert "no items" in outcome.stdout
    said = "- words, unequal: no items is below 0.5\n"
    assert outcome.stderr.endswith(f"pommel: 1 gate failed:\n{said}")
    (run,) = json.loads((tmp_path / "results" / "runs.json").read_text())["runs"]
    assert run["score"] is None
    assert run["predictions"][0]["n_skipped"] == 1
    assert pommel("run", "toy://", unequal, "--table", "predictions").status == 0


def test_verdicts_of_half_precision_are_float32s_if_that_is_asked_for(
    pommel: Pommel, suite_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = HalfModel(WordModel())
    replace_kind(monkeypatch, "toy", lambda *_: half)
    done = pommel("run", "toy://m", suite_file, "--verdicts", "float32", "--no-store")
    assert done.status == 0
    assert len(half.exact.asked) == 1
    assert (
        "note: words on agreement: 6 sentences scored again in float32, so that all " in done.stderr
    )
    replace_kind(monkeypatch, "toy", lambda *_: OnlyHalf())
    done = pommel("run", "toy://m", suite_file, "--verdicts", "float32", "--no-store")
    assert (done.status, done.stdout) == (1, "")
    assert "toy://words computes in float16, and has no way to be asked in float32" in done.stderr


class OnlyHalf(WordModel):
    """A model of half precision, and of nothing else."""

    @property
    def info(self) -> ModelInfo:
        return HalfModel(WordModel()).info
