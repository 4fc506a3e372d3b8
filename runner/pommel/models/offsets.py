"""Where a model's tokens stand in the sentence, for models that only print them.

LM Zoo images, slow tokenizers and recorded files name tokens without offsets, and may change case
and accents: this finds the likeliest places. A server's tokens have to spell the sentence exactly
(`endpoint.spelling`); nothing else in pommel compares a token with a sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from pommel.errors import AlignmentError
from pommel.models.alignment.cheapest import Aligned, Broken, align
from pommel.models.alignment.reading import (
    Reading,
    as_bare_letters,
    as_bytes,
    as_bytes_of_spaces_too,
    as_characters,
    as_composed_bytes,
    is_slight,
)
from pommel.models.alignment.token_forms import spellings
from pommel.models.spec import TokenizerSpec
from pommel.surprisal import TokenRole

# The characters a token stands for, [start, end); None for a token that stands for none.
Range = tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a token stands: `sentence[start:end]`, which is what an unknown token (`oov`) covers.

    A token without visible characters of its own has the white space it stands for, or is empty:
    a beginning-of-sentence mark at 0, an end-of-sentence mark at the sentence's length, anything
    else right behind the token before it. Of the pieces of one character the last has the
    character, the others are empty, at its start.
    """

    start: int
    end: int
    role: TokenRole = "text"
    oov: bool = False


def recover_offsets(
    tokens: Sequence[str], sentence: str, spec: TokenizerSpec
) -> tuple[Placed, ...]:
    """Return the place of each token, in order; those after an end-of-sentence mark are left out.

    Words that `spec.drop_token_pattern` lets the model leave out lie in no token. Raises
    `AlignmentError` if the tokens do not spell the sentence from its beginning to its end, and
    `InputError` if that pattern is no regular expression.
    """
    ranges = _literal_ranges(tokens, sentence, spec)
    if ranges is None:
        aligned = _best_alignment(tokens, sentence, spec)
        if isinstance(aligned, Broken):
            raise AlignmentError(_message(tokens, aligned, spec))
        ranges = [_range(aligned.reading, start, end) for start, end in aligned.spans]
    return _placed(tokens, ranges, sentence, spec)


def _literal_ranges(
    tokens: Sequence[str], sentence: str, spec: TokenizerSpec
) -> list[Range] | None:
    """Return the ranges of tokens that spell the sentence letter by letter; None if in doubt.

    The quick way for nearly every sentence: it decides nothing, so it agrees with `align`.
    """
    text = sentence if spec.cased else sentence.lower()
    if len(text) != len(sentence):
        return None
    special = spec.marks
    ranges: list[Range] = []
    at = 0
    for token in tokens:
        while at < len(text) and text[at].isspace():
            at += 1
        if token in special and 0 < at < len(text):
            return None
        if token in special:
            ranges.append(None)
            if at and token in spec.suffix_types:
                break
            continue
        end = None if token in spec.unk_types else _literal_end(token, text, at, spec)
        if end is None:
            return None
        ranges.append((at, end) if end > at else None)
        at = end
    return None if text[at:].strip() else ranges


def _literal_end(token: str, text: str, start: int, spec: TokenizerSpec) -> int | None:
    for spelling in spellings(token, spec):
        if spelling.cost == 0 and text.startswith(spelling.text, start):
            return start + len(spelling.text)
    return None


def _best_alignment(tokens: Sequence[str], sentence: str, spec: TokenizerSpec) -> Aligned | Broken:
    """Return the cheapest alignment over the ways to read the sentence, or where it breaks."""
    first = align(tokens, as_characters(sentence), spec)
    if isinstance(first, Broken):
        return _first_that_aligns(first, tokens, sentence, spec)
    if first.cost == 0 or sentence.isascii() or "".join(tokens).isascii():
        return first
    # An unknown token may have swallowed what pieces of characters spell exactly.
    second = align(tokens, as_bytes(sentence), spec)
    return second if isinstance(second, Aligned) and second.cost < first.cost else first


_OTHER_READINGS: tuple[Callable[[str], Reading], ...] = (
    as_bytes,
    as_composed_bytes,
    as_bare_letters,
    as_bytes_of_spaces_too,
)


def _first_that_aligns(
    broken: Broken, tokens: Sequence[str], sentence: str, spec: TokenizerSpec
) -> Aligned | Broken:
    furthest = broken
    for read in _OTHER_READINGS:
        result = align(tokens, read(sentence), spec)
        if isinstance(result, Aligned):
            return result
        if result.token > furthest.token:
            furthest = result
    return furthest


def _range(reading: Reading, start: int, end: int) -> Range:
    """Return the characters of the units [start, end); the last piece of a character has it."""
    if start == end:
        return None
    first, last = reading.characters[start], reading.characters[end - 1]
    return first, last if reading.is_cut(end) else last + 1


