"""Gates of `pommel run` and its neighbours: what they look at, exit status 5, what CI is told."""

import contextlib
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.samples import Pommel, arpa, suite_value

pytestmark = pytest.mark.usefixtures("here")

# Which verb is likelier, everywhere.
_NOUNS = ("author", "pilot", "surgeon", "dancer", "Nobody")
_OTHERS = dict.fromkeys(("The", *_NOUNS, "good", "."), -2.0)
RIGHT, WRONG = {**_OTHERS, "is": -1.0, "are": -2.0}, {**_OTHERS, "is": -2.0, "are": -1.0}


def write_suite(name: str, *, circuit: str = "", n_items: int = 8, turned: int = 0) -> str:
    """Write a suite whose first `turned` items are the wrong way round; return its file."""
    value = suite_value(name, n_items)
    value["meta"]["circuit"] = circuit
    for item in value["items"][:turned]:
        first, second = (each["regions"] for each in item["conditions"])
        first[1]["content"], second[1]["content"] = second[1]["content"], first[1]["content"]
    path = Path(f"{name}.json")
    path.write_text(json.dumps(value))
    return str(path)


@pytest.fixture
def suites(here: Path) -> tuple[str, ...]:
    """Three suites: a model that is right scores 1, 0.5 and 0.25."""
    with contextlib.chdir(here):
        return (
            write_suite("whole", circuit="number"),
            write_suite("half", circuit="number", turned=4),
            write_suite("quarter", circuit="gender", turned=6),
        )


@pytest.fixture
def right(here: Path) -> str:
    """A model that is right."""
    return arpa(here / "right.arpa", RIGHT)


@pytest.fixture
def wrong(here: Path) -> str:
    """A model that is wrong."""
    return arpa(here / "wrong.arpa", WRONG)


def junit() -> ET.Element:
    """Return what was written for CI systems."""
    return ET.fromstring(Path("gates.xml").read_text())  # noqa: S314 - our own


@pytest.mark.parametrize(
    ("gates", "said"),
    [
        (["0.25"], []),
        (["0.3"], ["quarter: 0.25 is below 0.3"]),
        (["suite=0.5"], ["quarter: 0.25 is below 0.5"]),
        (["suite:half=0.5"], []),
        (["suite:[hq]*=0.6"], ["half: 0.5 is below 0.6", "quarter: 0.25 is below 0.6"]),
        (["sg=0.58"], []),
        (["sg=.59"], ["SG score: 0.583333 is below 0.59"]),
        (["circuit=0.7"], ["circuit gender: 0.25 is below 0.7"]),
        (["circuit:number=0.75"], []),
        (["circuit:number=0.8", "sg=0.5"], ["circuit number: 0.75 is below 0.8"]),
        # Of two that are about the same score, the one that fails is told.
        (["suite:whole=1", "suite:half=0.9", "suite=0.25"], ["half: 0.5 is below 0.9"]),
    ],
)
def test_what_a_gate_looks_at(
    pommel: Pommel, suites: tuple[str, ...], right: str, gates: list[str], said: list[str]
) -> None:
    options = [each for gate in gates for each in ("--fail-under", gate)]
    outcome = pommel("run", right, *suites, *options)
    assert outcome.status == (5 if said else 0)
    noun = "gate" if len(said) == 1 else "gates"
    lines = [f"- right, {each}" for each in said]
    assert outcome.stderr == "\n".join(
        [f"pommel: {len(said)} {noun} failed:", *lines, ""] if said else [""]
    )
    assert "SG score" in outcome.stdout


