"""What is asked of a model: each sentence once, and no more of it than is needed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pommel.errors import ModelError
from pommel.models import Model, Policy
from pommel.scoring.regions import Needed
from pommel.surprisal import ScoredSentence


@dataclass(slots=True)
class Questions:
    """Sentences that a model is asked for, and what it has answered so far."""

    model: Model
    policy: Policy
    needed: Needed
    scored: dict[str, ScoredSentence] = field(default_factory=dict)

    def ask(self, counts: Counter[str]) -> Iterator[int]:
        """Ask the model for what is missing; raises what it refuses before it computes anything.

        Its answers are taken in as one goes on, each of which is so many of the sentences that
        `counts` counts.
        """
        missing = [text for text in counts if not self.has(text)]
        spans = [self.needed[text] for text in missing]
        # Even to be asked for nothing may cost a model its start.
        answers = self.model.score(missing, self.policy, spans) if missing else ()
        return self._take(counts, missing, answers)

    def _take(
        self,
        counts: Counter[str],
        missing: Sequence[str],
        answers: Iterable[tuple[int, ScoredSentence]],
    ) -> Iterator[int]:
        yield counts.total() - sum(counts[text] for text in missing)
        try:
            for index, sentence in answers:
                self.scored[missing[index]] = sentence
                yield counts[missing[index]]
        except ModelError as error:
            for text in error.spoiled:
                self.scored.pop(text, None)
            raise

    def has(self, text: str) -> bool:
        """Say whether a sentence has been scored wherever it is needed."""
        return text in self.scored and self.scored[text].has_all_of(self.needed[text])
