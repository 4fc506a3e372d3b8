"""Models that have printed their tokens and surprisals already, without offsets, and their table.

The table is that of `get_surprisals`, `sentence_id token_id token surprisal`, read literally. A
token is what stands in its column: `NA`, `null`, `"`, `007`, a blank. Nothing is quoted, converted
or missing.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pommel.errors import AlignmentError, InputError, ModelError, SurprisalError, quoted
from pommel.models.alignment import PrintedToken, TokenizerSpec
from pommel.models.model import (
    RECOVERED,
    ModelInfo,
    Policy,
    ScoredByIndex,
    SpansOfEach,
    check_only_method,
)
from pommel.models.reference_files import Reference
from pommel.models.tokenizing import TokenizingModel
from pommel.surprisal import ScoredSentence, Token
from pommel.values import frozen

COLUMNS = ["sentence_id", "token_id", "token", "surprisal"]
# The numeric columns hold no white space; what is left between them is the token. Nothing in here
# can be matched in two ways: a line that is no row must not take for ever.
_BY_BLANKS = re.compile(r"(\S+)[ \t]+(\S+)([ \t].*[ \t])(\S+)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# Python makes no number of thousands of digits.
_MOST_DIGITS = 18


def parse_surprisal_table(text: str, *, where: str) -> "Table":
    """Return the tokens of each sentence; sentence k of the table is at index k - 1.

    Raises `InputError` for a line that is no row and for ids that do not count 1, 2, 3, and
    `SurprisalError` for a surprisal that is no number from 0 up; each with `where:line`.
    """
    # Only a line feed ends a line: a token may be any other separator that Unicode knows.
    return tuple(TableReader(at=f"{where}:").sentences(text.split("\n")))


@dataclass(slots=True, kw_only=True)
class TableReader:
    """Reads a table line by line, so that it may be of any length.

    Messages begin with `at` and the line's number, of which the header's is `first_line`, which
    may be said as late as the header comes. `sentence` is the one that was read last, or
    where ids do not count 1, 2, 3 the one that should have come; 0 before the first row. Columns
    behind those of the protocol are left out, and a surprisal of `inf` is one; `habits` say so.
    """

    at: str
    sentence: int = 0
    habits: set[str] = field(default_factory=set)
    n_further: int = 0
    first_line: int = 1

    def sentences(self, lines: Iterable[str]) -> Iterator[tuple[PrintedToken, ...]]:
        """Yield the tokens of each sentence; raises as `parse_surprisal_table` does."""
        lines = iter(lines)
        header = next(lines, "")
        if not is_header(header):
            raise InputError(
                f"{self.at}{self.first_line}: the first line has to be {' '.join(COLUMNS)}"
            )
        self.n_further = len(_cells(header.strip())) - len(COLUMNS)
        if self.n_further:
            self.habits.add("further columns")
        count = 0
        tokens: list[PrintedToken] = []
        for number, line in enumerate(lines, start=self.first_line + 1):
            if not (row := line.removesuffix("\r")):
                continue
            at = f"{self.at}{number}"
            sentence_id, token_id, token = self._row(row, at, number, count)
            if sentence_id != count:
                if tokens:
                    yield tuple(tokens)
                tokens, count = [], sentence_id
            if token_id != len(tokens) + 1:
                raise InputError(
                    f"{at}: token_id {token_id} comes after {len(tokens)} in sentence "
                    f"{sentence_id}; tokens are numbered 1, 2, 3 and so on, in this order"
                )
            tokens.append(token)
        if tokens:
            yield tuple(tokens)

    def _row(self, line: str, at: str, number: int, count: int) -> tuple[int, int, PrintedToken]:
        columns = _columns(line, self.n_further)
        if len(columns) != len(COLUMNS):
            more = f" and {self.n_further} more, as the header" if self.n_further else ""
            n_columns = len(_cells(line) if self.n_further else line.split())
            raise InputError(
                f"{at}: {quoted(line)} has {n_columns} columns; a row is {' '.join(COLUMNS)}{more}"
            )
        first, second, text, surprisal = columns
        sentence_id = _id(first, "sentence_id", at)
        self.sentence = min(sentence_id, count + 1)
        if sentence_id not in (count, count + 1) or sentence_id == 0:
            raise InputError(
                f"{at}: sentence_id {sentence_id} comes after {count}; "
                "sentences are numbered 1, 2, 3 and so on, in this order"
            )
        token_id = _id(second, "token_id", at)
        bits = _bits(surprisal.strip(), text, at)
        if bits == math.inf:
            self.habits.add("infinite surprisals")
        return sentence_id, token_id, PrintedToken(text=text, surprisal_bits=bits, line=number)


def is_header(line: str) -> bool:
    """Say whether a line begins a table: the columns' names, maybe others behind them."""
    return line.split()[: len(COLUMNS)] == COLUMNS