@pytest.mark.usefixtures("right", "wrong")
@pytest.mark.parametrize(
    ("gate", "lines"),
    [
        ("last:sg=0.5", ["- steps/step20, SG score: 0 is below 0.5"]),
        ("last=0.5", ["- steps/step20, whole: 0 is below 0.5"]),
        ("sg=0.5", ["- steps/step20, SG score: 0 is below 0.5"]),
    ],
)
def test_the_last_step_of_a_family(pommel: Pommel, here: Path, gate: str, lines: list[str]) -> None:
    (here / "steps").mkdir()
    for number, words in ((3, RIGHT), (20, WRONG)):
        arpa(here / "steps" / f"step{number}.arpa", words)
    ran = ("run", "ngram://steps/step*.arpa?reader=python", write_suite("whole"))
    outcome = pommel(*ran, "--fail-under", gate)
    assert (outcome.status, outcome.stderr.splitlines()[1:]) == (5, lines)
    # The other way round, only those that look at every step fail.
    arpa(here / "steps" / "step3.arpa", WRONG)
    arpa(here / "steps" / "step20.arpa", RIGHT)
    assert pommel(*ran, "--fail-under", gate).status == (0 if gate.startswith("last") else 5)


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("suite:hole=1", "no suite 'hole' with predictions; did you mean 'whole'?"),
        ("circuit:x=1", "no circuit 'x' with predictions; there are gender, number"),
        ("last:sg=1", "no model is a step of a family"),
    ],
)
def test_a_gate_that_nothing_goes_through(
    pommel: Pommel, suites: tuple[str, ...], gate: str, message: str
) -> None:
    outcome = pommel("run", "ngram://nowhere.arpa", *suites, "--fail-under", gate)
    # It is said before a model is opened.
    assert outcome.failure(2) == f"--fail-under {gate}: {message}"


@pytest.mark.parametrize(
    "gate", ["1.1", "-1", "nan", "", "x=1", "suite:=1", "sg:x=1", "suite", "first:sg=1", "suite=x"]
)
def test_what_is_no_gate(pommel: Pommel, suites: tuple[str, ...], gate: str) -> None:
    outcome = pommel("run", "dummy://", *suites, "--fail-under", gate)
    assert outcome.status == 2
    assert f"{gate!r}: write a share from 0 to 1, or what it is of before it" in outcome.stderr


def test_suites_with_their_surprisals_go_through_gates_too(
    pommel: Pommel, suites: tuple[str, ...], right: str
) -> None:
    Path("evaluated.json").write_text(pommel("surprisals", right, suites[1]).stdout)
    outcome = pommel("evaluate", "evaluated.json", "--fail-under", "circuit:number=0.6")
    assert outcome.failure(5) == "1 gate failed:\n- right, circuit number: 0.5 is below 0.6"


# --- worse than kept runs


def test_a_model_that_is_worse(
    pommel: Pommel, suites: tuple[str, ...], right: str, wrong: str
) -> None:
    pommel("run", right, *suites)
    outcome = pommel("run", wrong, suites[0], "--not-worse-than", "right")
    # All 8 items differ: 1 of 256 ways to turn the signs is as far below.
    assert outcome.failure(5) == (
        "1 gate failed:\n- wrong, not worse than right (kept): 0.000 against 1.000, "
        "-1.00 [-1.00, -0.35] on the same 8 items; one-sided p .004 exact"
    )
    assert pommel("run", wrong, suites[0], "--not-worse-than", "right", "-q").status == 5
    # On the other suites it is better.
    assert pommel("run", wrong, *suites[1:], "--not-worse-than", "right").status == 0


def test_a_family_of_seeds_is_its_mean(pommel: Pommel, here: Path, wrong: str) -> None:
    (here / "seeds").mkdir()
    for seed, words in ((1, RIGHT), (2, WRONG)):
        arpa(here / "seeds" / f"seed-{seed}.arpa", words)
    pommel("run", "ngram://seeds/seed-*.arpa?reader=python", write_suite("whole"))
    outcome = pommel("run", wrong, "whole.json", "--not-worse-than", "seeds", "--quiet")
    assert "- wrong, not worse than seeds (kept): 0.000 against 0.500, -0.50" in outcome.failure(5)
    assert pommel("run", wrong, "whole.json", "--not-worse-than", "seeds/seed-2").status == 0


def test_a_margin(pommel: Pommel, here: Path, right: str) -> None:
    """Of 40 items 8 are worse, of which chance has a share: below by 0.2, shown for 0.05."""
    value = suite_value("known", 40)
    for item in value["items"][:8]:
        for each in item["conditions"]:
            each["regions"][0]["content"] = "Nobody"
    Path("known.json").write_text(json.dumps(value))
    pommel("run", right, "known.json")
    pairs = {"Nobody is": -3.0, "Nobody are": -1.5}
    worse = arpa(here / "worse.arpa", RIGHT, pairs)
    ran = ("run", worse, "known.json", "--not-worse-than", "right")
    assert (
        pommel(*ran, "--margin", "0.05")
        .failure(5)
        .endswith(
            "0.800 against 1.000, -0.20 [-0.35, -0.09] on the same 40 items; "
            "one-sided p of more than 0.05 below .010 drawn"
        )
    )
    assert pommel(*ran, "--margin", "0.2").status == 0


