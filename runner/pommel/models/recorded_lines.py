"""Scored sentences as JSON Lines: a header with model and policy, then one line a sentence."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pommel.errors import AlignmentError, InputError, SurprisalError
from pommel.files import shipped as data
from pommel.files.writing import write_text
from pommel.models.model import ModelInfo
from pommel.models.policy import Policy
from pommel.models.reference_files import check_shape, parse_json
from pommel.models.token_lists import token_to_json, tokens_from_json
from pommel.surprisal import ScoredSentence, Unscored

FORMAT = "pommel-surprisals"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What a file holds: `model` is `ModelInfo.to_dict()`, `policy` `Policy.to_dict()`."""

    model: Mapping[str, Any]
    policy: Mapping[str, Any]
    sentences: Mapping[str, ScoredSentence]

    @property
    def method(self) -> str | None:
        """How tokens were scored, None where the file does not tell."""
        return _method(self.model, self.policy)


def recorded_text(info: ModelInfo, policy: Policy, scored: Iterable[ScoredSentence]) -> str:
    """Return scored sentences as `recorded://` and `schemas/surprisals.json` have them."""
    documents = _documents(info, policy, scored)
    lines = (json.dumps(each, ensure_ascii=False, allow_nan=False) for each in documents)
    return "".join(f"{line}\n" for line in lines)


def write_recorded(
    path: Path, info: ModelInfo, policy: Policy, scored: Iterable[ScoredSentence]
) -> None:
    """Write `recorded_text` to a file, which appears when it is complete.

    Raises `PommelError` if it cannot be written.
    """
    write_text(path, recorded_text(info, policy, scored))


def _documents(
    info: ModelInfo, policy: Policy, scored: Iterable[ScoredSentence]
) -> Iterator[dict[str, Any]]:
    header = {"format": FORMAT, "version": VERSION}
    yield {**header, "model": info.to_dict(), "policy": policy.to_dict()}
    for sentence in scored:
        tokens = [token_to_json(each) for each in sentence.tokens]
        yield {"sentence": sentence.text, "tokens": tokens}


def parse_recorded(text: str, *, where: str) -> Recording:
    """Read what `write_recorded` wrote.

    Raises `InputError` with `where:line` for anything else, `AlignmentError` or `SurprisalError`
    for tokens that cannot be their sentence's, and `InputError` for a sentence that is there twice
    with different tokens.
    """
    lines = text.split("\n")
    header = _header(parse_json(lines[0], where=where), f"{where}:1")
    # A file does not say why a token has no surprisal; under this method there is one reason only.
    is_focus = _method(header["model"], header["policy"]) == "focus-mask"
    why: Unscored = "not comparable" if is_focus else "no context"
    sentences: dict[str, ScoredSentence] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        at = f"{where}:{number}"
        scored = _sentence(parse_json(line, where=where, first_line=number), at, why)
        if sentences.setdefault(scored.text, scored) != scored:
            raise InputError(f"{at}: {scored.text!r} was there before, with other tokens")
    return Recording(model=header["model"], policy=header["policy"], sentences=sentences)


def _header(document: Any, at: str) -> dict[str, Any]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f'{at}: the first line has to hold "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise InputError(
            f"{at}: version {document.get('version')!r} is not known; this pommel reads {VERSION}"
        )
    schema = data.schema("surprisals")
    header = {"$ref": "#/$defs/header", "$defs": schema["$defs"]}
    check_shape(document, header, where=at, noun="header of recorded surprisals")
    return document


def _method(model: Mapping[str, Any], policy: Mapping[str, Any]) -> str | None:
    # A recording of a recording has no methods to choose from; what it had is among its details.
    own: str | None = [*model.get("methods", ()), model.get("details", {}).get("method")][0]
    asked: str = policy.get("method", "auto")
    return own if asked == "auto" else asked


def _sentence(document: Any, at: str, why: Unscored) -> ScoredSentence:
    if not isinstance(document, dict) or not isinstance(document.get("sentence"), str):
        raise InputError(f'{at}: a line has to be {{"sentence": "...", "tokens": [...]}}')
    tokens = tokens_from_json(document.get("tokens"), at, why)
    scored = ScoredSentence(text=document["sentence"], tokens=tokens)
    try:
        scored.check()
    except (AlignmentError, SurprisalError) as error:
        raise type(error)(f"{at}: {error}") from error
    return scored
