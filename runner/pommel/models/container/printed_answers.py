"""Scored sentences from an image of protocol 1: three commands, and where their tokens are."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import zip_longest

from pommel.errors import AlignmentError, ContainerError, SurprisalError, quoted
from pommel.models.alignment import TokenizerSpec
from pommel.models.container.answers import place, shortened
from pommel.models.container.commands import ImageCommands
from pommel.models.container.image_spec import features
from pommel.models.model import Policy
from pommel.models.printed import PrintedToken, scored_sentence, under_policy
from pommel.surprisal import ScoredSentence


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedAnswers:
    """Asks an image for tokens, unknown words and surprisals, a container start each.

    What one command prints has to agree with what the others do. A first token with a surprisal
    of exactly 0 has no probability: that is how version 1 of the protocol says so.
    """

    commands: ImageCommands

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence) in order; see `Model.score`."""
        if not sentences:
            return
        spec = self.commands.spec()
        tokenizer = TokenizerSpec.from_dict(spec)
        tokens = self.commands.tokenize(sentences)
        masks: list[list[bool]] | None = None
        if tokenizer.unk_types and features(spec).get("unkify", True):
            masks = self.commands.unkify(sentences)
        with closing(self.commands.each_surprisals(sentences)) as printed:
            for index, rows in enumerate(printed):
                mask = masks[index] if masks is not None else None
                where = place(index + 1, sentences[index])
                agreed = self._agreed(where, tokens[index], mask, rows, tokenizer)
                scored = self._scored(where, sentences[index], agreed, tokenizer)
                scored = _without_first_zero(scored, policy)
                yield index, under_policy(scored, policy, self.commands.reference)

    def close(self) -> None:
        """Do nothing: no container outlives a command."""

    def _agreed(
        self,
        where: str,
        tokens: Sequence[str],
        mask: Sequence[bool] | None,
        rows: Sequence[PrintedToken],
        spec: TokenizerSpec,
    ) -> Sequence[PrintedToken]:
        """Return the tokens with what `unkify` says of them; raises if the commands disagree."""
        known = [row.text for row in rows]
        if len(tokens) != len(rows):
            raise self._disagree(where, tokens, known)
        if mask is None:
            for token, row in zip(tokens, rows, strict=True):
                if token != row.text and not {token, row.text} & spec.unk_types:
                    raise self._disagree(where, tokens, known)
            return rows
        if len(mask) != len(rows):
            message = f"{where}: it printed {len(mask)} flags for the {len(tokens)} tokens"
            raise ContainerError(f"{self.commands.reference}: unkify: {message} of tokenize")
        for token, row, oov in zip(tokens, rows, mask, strict=True):
            # One command may print an unknown word, and the other what stands for it.
            if token != row.text and not oov:
                raise self._disagree(where, tokens, known)
        return [replace(row, oov=oov) for row, oov in zip(rows, mask, strict=True)]

    def _disagree(self, where: str, tokens: Sequence[str], known: Sequence[str]) -> ContainerError:
        both = enumerate(zip_longest(tokens, known), start=1)
        number, pair = next((number, pair) for number, pair in both if pair[0] != pair[1])
        token, other = ("nothing" if each is None else quoted(each) for each in pair)
        return ContainerError(
            f"{self.commands.reference}: tokenize and get_surprisals do not agree in {where}: "
            f"token {number} is {token} and {other}\n"
            f"    tokenize:       {shortened(' '.join(tokens))}\n"
            f"    get_surprisals: {shortened(' '.join(known))}"
        )

    def _scored(
        self, where: str, sentence: str, rows: Sequence[PrintedToken], spec: TokenizerSpec
    ) -> ScoredSentence:
        try:
            scored = scored_sentence(sentence, rows, spec)
            scored.check()
        except (AlignmentError, SurprisalError) as error:
            message = f"{self.commands.reference}: get_surprisals: {where}: {error}"
            raise ContainerError(shortened(message)) from error
        return scored


def _without_first_zero(scored: ScoredSentence, policy: Policy) -> ScoredSentence:
    if policy.first_token == "zero":
        return scored
    # Words that the model leaves out may come before it.
    first = next(
        (n for n, token in enumerate(scored.tokens) if token.surprisal_bits is not None), 0
    )
    if scored.tokens and scored.tokens[first].surprisal_bits == 0:
        unscored = replace(scored.tokens[first], surprisal_bits=None)
        tokens = (*scored.tokens[:first], unscored, *scored.tokens[first + 1 :])
        return replace(scored, tokens=tokens)
    return scored
