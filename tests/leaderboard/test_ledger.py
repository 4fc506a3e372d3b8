"""The ledger of a board."""

import json
import math
from typing import Any

import pytest

from pommel.leaderboard.board import BoardError
from pommel.leaderboard.ledger import Ledger, Rerun, ledger_from

WHEN = "2026-01-02T03:04:05+00:00"
FILE = "ledger.jsonl"


def ledger(*events: tuple[str, dict[str, Any]]) -> Ledger:
    """Return a ledger with these lines behind its first."""
    found = Ledger().with_event("created", {"settings_sha256": "5" * 64}, when=WHEN, by="me")
    for number, (event, known) in enumerate(events, 1):
        found = found.with_event(event, known, when=f"2026-01-0{number}", by="me")
    return found


A, B, C, D = ("a" * 16, "b" * 16, "c" * 16, "d" * 16)


def add(name: str, *supersedes: str, **other: str) -> tuple[str, dict[str, Any]]:
    """Return the event of an addition."""
    known = {"file_sha256": name[0] * 64, "content_sha256": f"{name}{'0' * 48}", **other}
    return "added", {"id": name, **known, "supersedes": list(supersedes)}


RERUN = {
    "id": A,
    "model": "toy://",
    "n_sentences": 2,
    "n_tokens": 9,
    "seed": 3,
    "tolerance_bits": 0.01,
    "largest_bits": 0.001,
}
EVENTS = (
    add(A),
    add(B),
    ("verified", RERUN),
    add(C, A),
    ("withdrawn", {"id": B, "reason": "of another model"}),
)


def test_what_lines_come_to() -> None:
    found = ledger_from(ledger(*EVENTS).text, FILE)
    assert found == ledger(*EVENTS)
    assert found.ranked == (C,)
    a, b, c = (found.submissions[name] for name in (A, B, C))
    assert (a.status, a.superseded_by, a.ended) == ("superseded", C, "2026-01-04")
    assert a.reruns == (Rerun(when="2026-01-03", n_sentences=2, n_tokens=9, largest_bits=0.001),)
    assert (b.status, b.reason, b.ended) == ("withdrawn", "of another model", "2026-01-05")
    assert (c.status, c.added, c.file_sha256) == ("ranked", "2026-01-04", "c" * 64)


def test_what_the_numbers_rest_on() -> None:
    found = ledger(add(A), add(B), add(C), ("verified", RERUN))
    known = {**RERUN, "id": B, "n_items": 3}
    found = found.with_event("verified", known, when="2026-01-05", by="k")
    assert [found.submissions[name].evidence_words(200) for name in (A, B, C)] == [
        # An earlier version has counted no items.
        "scored again on 2026-01-04 (2 sentences)",
        "scored again on 2026-01-05 (1.5% of items)",
        "claimed",
    ]


DIFFERED = {**RERUN, "largest_bits": None, "n_items": 3, "n_differences": 2}


def test_a_rerun_that_differed_is_said() -> None:
    """For good: another sample may be the same."""
    found = ledger(add(A), ("verified", RERUN), ("differed", DIFFERED))
    listed = found.submissions[A]
    assert listed.evidence == "differed"
    assert listed.evidence_words(200) == "differed when scored again on 2026-01-03 (1.5% of items)"
    assert listed.differed
    assert (listed.differed.largest_bits, listed.differed.n_differences) == (math.inf, 2)
    listed = found.with_event("verified", RERUN, when="2026-01-09", by="k").submissions[A]
    assert listed.evidence == "scored again"
    assert listed.evidence_words(200) == (
        "scored again on 2026-01-09 (2 sentences); differed on 2026-01-03"
    )


@pytest.mark.parametrize("event", [("verified", RERUN), ("differed", DIFFERED)])
def test_a_rerun_changes_no_ranks(event: tuple[str, dict[str, Any]]) -> None:
    before, after = ledger(*EVENTS[:2]), ledger(*EVENTS[:2], event)
    assert before.ranking_head == before.head == after.ranking_head != after.head


def _changed(lines: list[str]) -> None:
    lines[2] = lines[2].replace(f"{B}0", f"{B}1")


