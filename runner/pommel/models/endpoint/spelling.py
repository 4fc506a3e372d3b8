"""Where the tokens that a server shows stand in the text that it was given.

Servers write tokens in their own ways: as text, with or without the blank in front; by the names
of the vocabulary (`Ġthe`, `▁the`, `<0xE2>`); as bytes (`bytes:\\xe2\\x80`). A token that holds only
a part of a character is written as U+FFFD, or with that part left out. Whichever it is, the tokens
have to spell the text from its beginning to its end; nothing else is let pass.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pommel.errors import AlignmentError, counted, quoted
from pommel.models.alignment import bytes_of

# Between two bytes of the text; 0 is before the first.
Place = int

# Some places: the bit of each is set. A sentence of thousands of characters takes no time so.
_Places = int
# How a token can go on: over how many bytes of blanks, over how many of its own, and from where.
_Moves = dict[tuple[int, int], _Places]

_BYTE = re.compile(r"\\x([0-9A-Fa-f]{2})")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_RUNS = re.compile(f"{_REPLACEMENT}+|[^{_REPLACEMENT}]+")
_AS_BYTES = re.compile(r"bytes:|<0x[0-9A-Fa-f]{2}>")
_SHOWN_CHARACTERS = 20


def spell(
    text: str, tokens: Sequence[str], *, most_generated: int, n_tokens: int | None = None
) -> tuple[tuple[int, int], ...]:
    """Return where the tokens of `text` stand, `[start, end)` in characters for each of them.

    Those behind them were generated, `most_generated` at most. Of tokens that share a character the
    last has it, and the others are empty. `n_tokens` is how many spell the text by the server's own
    count. Raises `AlignmentError`, which names the first difference, if they do not spell the text,
    if there are more or other than counted, or if it is open which of them were generated.
    """
    written = _Written.of(text, tokens)
    moves_of = cache(written.moves)
    moves: list[_Moves] = []
    reached: list[_Places] = [1]
    for token in tokens:
        places = 0
        for (skipped, length), starts in moves_of(token).items():
            places |= (reached[-1] & starts) << (skipped + length)
        if not places:
            break
        moves.append(moves_of(token))
        reached.append(places)
    # Blanks at the end of a text may not be shown.
    n_shown = len(written.data.rstrip())
    complete = [number for number, places in enumerate(reached) if places >> n_shown]
    if not complete:
        furthest = max(_last(places) for places in reached)
        raise AlignmentError(_difference(written.from_border(furthest), tokens, len(moves)))
    number = _choose(complete, tokens, most_generated, n_tokens)
    return _spans(text, reached[: number + 1], moves[:number])


def _choose(
    complete: Sequence[int], tokens: Sequence[str], most_generated: int, n_tokens: int | None
) -> int:
    possible = [number for number in complete if number >= len(tokens) - most_generated]
    if not possible:
        surplus = counted(len(tokens) - complete[-1], "token")
        raise AlignmentError(
            f"it shows {surplus} behind the prompt, and {most_generated} was asked for"
        )
    if n_tokens is not None and n_tokens not in possible:
        listed = " or ".join(str(number) for number in possible)
        raise AlignmentError(f"it counts {counted(n_tokens, 'token')}, and shows {listed}")
    if n_tokens is not None:
        return n_tokens
    first = possible[0]
    # A token without text behind one with text was generated.
    if len(possible) == 1 or (any(tokens[first - 1 : first]) and not tokens[first]):
        return first
    raise AlignmentError(
        f"it cannot be told whether the token {quoted(tokens[first])} is the end of the text or "
        "generated"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A text as bytes; `leaves_out` says that parts of characters may not be written at all."""

    data: bytes
    leaves_out: bool

    @classmethod
    def of(cls, text: str, tokens: Sequence[str]) -> "_Written":
        # A server has one way to write a part of a character.
        shows = any(_REPLACEMENT in each or _AS_BYTES.match(each) for each in tokens)
        return cls(data=text.encode(), leaves_out=not shows)

    def moves(self, token: str) -> _Moves:
        """Return what a token may stand for, wherever it may stand."""
        moves: _Moves = {}

        def add(before: Place, start: Place, end: Place) -> None:
            move = start - before, end - start
            moves[move] = moves.get(move, 0) | 1 << before

        for form in _forms(token):
            first = form[:1].decode("latin-1") if isinstance(form, bytes) else form[:1]
            for start in self._starts(form):
                for end in self._ends(start, form):
                    add(start, start, end)
                    before = start
                    # SentencePiece's tokens are often written without the blank in front.
                    while first.strip() and self.data[before - 1 : before].isspace():
                        before -= 1
                        add(before, start, end)
            if first == " " and not self.data[:1].isspace():
                # It also puts a blank in front of the text.
                for end in self._ends(0, form[1:]):
                    add(0, 0, end)
        return moves

    def from_border(self, place: Place) -> str:
        """Return the text from the character on in which a place lies."""
        while not self._is_border(place):
            place -= 1
        return self.data[place:].decode()

    def _starts(self, form: str | bytes) -> Iterator[Place]:
        """Yield where the form's beginning, which is written as it is, stands in the text."""
        known = form if isinstance(form, bytes) else _bytes(form.partition(_REPLACEMENT)[0])
        place = self.data.find(known)
        while place >= 0:
            yield place
            place = self.data.find(known, place + 1)

    def _ends(self, start: Place, form: str | bytes) -> Iterator[Place]:
        """Yield where a form can end that begins at `start`."""
        literal = form if isinstance(form, bytes) else _bytes(form)
        if self.data.startswith(literal, start):
            yield start + len(literal)
            if self.leaves_out and isinstance(form, str):
                # A character may begin at the end of a token; what follows is without text.
                yield from self._parts_of_characters(start + len(literal), 1)
        if isinstance(form, str) and _REPLACEMENT in form:
            ends = {start}
            for run in _RUNS.finditer(form):
                ends = {end for each in ends for end in self._ends_of_run(each, run.group())}
                if not ends:
                    break
            yield from ends

    def _ends_of_run(self, start: Place, run: str) -> Iterator[Place]:
        if run[0] == _REPLACEMENT:
            # One stands for a byte or more of one character. Two parts: it ends one character and
            # begins the next.
            parts = self._parts_of_characters(start, min(len(run), 2))
            yield from (end for end in parts if end - start >= len(run))
        elif self.data.startswith(_bytes(run), start):
            yield start + len(_bytes(run))

    def _parts_of_characters(self, start: Place, most: int) -> Iterator[Place]:
        """Yield the ends of up to `most` parts of characters, none of them a whole one."""
        begins_whole, n_parts = self._is_border(start), 1
        for end in range(start + 1, len(self.data) + 1):
            if self.data[end - 1] < 0x80:  # noqa: PLR2004 - ASCII
                return
            if self._is_border(end):
                if begins_whole or n_parts == most:
                    if not begins_whole:
                        yield end
                    return
                begins_whole, n_parts = True, n_parts + 1
            yield end

    def _is_border(self, place: Place) -> bool:
        """Say whether a character begins or ends at a place."""
        at_end = place == len(self.data)
        return at_end or self.data[place] & 0xC0 != 0x80  # noqa: PLR2004 - UTF-8


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _last(places: _Places) -> Place:
    return places.bit_length() - 1


