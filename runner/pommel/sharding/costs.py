"""What models cost on suites: how long loading and scoring may take, and how much memory.

Nothing is loaded for it. Where nothing has been measured, the time follows from what there is to
compute and from rough speeds, which is enough to cut it into equal parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pommel.errors import counted
from pommel.files import sha256_of
from pommel.models import LoadOptions, NamedModel
from pommel.sharding.cutting import Work
from pommel.suite import Suite
from pommel.values import frozen

# Weights times nodes of prefix trees, a second: those of a processor, and of a GPU.
_SPEED, _GPU_SPEED = 1e10, 1e13
_START_SECONDS, _BYTES_A_SECOND = 2.0, 5e8
_ASSUMED = (
    f"times are guesses: {_START_SECONDS:g} s and {_BYTES_A_SECOND / 1e6:g} MB a second for "
    f"loading, {_SPEED:g} weights x nodes a second on a processor, {_GPU_SPEED:g} on a GPU"
)
# What a node costs at least, as if it were weights; and a model of which nobody can tell.
_LEAST_WEIGHTS, _UNKNOWN_WEIGHTS = 1_000_000, 100_000_000
# What scoring may take beside the weights.
_SCORING_BYTES = 1 << 30


@frozen(eq=False)
class Costs:
    """Models on suites, and what each costs.

    `models` are as certain as can be. `computed` (models x suites) is weights times nodes, `memory`
    (models,) bytes. In it and in `work`, suites stand in their `order`, in which those that
    share sentences follow each other. `notes` say what is not certain; `unsized` are the places of
    the models whose size nobody knows, so that their costs are a guess.
    """

    models: tuple[NamedModel, ...]
    suites: Mapping[Path, Suite]
    options: LoadOptions
    order: tuple[int, ...]
    computed: NDArray[np.float64]
    memory: tuple[int, ...]
    work: Work
    notes: tuple[str, ...]
    unsized: frozenset[int]

    @classmethod
    def of(
        cls,
        models: Sequence[NamedModel],
        suites: Mapping[Path, Suite],
        options: LoadOptions,
        measured: Mapping[str, tuple[float, float]] | None = None,
    ) -> Self:
        """Return what models cost on suites, which were read from these files.

        `measured` are seconds, by the references of models: of a loading, and of one weight times
        one node (`Status.measured`). Raises as `NamedModel.outline` does.
        """
        outlines, asked = [], options
        for model in models:
            outlines.append(model.outline(asked))
            if not outlines[-1].is_pinned:
                # The hub does not answer, and is not asked a thousand times.
                asked = replace(options, offline=True)
        texts = [
            [*dict.fromkeys(each.text for row in suite.sentences() for each in row)]
            for suite in suites.values()
        ]
        order = _neighbours(texts)
        known: dict[object, list[float]] = {}
        content = cache(sha256_of)
        nodes = []
        for each in outlines:
            key = (each.tokenizer and content(each.tokenizer.resolve()), each.is_masked)
            if key not in known:
                known[key] = [each.n_nodes(texts[place]) for place in order]
            nodes.append(known[key])
        sizes = [each.n_parameters for each in outlines]
        weights = [_UNKNOWN_WEIGHTS if n is None else max(n, _LEAST_WEIGHTS) for n in sizes]
        computed = np.array(nodes) * np.array(weights)[:, None]
        took = [(measured or {}).get(each.reference) for each in outlines]
        usual = 1 / (_SPEED if options.device == "cpu" else _GPU_SPEED)
        usual = median([each[1] for each in took if each] or [usual])
        loading = [_START_SECONDS + each.n_bytes / _BYTES_A_SECOND for each in outlines]
        loading = [own[0] if own else guess for own, guess in zip(took, loading, strict=True)]
        rates = [own[1] if own else usual for own in took]
        n_bytes = 4 if options.dtype == "float32" else 2
        doubts = {
            "no commit could be told of {}: what they name may change": [
                not each.is_pinned for each in outlines
            ],
            "no tokenizer at hand of {}: 1.3 tokens for each word": [
                not (each.tokenizer or each.n_parameters == 0) for each in outlines
            ],
            "size unknown of {}: taken for 100 million weights": [n is None for n in sizes],
        }
        notes = [doubt.format(counted(sum(of), "model")) for doubt, of in doubts.items() if any(of)]
        return cls(
            models=tuple(
                replace(model, reference=each.reference)
                for model, each in zip(models, outlines, strict=True)
            ),
            suites=suites,
            options=options,
            order=order,
            computed=computed,
            memory=tuple(
                _SCORING_BYTES + ((each.n_parameters or 0) * n_bytes or each.n_bytes)
                for each in outlines
            ),
            work=Work(loading=np.array(loading), scoring=computed * np.array(rates)[:, None]),
            notes=(*notes, *(() if any(took) else (_ASSUMED,))),
            unsized=frozenset(place for place, n in enumerate(sizes) if n is None),
        )


def _neighbours(texts: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the places of suites so that each comes behind the first that it shares with."""
    first: dict[str, int] = {}
    groups = []
    for place, own in enumerate(texts):
        groups.append(min((first[text] for text in own if text in first), default=place))
        for text in own:
            first.setdefault(text, groups[place])
    return tuple(sorted(range(len(texts)), key=lambda place: groups[place]))