def _removed(lines: list[str]) -> None:
    del lines[2]


def _swapped(lines: list[str]) -> None:
    lines[1], lines[2] = lines[2], lines[1]


BROKEN = "has not the hash of the line before it; lines have been changed, removed or moved"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_changed, f"{FILE}:4: {BROKEN}"),
        (_removed, f"{FILE}:3: {BROKEN}"),
        (_swapped, f"{FILE}:2: {BROKEN}"),
        (
            lambda lines: lines.clear(),
            f"{FILE}: is empty; its first line says when the board was made",
        ),
        (
            lambda lines: lines.append("{"),
            (
                f"{FILE}:7: this is not JSON: Expecting property name enclosed in double quotes "
                "(column 2)"
            ),
        ),
        (
            lambda lines: lines.append('{"event":"won"}'),
            (
                f"{FILE}:7: is none of created, added, withdrawn, verified, differed, but 'won'; "
                f"if a later pommel has written it, update pommel (`pip install --upgrade pommel`)"
            ),
        ),
        (
            lambda lines: lines.append(json.dumps({**json.loads(lines[-1]), "id": 3})),
            f"{FILE}:7: has to hold event, when, by, previous, id, reason",
        ),
    ],
)
def test_a_ledger_that_has_been_changed(change: Any, said: str) -> None:
    lines = ledger(*EVENTS).text.splitlines()
    change(lines)
    with pytest.raises(BoardError) as caught:
        ledger_from("".join(f"{line}\n" for line in lines), FILE)
    assert str(caught.value) == said


@pytest.mark.parametrize("line", ["[]", "3", "{}", '{"event":3}'])
def test_a_line_without_an_event(line: str) -> None:
    with pytest.raises(BoardError, match=r"ledger\.jsonl:7: is none of created, added, withdrawn"):
        ledger_from(f"{ledger(*EVENTS).text}{line}\n", FILE)


def test_line_ends_that_git_or_an_editor_has_changed() -> None:
    with pytest.raises(BoardError) as caught:
        ledger_from(ledger(*EVENTS).text.replace("\n", "\r\n"), FILE)
    assert str(caught.value) == (
        f"{FILE}:1: ends in CR LF, which the hashes do not have: Git or an editor has changed it; "
        f"with `* -text` in the board's .gitattributes, Git does not"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"when": "\x1b[31mnow"},
            "when is '\\x1b[31mnow', which has characters that are not shown",
        ),
        ({"when": "2026-01-02\x1b03:04"}, "when is '2026-01-02\\x1b03:04', which has characters"),
        ({"when": "now"}, "when is 'now', and no time (ISO 8601)"),
        ({"when": "2026-13-01"}, "when is '2026-13-01', and no time (ISO 8601)"),
        ({"when": "20260102T030405"}, "when is '20260102T030405', and no time (ISO 8601)"),
        ({"by": "a\u202eb"}, "by is 'a\\u202eb', which has characters that are not shown"),
        (
            {"reason": "a\x9b31mb"},
            "reason is 'a\\x9b31mb', which has characters that are not shown",
        ),
        ({"reason": "\ud800"}, "reason is '\\ud800', which has characters that are not shown"),
        ({"reason": "two\nlines"}, "reason is 'two\\nlines', which has characters that are not s"),
    ],
)
def test_texts_that_would_steer_a_terminal(change: dict[str, str], said: str) -> None:
    """A stranger who makes a ledger chains what he likes."""
    before = ledger(*EVENTS[:2])
    known = {"event": "withdrawn", "when": WHEN, "by": "me", "id": A, "reason": "x"}
    line = json.dumps({**known, "previous": before.head, **change})
    with pytest.raises(BoardError) as caught:
        ledger_from(f"{before.text}{line}\n", FILE)
    assert str(caught.value).startswith(f"{FILE}:4: {said}")


