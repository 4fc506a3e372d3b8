"""`dummy://`: models for tests and for trying things out, which need nothing installed.

`dummy://FILE.json` gives the answers that stand in a file, as the LM Zoo's dummy back-end did.
`dummy://` and `dummy://uniform?bits=1` make surprisals up, the same ones everywhere.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pommel.errors import InputError, UsageError
from pommel.files import expanded, parse_json
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
)
from pommel.models.reference_files import (
    Reference,
    check_spec,
    read_text,
    split_reference,
)
from pommel.surprisal import ScoredSentence, Token
from pommel.values import positional

_COMMANDS = ("spec", "tokenize", "unkify", "get_surprisals")


def open_model(reference: str, _options: LoadOptions) -> Model:
    """Return the model that a reference `dummy://` names.

    Raises `UsageError` for a reference that makes no sense, `ModelNotAvailableError` for a file
    that is not there, and `InputError` or `SurprisalError` for what is wrong in it.
    """
    parts = split_reference(reference, ("bits",))
    if parts.path == "" and not parts.settings:
        return _made_up(reference, "dummy", _scattered)
    if parts.path == "uniform":
        text = parts.settings.get("bits", "1")
        if not re.fullmatch(r"\d+(\.\d+)?", text):
            raise UsageError(f"{reference}: bits={text} is not a number from 0 up")
        bits = float(text)
        # Six digits, if they are all: two models that differ behind them are no one model.
        written = f"{bits:g}" if float(f"{bits:g}") == bits else repr(bits)
        return _made_up(reference, f"uniform-{written}", lambda _left, _word: bits)
    if parts.settings:
        raise UsageError(f"{reference}: only dummy://uniform takes bits=...")
    return _from_file(parts)


@positional
class MadeUpModel:
    """Splits at white space and punctuation, and makes up a surprisal for every token.

    It knows the marks `<s>` and `</s>`. Without the first (`bos` "never" or "tokenizer") the
    first token is unscored, or 0; the second is scored only under `eos` "always", as it never adds
    it by itself.
    `surprisal_bits` gives the bits of a token after a left context, whose CRC-32 it is given.
    """

    info: ModelInfo
    surprisal_bits: Callable[[int, str], float]

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,  # noqa: ARG002 - costs nothing
    ) -> ScoredByIndex:
        """Yield (index, scored sentence) in order; see `Model.score`."""
        check_only_method(self.info, policy)
        for index, sentence in enumerate(sentences):
            scored = ScoredSentence(text=sentence, tokens=tuple(self._tokens(sentence, policy)))
            scored.check()
            yield index, scored

    def _tokens(self, sentence: str, policy: Policy) -> Iterator[Token]:
        # "_" counts as a word's letter in regular expressions, and combining marks do not.
        left = before = 0
        for n, match in enumerate(re.finditer(r"\w+|[^\w\s]", sentence)):
            start, end = match.span()
            left, before = _crc32(sentence[before:start], left), start
            bits: float | None = self.surprisal_bits(left, match.group())
            if n == 0 and policy.bos in ("never", "tokenizer"):
                bits = policy.first_token_bits
            yield Token(text=match.group(), start=start, end=end, surprisal_bits=bits)
        if policy.eos == "always":
            end = len(sentence)
            bits = self.surprisal_bits(_crc32(sentence[before:], left), _EOS)
            yield Token(text=_EOS, start=end, end=end, surprisal_bits=bits, role="eos")


_BOS, _EOS = "<s>", "</s>"
_MOST_BITS = 16.0


def _crc32(text: str, left: int) -> int:
    """Return the CRC-32 of a text behind one whose CRC-32 is `left`."""
    return zlib.crc32(text.encode(errors="surrogatepass"), left)


def _scattered(left: int, word: str) -> float:
    """Return between 0 and 16 bits, evenly scattered: the same for the same text everywhere."""
    return _crc32(f"\0{word}", left) / 2**32 * _MOST_BITS


def _made_up(reference: str, name: str, surprisal_bits: Callable[[int, str], float]) -> MadeUpModel:
    info = ModelInfo(
        reference=reference,
        name=name,
        kind="made-up",
        fingerprint=fingerprint("made-up 1", name),
        bos=_BOS,
        eos=_EOS,
    )
    return MadeUpModel(info, surprisal_bits)


def _from_file(parts: Reference) -> PrintedModel:
    path = expanded(parts.path)
    answers = parse_json(read_text(path, asked_by=parts.text), where=str(path))
    if not isinstance(answers, dict) or not {"spec", "get_surprisals"} <= answers.keys():
        raise InputError(
            f"{path}: it has to be an object with an answer, or the path of a file that holds it, "
            f"for spec and get_surprisals, and maybe for tokenize and unkify"
        )
    texts = {name: _answer(answers[name], name, path) for name in _COMMANDS if name in answers}
    where = f"{path} (spec)"
    spec = check_spec(parse_json(texts["spec"], where=where), where=where)
    return PrintedModel(
        info=printed_info(parts, "dummy", spec, (texts.get(name, "") for name in _COMMANDS)),
        table=_table(texts, path),
        source=str(path),
        printed_spec=spec,
        printed_predictions=_named_file(answers.get("get_predictions"), path),
    )


def _answer(value: object, command: str, path: Path) -> str:
    """Return what a command prints: the value itself, or what is in the file that it names."""
    if not isinstance(value, str):
        return json.dumps(value)
    file = _named_file(value, path)
    return value if file is None else read_text(file, asked_by=f"{path} ({command})")


def _named_file(value: object, path: Path) -> Path | None:
    """Return the file that an answer names, None if it names none that is there."""
    # A text of several lines, or a JSON object, names no file, and may be too long to ask for.
    if not isinstance(value, str) or "\n" in value or "{" in value or not value:
        return None
    file = path.parent / value
    try:
        return file if file.is_file() else None
    except (OSError, ValueError):
        # Too long for a file's name, or with characters that none can have: it is the answer.
        return None


def _table(texts: Mapping[str, str], path: Path) -> Table:
    """Return the surprisals, with which the other commands have to agree token by token."""
    table = parse_surprisal_table(texts["get_surprisals"], where=f"{path} (get_surprisals)")
    answers = {each: _lines(texts[each]) for each in ("tokenize", "unkify") if each in texts}
    for command, lines in answers.items():
        if len(lines) != len(table):
            raise InputError(
                f"{path}: {command} has {len(lines)} sentences and get_surprisals {len(table)}"
            )
        for number, (line, printed) in enumerate(zip(lines, table, strict=True), start=1):
            if len(line) != len(printed):
                raise InputError(
                    f"{path}: {command} has {len(line)} tokens in sentence {number} and "
                    f"get_surprisals {len(printed)}"
                )
            for said, token in zip(line, printed, strict=True):
                if command == "tokenize" and said != token.text:
                    raise InputError(
                        f"{path}: tokenize has {said!r} in sentence {number} where "
                        f"get_surprisals has {token.text!r}"
                    )
                if command == "unkify" and said not in {"0", "1"}:
                    what = "unkify has to print 0 or 1 for each token"
                    raise InputError(f"{path}: {what} (line {number})")
    if "unkify" not in answers:
        return table
    return tuple(
        tuple(replace(token, oov=flag == "1") for token, flag in zip(printed, mask, strict=True))
        for printed, mask in zip(table, answers["unkify"], strict=True)
    )


def _lines(text: str) -> list[list[str]]:
    """Return what a command prints, a line a sentence."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    return [line.split(" ") if line else [] for line in lines] if text else []


KIND = Kind(
    open=open_model,
    forms={"dummy://FILE.json": "an LM Zoo dummy; dummy:// alone gives made-up numbers"},
    endings=(".json",),
    models_are="file",
    has_settings=True,
)