def test_the_same_model_again(pommel: Pommel, suites: tuple[str, ...], right: str) -> None:
    pommel("run", right, *suites)
    assert pommel("run", right, *suites, "--not-worse-than", "right").status == 0
    (record,) = json.loads(pommel("runs", "list", "--suite", "half", "--format", "json").stdout)
    named = record["run_id"][:6]
    assert pommel("run", right, suites[1], "--not-worse-than", named).status == 0
    # Other weights under the same name are another model.
    arpa(Path("right.arpa"), WRONG)
    outcome = pommel("run", right, suites[0], "--not-worse-than", "right")
    assert "- right, not worse than right (kept): 0.000 against 1.000" in outcome.failure(5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--not-worse-than", "rihgt"), "'rihgt' is no model and no run among those that are"),
        (
            ("--not-worse-than", "right", "--score", "first"),
            "--not-worse-than right: no run on whole as it is now, with --score first",
        ),
        (("--not-worse-than", "right", "--no-store"), "--not-worse-than needs the store"),
        # A variable that is not set is no wish to go without the gate.
        (("--not-worse-than", ""), "'' is no model and no run among those that are"),
        (("--not-worse-than", "*t"), "'*t' means 2 models: right, left; name one"),
    ],
)
def test_what_cannot_be_compared(
    pommel: Pommel, suites: tuple[str, ...], right: str, arguments: tuple[str, ...], message: str
) -> None:
    pommel("run", right, arpa(Path("left.arpa"), WRONG), suites[0])
    outcome = pommel("run", "ngram://nowhere.arpa", suites[0], *arguments)
    assert outcome.failure(2).startswith(message)


def test_another_version_of_a_suite_has_other_items(pommel: Pommel, right: str) -> None:
    pommel("run", right, write_suite("whole"))
    outcome = pommel("run", right, write_suite("whole", turned=1), "--not-worse-than", "right")
    assert "no run on whole as it is now" in outcome.failure(2)


def test_items_that_one_of_the_two_skips(pommel: Pommel, here: Path) -> None:
    value = suite_value("past")
    for each in value["items"][0]["conditions"]:
        each["regions"][1]["content"] = "was" if each["condition_name"] == "match" else "were"
    Path("past.json").write_text(json.dumps(value))
    knowing = arpa(here / "knowing.arpa", {**RIGHT, "was": -1.0, "were": -2.0})
    pommel("run", knowing, "past.json", "--oov", "skip")
    unknowing = arpa(here / "unknowing.arpa", {**RIGHT, "was": -1.0})
    gate = ("--oov", "skip", "--not-worse-than", "knowing", "--quiet")
    assert (
        pommel("run", unknowing, "past.json", *gate)
        .failure(5)
        .endswith(
            "not worse than knowing (kept): 1 item of only one of the two: they need the same items"
        )
    )


def test_a_model_that_skips_every_item_is_worse(pommel: Pommel, here: Path, right: str) -> None:
    pommel("run", right, write_suite("whole"), "--oov", "skip")
    unknowing = arpa(here / "unknowing.arpa", {**_OTHERS, "is": -1.0})
    gate = ("--oov", "skip", "--not-worse-than", "right", "--junit", "gates.xml")
    outcome = pommel("run", unknowing, "whole.json", *gate, "--quiet")
    said = "unknowing and right (kept) have no items in common; nothing to compare"
    assert outcome.failure(5) == (
        f"1 gate failed:\n- unknowing, not worse than right (kept): {said}"
    )
    skipped, compared = junit().iter("testcase")
    assert [each.tag for each in skipped] == ["skipped"]
    failure = compared.find("failure")
    assert failure is not None
    assert failure.get("message") == said