@pytest.mark.parametrize(
    ("key", "number"),
    [("n_tokens", "true"), ("tolerance_bits", "1e999"), ("seed", "1.5")],
)
def test_what_is_no_number(key: str, number: str) -> None:
    text = ledger(*EVENTS[:3]).text
    *lines, last = text.splitlines()
    changed = last.replace(f'"{key}":{RERUN[key]}', f'"{key}":{number}')
    assert changed != last
    with pytest.raises(BoardError, match=r"ledger\.jsonl:4: has to hold event, when, by, previ"):
        ledger_from("".join(f"{line}\n" for line in [*lines, changed]), FILE)


def test_a_line_that_is_cut_off() -> None:
    with pytest.raises(BoardError, match=r"ledger\.jsonl:6: the line is cut off"):
        ledger_from(ledger(*EVENTS).text[:-1], FILE)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (add(A), f"{A} was added before"),
        (add(D, B), f"{B} is not ranked, and cannot end"),
        (add(D, D), f"{D} is not ranked, and cannot end"),
        (("withdrawn", {"id": A, "reason": "x"}), "a is not ranked, and cannot end"),
        (("verified", {**RERUN, "id": D}), f"there is no {D}"),
        (("differed", {**DIFFERED, "n_differences": 0}), f"{A} differed in nothing"),
        (("verified", {**RERUN, "largest_bits": None}), "has to hold event, when, by, previous"),
        (
            ("created", {"settings_sha256": "6" * 64}),
            "a board is made in the first line, and in no other",
        ),
    ],
)
def test_lines_that_make_no_sense(event: tuple[str, dict[str, Any]], said: str) -> None:
    with pytest.raises(BoardError, match=said):
        ledger(*EVENTS, event)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (add("../../pwn"), "id is '../../pwn', and not [0-9a-f]{16}"),
        (add(f"{D}\n"), f"id is '{D}\\n', and not [0-9a-f]{{16}}"),
        (add(D.upper()), f"id is '{D.upper()}', and not [0-9a-f]{{16}}"),
        (add(D, file_sha256="d"), "file_sha256 is 'd', and not [0-9a-f]{64}"),
        (add(D, content_sha256="d"), "content_sha256 is 'd', and not [0-9a-f]{64}"),
        (("created", {"settings_sha256": ""}), "settings_sha256 is '', and not [0-9a-f]{64}"),
        (("withdrawn", {"id": "x", "reason": "x"}), "id is 'x', and not [0-9a-f]{16}"),
    ],
)
def test_what_is_no_id_and_no_hash(event: tuple[str, dict[str, Any]], said: str) -> None:
    with pytest.raises(BoardError) as caught:
        ledger(*EVENTS, event)
    assert str(caught.value) == f"the new line of the ledger: {said}"


def test_one_content_has_one_id() -> None:
    content = add(A)[1]["content_sha256"]
    with pytest.raises(BoardError, match=f"{D} is not the beginning of its content_sha256"):
        ledger(add(A), add(D, content_sha256=content))


def test_events_say_what_was_done_with_a_submission() -> None:
    rerun = {
        "id": B,
        "model": "m",
        "n_sentences": 4,
        "n_tokens": 16,
        "seed": 1,
        "tolerance_bits": 0.01,
        "largest_bits": 0.0,
    }
    found = ledger(
        add(A),
        add(B, A),
        ("verified", rerun),
        ("withdrawn", {"id": B, "reason": "no; \u201cit\u201d is another's"}),
    )
    events = [*found.events()]
    assert [(each.kind, each.id, each.by) for each in events] == [
        ("created", "", "me"),
        ("added", A, "me"),
        ("added", B, "me"),
        ("verified", B, "me"),
        ("withdrawn", B, "me"),
    ]
    assert [each.kind for each in events if each.is_about(A)] == ["added", "added"]
    assert [each.kind for each in events if each.is_about(B)] == ["added", "verified", "withdrawn"]
    assert events[-1].known["reason"] == "no; \u201cit\u201d is another's"
    # The hash of a line is what the next one says.
    assert [each.sha256 for each in events] == [
        *(each.known["previous"] for each in events[1:]),
        found.head,
    ]
    assert [*ledger_from(found.text, FILE).events()] == events
    assert [*Ledger().events()] == []
