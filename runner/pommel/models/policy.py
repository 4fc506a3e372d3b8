"""The scoring policy: every choice that changes a number, in one value."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from pommel.errors import check_choice

Bos = Literal["auto", "always", "never", "tokenizer"]
Eos = Literal["auto", "always", "never"]
FirstToken = Literal["unscored", "zero"]
Method = Literal[
    "auto",
    "causal",
    "pll",
    "pll-word-l2r",
    "masked-l2r",
    "focus-mask",
    "unmasked-ce",
    "ngram",
]
Boundary = Literal["raw", "corrected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a model is asked for surprisals.

    `bos`: "auto" puts the model's beginning-of-sentence mark in front, exactly once, where it has
    one, so that the first token has a real surprisal; "always" is an error where it has none;
    "never" scores without; "tokenizer" does what a model's tokenizer does by itself (one that
    adds no mark, like GPT-2's, leaves the first token without context).
    `eos`: "auto" keeps the end-of-sentence surprisal where the model emits such a mark by itself;
    "always" asks for it of any model that knows one; "never" leaves it out.
    `first_token`: what a token without any left context gets: no surprisal ("unscored"), or the 0
    that the retired tools gave it ("zero").
    `method`: how a token is scored. "auto" is the model's own (`ModelInfo.methods`): "causal" for
    a model that reads from left to right, "ngram", or, for a masked model, "pll": mask one token at
    a time (Salazar et al. 2020). "pll-word-l2r" masks the later tokens of its word, too (Kauf and
    Ivanova 2023); "masked-l2r" everything from the token on, at fixed length (Perez-Mayos et al.
    2021); "focus-mask" only words that are one token (Goldberg 2019); "unmasked-ce" masks nothing
    and scores the marks at both ends, too (Zaczynska et al. 2020).
    `boundary`: "corrected" gives the probability of whole words, where a tokenizer marks where
    words begin: that a word ends here is moved from the next word's first token to this word's
    last (Pimentel and Meister 2024; Oh and Schuler 2024).
    """

    bos: Bos = "auto"
    eos: Eos = "auto"
    first_token: FirstToken = "unscored"
    method: Method = "auto"
    boundary: Boundary = "raw"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), get_args(choices))

    def to_dict(self) -> dict[str, str]:
        """Return the policy as plain JSON values, one key a choice."""
        return asdict(self)

    @property
    def first_token_bits(self) -> float | None:
        """What a token without any left context gets, in bits; None for no surprisal."""
        return 0.0 if self.first_token == "zero" else None

    @property
    def fingerprint(self) -> str:
        """The first 16 hex digits of the SHA-256 over the policy's canonical JSON."""
        canonical = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


_CHOICES = {
    "bos": Bos,
    "eos": Eos,
    "first_token": FirstToken,
    "method": Method,
    "boundary": Boundary,
}

# What the retired tools did: whatever the tokenizer adds and nothing else, first token 0.
SYNTAXGYM_POLICY = Policy(bos="tokenizer", eos="auto", first_token="zero")
