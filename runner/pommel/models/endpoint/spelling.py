"""Where the tokens that a server shows stand in the text that it was given.

Servers write tokens in their own ways: as text, with or without the blank in front; by the names
of the vocabulary (`Ġthe`, `▁the`, `<0xE2>`); as bytes (`bytes:\\xe2\\x80`). A token that holds only
a part of a character is written as U+FFFD, or with that part left out. Whichever it is, the tokens
have to spell the text from its beginning to its end; nothing else is let pass.
"""

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache

from pommel.errors import AlignmentError, counted, quoted
from pommel.models.alignment import bytes_of

# Some of the places between the bytes of a text: bit n is the one before byte n. What is done with
# all of them at once takes no time in a text of thousands of characters.
_Places = int

_BYTE = re.compile(r"\\x([0-9A-Fa-f]{2})")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_RUNS = re.compile(f"{_REPLACEMENT}+|[^{_REPLACEMENT}]+")
_AS_BYTES = re.compile(r"bytes:|<0x[0-9A-Fa-f]{2}>")
_LONGEST_CHARACTER = 4
_SHOWN_CHARACTERS = 20


def spell(
    text: str, tokens: Sequence[str], *, n_tokens: int | None = None
) -> tuple[tuple[int, int], ...]:
    """Return where the tokens of `text` stand, `[start, end)` in characters for each of them.

    One behind them may have been generated. Of tokens that share a character the last has it, and
    the others are empty. `n_tokens` is how many spell the text by the server's own count. Raises
    `AlignmentError`, which names the first difference, if they do not spell the text, if there are
    more or other than counted, or if it is open whether one was generated.
    """
    # A server has one way to write a part of a character.
    shows_parts = any(_REPLACEMENT in each or _AS_BYTES.match(each) for each in tokens)
    written = _Written(text.encode(), leaves_out=not shows_parts)
    reached: list[_Places] = [1]
    for token in tokens:
        places = written.after(token, reached[-1])
        if not places:
            break
        reached.append(places)
    # Blanks at the end of a text may not be shown.
    n_shown = len(written.data.rstrip())
    complete = [number for number, places in enumerate(reached) if places >> n_shown]
    if not complete:
        rest = written.from_character(max(map(_last, reached)))
        raise AlignmentError(_difference(rest, tokens, len(reached) - 1))
    number = _choose(complete, tokens, n_tokens)
    return _spans(written, tokens[:number], reached[: number + 1])


def _choose(complete: Sequence[int], tokens: Sequence[str], n_tokens: int | None) -> int:
    """Return how many tokens spell the text, of the numbers that could."""
    possible = [number for number in complete if number >= len(tokens) - 1]
    if not possible:
        surplus = counted(len(tokens) - complete[-1], "token")
        raise AlignmentError(f"it shows {surplus} behind the prompt, and 1 was asked for")
    if n_tokens is not None:
        if n_tokens not in possible:
            listed = " or ".join(map(str, possible))
            raise AlignmentError(f"it counts {counted(n_tokens, 'token')}, and shows {listed}")
        return n_tokens
    first = possible[0]
    # A token without text behind one with text was generated.
    if len(possible) == 1 or (any(tokens[first - 1 : first]) and not tokens[first]):
        return first
    raise AlignmentError(
        f"it cannot be told whether the token {quoted(tokens[first])} is the end of the text or "
        "generated"
    )


