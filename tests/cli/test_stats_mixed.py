"""`pommel stats mixed`: a mixed-effects logistic regression over stored runs."""

import json
from pathlib import Path

import pytest
from tests.builders import suite_value
from tests.cli.samples import Pommel

pytest.importorskip("gpboost")

WORDS = ["dog", "cat", "cow", "pig", "hen", "fox", "owl", "bee", "ant", "elk"]


@pytest.fixture
def in_store(pommel: Pommel, tmp_path: Path) -> None:
    """Two suites, one with a modifier, have run on two models that make their numbers up."""
    for name, end, meta in (("plain", "", {}), ("more", " there", {"modifier_of": "plain"})):
        items = [{"x": (f"the {word}{end}",), "y": (f"a {word}{end}",)} for word in WORDS]
        value = suite_value(items, ["(1;%x%) < (1;%y%)"], name=name, **meta)
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    models = ("dummy://", "-m", "dummy://uniform?bits=3")
    assert pommel("run", *models, tmp_path / "plain.json", tmp_path / "more.json").status == 0


@pytest.mark.usefixtures("in_store")
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("--fixed", "modifer"),
            2,
            "pommel: there is no column 'modifer'; did you mean modifier?\n",
        ),
        (
            ("--fixed", "modifier"),
            1,
            (
                "pommel: modifier is the same in all rows of one suite, and suite has 2 values "
                "only: nothing tells it from what else they differ in; choose more runs, leave it "
                "out of --fixed, or say --not-random suite if nothing is to be said about others "
                "than these 2\n"
            ),
        ),
        (
            ("--fixed", "modifier", "--random", "item"),
            2,
            (
                "pommel: modifier is the same in all rows of one suite, and suite is not random: "
                "its rows would count as if they were independent, and p be far too small; add "
                "--random suite, or --not-random suite if nothing is to be said about others than "
                "these 2\n"
            ),
        ),
        (
            ("--fixed", "log10_parameters"),
            1,
            (
                "pommel: no row has all that 'log10_parameters' needs; 'pommel stats items' shows "
                "them\n"
            ),
        ),
    ],
)
def test_what_cannot_be_fitted(
    pommel: Pommel, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel("stats", "mixed", *arguments)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (status, "", message)
