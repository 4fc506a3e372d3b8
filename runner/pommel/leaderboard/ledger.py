"""The ledger of a board: what was done, by whom and when, each line with the hash of the last."""

import datetime as dt
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from types import UnionType
from typing import Any, Literal, NamedTuple

from pommel.errors import InputError, UsageError, counted, listed, printable, quoted
from pommel.files import parse_json
from pommel.leaderboard.board import BoardError
from pommel.values import frozen

_SHORTEST_ID = 4

Status = Literal["ranked", "withdrawn", "superseded"]
Evidence = Literal["claimed", "scored again", "differed"]

# What a line of each kind has beside `event`, `when`, `by` and `previous`, in the words of types.
_Keys = Mapping[str, type | UnionType]
_RERUN: _Keys = {
    "id": str,
    "model": str,
    "n_sentences": int,
    "n_tokens": int,
    "seed": int,
    "tolerance_bits": int | float,
    "largest_bits": int | float,
}
# Without a number of bits where either has said infinity.
_DIFFERED: _Keys = {"largest_bits": int | float | None, "n_items": int, "n_differences": int}
_KEYS: Mapping[str, _Keys] = {
    "created": {"settings_sha256": str},
    "added": {"id": str, "file_sha256": str, "content_sha256": str, "supersedes": list},
    "withdrawn": {"id": str, "reason": str},
    "verified": _RERUN,
    "differed": {**_RERUN, **_DIFFERED},
}
# What a line may have beside: those that earlier versions wrote have not.
_OPTIONAL: Mapping[str, _Keys] = {"verified": {"n_items": int}}
# Ids become names of files: nothing else may stand there.
_HASH = re.compile("[0-9a-f]{64}")
_HEX = {
    "id": re.compile("[0-9a-f]{16}"),
    "settings_sha256": _HASH,
    "file_sha256": _HASH,
    "content_sha256": _HASH,
}
# What of a time is its date.
_DAY = 10
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Rerun(NamedTuple):
    """A sample of sentences that the model itself has scored again.

    `n_items` is of how many items of the board these are all sentences, None where nobody has
    counted; `n_differences` in how many ways it came out otherwise than claimed, 0 for the same.
    """

    when: str
    n_sentences: int
    n_tokens: int
    largest_bits: float
    n_items: int | None = None
    n_differences: int = 0

    def share(self, n_items: int) -> str:
        """Say how much of a board with so many items was scored again."""
        if self.n_items is None:
            return counted(self.n_sentences, "sentence")
        return f"{self.n_items / n_items:.1%} of items"


class Listed(NamedTuple):
    """What the ledger says of a submission.

    `reason` is why it was withdrawn, `superseded_by` the id of the one that took its place;
    `ended` is when that was, "" for what has not happened. `reruns` are in their order.
    """

    id: str
    file_sha256: str
    content_sha256: str
    added: str
    status: Status = "ranked"
    ended: str = ""
    reason: str = ""
    superseded_by: str = ""
    reruns: tuple[Rerun, ...] = ()

    @property
    def agreed(self) -> Rerun | None:
        """The last rerun that came out the same."""
        return next((each for each in reversed(self.reruns) if not each.n_differences), None)

    @property
    def differed(self) -> Rerun | None:
        """The last rerun that did not."""
        return next((each for each in reversed(self.reruns) if each.n_differences), None)

    @property
    def evidence(self) -> Evidence:
        """What the numbers rest on, by the last rerun."""
        if not self.reruns:
            return "claimed"
        return "differed" if self.reruns[-1].n_differences else "scored again"

    def evidence_words(self, n_items: int) -> str:
        """Say what the numbers rest on, of a board with so many items."""
        if not self.reruns:
            return "claimed"
        last, differed = self.reruns[-1], self.differed
        again = f"scored again on {last.when[:_DAY]} ({last.share(n_items)})"
        if differed is None:
            return again
        if differed is last:
            return f"differed when {again}"
        return f"{again}; differed on {differed.when[:_DAY]}"