def _columns(line: str, n_further: int) -> Sequence[str]:
    """Return the columns of the protocol; () where it cannot be told which they are."""
    if n_further:
        columns = _cells(line)
        # Of one that is missing, or has a blank in it, another would be taken for the surprisal.
        return columns[: len(COLUMNS)] if len(columns) == len(COLUMNS) + n_further else ()
    columns = line.split("\t")
    if len(columns) == len(COLUMNS):
        return columns
    row = _BY_BLANKS.fullmatch(line.strip(" \t"))
    return [each.strip(" \t") for each in row.groups()] if row else ()


def _cells(line: str) -> list[str]:
    """Return what stands between tabs, or between blanks where there is no tab."""
    return line.split("\t") if "\t" in line else [each for each in line.split(" ") if each]


def _id(text: str, column: str, at: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{at}: the {column} {quoted(text)} is not a whole number")
    if len(text) > _MOST_DIGITS:
        raise InputError(f"{at}: the {column} {quoted(text)} has {len(text)} digits")
    return int(text)


def _bits(text: str, token: str, at: str) -> float:
    if not _NUMBER.fullmatch(text):
        if text.removeprefix("+").casefold() in {"inf", "infinity"}:
            # A word of probability 0.
            return math.inf
        hint = ", with a decimal point" if "," in text else ""
        raise SurprisalError(
            f"{at}: the surprisal {quoted(text)} of {quoted(token)} is not a number; "
            f"write it in bits{hint}"
        )
    bits = float(text)
    if math.isinf(bits):
        raise SurprisalError(f"{at}: the surprisal {quoted(text)} of {quoted(token)} is not finite")
    if bits < -Token.ROUNDING_BITS:
        raise SurprisalError(
            f"{at}: the surprisal {text:.80} of {quoted(token)} is negative; "
            "a surprisal is -log2 p, not a log-probability"
        )
    return bits + 0.0  # images print -0.000000


Table = tuple[tuple[PrintedToken, ...], ...]


@frozen
class PrintedModel(TokenizingModel):
    """Answers from a table of surprisals; `source` names it in messages.

    `printed_spec` and `printed_predictions` are what the table came with.

    `sentences[k]` is what `table[k]` was printed for. Where they are None, nobody noted them: then
    the sentences asked for are taken to be the table's, all of them, in its order; a table that
    repeats a sentence's rows, as a suite repeats the sentence, may be asked for it once.

    What was printed cannot be scored again: under `eos` "never" the end-of-sentence mark is left
    out, "always" is an error for a sentence without one, and so is `bos` "always"; `bos` "never"
    changes nothing. A surprisal is never changed, not even a first token's 0.
    """

    info: ModelInfo
    table: Table
    source: str
    sentences: tuple[str, ...] | None = None
    printed_spec: Mapping[str, Any] | None = None
    printed_predictions: Path | None = None

    @property
    def tokenizer_spec(self) -> TokenizerSpec:
        """How the printed tokens are read."""
        return TokenizerSpec.from_dict(self.printed_spec or {})

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,  # noqa: ARG002 - all are there
    ) -> ScoredByIndex:
        """Yield (index, scored sentence) in order; see `Model.score`.

        Raises `SurprisalError` for a sentence that is not in the table, and `AlignmentError` if
        the table's tokens do not spell it.
        """
        check_only_method(self.info, policy)
        spec = self.tokenizer_spec
        places = self._places(sentences)
        for index, (sentence, place) in enumerate(zip(sentences, places, strict=True)):
            scored = self._scored(sentence, self.table[place], spec)
            yield index, under_policy(scored, policy, self.source)

    def _places(self, sentences: Sequence[str]) -> Sequence[int]:
        if self.sentences is None:
            return self._places_in_order(len(sentences))
        # White space is compared nowhere: published lists differ from their suites in it.
        known = {_key(sentence): place for place, sentence in enumerate(self.sentences)}
        for sentence in sentences:
            if _key(sentence) not in known:
                raise SurprisalError(f"{self.source}: no surprisals for the sentence {sentence!r}")
        return [known[_key(sentence)] for sentence in sentences]

    def _places_in_order(self, n_sentences: int) -> Sequence[int]:
        if n_sentences == len(self.table):
            return range(n_sentences)
        first: dict[tuple[str, ...], int] = {}
        for place, rows in enumerate(self.table):
            first.setdefault(tuple(row.text for row in rows), place)
        if n_sentences == len(first):
            return list(first.values())
        raise SurprisalError(
            f"{self.source}: it has {len(self.table)} sentences, and {n_sentences} are asked for; "
            "without a list of its sentences the two have to be the same, in the same order "
            "(write ?sentences=FILE behind the file, one sentence a line)"
        )

    def _scored(
        self, sentence: str, printed: Sequence[PrintedToken], spec: TokenizerSpec
    ) -> ScoredSentence:
        try:
            scored = spec.scored(sentence, printed)
            scored.check()
        except AlignmentError as error:
            where = f"{self.source}:{printed[0].line}" if printed else self.source
            raise AlignmentError(f"{where}: {error}") from error
        return scored


