"""Sentences with their tokens in a submission: the lines of recordings, read strictly.

A line has one key more where a token was not scored for a reason that such files do not give:
`why_unscored`, the reasons with the numbers of the tokens, counted from 0.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pommel.errors import InputError, quoted
from pommel.files import is_encodable
from pommel.leaderboard.submission.limits import (
    Counted,
    SubmissionError,
    brief,
    canonical_line,
    parse_strict,
)
from pommel.leaderboard.submission.manifest import Manifest
from pommel.models import Recording
from pommel.surprisal import ScoredSentence, Unscored

# Longer than any word.
_LONGEST_NAME = 1_000
# Blanks and joiners of all kinds are characters of words in some vocabularies.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Where nothing else is said, a token has no surprisal because it has no context.
_REASONS: tuple[Unscored, ...] = ("not asked for", "not comparable")


def surprisal_lines(
    model: Mapping[str, Any], policy: Mapping[str, str], sentences: Iterable[ScoredSentence]
) -> Iterator[bytes]:
    """Yield the lines of a file of surprisals; equal sentences have the same bytes."""
    yield canonical_line(Recording.header(model, policy))
    for each in sentences:
        yield canonical_line(_document(each))


def read_sentences(
    pieces: Iterable[bytes], manifest: Manifest, where: str, counted: Counted
) -> dict[str, ScoredSentence]:
    """Return the sentences of a file of surprisals by their text, in its order.

    Raises `SubmissionError`, beginning with `where:line`, for what `surprisal_lines` does not
    write: above all for tokens that cannot be their sentence's, and for surprisals that are not
    finite, negative or above the limit.
    """
    lines = _lines(pieces, counted.limits.n_line_bytes, where)
    header = Recording.header(manifest.model, manifest.policy.to_dict())
    if parse_strict(next(lines, b""), f"{where}:1") != header:
        raise SubmissionError(f"{where}:1: its model or policy is not that of the manifest")
    sentences: dict[str, ScoredSentence] = {}
    for number, line in enumerate(lines, start=2):
        at = f"{where}:{number}"
        sentence = _sentence(parse_strict(line, at), at, manifest, counted)
        if sentence.text in sentences:
            raise SubmissionError(f"{at}: the sentence {quoted(sentence.text)} was there before")
        sentences[sentence.text] = sentence
    return sentences


def _document(sentence: ScoredSentence) -> Mapping[str, object]:
    document = Recording.sentence_to_dict(sentence)
    why: dict[str, list[int]] = {}
    for index, each in enumerate(sentence.tokens):
        if each.surprisal_bits is None and each.why_unscored in _REASONS:
            why.setdefault(each.why_unscored, []).append(index)
    return {**document, "why_unscored": why} if why else document


def _lines(pieces: Iterable[bytes], most: int, where: str) -> Iterator[bytes]:
    """Yield lines without their ends; none is longer than `most`, and all end with a line feed."""
    number, rest = 1, b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in (*whole, rest):
            if len(line) > most:
                raise SubmissionError(f"{where}:{number}: a line has more than {most:,} bytes")
            number += 1
        number -= 1
        yield from whole
    if rest:
        raise SubmissionError(f"{where}:{number}: the last line is cut off")


def _sentence(document: object, at: str, manifest: Manifest, counted: Counted) -> ScoredSentence:
    keys, may_be = {"sentence", "tokens"}, {"sentence", "tokens", "why_unscored"}
    if not isinstance(document, dict) or not keys <= set(document) <= may_be:
        raise SubmissionError(f'{at}: a line has to be {{"sentence": "...", "tokens": [...]}}')
    text, tokens = document["sentence"], document["tokens"]
    if not isinstance(text, str) or not is_encodable(text):
        raise SubmissionError(f"{at}: the sentence is no text")
    counted.add(len(tokens) if isinstance(tokens, list) else 0, at)
    try:
        scored = ScoredSentence(text=text, tokens=Recording.read_tokens(tokens, at))
        scored.check()
    except InputError as error:
        raise SubmissionError(f"{at}: {brief(str(error).removeprefix(f'{at}: '))}") from None
    _check_names(scored, at)
    _check_finite(scored, at, counted.limits.surprisal_bits)
    if is_shifted(scored):
        raise SubmissionError(
            f"{at}: the tokens of {quoted(text)} are called what stands beside them; they are "
            f"shifted against the sentence"
        )
    if "why_unscored" not in document:
        return scored
    return _with_reasons(scored, document["why_unscored"], at, manifest)


def _check_names(scored: ScoredSentence, at: str) -> None:
    for each in scored.tokens:
        if len(each.text) > _LONGEST_NAME:
            raise SubmissionError(
                f"{at}: token {quoted(each.text)} is called by more than {_LONGEST_NAME:,} "
                f"characters"
            )
        if _STEERING.search(each.text):
            raise SubmissionError(
                f"{at}: token {quoted(each.text)} has characters that steer a terminal or turn text"
            )


def _check_finite(scored: ScoredSentence, at: str, most: float) -> None:
    for each in scored.tokens:
        bits = each.surprisal_bits
        if bits == math.inf:
            raise SubmissionError(
                f"{at}: token {quoted(each.text)} has an infinite surprisal; a submission's are "
                f"finite"
            )
        if bits is not None and bits > most:
            raise SubmissionError(
                f"{at}: token {quoted(each.text)} has {bits:.6g} bits, and no token has more than "
                f"{most:,.0f}"
            )


def _with_reasons(
    scored: ScoredSentence, why: object, at: str, manifest: Manifest
) -> ScoredSentence:
    tokens = list(scored.tokens)
    fault = SubmissionError(f"{at}: 'why_unscored' is not a reason with tokens that have no number")
    if not isinstance(why, dict) or not all(isinstance(each, list) for each in why.values()):
        raise fault
    if "not comparable" in why and manifest.method != "focus-mask":
        raise SubmissionError(f"{at}: only under the method focus-mask are tokens not comparable")
    unscored = {i for i, each in enumerate(tokens) if each.surprisal_bits is None}
    if not set(why) <= set(_REASONS):
        raise fault
    for reason in _REASONS:
        for index in why.get(reason, ()):
            if type(index) is not int or index not in unscored:
                raise fault
            unscored.remove(index)
            tokens[index] = replace(tokens[index], why_unscored=reason)
    return ScoredSentence(text=scored.text, tokens=tuple(tokens))


# One token may be called like its neighbour by chance.
_LEAST = 2


def is_shifted(sentence: ScoredSentence) -> bool:
    """Say whether more tokens are called what the token next to them stands for than themselves.

    Models call tokens as they like (`Ġdog`, `##s`, `dog</w>`, numbers), so that a name that is not
    what stands there proves nothing; one that is what stands beside it, all along a sentence, does.
    Letters count, whatever their case, and no marks around them. Only names and places can be
    compared: surprisals that are shifted against both are not seen here.
    """
    # Whatever their role: it is the submitter who says what that is.
    tokens = [each for each in sentence.tokens if each.start < each.end]
    names = [_letters(each.text) for each in tokens]
    places = [_letters(sentence.text[each.start : each.end]) for each in tokens]
    own = _n_equal(names, places)
    if own >= len(names) - own:
        return False
    beside = max(_n_equal(names[1:], places), _n_equal(names, places[1:]))
    return beside >= _LEAST and beside > own


def _n_equal(names: list[str], places: list[str]) -> int:
    return sum(name == place != "" for name, place in zip(names, places, strict=False))


def _letters(text: str) -> str:
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    # GPT-2's mark of a space is a letter with a mark of its own for Unicode.
    word = text[start:end].removeprefix("Ġ").removesuffix("</w")
    return unicodedata.normalize("NFKC", word).casefold()
