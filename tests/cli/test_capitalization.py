"""`pommel capitalization`: the gain table, for models and for families."""

import json
from pathlib import Path

import pytest
from tests.builders import suite_value
from tests.cli.samples import Pommel, arpa

ITEMS = [
    {"x": ("the dog",), "y": ("a dog",)},
    {"x": ("the cat",), "y": ("a cat",)},
]


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    """A suite in small letters, which predicts that "the" is likelier than "a"."""
    path = tmp_path / "articles.json"
    value = suite_value(ITEMS, ["(1;%x%) < (1;%y%)"], name="articles", circuit="toys")
    path.write_text(json.dumps(value))
    return path


@pytest.fixture
def seeds(tmp_path: Path) -> str:
    """A family of two models: the first wants a capital letter on "the", the second none."""
    folder = tmp_path / "models"
    folder.mkdir()
    for seed, log10 in (("1", {"the": -3.0, "The": -1.0}), ("2", {"the": -1.0, "The": -3.0})):
        words = {"<unk>": -4.0, "a": -2.0, "A": -2.0, "dog": -1.0, "cat": -1.0, **log10}
        arpa(folder / f"seed-{seed}.arpa", words)
    return f"ngram://{folder}/seed-*.arpa"


def test_the_gain_of_each_member_and_of_the_family(
    pommel: Pommel, suite_file: Path, seeds: str
) -> None:
    outcome = pommel("capitalization", seeds, suite_file, "--format", "csv")
    assert (outcome.status, outcome.stderr) == (0, "")
    rows = outcome.rows()
    assert [
        (row["axis"], row["axis_value"], row["score_as_is"], row["score_capitalized"], row["gain"])
        for row in rows
    ] == [("seed", "1.0", "0.0", "1.0", "1.0"), ("seed", "2.0", "1.0", "0.0", "-1.0")]
    assert {(row["suite"], row["circuit"], row["n_changed"]) for row in rows} == {
        ("articles", "toys", "4")
    }
    table = pommel("capitalization", seeds, suite_file).stdout
    (row,) = (line for line in table.splitlines() if "articles" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells == ["toys", "articles", "0.50 ± 0.71", "0.50 ± 0.71", "+0.00 ± 1.41"]
    assert "models (mean ± sd, n = 2)" in table


def test_suites_that_have_their_capital_letters(
    pommel: Pommel, suite_file: Path, seeds: str
) -> None:
    suite_file.write_text(suite_file.read_text().replace('"the', '"The').replace('"a ', '"A '))
    one = seeds.replace("*", "1")
    run = ("capitalization", one, suite_file, "--format", "csv")
    outcome = pommel(*run)
    (row,) = outcome.rows()
    assert (row["n_changed"], row["gain"], row["family"]) == ("0", "0.0", "")
    assert outcome.stderr == (
        "note: the sentences of articles begin with a capital letter already, or with no letter; "
        "--lower takes it away first\n"
    )
    (row,) = pommel(*run, "--lower").rows()
    assert (row["n_changed"], row["gain"]) == ("4", "1.0")


def test_models_of_one_name_have_columns_of_their_own(
    pommel: Pommel, suite_file: Path, seeds: str
) -> None:
    paths = [Path(seeds.removeprefix("ngram://").replace("*", seed)) for seed in "12"]
    for path, folder in zip(paths, "ab", strict=True):
        path.parent.with_name(folder).mkdir()
        path.rename(path.parent.with_name(folder) / "en.arpa")
    models = [f"ngram://{suite_file.parent}/{folder}/en.arpa" for folder in "ab"]
    outcome = pommel("capitalization", *models, suite_file, "--format", "csv")
    rows = outcome.rows()
    assert [(row["model_name"], row["gain"]) for row in rows] == [
        (models[0], "1.0"),
        (models[1], "-1.0"),
    ]
    table = pommel("capitalization", *models, suite_file).stdout
    assert all(model in table for model in models)
    (row,) = (line for line in table.splitlines() if "articles" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells[2:] == ["0.00", "1.00", "+1.00", "1.00", "0.00", "-1.00"]


def test_a_model_that_fails_does_not_keep_the_others_from_running(
    pommel: Pommel, suite_file: Path, seeds: str
) -> None:
    broken = Path(seeds.removeprefix("ngram://").replace("*", "2"))
    broken.write_text("nothing")
    outcome = pommel("capitalization", seeds, suite_file, "--format", "csv")
    assert outcome.status == 3
    assert [row["gain"] for row in outcome.rows()] == ["1.0"]
    lines = outcome.stderr.splitlines()
    assert lines[0] == f"pommel: ngram://{broken} failed; going on with the other models"
    assert lines[1] == "pommel: 1 of 2 runs are complete"
    assert lines[2].startswith(f"pommel: {broken}")


def test_the_policy_of_the_retired_tool(pommel: Pommel, suite_file: Path) -> None:
    # It asked for no mark before a sentence, and took its first token for 0 bits.
    item = {"x": ("the", "dog"), "y": ("a", "cat")}
    suite_file.write_text(json.dumps(suite_value([item], ["(1;%x%) = (1;%y%)"], name="first")))
    run = ("capitalization", "dummy://", suite_file, "--format", "csv")
    scores = [
        pommel(*run, *more).rows()[0]["score_as_is"] for more in ((), ("--compat", "syntaxgym"))
    ]
    assert scores == ["0.0", "1.0"]


def test_a_model_that_is_not_there(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("capitalization", "ngram://nowhere.arpa", suite_file)
    assert (outcome.status, outcome.stdout) == (4, "")


def test_unknown_words_and_skipped_items_are_told(
    pommel: Pommel, suite_file: Path, seeds: str
) -> None:
    # The model knows "the" and "The", "a" and "A", but of these two only one.
    text = suite_file.read_text().replace("the cat", "glorp cat").replace("a cat", "A cat")
    suite_file.write_text(text)
    arpa = Path(seeds.removeprefix("ngram://").replace("*", "1"))
    arpa.write_text(arpa.read_text().replace("\tA\t", "\tGlorp\t"))
    run = ("capitalization", f"ngram://{arpa}", suite_file, "--format", "csv")
    outcome = pommel(*run)
    (row,) = outcome.rows()
    assert (row["n_oov_as_is"], row["n_oov_capitalized"]) == ("1", "0")
    assert outcome.stderr == (
        "note: seed-1 on articles: 1 item as they are and 0 capitalised rest on an unknown word; "
        "--oov skip leaves them out\n"
    )
    outcome = pommel(*run, "--oov", "skip")
    (row,) = outcome.rows()
    assert (row["n_items_as_is"], row["n_items_capitalized"]) == ("1", "2")
    assert outcome.stderr == ("note: seed-1 on articles: 1 item count as they are, 2 capitalised\n")
