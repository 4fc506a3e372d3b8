"""Runs of which little is held: results and tokens are read when they are looked at."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import StoreError
from pommel.scoring import Run, RunRecord, SuiteSurprisals
from pommel.store.surprisal_cache import decode_tokens, encode_tokens
from pommel.suite import Suite
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.store.store import Store


def late_run(record: RunRecord, suite: Suite, file: Path) -> Run:
    """Return a run that is in the file of a store, without its tokens."""
    return RunRecord.late(lambda: record, partial(_read, file.absolute(), suite))


def late_runs(made: Sequence[Run], store: "Store | None") -> list[Run]:
    """Return the runs that a model has just made, of which the store, if there is one, has all.

    Without a store their results are held, and their tokens packed.
    """
    records = [RunRecord.of(run) for run in made]
    run_ids = tuple(each.run_id for each in records)
    there = _Stored(file=store.path.absolute(), run_ids=run_ids) if store else None
    return [_late(run, record, there) for run, record in zip(made, records, strict=True)]


def _late(run: Run, record: RunRecord, there: "_Stored | None") -> Run:
    own = run.surprisals
    notes = [each.removeprefix(run.result.model_name) for each in run.notes()]
    if there:
        find = partial(there.find, record.run_id)
        return RunRecord.late(find, partial(_read, there.file, own.suite), notes)
    packed = {each.text: encode_tokens(each) for row in own.sentences for each in row}
    return RunRecord.late(lambda: record, partial(_unpacked, packed, own.suite), notes)


@frozen(eq=False)
class _Stored:
    """Runs that are in the file of a store, and are looked up together."""

    file: Path
    run_ids: tuple[str, ...]

    def find(self, run_id: str) -> RunRecord:
        """Return the record of a run as it is there by then; raises `StoreError` without it."""
        if found := _records(self).get(run_id):
            return found
        raise StoreError(f"{self.file}: run {run_id} is no longer there; run the model again")


# Whoever looks at a run looks at those beside it.
@lru_cache(maxsize=4)
def _records(there: _Stored) -> Mapping[str, RunRecord]:
    with _opened(there.file) as store:
        return {each.run_id: each for each in store.runs.records_of(there.run_ids)}


def _read(file: Path, suite: Suite, record: RunRecord) -> SuiteSurprisals:
    with _opened(file) as store:
        return store.runs.surprisals(record, suite)


def _opened(file: Path) -> "Store":
    # What a store has can be a late run.
    from pommel.store.store import Store

    return Store.open(file, read_only=True)


def _unpacked(packed: Mapping[str, bytes], suite: Suite, record: RunRecord) -> SuiteSurprisals:
    sentences = {text: decode_tokens(text, tokens) for text, tokens in packed.items()}
    return record.surprisals(record.needed(suite), sentences | record.failed)
