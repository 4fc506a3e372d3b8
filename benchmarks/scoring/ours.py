"""pommel's side: suites through `run_suites`, sentences through `score`, the passes they take."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.scoring.variant import Bits, Variant
from benchmarks.scoring.workload import Work

from pommel.models.huggingface.model import HuggingFaceModel, open_folder
from pommel.models.model import LoadOptions, Policy, score_all
from pommel.models.neural.passes import Pass
from pommel.scoring import Choices
from pommel.scoring.run import run_suites
from pommel.surprisal import ScoredSentence

NAMED, EVERY = "pommel, named regions", "pommel, every region"
SETTLED = "pommel, named regions, verdicts float32"
DIFFERENT, WHOLE = "pommel, from the difference on", "pommel, whole sentences"


@dataclass(slots=True, kw_only=True)
class Recorder:
    """The passes that went through a network the last time that it was recorded."""

    network: Any
    passes: list[Pass] = field(default_factory=list)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Forget what has been recorded, and record what happens meanwhile."""
        logits = self.network.logits
        self.passes.clear()

        def recorded(a_pass: Pass) -> Any:
            self.passes.append(a_pass)
            return logits(a_pass)

        self.network.logits = recorded
        try:
            yield
        finally:
            del self.network.logits


def open_ours(folder: Path, *, device: str, dtype: str) -> HuggingFaceModel:
    """Return pommel's model of a folder."""
    options = LoadOptions(device=device, dtype=dtype, offline=True)
    model = open_folder(folder, reference=str(folder), name=folder.name, options=options)
    if not isinstance(model, HuggingFaceModel):
        raise TypeError(model)
    return model


def network_of(model: HuggingFaceModel) -> Any:
    """Return the network that a model's passes go through."""
    scorer: Any = model.scorer
    return scorer.engine.network


def suites_variant(
    model: HuggingFaceModel,
    policy: Policy,
    regions: Literal["needed", "all"],
    recorder: Recorder | None = None,
    *,
    verdicts: Literal["float32"] | None = None,
) -> Variant:
    """Return a run of all suites, from regions to results; a recorder gets its passes."""
    choices = Choices(policy=policy, regions=regions, verdicts=verdicts)

    def run(work: Work) -> list[ScoredSentence]:
        with recorder.recording() if recorder else nullcontext():
            runs = run_suites(model, work.suites, choices)
            items = [item for run in runs for item in run.surprisals.sentences]
        return [sentence for item in items for sentence in item]

    name, whole = (NAMED, EVERY) if regions == "needed" else (EVERY, "")
    name = SETTLED if verdicts else name
    return Variant(name=name, run=run, read=_read, compare_with=whole)


def sentences_variant(
    model: HuggingFaceModel, policy: Policy, *, whole: bool, recorder: Recorder | None = None
) -> Variant:
    """Return scoring of sentences, `whole` or from where the two of a pair begin to differ."""

    def run(work: Work) -> list[ScoredSentence]:
        with recorder.recording() if recorder else nullcontext():
            return score_all(model, work.sentences, policy, None if whole else work.spans)

    name, compare_with = (WHOLE, "") if whole else (DIFFERENT, WHOLE)
    return Variant(name=name, run=run, read=_read, compare_with=compare_with)


def _read(_work: Work, raw: Sequence[ScoredSentence]) -> Bits:
    return {
        index: [token.surprisal_bits for token in sentence.tokens if token.role == "text"]
        for index, sentence in enumerate(raw)
    }
