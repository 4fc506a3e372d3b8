"""Claimed results that do not follow from the tokens, and what is said of each."""

from collections.abc import Mapping
from typing import Any

from tests.leaderboard.submission.changing import (
    CLAIMS,
    MOVED,
    ON,
    Make,
    claims,
    manifest,
    put,
    raw,
)
from tests.leaderboard.submission.samples import Parts


def _swapped_claims(parts: Parts) -> bytes:
    def change(found: Any) -> None:
        for each in found["predictions"]:
            each["holds"][:2] = each["holds"][1::-1]
            each["margin_bits"][:2] = each["margin_bits"][1::-1]

    return parts.with_claims(change).packed()


def _better(parts: Parts) -> bytes:
    """Claim that everything holds, in the manifest, too."""

    def change(found: Any) -> None:
        for each in found["predictions"]:
            each.update(holds=[True] * 3, tie=[False] * 3)

    def score(found: Any) -> None:
        found["suites"][0]["scores"][0]["n_holding"] = 3

    return parts.with_claims(change).with_manifest(score).packed()


def _skipped(parts: Parts) -> bytes:
    """Claim that an item does not count."""

    def change(found: Any) -> None:
        for each in found["predictions"]:
            each["skipped"][1] = True

    def score(found: Any) -> None:
        found["suites"][0]["scores"][0]["n_items"] = 2

    return parts.with_claims(change).with_manifest(score).packed()


_OTHER_ITEMS = f"{ON}: the claimed results are of other items than the suite's"
_OTHER = (
    f"{ON}: the claimed results are of other predictions, or do not say of each what a submission "
    f"of this version does"
)

CLAIMED: Mapping[str, tuple[Make, str]] = {
    # --- claims
    "claims that are no claims": (
        raw(CLAIMS, b"[]"),
        f"{ON}: the claimed results are no results",
    ),
    "claims of a hundred thousand empty predictions": (
        raw(CLAIMS, b'{"item_numbers":[],"predictions":[' + b"{}," * 100_000 + b"{}]}"),
        f"{CLAIMS}: has more than 100,000 lists and objects",
    ),
    "claims of other items": (
        claims(put([1, 2, 4], "item_numbers")),
        _OTHER_ITEMS,
    ),
    "claims of fewer items": (
        claims(put([1, 2], "item_numbers")),
        _OTHER_ITEMS,
    ),
    "items that are no numbers": (
        claims(put([1, 2, "3"], "item_numbers")),
        _OTHER_ITEMS,
    ),
    "claims of another prediction": (
        claims(put("(2;%bad%) < (2;%good%)", "predictions", 0, "formula")),
        _OTHER,
    ),
    "a claim that is no truth": (
        claims(put([1, 0, 0], "predictions", 0, "holds")),
        (
            f"{ON}, item 1, prediction 0: holds is claimed to be 1, and comes out true (2 more "
            f"differences)"
        ),
    ),
    "a claim that lacks an item": (
        claims(put([True], "predictions", 0, "oov")),
        _OTHER,
    ),
    "a margin that is no number": (
        claims(put([1.0, "x", 0.0], "predictions", 1, "margin_bits")),
        f'{ON}, item 2, prediction 1: margin is claimed to be "x", and comes out -1.0000 bits',
    ),
    "a prediction that is none": (
        claims(put({}, "predictions", 0)),
        _OTHER,
    ),
    "predictions in another order": (
        claims(lambda found: found["predictions"].reverse()),
        _OTHER,
    ),
    "another number of items": (
        manifest(put(4, "suites", 0, "n_items")),
        f"{ON}: the manifest has other scores, or of other items",
    ),
    "a score that does not follow": (
        manifest(put(3, "suites", 0, "scores", 0, "n_holding")),
        f"{ON}: the manifest has other scores, or of other items",
    ),
    "everything holds": (
        _better,
        (
            f"{ON}, item 2, prediction 0: holds is claimed to be true, and comes out false (3 "
            f"more differences)"
        ),
    ),
    "an item that is said to be skipped": (
        _skipped,
        (
            f"{ON}, item 2, prediction 0: skipped is claimed to be true, and comes out false (1 "
            f"more difference)"
        ),
    ),
    "a larger margin": (
        claims(put([2.5, -1.0, 0.0], "predictions", 1, "margin_bits")),
        (
            f"{ON}, item 1, prediction 1: margin is claimed to be 2.5000 bits, and comes out "
            f"1.0000 bits"
        ),
    ),
    "results of two items swapped": (
        _swapped_claims,
        (
            f"{ON}, item 1, prediction 0: holds is claimed to be false, and comes out true; "
            f"margin is claimed to be -1.0000 bits, and comes out 1.0000 bits (3 more differences)"
        ),
    ),
    "another suite under the same name": (
        manifest(put("1.2.0", "suites", 0, "version")),
        "calls the suite agreement (version none) 'agreement' (version 1.2.0)",
    ),
    "another name": (
        manifest(put("number", "suites", 0, "name")),
        "calls the suite agreement (version none) 'number' (version none)",
    ),
    "another check sum of region sums": (
        manifest(put("0" * 64, "suites", 0, "region_sums_sha256")),
        MOVED,
    ),
}
