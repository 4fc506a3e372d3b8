"""Made-up scores of the sentences of a permutation design."""

from collections.abc import Callable, Sequence

import numpy as np

from pommel.analysis.sentence_sets import SetScores, SetSentence
from pommel.sources.grammar.permutation.design import arrangements

CASES = ("nom", "acc", "dat")


def design_sentences(cases: Sequence[str] = CASES) -> tuple[SetSentence, ...]:
    """Return the sentences of a design in which each case may be doubled."""
    return tuple(
        SetSentence(
            name=each.name,
            is_grammatical=each.is_grammatical,
            kind=each.kind,
            order=tuple(cases[case] for case in each.cases),
            assignment=tuple(cases[case] for case in each.assignment),
        )
        for each in arrangements(cases, cases)
    )


def design_scores(*templates: Callable[[SetSentence], float], model: str = "m") -> SetScores:
    """Return scores that each template gives to the sentences."""
    sentences = design_sentences()
    return SetScores(
        model=model,
        suite="arguments",
        circuit="argument-structure",
        language="de",
        sentences=sentences,
        scores=np.array([[score(each) for each in sentences] for score in templates]),
    )


def pair_scores(rows: Sequence[Sequence[float]], names: str = "g u") -> SetScores:
    """Return scores of a suite without a design; names that begin with "g" are grammatical."""
    return SetScores(
        model="m",
        suite="pairs",
        circuit="",
        language="",
        sentences=tuple(
            SetSentence(name=name, is_grammatical=name.startswith("g")) for name in names.split()
        ),
        scores=np.array(rows, dtype=np.float64),
    )
