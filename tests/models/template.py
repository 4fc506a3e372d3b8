"""A kind of model to copy: `unigram://FILE`, words by their frequency in a list of counts."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import InputError, ModelError
from pommel.files import sha256_of
from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, ModelInfo, Policy, Spans, check_only_method
from pommel.models.reference_files import read_text
from pommel.surprisal import ScoredSentence, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class UnigramModel:
    """Gives each word, whatever stands before it, its share of `n_words` counted ones."""

    info: ModelInfo
    counts: Mapping[str, int]
    n_words: int

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - all of them cost little
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence); see `Model.score`."""
        check_only_method(self.info, policy)
        if "always" in (policy.bos, policy.eos):
            raise ModelError(f"{self.info.reference} has no marks; score it with bos and eos=auto")
        for index, text in enumerate(sentences):
            scored = ScoredSentence(text=text, tokens=tuple(self._tokens(text)))
            scored.check()
            yield index, scored

    def _tokens(self, text: str) -> Iterator[Token]:
        # Whatever is visible has to be in a token.
        for match in re.finditer(r"\w+|[^\w\s]+", text):
            # One is added to each count, so that an unknown word has a surprisal, too.
            count = self.counts.get(match.group(), 0)
            bits = math.log2((self.n_words + len(self.counts) + 1) / (count + 1))
            start, end = match.span()
            yield Token(
                text=match.group(), start=start, end=end, surprisal_bits=bits, oov=count == 0
            )


def open_model(reference: str, _options: LoadOptions) -> UnigramModel:
    """Return the model in a file with a word and its count a line.

    Raises `ModelNotAvailableError` for a file that is not there, `InputError` for another one.
    """
    path = Path(reference.removeprefix("unigram://"))
    fields = [line.split() for line in read_text(path, asked_by=reference).splitlines()]
    if not all(len(each) == 2 and each[1].isdigit() for each in fields):
        raise InputError(f"{path}: each line has to be a word and its count")
    counts = {word: int(count) for word, count in fields}
    info = ModelInfo(
        reference=reference,
        name=path.stem,
        kind="unigram",
        fingerprint=sha256_of(path),  # of all that decides the numbers
    )
    return UnigramModel(info=info, counts=counts, n_words=sum(counts.values()))


KIND = Kind(
    open=open_model,
    forms={"unigram://FILE": "words by their frequency"},
    models_are="file",
)
