"""`pommel stats auc`: from a model on a suite to AUCs and preferences."""

import json
from pathlib import Path

import pytest
from tests.builders import suite_value
from tests.cli.samples import Pommel, arpa

DESIGN = """\
meta name: arguments
language: de
lexicon: nouns.csv
cases: nom acc dat
frame: Wir wissen , dass | {1} | {2} | {3} | {verb} | .
violations: double

template: nom Vater | acc Ball | dat Sohn | verb schenkt
template: nom Arzt | acc Plan | dat Chef | verb zeigt
"""
NOUNS = ("Vater", "Ball", "Sohn", "Arzt", "Plan", "Chef")

# log10 of the articles' probabilities: the nominative is the likeliest, the dative the least.
CASES = {"der": -1.0, "den": -1.5, "dem": -1.75}


@pytest.fixture
def suite_file(pommel: Pommel, tmp_path: Path) -> Path:
    """A permutation design of two templates, as a suite."""
    (tmp_path / "arguments.design").write_text(DESIGN)
    rows = [f"{noun},der {noun},den {noun},dem {noun}" for noun in NOUNS]
    (tmp_path / "nouns.csv").write_text("\n".join(["word,nom,acc,dat", *rows, ""]))
    path = tmp_path / "arguments.json"
    outcome = pommel("generate", tmp_path / "arguments.design", "-o", path)
    assert (outcome.status, outcome.stdout) == (0, "")
    return path


def rows(pommel: Pommel, *arguments: str) -> list[dict[str, str]]:
    outcome = pommel("stats", "auc", "--resamples", "99", "--format", "csv", *arguments)
    assert outcome.status == 0, outcome.stderr
    return outcome.rows()


