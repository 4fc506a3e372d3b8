"""What a board keeps of a submission: who it is, and what its tokens came to, item by item."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError
from pommel.files import parse_json
from pommel.leaderboard.board import Board
from pommel.leaderboard.rerunning import can_be_had
from pommel.leaderboard.submission import Submission, SubmissionError, recomputed
from pommel.leaderboard.submission.manifest import described
from pommel.leaderboard.submission.own_paths import published_model, published_name
from pommel.scoring import RegionTable, Run, SuiteResult
from pommel.suite import Suite
from pommel.values import frozen

FORMAT = "pommel-leaderboard-entry"
# 3 has `n_swallowed`, and a check sum (`sealed`).
VERSION = 3
_ID_DIGITS = 16


@frozen
class Entry:
    """A submission on a board.

    `id` is the beginning of `content_sha256`, which is `Submission.sha256`. `model` and `policy`
    are as in a manifest, `created` when the newest run was made. `n_holding` has, for each suite by
    its SHA-256, in how many of its `n_predictions` each item holds: 0 or 1 of 1 but under the score
    rule "each". An item that a method or an unknown word would have skipped holds in none.
    `n_swallowed` has in how many items a suite's predictions name a region with content in which no
    token begins. `named_sums` are the packed sums of the regions that predictions name
    (`packed_sums`).
    """

    id: str
    content_sha256: str
    name: str
    by: str
    url: str
    note: str
    created: str
    pommel: str
    model: Mapping[str, Any]
    image_digest: str | None
    policy: Mapping[str, str]
    n_tokens: int
    n_predictions: Mapping[str, int]
    n_holding: Mapping[str, Sequence[int]]
    n_swallowed: Mapping[str, int]
    named_sums: Mapping[str, str]

    @property
    def identity(self) -> tuple[str, str]:
        """What is on a board once: the model's fingerprint, and the policy's."""
        return (self.model["fingerprint"], self.policy["fingerprint"])

    @property
    def is_available(self) -> bool:
        """Whether anybody can have the weights, by what the submission says (`can_be_had`)."""
        revision = self.model.get("revision")
        return can_be_had(str(self.model["reference"]), revision, self.image_digest)

    def values(self, board: Board) -> list[NDArray[np.float64]]:
        """Return the share of predictions that hold in each item, suite by suite."""
        return [
            np.array(self.n_holding[each.sha256], dtype=np.float64)
            / self.n_predictions[each.sha256]
            for each in board.suites
        ]

    def to_text(self) -> str:
        """Return the content of the entry's file; equal entries have the same text."""
        return sealed({"format": FORMAT, "version": VERSION, **asdict(self)})


def entry_from(text: str, board: Board) -> Entry | None:
    """Return the entry that a text of `Entry.to_text` has; None if it cannot be one of this board.

    What is wrong with it does not matter: it is made again from the submission.
    """
    try:
        value = unsealed(text)
        if (value.pop("format"), value.pop("version")) != (FORMAT, VERSION):
            return None
        entry = msgspec.convert(value, Entry)
        is_all = msgspec.to_builtins(entry) == value
        return entry if is_all and _fits(entry, board) else None
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError):
        return None


def sealed(value: Mapping[str, object]) -> str:
    """Return the content of a file in `derived/`: a value in JSON, with the SHA-256 over it."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return f'{{"sha256":"{sha256}","value":{text}}}\n'


def unsealed(text: str) -> dict[str, Any]:
    """Return the value of `sealed`; raises `ValueError` for a text that is not what was written."""
    try:
        value = parse_json(text)["value"]
    except (InputError, TypeError, KeyError):
        value = None
    if not isinstance(value, dict) or sealed(value) != text:
        raise ValueError("this is not what was written")
    return value


def is_outdated(text: str, version: int) -> bool:
    """Say whether an older pommel has written a file in `derived/`, which is then made again."""
    try:
        value = parse_json(text)
        return bool(0 < value.get("value", value)["version"] < version)
    except (InputError, TypeError, KeyError, AttributeError):
        return False


def _fits(entry: Entry, board: Board) -> bool:
    """Return whether an entry that was read is of the board's suites, item by item."""
    per_suite = (entry.n_predictions, entry.n_swallowed, entry.named_sums)
    if any(each.keys() != {suite.sha256 for suite in board.suites} for each in per_suite):
        return False
    if not all(isinstance(each, str) for each in entry.identity):
        return False
    if min(entry.n_predictions.values()) < 1:
        return False
    # One that was kept before paths were left out is made again.
    public = published_name(entry.name)
    if (entry.name, entry.model) != (public, published_model(entry.model, public)):
        return False
    for each, values in zip(board.suites, entry.values(board), strict=True):
        sums = unpacked_sums(entry.named_sums[each.sha256])
        if len(sums) % each.n_items or not np.isfinite(sums).all():
            return False
        if values.shape != (each.n_items,) or not ((values >= 0) & (values <= 1)).all():
            return False
    return True