def _placed(
    tokens: Sequence[str], ranges: Sequence[Range], sentence: str, spec: TokenizerSpec
) -> tuple[Placed, ...]:
    """Give tokens without text a place among the others, and every token its role."""
    special = spec.marks
    n_leading = sum(1 for _ in takewhile(lambda token: token in special, tokens))
    placed: list[Placed] = []
    at = 0
    for index, (token, place) in enumerate(zip(tokens, ranges, strict=False)):
        if place is not None:
            start = _take_in_marks(placed, sentence, at, place[0])
            placed.append(Placed(start=start, end=place[1], oov=token in spec.unk_types))
        elif token in special:
            role = _role(
                token, spec, leads=index < n_leading, ends=index > 0 and not any(ranges[index:])
            )
            placed.append(_mark(role, at, sentence))
        else:
            # A token of white space has one such character, if there is one left.
            end = at + 1 if sentence[at : at + 1].isspace() else at
            placed.append(Placed(start=at, end=end))
        at = max(at, placed[-1].end) if placed[-1].role != "eos" else at
    _take_in_marks(placed, sentence, at, len(sentence))
    return tuple(placed)


def _role(token: str, spec: TokenizerSpec, *, leads: bool, ends: bool) -> TokenRole:
    """Say what a special token is: one that both opens and closes sentences goes by its place."""
    if ends and token in spec.suffix_types:
        return "eos"
    return "bos" if leads and token in spec.prefix_types else "special"


def _mark(role: TokenRole, at: int, sentence: str) -> Placed:
    at = len(sentence) if role == "eos" else at
    return Placed(start=at, end=at, role=role)


def _take_in_marks(placed: list[Placed], sentence: str, at: int, start: int) -> int:
    """Give marks that no token spells, before `start`, to the token they follow.

    Returns where the next token begins: earlier than `start` if no token is there to follow.
    """
    gap = sentence[at:start].rstrip()
    visible = gap.strip()
    if not visible or not all(is_slight(each) or each.isspace() for each in visible):
        return start
    last = len(placed) - 1
    if last >= 0 and placed[last].role == "text":
        placed[last] = replace(placed[last], end=at + len(gap))
        return start
    return at + len(gap) - len(gap.lstrip())


def _message(tokens: Sequence[str], broken: Broken, spec: TokenizerSpec) -> str:
    """Say where tokens and sentence part, show both there, and what would be right."""
    sentence, characters = broken.reading.sentence, broken.reading.characters
    left_over = broken.unit < len(characters)
    at = characters[broken.unit] if left_over else len(sentence)
    if broken.token == len(tokens):
        what = f"the tokens end before character {at} of the sentence"
        hint = "a token is missing, or the spec's drop_token_pattern has to match what is left out"
    elif not left_over:
        what = f"{_numbered(tokens, broken.token)} comes after the end of the sentence"
        hint = _hint_for_mark(tokens[broken.token], spec)
    else:
        what = f"{_numbered(tokens, broken.token)} does not fit the sentence from character {at} on"
        hint = _hint_for_mark(tokens[broken.token], spec)
    return "\n".join(
        [
            f"the tokens are not this sentence's: {what}",
            f"    tokens:   {_around(tokens, broken.token)}",
            f"    sentence: {_context(sentence, at)}",
            hint,
        ]
    )


def _numbered(tokens: Sequence[str], index: int) -> str:
    return f"token {index + 1}, {tokens[index]!r},"


def _hint_for_mark(token: str, spec: TokenizerSpec) -> str:
    looks_like_mark = len(token) > 2 and (token[0], token[-1]) in {("<", ">"), ("[", "]")}  # noqa: PLR2004 - something between brackets
    if looks_like_mark:
        return (
            f"if {token!r} is a mark and no text, the spec has to list it among its unk_types, "
            "prefix_types, suffix_types or special_types"
        )
    unknown = ", ".join(sorted(spec.unk_types)) or "none"
    return f"it has to spell what stands there, or be one of the spec's unk_types ({unknown})"


_N_TOKENS_SHOWN = 4
_N_CHARACTERS_SHOWN = 30


def _around(tokens: Sequence[str], index: int) -> str:
    """Show the tokens about token `index`, which stands after the bar."""
    first = max(0, index - _N_TOKENS_SHOWN)
    last = index + _N_TOKENS_SHOWN
    before = [*(["..."] if first else []), *tokens[first:index]]
    after = [*tokens[index:last], *(["..."] if last < len(tokens) else [])]
    return " ".join([*before, "|", *after])


def _context(sentence: str, at: int) -> str:
    """Show the sentence about character `at`, which stands after the bar."""
    first = max(0, at - _N_CHARACTERS_SHOWN)
    last = at + _N_CHARACTERS_SHOWN
    before = ("..." if first else "") + sentence[first:at]
    after = sentence[at:last] + ("..." if last < len(sentence) else "")
    return f"{before}|{after}"