@pytest.mark.full
def test_a_bigram_model_that_likes_an_order_is_at_chance_too(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    pairs = {"dass der": -0.9, "dass den": -1.5, "dass dem": -1.75}
    model = arpa(tmp_path / "bigram.arpa", {**CASES, "dass": -2.0}, pairs)
    assert pommel("run", model, suite_file).status == 0
    assert [row["auc"] for row in rows(pommel)] == ["0.5", "0.0", "0.5", "1.0", "0.5"]
    orders = {row["order"]: float(row["mean_score"]) for row in rows(pommel, "--table", "orders")}
    assert orders["nom acc dat"] == orders["nom dat acc"] > orders["acc nom dat"]
    shares = {
        (row["order"], row["other_order"]): row["share_preferred"]
        for row in rows(pommel, "--table", "pairs")
    }
    assert shares[("nom acc dat", "acc nom dat")] == "1.0"
    assert shares[("acc nom dat", "dat nom acc")] == "0.5"


def test_who_likes_a_noun_in_a_case(pommel: Pommel, suite_file: Path, tmp_path: Path) -> None:
    pairs = {"den Ball": -0.5, "den Plan": -0.5}
    words = {**CASES, **dict.fromkeys(NOUNS, -2.0)}
    assert pommel("run", arpa(tmp_path / "bigram.arpa", words, pairs), suite_file).status == 0
    found = {
        (row["noun"], row["plausible_case"], row["case"]): row["auc"]
        for row in rows(pommel, "--table", "features")
    }
    assert len(found) == 9
    assert found[("2", "acc", "acc")] == "1.0"
    assert found[("2", "acc", "nom")] == found[("2", "acc", "dat")] == "0.25"


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    """Two minimal pairs of articles, in which "a" is what no speaker would say."""
    items = [
        {"good": ("the dog barks",), "bad": ("a dog barks",)},
        {"good": ("the cat",), "bad": ("a cat",)},
    ]
    value = suite_value(items, ["(1;%good%) < (1;%bad%)"], name="articles", unacceptable="bad")
    path = tmp_path / "articles.json"
    path.write_text(json.dumps(value))
    return path


def test_minimal_pairs_have_one_comparison(
    pommel: Pommel, pairs_file: Path, tmp_path: Path
) -> None:
    model = arpa(tmp_path / "unigram.arpa", {"the": -1.0, "a": -1.5})
    assert pommel("run", model, pairs_file).status == 0
    (row,) = rows(pommel)
    assert (row["comparison"], row["auc"], row["n_templates"]) == ("all", "1.0", "2")
    outcome = pommel("stats", "auc", "--table", "orders")
    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr == (
        "pommel: --table orders needs a suite whose meta.design says which case each noun has (a "
        "permutation design)\n"
    )


def test_slor_takes_off_a_unigram_model(pommel: Pommel, pairs_file: Path, tmp_path: Path) -> None:
    model = arpa(tmp_path / "model.arpa", {"the": -1.0, "a": -1.5})
    # By itself it likes "the" more than the model does, so that "a" gains by the difference.
    unigram = arpa(tmp_path / "unigram.arpa", {"the": -0.5, "a": -1.5})
    assert pommel("run", model, pairs_file, "-m", unigram).status == 0
    assert [row["auc"] for row in rows(pommel, "--model", "model")] == ["1.0"]
    slor = ("--model", "model", "--normalise", "slor")
    assert [row["auc"] for row in rows(pommel, *slor, "--unigram", "unigram")] == ["0.0"]
    outcome = pommel("stats", "auc", *slor)
    assert outcome.failure(2) == "--normalise slor and --unigram GLOB go together"
    outcome = pommel("stats", "auc", *slor, "--unigram", "*")
    assert outcome.failure(2) == "--unigram '*' is both model and unigram; name one of them"


def test_what_is_not_scored_is_said(pommel: Pommel, pairs_file: Path) -> None:
    assert pommel("run", "dummy://uniform", pairs_file, "--bos", "never").status == 0
    outcome = pommel("stats", "auc", "--format", "csv")
    assert outcome.status == 0
    assert outcome.stderr == (
        "note: uniform-1 on articles: 4 sentences with a token without a surprisal, which is left "
        "out of the sentence's score\n"
    )
    (row,) = outcome.rows()
    assert (row["auc"], row["n_unscored"], row["n_ties"]) == ("0.5", "4", "2")


def test_suites_that_are_no_sets_are_left_out(
    pommel: Pommel, pairs_file: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps(suite_value()))
    assert pommel("run", "dummy://", pairs_file, plain).status == 0
    outcome = pommel("stats", "auc", "--resamples", "99")
    assert outcome.status == 0
    assert outcome.stderr == "note: left out, without ungrammatical conditions: small\n"
    outcome = pommel("stats", "auc", "--suite", "small")
    assert outcome.failure(2) == (
        "no suite says which of its conditions are ungrammatical (meta.unacceptable): small"
    )


def test_a_seed_is_not_negative(pommel: Pommel) -> None:
    outcome = pommel("stats", "auc", "--seed", "-1")
    assert outcome.status == 2
    assert "Invalid value for '--seed': -1 is not in the range x>=0." in outcome.stderr


def test_people_stand_beside_the_models(pommel: Pommel, pairs_file: Path, tmp_path: Path) -> None:
    model = arpa(tmp_path / "unigram.arpa", {"the": -1.0, "a": -1.5})
    assert pommel("run", model, pairs_file).status == 0
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("item,condition,rating\n1,good,6\n1,bad,2\n2,good,3\n2,bad,3\n")
    outcome = pommel("stats", "auc", "--ratings", f"students={ratings}", "--format", "csv")
    assert [(row["model_name"], row["auc"]) for row in outcome.rows()] == [
        ("unigram", "1.0"),
        ("students", "0.75"),
    ]
    plot = tmp_path / "auc.svg"
    shown = pommel("stats", "auc", "--ratings", ratings, "--ratings-scale", "raw", "--plot", plot)
    assert " human " in shown.stdout
    assert ">human<" in plot.read_text("utf-8")
    ratings.write_text("item,condition,rating\n1,god,6\n")
    assert pommel("stats", "auc", "--ratings", ratings).failure(3) == (
        f"{ratings}:2:3: articles has no condition 'god'; did you mean 'good'?"
    )
