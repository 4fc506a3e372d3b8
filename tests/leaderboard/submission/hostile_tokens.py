"""Tokens that cannot be those of a suite, and what is said of each."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.leaderboard.submission.changing import (
    MOVED,
    ON,
    SENTENCE,
    TOKENS,
    Make,
    line,
    lines,
    manifest,
    put,
    raw,
    token,
)
from tests.leaderboard.submission.samples import AGREEMENT, SONG, Parts, surprisals


def _shift(field: int | slice, n: int = 1, only: slice = slice(1, None)) -> Callable[[Any], None]:
    """Move a field of all tokens of each sentence to the token after it."""

    def change(found: Any) -> None:
        for scored in found[only]:
            tokens = scored["tokens"]
            moved = [each[field] for each in tokens]
            for index, each in enumerate(tokens):
                each[field] = moved[(index - n) % len(tokens)]

    return change


def _shift_marks(found: Any) -> None:
    """Shift the texts of all tokens, and call them marks."""
    _shift(0)(found)
    for scored in found[1:]:
        for each in scored["tokens"]:
            each[5] = "special"


def _swap_tokens(found: Any) -> None:
    found[1]["tokens"], found[3]["tokens"] = found[3]["tokens"], found[1]["tokens"]


def _swap_bits(found: Any) -> None:
    for one, other in zip(found[1]["tokens"], found[2]["tokens"], strict=True):
        one[3], other[3] = other[3], one[3]


def _swapped_suites(parts: Parts) -> bytes:
    one, other = parts.files[surprisals(AGREEMENT)], parts.files[surprisals(SONG)]
    swapped = parts.with_file(surprisals(AGREEMENT), other).with_file(surprisals(SONG), one)

    def count(found: Any) -> None:
        first, second = found["suites"]
        for key in ("n_sentences", "n_tokens"):
            first[key], second[key] = second[key], first[key]

    return swapped.with_manifest(count).packed()


_TOKEN_FORM = (
    "it has to be [text, start, end, surprisal in bits or null, oov true or false, role (text, "
    "bos, eos, special)]"
)


TOKEN_FILES: Mapping[str, tuple[Make, str]] = {
    "name that steers a terminal": (
        token(1, 0, "\x1b[2J"),
        f"{TOKENS}:2: token '\\x1b[2J' has characters that steer a terminal or turn text",
    ),
    "name without end": (
        token(1, 0, "x" * 1_001),
        f"{TOKENS}:2: token '{'x' * 80}'… is called by more than 1,000 characters",
    ),
    # --- lines
    "a pickle as surprisals": (
        raw(TOKENS, b"\x80\x04}\x94."),
        f"{TOKENS}:1: the last line is cut off",
    ),
    "no header": (
        raw(TOKENS, b"{}\n"),
        f"{TOKENS}:1: its model or policy is not that of the manifest",
    ),
    "an empty file": (
        raw(TOKENS, b""),
        f"{TOKENS}:1: this is not JSON: Expecting value (column 1)",
    ),
    "an endless line": (
        line(b"[" * ((1 << 20) + 1) + b"\n"),
        f"{TOKENS}:2: a line has more than 1,048,576 bytes",
    ),
    "a deep line": (line(b"[" * 100_000 + b"\n"), f"{TOKENS}:2: this JSON is nested too deep"),
    "an empty line": (line(b"\n"), f"{TOKENS}:2: this is not JSON: Expecting value (column 1)"),
    "a last line without an end": (line(b"{}"), f"{TOKENS}:2: the last line is cut off"),
    "a line that is none": (
        line(b'{"sentence": "a"}\n'),
        f'{TOKENS}:2: a line has to be {{"sentence": "...", "tokens": [...]}}',
    ),
    "a sentence that is no text": (
        lines(put(7, 1, "sentence")),
        f"{TOKENS}:2: the sentence is no text",
    ),
    "a sentence that is half a character": (
        lines(put("\ud800", 1, "sentence")),
        f"{TOKENS}:2: the sentence is no text",
    ),
    "tokens that are no list": (
        lines(put({}, 1, "tokens")),
        f"{TOKENS}:2: 'tokens' has to be a list",
    ),
    "a token that is none": (
        token(0, 5, "admin"),
        f"{TOKENS}:2: token 1 is ['The', 0, 3, 3.0, False, 'admin']; {_TOKEN_FORM}",
    ),
    "a sentence twice": (
        lines(lambda found: found.append(found[1])),
        f"{TOKENS}:8: the sentence {SENTENCE} was there before",
    ),
    "wrong counts": (
        manifest(put(5, "suites", 0, "n_sentences")),
        f"{TOKENS} has 6 sentences and 24 tokens, and the manifest says 5 and 24",
    ),
    # --- surprisals
    "NaN": (
        line(b'{"sentence":"a","tokens":[["a",0,1,NaN,false,"text"]]}\n'),
        f"{TOKENS}:2: NaN is not JSON",
    ),
    "infinity": (
        line(b'{"sentence":"a","tokens":[["a",0,1,Infinity,false,"text"]]}\n'),
        f"{TOKENS}:2: Infinity is not JSON",
    ),
    "infinity in words": (
        token(1, 3, "Infinity"),
        f"{TOKENS}:2: token 'dogs' has an infinite surprisal; a submission's are finite",
    ),
    "minus infinity in words": (
        token(1, 3, "-Infinity"),
        f"{TOKENS}:2: token 2 has the surprisal '-Infinity', which is not a number",
    ),
    "overflow": (
        line(b'{"sentence":"a","tokens":[["a",0,1,1e400,false,"text"]]}\n'),
        f"{TOKENS}:2: the number 1e400 is too large",
    ),
    "negative": (
        token(1, 3, -1.0),
        f"{TOKENS}:2: token 'dogs' has a surprisal of -1.0 bits in {SENTENCE}",
    ),
    "absurdly large": (
        token(1, 3, 1e300),
        f"{TOKENS}:2: token 'dogs' has 1e+300 bits, and no token has more than 100,000",
    ),
    "a truth for a surprisal": (
        token(1, 3, True),  # noqa: FBT003
        f"{TOKENS}:2: token 2 has the surprisal True, which is not a number",
    ),
    "a token without a surprisal": (
        token(2, 3, None),
        (
            f"{ON}: the token 'bark' has no surprisal in {SENTENCE}, in a region that a prediction "
            f"names; only the first token of a sentence can be without context"
        ),
    ),
    "not asked for": (
        lines(
            lambda found: (
                found[1]["tokens"][2].__setitem__(3, None),
                found[1].update(why_unscored={"not asked for": [2]}),
            )
        ),
        f"{ON}: a region that a prediction names was not scored in {SENTENCE}",
    ),
    "not comparable": (
        lines(
            lambda found: (
                found[1]["tokens"][2].__setitem__(3, None),
                found[1].update(why_unscored={"not comparable": [2]}),
            )
        ),
        f"{TOKENS}:2: only under the method focus-mask are tokens not comparable",
    ),
    "a reason for a token that has a surprisal": (
        lines(put({"not asked for": [2]}, 1, "why_unscored")),
        f"{TOKENS}:2: 'why_unscored' is not a reason with tokens that have no number",
    ),
    # --- tokens and sentences
    "a token that begins in another region": (
        lines(lambda found: (put(7, 1, "tokens", 1, 2)(found), put(7, 1, "tokens", 2, 1)(found))),
        MOVED,
    ),
    "places that run backwards": (
        token(1, 1, 1),
        f"{TOKENS}:2: token 'dogs' has the offsets 1-8, which do not fit the sentence {SENTENCE}",
    ),
    "places behind the sentence": (
        token(3, 2, 99),
        f"{TOKENS}:2: token '.' has the offsets 14-99, which do not fit the sentence {SENTENCE}",
    ),
    "tokens that leave a word out": (
        lines(lambda found: found[1]["tokens"].pop(1)),
        f"{TOKENS}:2: no token stands for 'dogs' (character 3) in {SENTENCE}",
    ),
    "texts shifted by one token": (
        lines(_shift(0)),
        (
            f"{TOKENS}:2: the tokens of {SENTENCE} are called what stands beside them; they are "
            f"shifted against the sentence"
        ),
    ),
    "texts and surprisals shifted by one token": (
        lines(lambda found: (_shift(0, -1)(found), _shift(3, -1)(found))),
        (
            f"{TOKENS}:2: the tokens of {SENTENCE} are called what stands beside them; they are "
            f"shifted against the sentence"
        ),
    ),
    "texts shifted by one token, as marks": (
        lines(_shift_marks),
        (
            f"{TOKENS}:2: the tokens of {SENTENCE} are called what stands beside them; they are "
            f"shifted against the sentence"
        ),
    ),
    "surprisals shifted by one token": (lines(_shift(3)), MOVED),
    "surprisals shifted in one sentence": (lines(_shift(3, only=slice(2, 3))), MOVED),
    "surprisals of two conditions swapped": (lines(_swap_bits), MOVED),
    "items swapped": (
        lines(_swap_tokens),
        f"{TOKENS}:2: no token stands for 's' (character 7) in {SENTENCE}",
    ),
    "suites swapped": (
        _swapped_suites,
        f"{ON}: has no tokens for 6 of 6 sentences, the first {SENTENCE}",
    ),
    "a sentence missing": (
        lines(lambda found: found.pop(3)),
        f"{ON}: has no tokens for 1 of 6 sentences, the first 'The cat purrs .'",
    ),
    "a sentence too many": (
        lines(lambda found: found.append({"sentence": "", "tokens": []})),
        f"{ON}: has tokens for '', which is not in the suite",
    ),
    "a sentence with other spaces": (
        lines(put("The dogs  bark.", 1, "sentence")),
        f"{TOKENS}:2: no token stands for 'k' (character 13) in 'The dogs  bark.'",
    ),
}