def printed_info(
    reference: Reference, kind: str, spec: Mapping[str, Any], texts: Iterable[str]
) -> ModelInfo:
    """Return the description of a model whose answers are in `texts`, with an image's spec."""
    tokenizer = TokenizerSpec.from_dict(spec)
    return ModelInfo(
        reference=reference.text,
        name=spec.get("name") or Path(reference.path).stem,
        kind=kind,
        fingerprint=fingerprint(*texts),
        bos=min(tokenizer.prefix_types, default=None),
        eos=min(tokenizer.suffix_types, default=None),
        details={"offsets": RECOVERED},
        # Without a list of its sentences it knows them by their order.
        all_at_once="sentences" not in reference.settings,
    )


def fingerprint(*texts: str) -> str:
    """Return the SHA-256 over the texts, each told from the next by its length."""
    digest = hashlib.sha256()
    for text in texts:
        raw = text.encode()
        digest.update(len(raw).to_bytes(8))
        digest.update(raw)
    return digest.hexdigest()


def under_policy(scored: ScoredSentence, policy: Policy, source: str) -> ScoredSentence:
    """Return an already scored sentence as the policy wants it; raises `ModelError` if it can't."""
    roles = {token.role for token in scored.tokens}
    for wanted, role in ((policy.bos, "bos"), (policy.eos, "eos")):
        if wanted == "always" and role not in roles:
            raise ModelError(
                f"{source}: no {role} token was scored with the sentence {scored.text!r}, and it "
                f"cannot be added now; use the policy {role}=auto"
            )
    if policy.eos == "never":
        kept = tuple(token for token in scored.tokens if token.role != "eos")
        return replace(scored, tokens=kept)
    return scored


def with_first_token(scored: ScoredSentence, policy: Policy) -> ScoredSentence:
    """Return the sentence with what the policy gives a first token that has no surprisal."""
    bits = policy.first_token_bits
    if bits is None or not scored.tokens:
        return scored
    first, *others = scored.tokens
    # With another reason it could have a surprisal.
    has_none = first.surprisal_bits is None and first.why_unscored == "no context"
    if not has_none or first.role != "text":
        return scored
    return replace(scored, tokens=(replace(first, surprisal_bits=bits), *others))


def _key(sentence: str) -> str:
    return " ".join(sentence.split())
