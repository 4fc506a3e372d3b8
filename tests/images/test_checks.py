"""The checks of images: all of them on the template, what they make of specs and of failures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.images.samples import N_SENTENCES, RUN, CommandsOf, ResultOf

from pommel.images.check import Check, Subject, run_check
from pommel.images.checks import CHECKS, ImageCheck
from pommel.models.container.engines.engine import Sandbox


def test_the_template_does_all_right(commands: CommandsOf, tmp_path: Path) -> None:
    image = commands()
    checked = ImageCheck(image, n_sentences=N_SENTENCES)
    results = list(checked.run())
    assert [each.name for each in results] == [check.name for check in CHECKS]
    not_ok = {each.name: each.message for each in results if each.status != "ok"}
    assert not_ok == {
        "score-errors": "the header gives no max_tokens, so that no sentence is too long"
    }
    assert checked.has_passed
    path = tmp_path / "report.json"
    checked.write(path)
    report = json.loads(path.read_text())
    assert (report["format"], report["version"]) == ("pommel-image-check", 1)
    assert report["image"]["reference"] == "local://bin"
    assert report["image"]["id"].startswith("sha256:")
    assert (report["passed"], report["n_sentences"]) == (True, N_SENTENCES)
    assert len(report["checks"]) == len(CHECKS)
    assert report["checks"][0] == {
        "name": "spec",
        "shows": "`spec` prints one JSON object that schemas/model_spec.json allows",
        "status": "ok",
        "message": "template, protocol 2",
        "mend": "",
        "seconds": report["checks"][0]["seconds"],
    }


def test_every_check_says_what_it_shows_and_what_to_do() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    assert all(check.shows and check.mend for check in CHECKS)


def test_a_spec_without_what_the_lm_zoo_wanted_is_a_warning(result: ResultOf) -> None:
    def shorten(spec: dict[str, Any]) -> None:
        del spec["ref_url"], spec["image"]["maintainer"], spec["vocabulary"]["special_types"]

    found = result("spec-lm-zoo", spec=shorten)
    assert found.status == "warning"
    assert found.message == "it does not have ref_url, image.maintainer, vocabulary.special_types"


def test_a_special_type_has_to_be_in_the_vocabulary(result: ResultOf) -> None:
    found = result("vocabulary", spec=lambda spec: spec["vocabulary"]["items"].remove("<unk>"))
    assert found.message == "'<unk>' of vocabulary.unk_types is not in vocabulary.items"


def test_a_special_type_is_listed_once(result: ResultOf) -> None:
    found = result("vocabulary", spec=lambda spec: spec["vocabulary"]["items"].append("<unk>"))
    assert found.message == "1 of the items in vocabulary.items are there twice"


@pytest.mark.parametrize(
    ("name", "missing", "message"),
    [
        ("vocabulary", ("items",), "the spec does not list the vocabulary's items"),
        (
            "marks",
            ("prefix_types", "suffix_types"),
            "the spec has no prefix_types and no suffix_types",
        ),
    ],
)
def test_what_a_vocabulary_does_not_say_is_not_checked(
    result: ResultOf, name: str, missing: tuple[str, ...], message: str
) -> None:
    def shorten(spec: dict[str, Any]) -> None:
        for key in missing:
            spec["vocabulary"].pop(key, None)

    found = result(name, spec=shorten)
    assert (found.status, found.message) == ("skipped", message)


def test_a_command_that_the_spec_denies_ends_with_99(result: ResultOf) -> None:
    def deny(spec: dict[str, Any]) -> None:
        spec["image"]["supported_features"]["unkify"] = False

    found = result("exit-status-99", spec=deny)
    assert found.message == (
        "the spec says that there is no unkify, and unkify ends with exit status 0"
    )
    found = result("exit-status-99", {"unkify": "exit 99"}, spec=deny)
    assert (found.status, found.message) == ("ok", "for unkify")
    assert result("unkify", {"unkify": "exit 99"}, spec=deny).status == "skipped"


def test_unkify_without_unknown_types(result: ResultOf) -> None:
    def know_all(spec: dict[str, Any]) -> None:
        spec["vocabulary"]["unk_types"] = []

    found = result("unknown-words", spec=know_all)
    assert found.message.endswith("and the spec has no unk_types")


def test_version_1_has_no_score_to_be_checked(result: ResultOf) -> None:
    found = result("score-answers", spec=lambda spec: spec.pop("protocol"))
    assert found.status == "skipped"
    assert found.message == "the image speaks version 1 of the protocol only"


def test_what_fails_is_said_once_and_does_not_stop_the_others(commands: CommandsOf) -> None:
    image = commands({"get_surprisals": "echo no weights >&2; exit 1"})
    results = {each.name: each for each in ImageCheck(image, n_sentences=20).run()}
    failed = {name for name, each in results.items() if each.status == "failed"}
    assert failed == {"get_surprisals"}
    assert results["get_surprisals"].message == (
        "get_surprisals /dev/stdin: it ended with exit status 1; "
        "the last it wrote to standard error:\n    no weights"
    )
    assert results["many-sentences"].message == "get_surprisals has failed"
    assert results["score-answers"].status == "ok"
    assert results["tokenize"].status == "ok"


def test_one_kind_of_sentences_that_fails_does_not_hide_the_others(commands: CommandsOf) -> None:
    script = f"cat > $TMPDIR/$$; grep -q '\"' $TMPDIR/$$ && exit 1; {RUN} < $TMPDIR/$$"
    image = commands({"get_surprisals": f"TMPDIR=${{TMPDIR:-/tmp}}; {script}"})
    results = {each.name: each.status for each in ImageCheck(image, n_sentences=20).run()}
    assert results["get_surprisals"] == "failed"
    assert results["tokens-spell-quotes"] == "failed"
    assert results["tokens-spell-plain"] == "ok"
    assert results["tokens-spell-non-ascii"] == "ok"
    assert results["deterministic"] == "ok"


def test_a_command_that_hangs_is_ended(result: ResultOf) -> None:
    found = result("tokenize", {"tokenize": "sleep 60"}, timeout_s=0.5)
    assert found.message == (
        "tokenize /dev/stdin: it had not ended after 0.5 s and was stopped "
        "(--sandbox time=SECONDS allows more)"
    )


def test_what_strangers_print_cannot_steer_a_terminal(result: ResultOf) -> None:
    found = result("score-header", {"score": 'printf \'{"format": "\\033[2J"\''})
    assert found.status == "failed"
    assert "\x1b" not in found.message


def test_a_sandbox_that_allows_more_is_a_warning(commands: CommandsOf) -> None:
    image = replace(commands(), sandbox=Sandbox(network=True, user="0"))
    (check,) = (check for check in CHECKS if check.name == "sandbox")
    found = run_check(check, Subject(image, n_sentences=1))
    assert found.status == "warning"
    assert found.message == "it was checked with other settings than pommel's own: network, user"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RecursionError("too deep"), "RecursionError: too deep"),
        (MemoryError(), "MemoryError"),
        (ValueError("4300 digits\x1b"), "ValueError: 4300 digits?"),
    ],
)
def test_what_nobody_thought_of_ends_one_check_only(
    commands: CommandsOf, error: Exception, message: str
) -> None:
    def stumble(_subject: Subject) -> str:
        raise error

    check = Check(name="x", shows="x", mend="mend it", run=stumble)
    found = run_check(check, Subject(commands(), n_sentences=1))
    assert (found.status, found.mend) == ("failed", "mend it")
    assert found.message == f"what it says cannot be made sense of ({message})"


def test_lines_without_end_where_an_empty_line_was_sent(result: ResultOf) -> None:
    # Whole sentences are answered; where there is an empty line among them, it never stops.
    script = f"cat > $TMPDIR/$$; grep -q '^$' $TMPDIR/$$ && exec yes ''; {RUN} < $TMPDIR/$$"
    scripts = {"tokenize": f"TMPDIR=${{TMPDIR:-/tmp}}; {script}"}
    found = result("empty-lines-tokenize", scripts)
    assert found.message == "tokenize /dev/stdin: it printed more than 128000 characters"


def test_exit_statuses_that_are_no_numbers(commands: CommandsOf, tmp_path: Path) -> None:
    name = "tokenize=missing"
    image = commands({"sh": f"echo '{name} ²'; echo '{name} {'1' * 5000}'"})
    (tmp_path / "image" / "bin" / "sh").chmod(0o755)
    (check,) = (check for check in CHECKS if check.name == "exit-status-1")
    found = run_check(check, Subject(image, n_sentences=1))
    assert (found.status, found.message) == (
        "skipped",
        "the shell in the image does not do what shells do",
    )


def test_an_image_that_answers_nothing_is_not_praised(result: ResultOf) -> None:
    nothing = {"spec": "exit 127", "tokenize": "exit 127", "get_surprisals": "exit 127"}
    found = result("spec", nothing)
    assert (found.status, found.mend) == (
        "failed",
        "put the command on the image's PATH, and the program that its first line names",
    )
    for name in ("exit-status-99", "exit-status-1", "sandbox"):
        assert result(name, nothing).status == "skipped"
