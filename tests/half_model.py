"""A toy model of half precision, and the same in float32."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tests.word_model import WordModel

from pommel.errors import ModelError
from pommel.models.model import ModelInfo, Policy, Spans
from pommel.surprisal import ScoredSentence

STEP = 1 / 16


@dataclass(slots=True)
class HalfModel:
    """Has what `exact` says rounded to sixteenths of a bit; fails at sentences with these words.

    `asked` are the sentences that it was asked for, call by call.
    """

    exact: WordModel
    overflows_at: str = ""
    asked: list[list[str]] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return replace(self.exact.info, dtype="float16", fingerprint="half")

    def in_float32(self) -> WordModel:
        return self.exact

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        self.asked.append([*sentences])
        # What the same in float32 is asked for is noted apart.
        theirs = WordModel(bits=self.exact.bits, failure=self.exact.failure)
        for index, scored in theirs.score(sentences, policy, spans):
            if self.overflows_at and self.overflows_at in scored.text:
                continue
            tokens = (
                each
                if each.surprisal_bits is None
                else replace(each, surprisal_bits=round(each.surprisal_bits / STEP) * STEP)
                for each in scored.tokens
            )
            yield index, replace(scored, tokens=tuple(tokens))
        if failed := [
            each for each in sentences if self.overflows_at and self.overflows_at in each
        ]:
            raise ModelError.of_sentences(dict.fromkeys(failed, "a surprisal of nan bits"))
