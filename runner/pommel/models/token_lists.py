"""Tokens as JSON has them: `[text, start, end, surprisal, oov, role]` each.

`schemas/surprisals.json` describes them.
"""

import math
from typing import Any, get_args

from pommel.errors import InputError, SurprisalError
from pommel.files.text import is_encodable
from pommel.surprisal import Token, TokenRole, Unscored

_ROLES: dict[str, TokenRole] = {role: role for role in get_args(TokenRole)}
_KINDS = (str, int, int, bool, str)
_N_FIELDS = len(_KINDS) + 1
_INFINITE = "Infinity"  # a word of probability 0; JSON has no number for it


def token_to_json(token: Token) -> list[Any]:
    """Return a token as plain JSON values."""
    bits = _INFINITE if token.surprisal_bits == math.inf else token.surprisal_bits
    return [token.text, token.start, token.end, bits, token.oov, token.role]


def tokens_from_json(value: Any, at: str, why: Unscored = "no context") -> tuple[Token, ...]:
    """Return the tokens that a JSON value lists; `why` is why some have no surprisal.

    Raises `InputError` for a value of another shape and `SurprisalError` for a surprisal that is
    no number; both begin with `at`. Whether tokens and sentence fit is not looked at.
    """
    if not isinstance(value, list):
        raise InputError(f"{at}: 'tokens' has to be a list")
    return tuple(_token(token, at, number, why) for number, token in enumerate(value, start=1))


def _token(value: Any, at: str, number: int, why: Unscored) -> Token:
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


def _bits(bits: Any, at: str) -> float | None:
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
