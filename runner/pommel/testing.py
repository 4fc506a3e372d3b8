"""The contract of a model, as a test: `check_model` is for whoever adds a kind of model.

from pommel.testing import check_model

def test_it_keeps_the_contract() -> None:
    check_model(load_model("unigram://counts.tsv"))
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from pommel.errors import (
    AlignmentError,
    ModelError,
    PommelError,
    SurprisalError,
    UnsupportedFeatureError,
)
from pommel.models import Model, ModelInfo, Policy, Spans
from pommel.surprisal import ScoredSentence, Token
from pommel.values import positional

# Beginnings that are shared, punctuation, white space that is no single blank, letters that are two
# characters or several bytes, scripts without blanks, characters beyond the first 65,536.
SENTENCES = (
    "The dog barks.",
    "The dog that the cats chase barks loudly.",
    "The dog",
    "Nobody's dogs bark, do they?",
    "  Two blanks,  and\ta tabulator at\u00a0once ",
    "Zo\u00eb's cafe\u0301 na\u00efve fu\u00dft \u201equoted\u201c \u2014 dashes\u2026",
    "\u4e00\u672c\u4e66\u5728\u684c\u5b50\u4e0a\u3002",
    "\u05e9\u05dc\u05d5\u05dd \u03ba\u03cc\u03c3\u03bc\u03b5 \u043c\u0438\u0440",
    "A family \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f600!",
)


class ContractError(AssertionError):
    """A model breaks the contract; the message says which part of it, with an example."""


def check_model(
    model: Model, sentences: Sequence[str] = SENTENCES, *, tolerance_bits: float = 1e-4
) -> None:
    """Raise `ContractError` if a model does not do what `Model` promises of it.

    `sentences` are what it is asked for: any texts, or those that it knows if it knows no others.
    In this order: its description can be stored; each sentence is answered once, its tokens spell
    it, and their surprisals can be some; they are the same (within `tolerance_bits`) alone as with
    others, in another order and when asked for again; tokens that are not asked for may be left
    out, and no others; a policy is followed or refused with an error of pommel's; a model that
    reads from left to right does not see what follows; what is too long is refused.

    Models that know sentences by their order only (`ModelInfo.all_at_once`) are asked for all of
    them each time, in this order.
    """
    contract = _Contract(model, sentences, tolerance_bits)
    contract.check_description()
    whole = contract.answers(sentences, Policy())
    contract.check_company(whole)
    contract.check_spans(whole, Policy())
    contract.check_marks()
    contract.check_methods(whole)
    contract.check_left_context(whole)
    contract.check_length()


@positional
class _Contract:
    """A model, and what it is asked for."""

    model: Model
    sentences: Sequence[str]
    tolerance_bits: float

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    def check_description(self) -> None:
        """What is stored with a run is all there, and comes back as it was."""
        try:
            written = json.loads(json.dumps(self.info.to_dict(), allow_nan=False))
        except (TypeError, ValueError) as error:
            raise ContractError(f"info.to_dict() is no JSON: {error}") from error
        if ModelInfo.from_dict(written).to_dict() != self.info.to_dict():
            raise ContractError(f"info is another when it is read again: {written}")
        empty = [name for name in ("reference", "name", "kind", "fingerprint") if not written[name]]
        if empty:
            raise ContractError(f"info has no {empty[0]}: {written}")
        strange = {*self.info.methods} - {*Policy.METHODS} | {*self.info.methods} & {"auto"}
        if strange:
            raise ContractError(f"info.methods has {min(strange)!r}, which is no method")

    def answers(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> list[ScoredSentence]:
        """Return what the model says, in order, each answer sound in itself."""
        found: dict[int, ScoredSentence] = {}
        for index, scored in self.model.score(sentences, policy, spans):
            if index in found or not 0 <= index < len(sentences):
                what = "twice" if index in found else f"of {len(sentences)} sentences"
                raise ContractError(f"score() yields the index {index} {what}")
            found[index] = scored
            text, asked = sentences[index], None if spans is None else spans[index]
            if scored.text != text:
                what = f"{scored.text!r} where {text!r} was asked for"
                raise ContractError(f"score() answers {what}")
            try:
                scored.check()
            except (AlignmentError, SurprisalError) as error:
                raise ContractError(f"the tokens are not the sentence's: {error}") from error
            if not scored.has_all_of(asked):
                where = "" if asked is None else f" at {[*asked]}"
                raise ContractError(
                    f"a token of {text!r} has no surprisal, and was asked for{where}"
                )
        for index, text in enumerate(sentences):
            if index not in found:
                raise ContractError(f"score() leaves out sentence {index}, {text!r}")
        return [found[index] for index in range(len(sentences))]

    def check_company(self, whole: Sequence[ScoredSentence]) -> None:
        """A sentence's surprisals are its own, whatever else is asked for."""
        policy = Policy()
        self._same(whole, self.answers(self.sentences, policy), "when it is asked for again")
        if self.info.all_at_once:
            return
        alone = [self.answers([text], policy)[0] for text in self.sentences]
        self._same(whole, alone, "alone")
        backwards = self.answers(self.sentences[::-1], policy)[::-1]
        self._same(whole, backwards, "in the opposite order")
        twice = self.answers([*self.sentences, *self.sentences], policy)
        self._same([*whole, *whole], twice, "beside itself")

    def check_spans(self, whole: Sequence[ScoredSentence], policy: Policy) -> None:
        """What is asked for has the same surprisals as if all were; the rest may be left out."""
        last = [[(each.start, each.start + 1) for each in full.tokens[-1:]] for full in whole]
        for spans in (last, [()] * len(whole)):
            part = self.answers(self.sentences, policy, spans)
            self._same(whole, part, "when a part of it is asked for", partly=True)

    def check_marks(self) -> None:
        """What a policy says of the ends of a sentence is followed, or refused."""
        self._under(Policy(bos="always"))
        for scored in self._under(Policy(eos="never")) or ():
            if any(token.role == "eos" for token in scored.tokens):
                raise ContractError(f"eos=never: a mark ends {scored.text!r} all the same")
        for scored in self._under(Policy(eos="always")) or ():
            if not any(token.role == "eos" for token in scored.tokens):
                raise ContractError(f"eos=always: no token ends {scored.text!r} with the role eos")
        for bos in ("never", "tokenizer"):
            unscored = self._under(Policy(bos=bos))
            zero = self._under(Policy(bos=bos, first_token="zero"))
            if unscored and zero:
                filled = [replace(each, tokens=_with_zeros(each)) for each in unscored]
                self._same(filled, zero, f"under bos={bos}, first_token=zero")

    def check_methods(self, whole: Sequence[ScoredSentence]) -> None:
        """Methods are taken if the model says so; words' probabilities do not depend on spans."""
        own = self.info.methods[:1]
        for method in Policy.METHODS[1:]:
            scored_so = self._under(Policy(method=method))
            if (scored_so is None) == (method in self.info.methods):
                said = "is" if scored_so is None else "is not"
                does = "refused" if scored_so is None else "taken"
                raise ContractError(f"the method {method!r} {said} among info.methods, and {does}")
            if scored_so is not None and method in own:
                self._same(whole, scored_so, f"under its own method, {method}")
        corrected = Policy(boundary="corrected")
        if words := self._under(corrected):
            self.check_spans(words, corrected)

    def check_left_context(self, whole: Sequence[ScoredSentence]) -> None:
        """Where sentences have the same tokens, what comes later does not change the first ones."""
        if not {"causal", "ngram"} & {*self.info.methods[:1]}:
            return
        for one in whole:
            for other in whole:
                both = zip(one.tokens, other.tokens, strict=False)
                shared = [*takewhile(lambda pair: _place(pair[0]) == _place(pair[1]), both)]
                for ours, theirs in shared:
                    if not self._equal(ours, theirs):
                        raise ContractError(
                            f"{_told(ours)} in {one.text!r} and {_told(theirs)} in {other.text!r}, "
                            "after the same tokens"
                        )

    def check_length(self) -> None:
        """A sentence that is longer than the model's context is refused, and not cut."""
        if self.info.max_tokens is None or self.info.all_at_once:
            return
        word = self.sentences[0].split()[0]
        text = " ".join([word] * (self.info.max_tokens + 1))
        try:
            self.answers([text], Policy())
        except ModelError:
            return
        raise ContractError(
            f"{self.info.max_tokens + 1} times {word!r} is no ModelError, and info.max_tokens is "
            f"{self.info.max_tokens}"
        )

    def _under(self, policy: Policy) -> list[ScoredSentence] | None:
        """Return what the model says under a policy, None if it refuses it."""
        try:
            return self.answers(self.sentences, policy)
        except PommelError as error:
            if policy.method != "auto" and not isinstance(error, UnsupportedFeatureError):
                raise ContractError(
                    f"the method {policy.method!r} raises {type(error).__name__}, "
                    f"no UnsupportedFeatureError: {error}"
                ) from error
            return None

    def _same(
        self,
        expected: Sequence[ScoredSentence],
        found: Sequence[ScoredSentence],
        when: str,
        *,
        partly: bool = False,
    ) -> None:
        for one, other in zip(expected, found, strict=True):
            if [*map(_place, one.tokens)] != [*map(_place, other.tokens)]:
                tokens = f"{_texts(other)} instead of {_texts(one)}"
                raise ContractError(f"{one.text!r} has other tokens {when}: {tokens}")
            for ours, theirs in zip(one.tokens, other.tokens, strict=True):
                left_out = partly and theirs.why_unscored == "not asked for"
                if not left_out and not self._equal(ours, theirs):
                    told = f"{_told(theirs)} instead of {_told(ours)}"
                    raise ContractError(f"{one.text!r} has other surprisals {when}: {told}")

    def _equal(self, one: Token, other: Token) -> bool:
        bits, others = one.surprisal_bits, other.surprisal_bits
        if bits is None or others is None:
            return bits == others and one.why_unscored == other.why_unscored
        return bits == others or abs(bits - others) <= self.tolerance_bits


def _with_zeros(scored: ScoredSentence) -> tuple[Token, ...]:
    return tuple(
        replace(token, surprisal_bits=0.0)
        if token.surprisal_bits is None and token.why_unscored == "no context"
        else token
        for token in scored.tokens
    )


def _place(token: Token) -> tuple[str, int, int, str]:
    return token.text, token.start, token.end, token.role


def _texts(scored: ScoredSentence) -> list[str]:
    return [token.text for token in scored.tokens]


def _told(token: Token) -> str:
    bits = token.surprisal_bits
    return f"{token.text!r} {token.why_unscored if bits is None else f'{bits:.6g} bits'}"
