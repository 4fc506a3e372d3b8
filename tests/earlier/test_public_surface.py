"""No public name, option or exit status goes, comes or changes without being noticed."""

import json
from collections.abc import Iterator, Mapping

import pytest
from tests.earlier.public_surface import LIST, public_surface

Surface = Mapping[str, Mapping[str, str]]


def changes(found: Surface, known: Surface) -> Iterator[str]:
    """Yield a line for each thing that went, came or changed."""
    for section in known.keys() | found.keys():
        before, now = known.get(section, {}), found.get(section, {})
        for name in sorted(before.keys() | now.keys()):
            if name not in now:
                yield f"gone: {name} {before[name]}"
            elif name not in before:
                yield f"new: {name} {now[name]}"
            elif before[name] != now[name]:
                yield f"changed: {name} {before[name]} -> {now[name]}"


def test_public_names_commands_and_exit_statuses_are_those_of_before() -> None:
    found = list(changes(public_surface(), json.loads(LIST.read_text("utf-8"))))
    if found:
        pytest.fail(
            "\n".join(found)
            + f"\nIf this is meant: `python -m tests.earlier.public_surface` writes {LIST.name} "
            + "anew.",
            pytrace=False,
        )


def test_changes_are_told_one_by_one() -> None:
    known = {"commands": {"run --score": "all|first", "run --gone": "flag", "run": "Command"}}
    found = {"commands": {"run --score": "all", "run": "Command", "run --new": "flag"}}
    assert list(changes(found, known)) == [
        "gone: run --gone flag",
        "new: run --new flag",
        "changed: run --score all|first -> all",
    ]


def test_the_list_has_what_it_is_about() -> None:
    known = public_surface()
    assert {"pommel.run", "pommel.Results.to_frame", "pommel.run().runs[0].result.score"} <= set(
        known["names"]
    )
    assert known["commands"]["pommel run --score"].startswith("option all|first|each")
    assert known["commands"]["pommel compute-surprisals"] == "not listed; is surprisals"
    assert known["exit statuses"]["pommel.errors.ModelNotAvailableError"] == "4"
    assert known["exit statuses"]["a KeyboardInterrupt"] == "130"