def test_a_suite_whose_items_are_all_skipped_fails(pommel: Pommel, here: Path) -> None:
    unknowing = arpa(here / "unknowing.arpa", {**_OTHERS, "is": -1.0})
    ran = ("run", unknowing, write_suite("whole"), "--oov", "skip", "--quiet")
    outcome = pommel(*ran, "--fail-under", "0")
    assert outcome.failure(5) == "1 gate failed:\n- unknowing, whole: no items is below 0"


# --- what CI systems are told


def test_junit_has_a_test_case_a_score(pommel: Pommel, suites: tuple[str, ...], right: str) -> None:
    gates = ("--fail-under", "0.3", "--fail-under", "sg=0.5")
    outcome = pommel("run", right, *suites, *gates, "--junit", "gates.xml")
    assert outcome.status == 5
    assert Path("gates.xml").read_text() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="pommel" tests="4" failures="1" errors="0">\n'
        '  <testsuite name="right" tests="4" failures="1" errors="0" skipped="0">\n'
        '    <testcase classname="right" name="whole">\n'
        "      <system-out>1, at least 0.3</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="right" name="half">\n'
        "      <system-out>0.5, at least 0.3</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="right" name="quarter">\n'
        '      <failure message="0.25 is below 0.3" />\n'
        "    </testcase>\n"
        '    <testcase classname="right" name="SG score">\n'
        "      <system-out>0.583333, at least 0.5</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_a_model_that_fails_is_an_error_in_junit(
    pommel: Pommel, suites: tuple[str, ...], right: str
) -> None:
    told = ("--junit", "gates.xml", "--annotations", "github", "--fail-under", "0.9")
    outcome = pommel("run", right, "ngram://nowhere.arpa", *suites[:2], *told)
    assert outcome.status == 4
    message = "nowhere.arpa: cannot read the n-gram model: No such file or directory"
    assert f"::error title=ngram%3A//nowhere.arpa%2C run::{message}" in outcome.stderr
    # What came of the other model is told all the same.
    assert "pommel: 1 gate failed:\n- right, half: 0.5 is below 0.9\n" in outcome.stderr
    held, failed = junit()
    assert (held.get("failures"), failed.get("errors")) == ("1", "1")
    error = failed.find("testcase/error")
    assert error is not None
    assert (error.get("message") or "").startswith(message)


def test_without_gates_junit_has_the_scores(
    pommel: Pommel, suites: tuple[str, ...], wrong: str
) -> None:
    assert pommel("run", wrong, *suites, "--junit", "gates.xml").status == 0
    cases = junit().iter("testcase")
    assert {each.get("name"): each.findtext("system-out") for each in cases} == {
        "whole": "0",
        "half": "0.5",
        "quarter": "0.75",
    }


# A line of its own, an attribute, an element, and what no XML may have.
HOSTILE = 'a\n::add-mask::x, y: 100%\r::stop-commands::z\x1b[2J]]><b>"\ufffe'


def test_names_forge_no_commands_and_no_elements(pommel: Pommel, suites: tuple[str, ...]) -> None:
    value = json.loads(pommel("surprisals", "dummy://uniform?bits=2", suites[0]).stdout)
    value["meta"] |= {"name": f"suite {HOSTILE}", "circuit": "", "model": f"model {HOSTILE}"}
    Path("evaluated.json").write_text(json.dumps(value))
    told = ("--junit", "gates.xml", "--annotations", "github", "--fail-under", "1")
    outcome = pommel("evaluate", "evaluated.json", *told)
    assert outcome.status == 5
    lines = outcome.stderr.splitlines()
    escaped = 'a?%3A%3Aadd-mask%3A%3Ax%2C y%3A 100%25?%3A%3Astop-commands%3A%3Az?[2J]]><b>"?'
    commands = [each for each in lines if each.lstrip().startswith("::")]
    title = f"model {escaped}%2C suite {escaped}"
    assert commands == [f"::error title={title}::0 is below 1"]
    (suite,) = junit()
    (case,) = suite
    shown = 'a?::add-mask::x, y: 100%?::stop-commands::z?[2J]]><b>"?'
    assert (suite.get("name"), case.get("name")) == (f"model {shown}", f"suite {shown}")
