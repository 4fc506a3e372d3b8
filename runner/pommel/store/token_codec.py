"""The tokens of a scored sentence as bytes, and back, exactly.

    u8   version of this form (1)
    u32  CRC-32 of the sentence's UTF-8 and of all that follows
    u8   w, the bytes of a number: 1, 2 or 4
    w    n, how many tokens
    n f64  surprisals in bits, 0 for none
    n u8   flags: 1 oov; 2, 4 role; 8, 16 why there is no surprisal; 32 no surprisal; 64, 128 name
    n w    where each token begins, in characters of the sentence
    n w    where it ends
    then, for each token whose flags say so, w: how many characters of its name follow
    then these names in UTF-8, one behind the other

Little-endian. A token's name is, by its flags: the characters that it stands for (0); what is
written here and these characters without the spaces in front (64: `Ġdog`, `##s`); or what is
written here (128). The check sum finds a damaged page that SQLite takes for a good one; it holds
for one sentence only.
"""

import itertools
import struct
import zlib
from collections.abc import Iterator
from typing import get_args

from pommel.errors import StoreError, quoted
from pommel.surprisal import ScoredSentence, Token, TokenRole, Unscored

_VERSION = 1
_HEAD = struct.Struct("<BI")
_WIDTHS = {1: "B", 2: "H", 4: "I"}
_HEADS = {width: struct.Struct(f"<B{code}") for width, code in _WIDTHS.items()}

_ROLES: tuple[TokenRole, ...] = get_args(TokenRole)
_REASONS: tuple[Unscored, ...] = get_args(Unscored)
_NO_SURPRISAL = 32
_AS_WRITTEN, _WITH_MARK, _OTHER_NAME = 0, 64, 128

_MEANINGS = {
    oov | role << 1 | reason << 3: (bool(oov), _ROLES[role], _REASONS[reason])
    for oov, role, reason in itertools.product(range(2), range(len(_ROLES)), range(len(_REASONS)))
}
_FLAGS = {meaning: flags for flags, meaning in _MEANINGS.items()}


def encode_tokens(sentence: ScoredSentence) -> bytes:
    """Return the tokens of a sentence that has passed `ScoredSentence.check`."""
    text, tokens = sentence.text, sentence.tokens
    n = len(tokens)
    # Column by column: this runs a million times where a store is filled.
    starts = [token.start for token in tokens]
    ends = [token.end for token in tokens]
    bits = [token.surprisal_bits for token in tokens]
    flags = [_FLAGS[token.oov, token.role, token.why_unscored] for token in tokens]
    names = []
    for index, token in enumerate(tokens):
        name, characters = token.text, text[starts[index] : ends[index]]
        if name != characters:
            bare = characters.lstrip()
            if bare and name.endswith(bare):
                flags[index] |= _WITH_MARK
                name = name[: -len(bare)]
            else:
                flags[index] |= _OTHER_NAME
            names.append(name)
    if None in bits:
        flags = [flag | (bits[i] is None) * _NO_SURPRISAL for i, flag in enumerate(flags)]
        bits = [0.0 if each is None else each for each in bits]
    lengths = [*map(len, names)]
    largest = max(len(text), n, *lengths)
    width = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
    numbers = f"<B{_WIDTHS[width]}{n}d{n}B{2 * n + len(names)}{_WIDTHS[width]}"
    body = struct.pack(numbers, width, n, *bits, *flags, *starts, *ends, *lengths)
    body += "".join(names).encode("utf-8", "surrogatepass")
    return _HEAD.pack(_VERSION, _check_sum(text, body)) + body


def decode_tokens(text: str, encoded: bytes) -> ScoredSentence:
    """Return the sentence `text` with its tokens; raises `StoreError` for what is no encoding."""
    try:
        version, check_sum = _HEAD.unpack_from(encoded)
        if version != _VERSION:
            raise _damaged(text, f"they are written in form {version}, which is unknown")
        body = encoded[_HEAD.size :]
        if check_sum != _check_sum(text, body):
            raise _damaged(text, "their check sum is wrong")
        return ScoredSentence(text=text, tokens=tuple(_tokens(text, body)))
    except (struct.error, LookupError, ValueError):
        raise _damaged(text, "they are cut off or garbled") from None


def count_tokens(encoded: bytes) -> int:
    """Return how many tokens there are, without a look at the rest; 0 for what is no encoding."""
    try:
        return _n_tokens(encoded[_HEAD.size :])[1]
    except (struct.error, LookupError):
        return 0


def _tokens(text: str, body: bytes) -> Iterator[Token]:
    width, n = _n_tokens(body)
    code = _WIDTHS[width]
    at = _HEADS[width].size
    columns = struct.unpack_from(f"<{n}d{n}B{2 * n}{code}", body, at)
    at += n * (9 + 2 * width)
    n_names = sum(flags >= _WITH_MARK for flags in columns[n : 2 * n])
    names = _names(body, at, code, n_names)
    for surprisal_bits, flags, start, end in zip(
        columns[:n], columns[n : 2 * n], columns[2 * n : 3 * n], columns[3 * n :], strict=True
    ):
        if not start <= end <= len(text):
            raise ValueError(end)
        oov, role, reason = _MEANINGS[flags & _NO_SURPRISAL - 1]
        written = text[start:end]
        how = flags & (_WITH_MARK | _OTHER_NAME)
        if how != _AS_WRITTEN:
            if how not in {_WITH_MARK, _OTHER_NAME}:
                raise ValueError(how)
            written = next(names) + (written.lstrip() if how == _WITH_MARK else "")
        yield Token(
            text=written,
            start=start,
            end=end,
            surprisal_bits=None if flags & _NO_SURPRISAL else surprisal_bits,
            oov=oov,
            role=role,
            why_unscored=reason,
        )


def _n_tokens(body: bytes) -> tuple[int, int]:
    """Return the width of a number, and how many tokens there are."""
    width, n = _HEADS[body[0]].unpack_from(body)
    return width, n


def _names(body: bytes, at: int, code: str, n: int) -> Iterator[str]:
    lengths = struct.unpack_from(f"<{n}{code}", body, at)
    characters = body[at + struct.calcsize(f"<{n}{code}") :].decode("utf-8", "surrogatepass")
    ends = list(itertools.accumulate(lengths, initial=0))
    if ends[-1] != len(characters):
        raise ValueError(ends[-1])
    return iter([characters[start:end] for start, end in itertools.pairwise(ends)])


def _check_sum(text: str, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(text.encode("utf-8", "surrogatepass")))


def _damaged(text: str, what: str) -> StoreError:
    return StoreError(f"the stored tokens of {quoted(text)} cannot be read: {what}")