def entry_of(submission: Submission, board: Board, suites: Sequence[Suite]) -> Entry:
    """Compute a submission on the suites of a board, from its tokens alone.

    Raises `SubmissionError` for one that the board does not take: under `--compat`, without one of
    the suites, or with tokens, check sums or claims that do not fit each other, of each suite a
    line.
    """
    manifest, source = submission.manifest, submission.source
    if compat := manifest.compat:
        raise SubmissionError(
            f"{source}: was scored with --compat {compat}, and leaderboards take none; "
            f"run the model without it"
        )
    claimed = submission.runs_on({each.sha256: each.name for each in board.suites})
    runs: dict[str, Run] = {}
    faults = []
    for pinned, suite in zip(board.suites, suites, strict=True):
        try:
            (runs[pinned.sha256],) = recomputed(submission, [suite], board.choices)
        except SubmissionError as error:
            faults.append(str(error))
        except InputError as error:
            faults.append(f"{source}: {error}")
    if faults:
        raise SubmissionError("\n".join(faults))
    submitter, name = manifest.submitter, published_name(manifest.submitter.name)
    results = {sha256: run.result for sha256, run in runs.items()}
    return Entry(
        id=submission.sha256[:_ID_DIGITS],
        content_sha256=submission.sha256,
        name=name,
        by=submitter.by,
        url=submitter.url,
        note=submitter.note,
        created=manifest.created,
        pommel=manifest.pommel,
        # It may have been packed before paths were left out.
        model=published_model(
            {key: each for key, each in manifest.model.items() if key != "details"}, name
        ),
        image_digest=manifest.image_digest,
        policy=described(manifest.policy),
        n_tokens=sum(each.entry.n_tokens for each in claimed),
        n_predictions={
            sha256: len(each.counted) if board.score_rule == "each" else 1
            for sha256, each in results.items()
        },
        n_holding={sha256: _n_holding(each) for sha256, each in results.items()},
        n_swallowed={sha256: each.n_swallowed for sha256, each in results.items()},
        named_sums={
            sha256: packed_sums(run.surprisals.suite, run.surprisals.table)
            for sha256, run in runs.items()
        },
    )


def _n_holding(result: SuiteResult) -> list[int]:
    holds = np.stack([each.holds & ~each.skipped for each in result.counted])
    counts = holds.sum(axis=0) if result.score_rule == "each" else holds.all(axis=0)
    return [int(each) for each in np.atleast_1d(counts)]


# The sums of the regions that predictions name: what makes two submissions the same numbers.
#
# They are kept for each suite as one text: little-endian float32 in Base64, for each condition and
# region that a prediction of the suite names (by condition, then number, `*` first) one sum in bits
# an item. 500 submissions on 33 suites are compared in a fraction of a second so.

SAME_BITS = 0.01
"""How far apart two sums may be that count as the same, as `verify --rerun` allows it."""

# Of a sum, float32 keeps some seven digits.
_SAME_SHARE = 1e-6


def packed_sums(suite: Suite, table: RegionTable) -> str:
    """Return the sums of a suite's named regions, packed."""
    cells = suite.compared_cells
    ordered = sorted(cells, key=lambda each: (each[0], -1 if each[1] is None else each[1]))
    columns = [table.column("sum", region, condition) for condition, region in ordered]
    raw = np.array(columns, dtype="<f4").tobytes()
    return base64.b64encode(raw).decode("ascii")


def unpacked_sums(packed: str) -> NDArray[np.float32]:
    """Return the sums, (n_regions * n_items,); raises `ValueError` for what is none."""
    return np.frombuffer(base64.b64decode(packed, validate=True), dtype="<f4")


def are_same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Say whether all sums of one submission are those of the other, but for `SAME_BITS`.

    Both are packed sums by the suites' SHA-256. A board on which no prediction names a region tells
    no submission from another.
    """
    if one.keys() != other.keys() or not any(one.values()):
        return False
    return all(_are_close(unpacked_sums(one[name]), unpacked_sums(other[name])) for name in one)


def _are_close(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    # NaN is a region with a token that the method says nothing of.
    ours, theirs = one.astype(np.float64), other.astype(np.float64)
    return one.shape == other.shape and np.allclose(
        ours, theirs, rtol=_SAME_SHARE, atol=SAME_BITS, equal_nan=True
    )
