"""A sentence as a model over words sees it: the forms it knows, the marks around them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pommel.errors import ModelError
from pommel.models.policy import Policy
from pommel.models.word_level.cutting import word_spans
from pommel.surprisal import ScoredSentence, Token, Unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSentence:
    """A sentence cut into words, before it is scored.

    `forms` are what the model knows the tokens by, the marks among them; `context` is what stands
    before the first of them (the beginning-of-sentence mark, or nothing). `tokens` have no
    surprisals yet. Without a context the first token has nothing that could predict it.
    """

    text: str
    context: tuple[str, ...]
    forms: tuple[str, ...]
    tokens: tuple[Token, ...]

    def scored(self, outcomes: Sequence[float | Unscored]) -> ScoredSentence:
        """Return the sentence with its surprisals in bits, or with the reasons why there are none.

        Raises what `ScoredSentence.check` raises.
        """
        pairs = zip(self.tokens, outcomes, strict=True)
        tokens = (
            replace(token, why_unscored=outcome)
            if isinstance(outcome, str)
            else replace(token, surprisal_bits=outcome)
            for token, outcome in pairs
        )
        sentence = ScoredSentence(text=self.text, tokens=tuple(tokens))
        sentence.check()
        return sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class WordReader:
    """Cuts sentences for one model, which messages call `name`.

    `form` gives the form in which the model knows a word, or None for an unknown one, whose form
    is `unk`. `bos` and `eos` are the model's marks; None for one that it has not got. Marks that
    are written in a sentence are words.

    With `bos` ("auto" or "always") the first word stands after the mark. With "never" or
    "tokenizer" nothing stands before it: what a model says of a word before which there is nothing
    is no probability of that word at a sentence's beginning. `eos` is a token at the end unless
    the policy says "never".
    """

    name: str
    form: Callable[[str], str | None]
    unk: str
    bos: str | None
    eos: str | None

    def check(self, policy: Policy) -> None:
        """Raise `ModelError` if a policy asks for a mark that the model does not have."""
        for choice, wanted, mark in (
            ("bos", policy.bos, self.bos),
            ("eos", policy.eos, self.eos),
        ):
            if wanted == "always" and mark is None:
                end = "beginning" if choice == "bos" else "end"
                message = f"{self.name} has no mark for the {end} of a sentence"
                raise ModelError(f"{message}; score it with {choice}=auto or {choice}=never")

    def read(self, text: str, policy: Policy) -> WordSentence:
        """Cut a sentence. A token's text is always what the sentence has."""
        forms: list[str] = []
        tokens: list[Token] = []
        for start, end in word_spans(text, lambda word: self.form(word) is not None):
            form = self.form(text[start:end])
            oov = form is None or form == self.unk
            forms.append(self.unk if form is None else form)
            token = Token(text=text[start:end], start=start, end=end, surprisal_bits=None, oov=oov)
            tokens.append(token)
        if self.eos is not None and policy.eos != "never":
            end = len(text)
            forms.append(self.eos)
            token = Token(text=self.eos, start=end, end=end, surprisal_bits=None, role="eos")
            tokens.append(token)
        has_mark = self.bos is not None and policy.bos in ("auto", "always")
        return WordSentence(
            text=text,
            context=(self.bos,) if has_mark and self.bos is not None else (),
            forms=tuple(forms),
            tokens=tuple(tokens),
        )


def first_outcome(policy: Policy) -> float | Unscored:
    """Return what a token gets before which there is nothing."""
    bits = policy.first_token_bits
    return "no context" if bits is None else bits
