"""`recorded://FILE`: a model that answers from a file of surprisals computed before.

The file is a table of `get_surprisals` or JSON Lines of ours, told apart by the first character.
A table may come with `?sentences=FILE` (one sentence a line) and `?spec=FILE` (an LM Zoo spec).

Our JSON Lines are a header with model and policy, then a line a sentence; its tokens are `[text,
start, end, surprisal, oov, role]` each. `schemas/surprisals.json` describes them.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pommel.errors import AlignmentError, InputError, SurprisalError, UsageError
from pommel.files import DecodedText, is_encodable, json_schema, parse_json
from pommel.models.alignment import PrintedToken
from pommel.models.kinds import Kind
from pommel.models.model import (
    LoadOptions,
    Model,
    ModelInfo,
    Policy,
    ScoredByIndex,
    SpansOfEach,
    check_only_method,
)
from pommel.models.printed import (
    PrintedModel,
    Table,
    fingerprint,
    parse_surprisal_table,
    printed_info,
    under_policy,
    with_first_token,
)
from pommel.models.reference_files import (
    Reference,
    check_shape,
    check_spec,
    read_text,
    split_reference,
)
from pommel.surprisal import ScoredSentence, Token, TokenRole, Unscored
from pommel.values import frozen, positional

_ROLES: dict[str, TokenRole] = {role: role for role in get_args(TokenRole)}
_KINDS = (str, int, int, bool, str)
_N_FIELDS = len(_KINDS) + 1
_INFINITE = "Infinity"  # a word of probability 0; JSON has no number for it


def _token(value: object, at: str, number: int, why: Unscored) -> Token:
    if isinstance(value, list) and len(value) == _N_FIELDS:
        text, start, end, bits, oov, role = value
        # `type`, because True and False are whole numbers for Python, and are none for JSON.
        kinds = (type(text), type(start), type(end), type(oov), type(role))
        if kinds == _KINDS and role in _ROLES and (text.isascii() or is_encodable(text)):
            if type(bits) is not float or not math.isfinite(bits):
                bits = _bits(bits, f"{at}: token {number}")
            return Token(
                text=text,
                start=start,
                end=end,
                surprisal_bits=bits,
                oov=oov,
                role=_ROLES[role],
                why_unscored=why if bits is None else "no context",
            )
    roles = ", ".join(_ROLES)
    raise InputError(
        f"{at}: token {number} is {value!r}; it has to be [text, start, end, surprisal in bits or "
        f"null, oov true or false, role ({roles})]"
    )


def _bits(bits: object, at: str) -> float | None:
    if bits is None:
        return None
    if bits == _INFINITE:
        return math.inf
    if isinstance(bits, bool) or not isinstance(bits, int | float):
        raise SurprisalError(f"{at} has the surprisal {bits!r}, which is not a number")
    try:
        number = float(bits)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise SurprisalError(f'{at} has a surprisal that is not finite; write "{_INFINITE}"')
    return number


_FORMAT = "pommel-surprisals"
_VERSION = 1


@frozen
class Recording:
    """What a file holds: `model` is `ModelInfo.to_dict()`, `policy` `Policy.to_dict()`."""

    model: Mapping[str, Any]
    policy: Mapping[str, Any]
    sentences: Mapping[str, ScoredSentence]

    @property
    def method(self) -> str | None:
        """How tokens were scored, None where the file does not tell."""
        # A recording of a recording has no methods to choose from; what it had is in its details.
        methods = *self.model.get("methods", ()), self.model.get("details", {}).get("method")
        asked: str = self.policy.get("method", "auto")
        return methods[0] if asked == "auto" else asked

    @staticmethod
    def text_of(info: ModelInfo, policy: Policy, scored: Iterable[ScoredSentence]) -> str:
        """Return scored sentences as `recorded://` and `schemas/surprisals.json` have them."""
        header = Recording.header(info.to_dict(), policy.to_dict())
        documents = (header, *map(Recording.sentence_to_dict, scored))
        lines = (json.dumps(each, ensure_ascii=False, allow_nan=False) for each in documents)
        return "".join(f"{line}\n" for line in lines)

    @staticmethod
    def header(model: Mapping[str, Any], policy: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the first line of a file."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "model": dict(model),
            "policy": dict(policy),
        }

    @staticmethod
    def sentence_to_dict(sentence: ScoredSentence) -> Mapping[str, Any]:
        """Return the line of a sentence."""
        tokens = []
        for each in sentence.tokens:
            bits = _INFINITE if each.surprisal_bits == math.inf else each.surprisal_bits
            tokens.append([each.text, each.start, each.end, bits, each.oov, each.role])
        return {"sentence": sentence.text, "tokens": tokens}

    @staticmethod
    def read_tokens(value: object, at: str, why: Unscored = "no context") -> tuple[Token, ...]:
        """Return the tokens that a JSON value lists; `why` is why some have no surprisal.

        Raises `InputError` for a value of another shape and `SurprisalError` for a surprisal that
        is no number; both begin with `at`. Whether tokens and sentence fit is not looked at.
        """
        if not isinstance(value, list):
            raise InputError(f"{at}: 'tokens' has to be a list")
        return tuple(_token(token, at, number, why) for number, token in enumerate(value, start=1))

    @classmethod
    def parse(cls, text: str, *, where: str) -> "Recording":
        """Read what `text_of` returns.

        Raises `InputError` with `where:line` for anything else, `AlignmentError` or
        `SurprisalError` for tokens that cannot be their sentence's, and `InputError` for a sentence
        that is there twice with different tokens.
        """
        DecodedText.of(text).check_lines(where)
        lines = text.split("\n")
        header = _header(parse_json(lines[0], where=where), f"{where}:1")
        sentences: dict[str, ScoredSentence] = {}
        recording = cls(model=header["model"], policy=header["policy"], sentences=sentences)
        # A file does not say why a token has no surprisal; this method has one reason only.
        why: Unscored = "not comparable" if recording.method == "focus-mask" else "no context"
        for number, line in enumerate(lines[1:], start=2):
            if not line.strip():
                continue
            at = f"{where}:{number}"
            scored = _sentence(parse_json(line, where=where, first_line=number), at, why)
            if sentences.setdefault(scored.text, scored) != scored:
                raise InputError(f"{at}: {scored.text!r} was there before, with other tokens")
        return recording


def _header(document: object, at: str) -> Mapping[str, Any]:
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise InputError(f'{at}: the first line has to hold "format": "{_FORMAT}"')
    if document.get("version") != _VERSION:
        raise InputError(
            f"{at}: version {document.get('version')!r} is not known; this pommel reads {_VERSION}"
        )
    schema = json_schema("surprisals")
    header = {"$ref": "#/$defs/header", "$defs": schema["$defs"]}
    check_shape(document, header, where=at, noun="header of recorded surprisals")
    return document


def _sentence(document: object, at: str, why: Unscored) -> ScoredSentence:
    if not isinstance(document, dict) or not isinstance(document.get("sentence"), str):
        raise InputError(f'{at}: a line has to be {{"sentence": "...", "tokens": [...]}}')
    tokens = Recording.read_tokens(document.get("tokens"), at, why)
    scored = ScoredSentence(text=document["sentence"], tokens=tokens)
    try:
        scored.check()
    except (AlignmentError, SurprisalError) as error:
        raise type(error)(f"{at}: {error}") from error
    return scored


_SETTINGS = ("sentences", "spec")


def open_model(reference: str, _options: LoadOptions) -> Model:
    """Return the model that a reference `recorded://FILE` names.

    Raises `UsageError` for a reference that names no file, `ModelNotAvailableError` for a file
    that is not there, and `InputError` or `SurprisalError` for what is wrong in it.
    """
    parts = split_reference(reference, _SETTINGS)
    if not parts.path:
        raise UsageError(f"{reference}: it names no file; write recorded://FILE")
    text = read_text(Path(parts.path), asked_by=reference)
    if text.lstrip()[:1] != "{":
        return _from_table(parts, text)
    if parts.settings:
        raise UsageError(f"{reference}: a file of JSON Lines names its sentences itself")
    return _from_lines(parts, text)


def _from_table(reference: Reference, text: str) -> PrintedModel:
    settings = reference.settings
    texts = {key: read_text(Path(each), asked_by=reference.text) for key, each in settings.items()}
    table = parse_surprisal_table(text, where=reference.path)
    lines, path = texts.get("sentences"), settings.get("spec", "")
    sentences = None if lines is None else _sentences(lines, reference, table)
    spec = check_spec(parse_json(texts["spec"], where=path), where=path) if path else {}
    every = (text, *(texts.get(key, "") for key in _SETTINGS))
    return PrintedModel(
        info=printed_info(reference, "recorded", spec, every),
        table=table,
        sentences=sentences,
        source=reference.path,
        printed_spec=spec or None,
    )


def _sentences(text: str, reference: Reference, table: Table) -> tuple[str, ...]:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    path = reference.settings["sentences"]
    if len(lines) != len(table):
        raise InputError(
            f"{path}: it has {len(lines)} lines, and {reference.path} has {len(table)} sentences; "
            "sentence_id 1 is the sentence of line 1, and so on"
        )
    first_line: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        before = first_line.setdefault(line, number)
        if _values(table[before - 1]) != _values(table[number - 1]):
            raise SurprisalError(
                f"{path}:{number}: line {before} is the same sentence, and {reference.path} has "
                "other surprisals for it"
            )
    return tuple(lines)


def _values(tokens: Sequence[PrintedToken]) -> list[tuple[str, float]]:
    # Six decimals are what images print; a GPU repeats no more than that either.
    return [(token.text, round(token.surprisal_bits, 3)) for token in tokens]


@positional
class RecordedModel:
    """Answers with sentences that pommel scored before, and their own policy.

    The policy asked for may only leave out what was recorded (see `PrintedModel`), and give a
    first token without a surprisal the 0 of the retired tools (`first_token` "zero"). `bos`
    "always" is met by what was recorded with a model's beginning-of-sentence mark. Its method is
    that of the recording (`details["method"]`), whatever it was.
    """

    info: ModelInfo
    recording: Recording
    source: str

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,  # noqa: ARG002 - all are there
    ) -> ScoredByIndex:
        """Yield (index, scored sentence) in order; see `Model.score`.

        Raises `SurprisalError` for a sentence that was not recorded.
        """
        recorded = self.recording
        check_only_method(self.info, policy, recorded.policy)
        had_bos = self.info.bos is not None and recorded.policy.get("bos") != "never"
        if policy.bos == "always" and had_bos:
            # The mark need not be among the tokens: what was scored was what follows it.
            policy = replace(policy, bos="auto")
        for index, sentence in enumerate(sentences):
            if sentence not in recorded.sentences:
                raise SurprisalError(f"{self.source}: no surprisals for the sentence {sentence!r}")
            scored = under_policy(recorded.sentences[sentence], policy, self.source)
            yield index, with_first_token(scored, policy)


def _from_lines(reference: Reference, text: str) -> RecordedModel:
    recording = Recording.parse(text, where=reference.path)
    model, method = recording.model, recording.method
    info = ModelInfo(
        reference=reference.text,
        name=model["name"],
        kind="recorded",
        fingerprint=fingerprint(text),
        bos=model.get("bos"),
        eos=model.get("eos"),
        details={
            "model": dict(model),
            "policy": dict(recording.policy),
            "offsets": model.get("details", {}).get("offsets"),
            **({"method": method} if method else {}),
        },
    )
    return RecordedModel(info, recording, reference.path)


KIND = Kind(
    open=open_model,
    forms={"recorded://FILE": "surprisals that were computed before (LM Zoo TSV or JSON Lines)"},
    endings=(".jsonl", ".tsv", ".txt"),
    models_are="file",
    has_settings=True,
)
