"""A model that answers from the store first, and keeps whatever it is asked for beside that."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pommel.errors import ModelError
from pommel.models.model import DistinctSentence, Model, ModelInfo, Policy, Spans
from pommel.store.surprisal_cache import CacheKey, SurprisalCache
from pommel.surprisal import ScoredSentence

# What may be lost of a model that answers sentence by sentence.
_MOST_SENTENCES = 1_000
_MOST_SECONDS = 1.0

Scored = tuple[DistinctSentence, ScoredSentence]


class CachedModel:
    """Scores no sentence that the store has, and commits all others batch by batch.

    Sentences whose numbers depend, by rounding, on what they are computed with
    (`ModelInfo.n_together`) are cut into batches that follow from what is asked for alone, and a
    batch is kept whole or not at all. So a run that was killed comes out the same, to the last bit,
    as one that was not.

    With `rescore` the store's answers are deleted, and everything is asked for again.
    """

    def __init__(self, model: Model, cache: SurprisalCache, *, rescore: bool = False) -> None:
        self._model = model
        self._cache = cache
        self._rescore = rescore

    @property
    def info(self) -> ModelInfo:
        """Which model it is."""
        return self._model.info

    def close(self) -> None:
        """Have the model let go of what it holds; the store is its owner's."""
        if close := getattr(self._model, "close", None):
            close()

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Return an iterator over (index, scored sentence); see `Model.score`.

        Raises what the model raises, as early as it does, and `StoreError`.
        """
        key = self._cache.key(self.info, policy)
        wanted = DistinctSentence.all_of(sentences, spans)
        if self.info.n_together is None:
            # As they were given, which is how failures are told.
            wanted.sort(key=lambda each: each.indices)
        texts = [each.text for each in wanted]
        if self._rescore:
            self._cache.forget_sentences(key, texts)
        known = self._cache.known(key, texts)
        missing = [each for each in wanted if not _is_met(each, known)]
        # What the model refuses it refuses now, whatever batches it will come in.
        answers = self._ask(missing, wanted, policy) if missing else iter(())
        return self._answers(key, policy, wanted, known, missing, answers)

    def _answers(  # noqa: PLR0913, PLR0917 - the parts of one request
        self,
        key: CacheKey,
        policy: Policy,
        wanted: Sequence[DistinctSentence],
        known: Mapping[str, ScoredSentence],
        missing: Sequence[DistinctSentence],
        answers: Iterator[Scored],
    ) -> Iterator[tuple[int, ScoredSentence]]:
        lacking = {each.text for each in missing}
        for each in wanted:
            if each.text not in lacking:
                yield from _at_its_places(each, known[each.text])
        size = self.info.n_together
        if size is None:
            batches = self._kept_as_they_come(key, answers)
        else:
            # Of all that was asked for: what the store has by now must not move what it has not.
            every = [wanted[start : start + size] for start in range(0, len(wanted), size)]
            parts = [[each for each in part if each.text in lacking] for part in every]
            batches = self._kept_together(key, policy, [part for part in parts if part], answers)
        for each, scored in batches:
            yield from _at_its_places(each, scored)

    def _kept_as_they_come(self, key: CacheKey, answers: Iterable[Scored]) -> Iterator[Scored]:
        batch: list[Scored] = []
        last = time.monotonic()
        try:
            for answer in answers:
                batch.append(answer)
                if len(batch) >= _MOST_SENTENCES or time.monotonic() - last >= _MOST_SECONDS:
                    # Emptied first: what is handed out has been kept, whatever becomes of it.
                    full, batch = batch, []
                    yield from self._kept(key, full)
                    last = time.monotonic()
        except GeneratorExit:
            self._kept(key, batch)
            raise
        except BaseException:
            yield from self._kept(key, batch)
            raise
        yield from self._kept(key, batch)

    def _kept_together(
        self,
        key: CacheKey,
        policy: Policy,
        batches: Sequence[Sequence[DistinctSentence]],
        answers: Iterator[Scored],
    ) -> Iterator[Scored]:
        for batch in batches:
            # Another process may have been here meanwhile.
            known = self._cache.known(key, [each.text for each in batch])
            missing = []
            for each in batch:
                if _is_met(each, known):
                    yield each, known[each.text]
                else:
                    missing.append(each)
            if not missing:
                continue
            is_all = len(batches) == 1 and len(missing) == len(batch)
            scored: list[Scored] = []
            try:
                for answer in answers if is_all else self._ask(missing, missing, policy):
                    scored.append(answer)  # noqa: PERF402 - what is there when it fails counts
            except ModelError:
                # It would fail again; what it has answered need not be asked for again.
                yield from self._kept(key, scored)
                raise
            yield from self._kept(key, scored)

    def _ask(
        self,
        missing: Sequence[DistinctSentence],
        wanted: Sequence[DistinctSentence],
        policy: Policy,
    ) -> Iterator[Scored]:
        """Return the answers for what is missing of all that is wanted."""
        asked = wanted if self.info.all_at_once else missing
        texts, spans = [each.text for each in asked], [each.spans for each in asked]
        answers = self._model.score(texts, policy, spans)
        lacking = {each.text for each in missing}
        return ((asked[index], scored) for index, scored in answers if asked[index].text in lacking)

    def _kept(self, key: CacheKey, batch: Sequence[Scored]) -> list[Scored]:
        """Commit a batch; return it as the store has it now.

        Where another process was first, its numbers hold; where parts of a sentence were there,
        they stay.
        """
        if not batch:
            return []
        there = self._cache.keep(key, [scored for _, scored in batch])
        return [(each, there.get(each.text, scored)) for each, scored in batch]


def _is_met(wanted: DistinctSentence, known: Mapping[str, ScoredSentence]) -> bool:
    return wanted.text in known and known[wanted.text].has_all_of(wanted.spans)


def _at_its_places(
    wanted: DistinctSentence, scored: ScoredSentence
) -> Iterator[tuple[int, ScoredSentence]]:
    return ((index, scored) for index in wanted.indices)