def _forms(token: str) -> Iterator[str | bytes]:
    """Yield what a token may say: a text, in which U+FFFD is any part of a character, or bytes."""
    yield token
    if token.startswith("bytes:"):
        yield _BYTE.sub(_byte, token.removeprefix("bytes:").strip()).encode("latin-1", "replace")
    if "▁" in token:
        yield token.replace("▁", " ")
    named = b" ".join(bytes_of(part)[-1] for part in token.split("Ġ"))
    if named != token.encode(errors="replace"):
        yield named


def _byte(escaped: re.Match[str]) -> str:
    return chr(int(escaped.group(1), 16))


def _spans(
    text: str, reached: Sequence[_Places], moves: Sequence[_Moves]
) -> tuple[tuple[int, int], ...]:
    # The characters that are complete before a place.
    n_complete = [0]
    for character in text:
        size = len(character.encode())
        n_complete += [n_complete[-1]] * (size - 1) + [n_complete[-1] + 1]
    spans: list[tuple[int, int]] = []
    end = _last(reached[-1])
    for places, known in zip(reversed(reached[:-1]), reversed(moves), strict=True):
        possible = [
            move
            for move, starts in known.items()
            if sum(move) <= end and (places & starts) >> (end - sum(move)) & 1
        ]
        # Every token has as little as it can, so that few are left with nothing.
        skipped, length = min(possible, key=lambda move: (move[1] == 0, sum(move)))
        spans.append((n_complete[end - length], n_complete[end]))
        end -= skipped + length
    return tuple(reversed(spans))


def _difference(rest: str, tokens: Sequence[str], n_spelling: int) -> str:
    shown = repr(rest[:_SHOWN_CHARACTERS]) + ("…" if len(rest) > _SHOWN_CHARACTERS else "")
    if n_spelling == len(tokens):
        return f"its tokens end before {shown}"
    return f"its token {n_spelling + 1} is {quoted(tokens[n_spelling])} where the text has {shown}"