class _Written:
    """A text as bytes; `leaves_out` says that parts of characters may not be written at all."""

    def __init__(self, data: bytes, *, leaves_out: bool) -> None:
        self.data = data
        self._leaves_out = leaves_out
        self._before = Counter[int]()
        for place, byte in enumerate(data):
            self._before[byte] |= 1 << place
        self._blanks = self._before_any(b" \t\n\r\v\f")
        self._parts = self._before_any(range(0x80, 0x100))
        # The places inside of a character are those before a byte that only goes on with one.
        self._inside = self._before_any(range(0x80, 0xC0))

    def _before_any(self, kinds: Container[int]) -> _Places:
        return sum(1 << place for place, byte in enumerate(self.data) if byte in kinds)

    def after(self, token: str, places: _Places) -> _Places:
        """Return where a token can end that goes on from one of the places."""
        ends = 0
        for form in _forms(token):
            starts = places
            if form[:1].strip():
                # SentencePiece's tokens are often written without the blank in front.
                while further := (starts & self._blanks) << 1 & ~starts:
                    starts |= further
            elif form[:1] in (" ", b" ") and places & 1 and not self.data[:1].isspace():
                # It also puts a blank in front of the text.
                ends |= self._through(1, form[1:])
            ends |= self._through(starts, form)
        return ends

    def n_characters(self, place: int) -> int:
        """Return how many characters are complete before a place."""
        return len(self.data[:place].decode(errors="ignore"))

    def from_character(self, place: int) -> str:
        """Return the text from the character on in which a place lies."""
        while self._inside >> place & 1:
            place -= 1
        return self.data[place:].decode()

    def _through(self, places: _Places, form: str | bytes) -> _Places:
        """Return where a form ends that begins at one of the places."""
        if isinstance(form, bytes):
            return self._through_bytes(places, form)
        for run in _RUNS.findall(form):
            ends = self._through_bytes(places, run.encode(errors="surrogatepass"))
            if run[0] == _REPLACEMENT:
                ends |= self._through_parts(places, len(run))
            places = ends
        # A character may begin at the end of a token; what follows is without text.
        return places | self._through_parts(places, 1) if self._leaves_out else places

    def _through_bytes(self, places: _Places, raw: bytes) -> _Places:
        for byte in raw:
            places = (places & self._before[byte]) << 1
            if not places:
                break
        return places

    def _through_parts(self, places: _Places, n_shown: int) -> _Places:
        """Return the ends of parts of characters, none of them a whole one.

        One U+FFFD stands for a byte or more of one character. Two: they end one character and begin
        the next.
        """
        ends = 0
        begun, ending = places & self._parts & ~self._inside, places & self._inside
        for n_bytes in range(1, 2 * _LONGEST_CHARACTER - 1):
            if not begun and not ending:
                break
            begun, ending = (begun & self._parts) << 1 & self._inside, ending << 1
            if n_bytes >= n_shown:
                ends |= begun | ending
            if n_shown > 1:
                begun |= ending & ~self._inside
            ending &= self._inside
        return ends


def _last(places: _Places) -> int:
    return places.bit_length() - 1


@lru_cache(maxsize=2**12)
def _forms(token: str) -> tuple[str | bytes, ...]:
    """Return what a token may say: a text, in which U+FFFD is any part of a character, or bytes."""
    forms: list[str | bytes] = [token]
    if token.startswith("bytes:"):
        said = token.removeprefix("bytes:").strip()
        raw = _BYTE.sub(lambda escaped: chr(int(escaped[1], 16)), said)
        forms.append(raw.encode("latin-1", "replace"))
    if "▁" in token:
        forms.append(token.replace("▁", " "))
    named = b" ".join(bytes_of(part)[-1] for part in token.split("Ġ"))
    if named != token.encode(errors="replace"):
        forms.append(named)
    return tuple(forms)


def _nearest(places: _Places, end: int) -> Iterator[int]:
    """Yield the places before `end`, the last one first, and then `end` itself."""
    left = places & (1 << end) - 1
    while left:
        yield _last(left)
        left -= 1 << _last(left)
    yield end


def _spans(
    written: _Written, tokens: Sequence[str], reached: Sequence[_Places]
) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    end = _last(reached[-1])
    for token, places in zip(reversed(tokens), reversed(reached[:-1]), strict=True):

        def leads_here(start: int, token: str = token, end: int = end) -> bool:
            return bool(written.after(token, 1 << start) >> end & 1)

        # Every token has as little as it can, so that few are left with nothing.
        before = start = next(filter(leads_here, _nearest(places, end)))
        while written.data[start:end][:1].isspace() and leads_here(start + 1):
            start += 1
        spans.append((written.n_characters(start), written.n_characters(end)))
        end = before
    return tuple(reversed(spans))


def _difference(rest: str, tokens: Sequence[str], n_spelling: int) -> str:
    shown = repr(rest[:_SHOWN_CHARACTERS]) + ("…" if len(rest) > _SHOWN_CHARACTERS else "")
    if n_spelling == len(tokens):
        return f"its tokens end before {shown}"
    return f"its token {n_spelling + 1} is {quoted(tokens[n_spelling])} where the text has {shown}"
