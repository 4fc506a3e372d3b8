"""What is asked of a model: each sentence once, and no more of it than is needed."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from pommel.errors import ModelError
from pommel.models import Model, Policy
from pommel.scoring.number_format import noise_bits, sampled
from pommel.scoring.regions import Needed
from pommel.surprisal import ScoredSentence

# Of failures at which a sentence may be to blame: each may cost the start of a container. It is
# enough for some thirty such sentences.
_MOST_FAILURES = 64
_LONGEST_REASON = 500

_Answers = Iterator[tuple[int, ScoredSentence]]


@dataclass(slots=True)
class Questions:
    """Sentences that a model is asked for, and what it has answered so far.

    A sentence at which the model fails costs that sentence only, unless `is_strict`: it is among
    the answers, with its `failure`. It is to blame if the model says so (`ModelError.blamed`), or
    if the model fails at it alone, and not at others (`ModelError.suspect`).

    `in_float32` is asked for what a model of half precision leaves open, once `noise_bits`, which
    its own answers to a few sentences tell, are known.
    """

    model: Model
    policy: Policy
    needed: Needed
    scored: dict[str, ScoredSentence] = field(default_factory=dict)
    is_strict: bool = False
    in_float32: "Questions | None" = None
    noise_bits: float = 0.0

    def ask(self, counts: Counter[str]) -> Iterator[int]:
        """Ask the model for what is missing; raises what it refuses before it computes anything.

        Its answers are taken in as one goes on, each of which is so many of the sentences that
        `counts` counts.
        """
        missing = [text for text in counts if not self.has(text)]
        answers: _Answers | None = None
        try:
            # Even to be asked for nothing may cost a model its start.
            answers = self._answers(missing) if missing else None
        except ModelError as error:
            if self.is_strict or not error.blamed:
                raise
            self._fail(error.blamed)
        return self._take(counts, missing, answers)

    def has(self, text: str) -> bool:
        """Say whether a sentence has been scored wherever it is needed, or has failed."""
        return text in self.scored and self.scored[text].has_all_of(self.needed[text])

    def measure_noise(self, texts: Iterable[str]) -> "Questions":
        """Have the same model in float32 tell by some of the texts how noisy its answers are."""
        again = self.model.in_float32()  # type: ignore[attr-defined]
        exact = Questions(again, self.policy, self.needed, is_strict=self.is_strict)
        exact.answer(sampled(texts))
        self.noise_bits = noise_bits(
            (self.scored[text], each) for text, each in exact.scored.items()
        )
        self.in_float32 = exact
        return exact

    def answer(self, texts: Iterable[str]) -> None:
        """Ask for texts, and take all answers in; raises as `ask` does."""
        deque(self.ask(Counter(texts)), maxlen=0)

    @property
    def answered(self) -> set[str]:
        """The sentences at which the model has not failed."""
        return {text for text, each in self.scored.items() if not each.failure}

    def check_any(self, texts: Collection[str]) -> None:
        """Raise `ModelError` if each of some sentences has failed: then the model has."""
        if texts and all(self.scored[text].failure for text in texts):
            raise ModelError.of_sentences({text: self.scored[text].failure for text in texts})

    def _answers(self, texts: Sequence[str]) -> _Answers:
        return self.model.score(texts, self.policy, [self.needed[text] for text in texts])

    def _left(self, texts: Sequence[str]) -> list[str]:
        return [text for text in texts if not self.has(text)]

    def _fail(self, failures: Mapping[str, str]) -> None:
        for text, why in failures.items():
            self.scored[text] = ScoredSentence(text=text, tokens=(), failure=why)

    def _take(
        self, counts: Counter[str], asked: Sequence[str], answers: _Answers | None
    ) -> Iterator[int]:
        untold = {text: counts[text] for text in asked}
        yield counts.total() - sum(untold.values())
        search = _Search()
        search.ask_next(self._left(asked))
        while search.waiting:
            group = search.waiting.pop()
            try:
                for index, sentence in answers or self._answers(group):
                    self.scored[group[index]] = sentence
                    # What a failure has put in doubt is answered twice.
                    yield untold.pop(group[index], 0)
                if group == [search.suspect]:
                    search.trusts = False
            except ModelError as error:
                for text in error.spoiled:
                    self.scored.pop(text, None)
                if self.is_strict:
                    raise
                self._go_on(search, group, error)
            answers = None
        if untold:
            yield sum(untold.values())
        if search.first and not self.answered:
            self._give_up(search, search.first)

    def _go_on(self, search: "_Search", group: Sequence[str], error: ModelError) -> None:
        """Note which sentences have failed, and what is asked next; raises if none is to blame."""
        if any(text in error.blamed for text in group):
            self._fail(error.blamed)
            search.ask_next(self._left(group))
            return
        search.first = search.first or error
        search.n_failures += 1
        if error.suspect is None:
            self._give_up(search, error)
        if len(group) > 1:
            search.divide(self._left(group), suspect=error.suspect)
        else:
            self._fail({group[0]: _in_one_line(error)})
            search.found.append(group[0])
            if not self.answered:
                search.try_another()
        is_broken = len(search.found) > 1 and not self.answered
        if is_broken or search.n_failures == _MOST_FAILURES:
            self._give_up(search, search.first)

    def _give_up(self, search: "_Search", error: ModelError) -> NoReturn:
        for text in search.found:
            self.scored.pop(text, None)
        raise error


@dataclass(slots=True, kw_only=True)
class _Search:
    """Groups of sentences that are asked for one after the other, the last first.

    `found` are those at which the model fails alone. `trusts` says that the model fails where it
    says so, at the `suspect`: what it has printed may have come late.
    """

    waiting: list[list[str]] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    first: ModelError | None = None
    n_failures: int = 0
    trusts: bool = True
    suspect: str = ""

    def ask_next(self, *groups: list[str]) -> None:
        """Add groups of sentences, the last of which is the next."""
        self.waiting += filter(None, groups)

    def divide(self, group: list[str], *, suspect: str) -> None:
        """Add the sentence at which the model seems to fail and the others, or two halves."""
        if self.trusts and suspect in group:
            self.suspect = suspect
            self.ask_next([text for text in group if text != suspect], [suspect])
        else:
            middle = len(group) // 2
            self.ask_next(group[middle:], group[:middle])

    def try_another(self) -> None:
        """Have a sentence like most others be asked for alone: a model may fail at every one."""
        if self.waiting:
            group = self.waiting.pop()
            other = sorted(group, key=len)[len(group) // 2]
            self.ask_next([text for text in group if text != other], [other])


def _in_one_line(error: ModelError) -> str:
    """Return what a failure says first and last: the end of standard error has the reason."""
    first, *others = str(error).splitlines()
    return " ".join([first, *(each.strip() for each in others[-1:])])[:_LONGEST_REASON]