class Event(NamedTuple):
    """A line of a ledger: what was done with which submission ("" for the board), when, by whom.

    `known` is all that the line says, `sha256` that of the line, which no other has.
    """

    kind: str
    id: str
    when: str
    by: str
    known: Mapping[str, Any]
    sha256: str

    def is_about(self, submission_id: str) -> bool:
        """Return whether it changed a submission; one is superseded by the adding of another."""
        return submission_id in (self.id, *self.known.get("supersedes", ()))


@frozen
class Ledger:
    """The lines of a ledger that are sound, and what they come to.

    `head` is the SHA-256 of the last line, "" of an empty ledger, `ranking_head` that of the last
    line that changed the ranking.
    """

    text: str = ""
    head: str = ""
    ranking_head: str = ""
    settings_sha256: str = ""
    submissions: Mapping[str, Listed] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[str, ...]:
        """The ids of the submissions that count, in the order in which they were added."""
        return tuple(each.id for each in self.submissions.values() if each.status == "ranked")

    @property
    def ended(self) -> tuple[Listed, ...]:
        """What does not count any more, in the order in which it was added."""
        return tuple(each for each in self.submissions.values() if each.status != "ranked")

    def events(self) -> Iterator[Event]:
        """Yield what was done, the oldest first."""
        for line in self.text.split("\n")[:-1]:
            known = json.loads(line)
            sha256 = hashlib.sha256(line.encode()).hexdigest()
            about = known.get("id", "")
            yield Event(known["event"], about, known["when"], known["by"], known, sha256)

    def found_id(self, submission_id: str) -> str:
        """Return the id that begins so; raises `UsageError` if there is none, or more than one."""
        if submission_id in self.submissions:
            return submission_id
        found = [each for each in self.submissions if each.startswith(submission_id)]
        if len(submission_id) < _SHORTEST_ID or not found:
            raise UsageError(
                f"there is no submission {quoted(submission_id)}; `pommel leaderboard show` has "
                f"their ids, of which the first {_SHORTEST_ID} characters may do"
            )
        if len(found) > 1:
            raise UsageError(
                f"{submission_id} is the beginning of {listed(found)}; write more of it"
            )
        return found[0]

    def with_event(
        self, event: str, known: Mapping[str, object], *, when: str, by: str
    ) -> "Ledger":
        """Return the ledger with one more line; raises `BoardError` for one that makes no sense."""
        value = {"event": event, "when": when, "by": by, **known, "previous": self.head}
        line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return _with_line(self, line, "the new line of the ledger")


def ledger_from(text: str, where: str) -> Ledger:
    """Return the ledger of a file's text.

    Raises `BoardError`, beginning with `where` and the line's number, for a line that has been
    changed, removed or put somewhere else since it was written, or that makes no sense.
    """
    ledger = Ledger()
    lines = text.split("\n")
    if lines.pop():
        raise BoardError(f"{where}:{len(lines) + 1}: the line is cut off")
    for number, line in enumerate(lines, 1):
        if line.endswith("\r"):
            raise BoardError(
                f"{where}:{number}: ends in CR LF, which the hashes do not have: Git or an editor "
                f"has changed it; with `* -text` in the board's .gitattributes, Git does not"
            )
        ledger = _with_line(ledger, line, f"{where}:{number}")
    if not ledger.head:
        raise BoardError(f"{where}: is empty; its first line says when the board was made")
    return replace(ledger, text=text)


def _with_line(ledger: Ledger, line: str, where: str) -> Ledger:
    value = _value(line, where)
    event, head = value["event"], hashlib.sha256(line.encode()).hexdigest()
    if value["previous"] != ledger.head:
        raise BoardError(
            f"{where}: has not the hash of the line before it; lines have been changed, removed "
            f"or moved"
        )
    if (event == "created") != (not ledger.head):
        raise BoardError(f"{where}: a board is made in the first line, and in no other")
    is_rerun = event in ("verified", "differed")
    submissions = dict(ledger.submissions)
    submissions.update((each.id, each) for each in _changed(submissions, value, where))
    return Ledger(
        text=f"{ledger.text}{line}\n",
        head=head,
        ranking_head=ledger.ranking_head if is_rerun else head,
        settings_sha256=value.get("settings_sha256", ledger.settings_sha256),
        submissions=submissions,
    )


