"""Models that have been opened before: what they are is told by their files, as these lie there.

A store finds what it has of a model by the model's description. To have that again, nothing need
be loaded: it lies in the user's cache, a file for each reference, place and set of options, and
holds as long as the model's files are what they were: small ones by their sums, others by size,
times and place on the disk, as in git's index; and with the same versions of all that has a say.
"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from pommel.errors import ModelError, PommelError, package_version
from pommel.files import own_path, sha256_of, write_text
from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, ScoredByIndex, SpansOfEach

_PACKAGES = ("pommel", "numpy", "torch", "transformers", "tokenizers", "kenlm")
_SMALL_BYTES = 1_048_576
# A file may be written again without a later time: some file systems' clocks tick once in two
# seconds. What has been written just now is not known by its times.
_YOUNG_NS = 2_000_000_000


@dataclass(eq=False)
class RememberedModel:
    """A model whose description, `info`, is remembered; it is opened when it has to answer.

    If it then is another one, the file of its `memory` is deleted, and `ModelError` raised: what
    has been found of the one must not be mixed with what the other answers.
    """

    info: ModelInfo
    kind: Kind
    options: LoadOptions
    memory: Path

    @classmethod
    def open(cls, kind: Kind, reference: str, options: LoadOptions) -> Model:
        """Return the model that a reference names, as it is remembered, or opened and remembered.

        Not remembered are models that are not on disk, on a device that would have to be looked
        for first, or where the cache cannot be written. Raises as `Kind.open` does.
        """
        seen, memory = "", Path()
        if kind.place and options.device != "auto" and (place := kind.place(reference, options)):
            # What a hub has of it is here by now, and the hub need not be asked again.
            options = replace(options, offline=True)
            with suppress(OSError, PommelError):
                # Which GPU of several it is, tells nothing of the model.
                device = options.device.partition(":")[0]
                same = replace(options, offline=False, pull_progress=None, device=device)
                memory = own_path("cache") / "models" / _sum(reference, place.resolve(), same)
                seen = _seen(place)
        with suppress(OSError, ValueError, TypeError):
            sealed, said = memory.read_text("utf-8").splitlines()
            if sealed == _sum(seen, said):
                info = ModelInfo.from_dict(json.loads(said))
                if ":" in options.device:
                    info = replace(info, device=options.device)
                return cls(info, kind, options, memory)
        model = kind.open(reference, options)
        if seen:
            said = json.dumps(asdict(model.info))
            with suppress(PommelError):
                write_text(memory, f"{_sum(seen, said)}\n{said}\n")
        return model

    @cached_property
    def _model(self) -> Model:
        model = self.kind.open(self.info.reference, self.options)
        if model.info.fingerprint != self.info.fingerprint:
            with suppress(OSError):
                self.memory.unlink()
            raise ModelError(
                f"{self.info.reference}: it is another model than its files' sizes and times say, "
                "and what was known of it is forgotten now; run it again"
            )
        self.info = model.info
        return model

    @property
    def in_float32(self) -> Callable[[], Model]:
        """The model's own way to be asked in float32; `AttributeError` where it has none."""
        return self._model.in_float32  # type: ignore[attr-defined,no-any-return]

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: SpansOfEach = None
    ) -> ScoredByIndex:
        """Return what the model answers; see `Model.score`."""
        return self._model.score(sentences, policy, spans)

    def work(
        self, sentences: Sequence[str], policy: Policy, spans: SpansOfEach = None
    ) -> tuple[int, int]:
        """Return what the model's own `work` does; nothing where it has none."""
        work = getattr(self._model, "work", None)
        found: tuple[int, int] = work(sentences, policy, spans) if work else (0, 0)
        return found


def _seen(place: Path) -> str:
    """Return what a file, or those in a folder, are known by now; "" if that need not tell them.

    Raises `OSError` and `InputError` for what cannot be read.
    """
    seen: list[object] = [package_version(name) for name in _PACKAGES]
    for path in sorted(each for each in (place, *place.glob("*")) if each.is_file()):
        status = path.stat()
        times = status.st_mtime_ns, status.st_ctime_ns
        if status.st_size <= _SMALL_BYTES:
            seen += path.name, sha256_of(path)
        elif max(times) + _YOUNG_NS > time.time_ns():
            return ""
        else:
            seen += path.name, status.st_size, status.st_ino, *times
    return repr(seen)


def _sum(*known: object) -> str:
    return hashlib.sha256(repr(known).encode()).hexdigest()
