"""Plain sentences: how surprising their tokens and words are, without a suite."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from pommel.errors import UsageError
from pommel.files import frame_of_rows
from pommel.models import Model, ModelInfo
from pommel.scoring.choices import Choices
from pommel.scoring.questions import Questions
from pommel.suite import Sentence
from pommel.surprisal import ScoredSentence, Token
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd

# Called with the number of sentences that have just been scored.
Progress = Callable[[int], None]
SentencesTable = Literal["tokens", "words", "sentences"]


@frozen
class Piece:
    """A word, or a whole sentence, its place `[start, end)` in characters, and its tokens."""

    text: str
    start: int
    end: int
    tokens: tuple[Token, ...]

    @property
    def surprisal_bits(self) -> float:
        """The sum over the tokens that have a surprisal, in bits; NaN if none has."""
        bits = [each.surprisal_bits for each in self.tokens if each.surprisal_bits is not None]
        return math.fsum(bits) if bits else math.nan

    @property
    def n_unscored(self) -> int:
        """How many tokens have no surprisal; the sum leaves these out."""
        return sum(each.surprisal_bits is None for each in self.tokens)


@frozen
class SentenceScores:
    """What a model says of sentences, in their order; a sequence of `ScoredSentence`s.

    Of a sentence at which the model has failed (its `failure` says why) there are no tokens.
    """

    model: ModelInfo
    sentences: tuple[ScoredSentence, ...]

    @classmethod
    def of(
        cls,
        model: Model,
        sentences: Sequence[str],
        choices: Choices | None = None,
        *,
        progress: Progress | None = None,
    ) -> "SentenceScores":
        """Score sentences, each text once. Of the choices only policy and `strict_model` matter.

        If the model fails at all of them, or at one and the choices say `strict_model`, the first
        failure is raised. Raises `UsageError` where there is no sentence, or one without a visible
        character, and what the model raises.
        """
        if not sentences or not all(map(str.strip, sentences)):
            raise UsageError("there is nothing to score: write a sentence, and no empty one")
        chosen, needed = choices or Choices(), dict.fromkeys(sentences)
        questions = Questions(model, chosen.policy, needed, is_strict=chosen.strict_model)
        for n_scored in questions.ask(Counter(sentences)):
            if progress and n_scored:
                progress(n_scored)
        questions.check_any(needed)
        return cls(model=model.info, sentences=tuple(questions.scored[each] for each in sentences))

    def words(self) -> list[list[Piece]]:
        """Return the words of each sentence, which are what stands between white space.

        A token counts in the word in which its first visible character is. Marks of the model,
        such as the end of the sentence, are in no word.
        """
        return [list(_words(each)) for each in self]

    def wholes(self) -> list[Piece]:
        """Return each sentence with all of its tokens, marks too."""
        return [
            Piece(text=each.text, start=0, end=len(each.text), tokens=each.tokens) for each in self
        ]

    def to_frame(self, table: SentencesTable = "tokens") -> "pd.DataFrame":
        """Return one row a token, a word or a sentence; a `surprisal_bits` of nothing is missing.

        Raises `UsageError` for a table that is none of these.
        """
        UsageError.check_choice("the table", table, get_args(SentencesTable))
        rows = [
            {"model_name": self.model.name, "sentence_number": number, **row}
            for number, parts in enumerate(zip(self, self.wholes(), self.words(), strict=True), 1)
            for row in _rows(table, *parts)
        ]
        # Where all sentences have failed, there are no scores.
        return frame_of_rows(rows, [*rows[0]])

    def __iter__(self) -> Iterator[ScoredSentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)


def _words(scored: ScoredSentence) -> Iterator[Piece]:
    places = [each.span() for each in re.finditer(r"\S+", scored.text)]
    ends = [end for _, end in places]
    # As between regions, white space belongs to what is behind it.
    sentence = Sentence(text=scored.text, spans=tuple(zip([0, *ends], ends, strict=False)))
    tokens = [each for each in scored.tokens if each.role == "text"]
    own = defaultdict[int | None, list[Token]](list)
    for token, word in zip(tokens, sentence.regions_of(tokens), strict=True):
        own[word].append(token)
    for number, (start, end) in enumerate(places):
        yield Piece(text=scored.text[start:end], start=start, end=end, tokens=tuple(own[number]))


def _rows(
    table: SentencesTable, scored: ScoredSentence, whole: Piece, words: Sequence[Piece]
) -> Iterator[dict[str, object]]:
    if table == "sentences":
        figures = {"n_words": len(words), "failure": scored.failure}
        yield {"sentence": scored.text, **_figures(whole), **figures}
    elif table == "words":
        for number, word in enumerate(words, 1):
            place = {"start": word.start, "end": word.end}
            yield {"word_number": number, "word": word.text, **place, **_figures(word)}
    else:
        number_of = {token: n for n, word in enumerate(words, 1) for token in word.tokens}
        for index, token in enumerate(scored.tokens):
            word_number = number_of.get(token)
            yield {
                "token_index": index,
                "token": token.text,
                "start": token.start,
                "end": token.end,
                "word_number": word_number,
                "word": words[word_number - 1].text if word_number else "",
                "surprisal_bits": math.nan if (bits := token.surprisal_bits) is None else bits,
                "oov": token.oov,
                "role": token.role,
            }


def _figures(piece: Piece) -> dict[str, object]:
    return {
        "surprisal_bits": piece.surprisal_bits,
        "n_tokens": len(piece.tokens),
        "n_unscored": piece.n_unscored,
    }
