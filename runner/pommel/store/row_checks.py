"""Whether a row of a damaged store is whole."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pommel.errors import AlignmentError, PommelError, StoreError, SurprisalError
from pommel.models.model import Policy
from pommel.store.suite_documents import document_hash
from pommel.store.surprisal_cache import sentence_hash
from pommel.store.token_codec import decode_tokens

_TYPES = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its type, and whether it may be NULL."""

    kind: str
    is_needed: bool

    def takes(self, value: object) -> bool:
        """Say whether a value can be one of this column's."""
        if value is None:
            return not self.is_needed
        return isinstance(value, _TYPES[self.kind])


def is_whole(table: str, row: Mapping[str, Any]) -> bool:
    """Say whether the values of a row of the right types are as they were written."""
    match table:
        case "sentences":
            return bool(sentence_hash(row["text"]) == row["hash"])
        case "suites":
            return row["document"] is None or _has_hash(row["document"], row["sha256"])
        case "models":
            description = json_object(row["description"])
            return description is not None and description.get("fingerprint") == row["fingerprint"]
        case "policies":
            description = json_object(row["description"])
            return bool(policy_fingerprint(description or {}) == row["fingerprint"])
        case "sessions":
            return json_object(row["provenance"]) is not None
        case "runs":
            return json_object(row["record"]) is not None
        case _:
            return True


def are_tokens(text: str, encoded: bytes) -> bool:
    """Say whether tokens are as they were written, and can be those of a sentence."""
    try:
        decode_tokens(text, encoded).check()
    except (StoreError, AlignmentError, SurprisalError):
        return False
    return True


def policy_fingerprint(choices: Mapping[str, Any]) -> str | None:
    """Return the fingerprint of the policy of these choices; None if there is no such policy."""
    try:
        return Policy(**choices).fingerprint
    except (TypeError, PommelError):
        return None


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is; None for other texts."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _has_hash(document: bytes, sha256: str) -> bool:
    try:
        return document_hash(document) == sha256
    except (ValueError, RecursionError, zlib.error):
        return False
