"""How far a run is that has begun."""

from collections.abc import Sequence

from pommel.scoring.run_record import RunRecord
from pommel.store.database import Database
from pommel.store.many_rows import marks, pieces
from pommel.store.suite_documents import suite_of
from pommel.store.surprisal_cache import sentence_hash


def progress_of(database: Database, record: RunRecord) -> tuple[int, int]:
    """Return how many of the distinct sentences of a run's suite are scored, and how many it has.

    Sentences that another run had scored before count, too. Raises `StoreError` where only results
    are known.
    """
    suite = suite_of(database, record)
    texts = {each.text for row in suite.sentences() for each in row}
    hashes = [found for each in texts if (found := sentence_hash(each)) is not None]
    n_scored = sum(_n_scored(database, record.run_id, piece) for piece in pieces(hashes))
    return n_scored, len(texts)


def _n_scored(database: Database, run_id: str, hashes: Sequence[bytes]) -> int:
    ((n_scored,),) = database.rows(
        "SELECT count(*) FROM runs JOIN scored USING (model_id, policy_id) "  # noqa: S608 - marks
        f"JOIN sentences USING (sentence_id) WHERE run_id = ? AND hash IN ({marks(hashes)})",
        (run_id, *hashes),
    )
    return int(n_scored)