def _changed(known: Mapping[str, Listed], value: Mapping[str, Any], where: str) -> Iterator[Listed]:
    """Yield the submissions that a line changes, as they are then."""
    match value["event"]:
        case "added":
            if value["id"] in known:
                raise BoardError(f"{where}: {value['id']} was added before")
            if not value["content_sha256"].startswith(value["id"]):
                raise BoardError(
                    f"{where}: {value['id']} is not the beginning of its content_sha256"
                )
            for other in value["supersedes"]:
                ended = _ranked(known, other, where)
                yield ended._replace(
                    status="superseded", ended=value["when"], superseded_by=value["id"]
                )
            hashes = {name: value[name] for name in ("id", "file_sha256", "content_sha256")}
            yield Listed(**hashes, added=value["when"])
        case "withdrawn":
            ended = _ranked(known, value["id"], where)
            yield ended._replace(status="withdrawn", ended=value["when"], reason=value["reason"])
        case "verified" | "differed":
            if value["id"] not in known:
                raise BoardError(f"{where}: there is no {value['id']}")
            if value.get("n_differences", 1) < 1:
                raise BoardError(f"{where}: {value['id']} differed in nothing")
            rerun = Rerun(**{name: value[name] for name in Rerun._fields if name in value})
            if rerun.largest_bits is None:
                rerun = rerun._replace(largest_bits=math.inf)
            listed = known[value["id"]]
            yield listed._replace(reruns=(*listed.reruns, rerun))


def _ranked(known: Mapping[str, Listed], name: object, where: str) -> Listed:
    found = known.get(name) if isinstance(name, str) else None
    if found is None or found.status != "ranked":
        raise BoardError(f"{where}: {name} is not ranked, and cannot end")
    return found


def _value(line: str, where: str) -> Mapping[str, Any]:
    try:
        value = parse_json(line, where=where, first_line=None)
    except InputError as error:
        raise BoardError(str(error)) from None
    event = value.get("event") if isinstance(value, dict) else None
    if not isinstance(event, str) or event not in _KEYS:
        what = f", but {quoted(event)}" if isinstance(event, str) else ""
        raise BoardError(
            f"{where}: is none of {listed(list(_KEYS), most=9)}{what}; if a later pommel has "
            f"written it, update pommel (`pip install --upgrade pommel`)"
        )
    due = {**dict.fromkeys(("event", "when", "by", "previous"), str), **_KEYS[event]}
    known = {**due, **_OPTIONAL.get(event, {})}
    is_whole = set(due) <= set(value) <= set(known)
    if not is_whole or not all(_is_a(each, known[key]) for key, each in value.items()):
        raise BoardError(f"{where}: has to hold {', '.join(due)}")
    for key, shape in _HEX.items():
        if key in value and not shape.fullmatch(value[key]):
            raise BoardError(f"{where}: {key} is {quoted(value[key])}, and not {shape.pattern}")
    for key, each in value.items():
        if isinstance(each, str) and each != printable(each):
            raise BoardError(
                f"{where}: {key} is {quoted(each)}, which has characters that are not shown, or "
                f"more than one line"
            )
    try:
        dt.datetime.fromisoformat(value["when"])
        is_time = bool(_DATE.match(value["when"]))
    except ValueError:
        is_time = False
    if not is_time:
        raise BoardError(f"{where}: when is {quoted(value['when'])}, and no time (ISO 8601)")
    return dict(value)


def _is_a(value: object, kind: type | UnionType) -> bool:
    """Return whether a JSON value is of a kind; true and false are no numbers, nor is NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, kind) and not isinstance(value, bool)
