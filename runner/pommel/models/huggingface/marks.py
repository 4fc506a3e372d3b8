"""Which marks a tokenizer has for the two ends of a sentence, and which of them a policy wants."""

from typing import Any

from pommel.errors import ModelError
from pommel.models.policy import Policy

# Any of these is a token or more for any tokenizer we know of.
_PROBES = ("a", "the", "1", ".")


class Marks:
    """The marks of one tokenizer, as token ids.

    `bos` and `eos` are the marks that have these names, None where there are none or the network
    does not know them. `own_prefix` and `own_suffix` are what the tokenizer adds by itself.
    """

    def __init__(self, tokenizer: Any, *, n_known: int) -> None:
        """Ask `tokenizer` for its marks; the network knows the ids below `n_known`."""
        self.bos = _named_mark(tokenizer, "bos_token", n_known)
        self.eos = _named_mark(tokenizer, "eos_token", n_known)
        self.own_prefix, self.own_suffix = _own_marks(tokenizer)

    @property
    def start(self) -> int | None:
        """The mark for a sentence's beginning, by whatever name; None if there is none."""
        return next(iter(self.prefix(Policy(bos="auto"))), None)

    @property
    def end(self) -> int | None:
        """The mark for a sentence's end, by whatever name; None if there is none."""
        return self.eos if self.eos is not None else next(iter(self.own_suffix), None)

    def prefix(self, policy: Policy) -> tuple[int, ...]:
        """Return what goes in front of a sentence.

        1. Nothing, if the policy is "never"; what the tokenizer adds, if it is "tokenizer".
        2. What the tokenizer adds by itself, if that holds its BOS mark or it names none.
        3. Its BOS mark.
        4. Nothing, if it has none and the policy is "auto"; else `ModelError`.
        """
        if policy.bos == "never":
            return ()
        if policy.bos == "tokenizer":
            return self.own_prefix
        if self.own_prefix and (self.bos is None or self.bos in self.own_prefix):
            return self.own_prefix
        if self.bos is not None:
            return (self.bos,)
        if policy.bos == "always":
            raise ModelError("bos=always: this model has no beginning-of-sentence mark")
        return ()

    def suffix(self, policy: Policy) -> tuple[int, ...]:
        """Return what follows a sentence: one mark or none.

        "auto" is what the tokenizer adds by itself; "always" is that or else its EOS mark.
        Raises `ModelError` if "always" asks for a mark that it has not got.
        """
        if policy.eos == "never":
            return ()
        if self.eos is not None and (self.eos in self.own_suffix or policy.eos == "always"):
            return (self.eos,)
        if policy.eos == "always" and not self.own_suffix:
            raise ModelError("eos=always: this model has no end-of-sentence mark")
        return self.own_suffix[:1]


def _named_mark(tokenizer: Any, name: str, n_known: int) -> int | None:
    text, token_id = getattr(tokenizer, name), getattr(tokenizer, f"{name}_id")
    # A tokenizer's class may name a mark by default that this model's vocabulary has not got.
    is_unknown = token_id == tokenizer.unk_token_id and text != tokenizer.unk_token
    if text is None or token_id is None or is_unknown or token_id >= n_known:
        return None
    return int(token_id)


def _own_marks(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what the tokenizer puts in front of and behind a sentence."""
    for probe in _PROBES:
        plain = list(tokenizer(probe, add_special_tokens=False)["input_ids"])
        full = list(tokenizer(probe, add_special_tokens=True)["input_ids"])
        for start in range(len(full) - len(plain) + 1 if plain else 0):
            end = start + len(plain)
            if full[start:end] == plain:
                return tuple(full[:start]), tuple(full[end:])
    return (), ()
