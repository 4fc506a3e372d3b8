"""One store, several processes at once."""

import signal
import time
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.store.store_samples import cache_of, ended, filled, found_in, numbered, started

from pommel.store.database import Database

# Keeps 40 batches of 50, beginning at a batch of its own; the numbers tell who was first.
WRITING = """
first, bits = int(sys.argv[2]), float(sys.argv[3])
sys.stdin.readline()
with Database.open(path) as database:
    cache, key = cache_of(database)
    theirs = 0
    for n in range(40):
        plain = numbered(50, (first + n) % 40 * 50)
        batch = [words_scored(each.text, *[bits] * 7) for each in plain]
        before = cache.keep(key, batch)
        now = cache.known(key, [each.text for each in batch])
        assert len(now) == 50
        assert before.items() <= now.items()
        assert all(now[each.text] == each for each in batch if each.text not in before)
        theirs += len(before)
    print(theirs)
"""


def test_two_writers_keep_every_sentence_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    # One begins where the other is half-way, and each comes to what the other has done.
    writers = [started(WRITING, str(path), *arguments) for arguments in (("0", "1"), ("20", "2"))]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    n_theirs = [int(ended(writer)) for writer in writers]
    # What one did not keep the other had kept: nothing twice, nothing lost.
    assert sum(n_theirs) == 2000
    found = found_in(path, numbered(2000))
    assert len(found) == 2000
    by = [next(iter({token.surprisal_bits for token in each.tokens})) for each in found.values()]
    assert (by.count(1.0), by.count(2.0)) == (2000 - n_theirs[0], 2000 - n_theirs[1])
    with Database.open(path) as database:
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
        assert database.rows("SELECT count(*) FROM sentences") == [(2000,)]
        assert database.rows("SELECT count(*) FROM models") == [(1,)]
        assert database.rows("SELECT count(*) FROM sessions") == [(2,)]


def test_a_reader_sees_whole_batches_while_another_writes(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 0)
    writer = started(WRITING, str(path), "0", "1")
    assert writer.stdin is not None
    texts = [each.text for each in numbered(2000)]
    seen = [0]
    with Database.open(path) as database:
        cache, key = cache_of(database)
        writer.stdin.write("go\n")
        writer.stdin.flush()
        is_writing = True
        while is_writing:
            # Once more when it has ended: on a busy machine it may be quicker than the reader.
            is_writing = writer.poll() is None
            # One query, so that it is of one moment.
            seen.append(database.rows("SELECT count(*) FROM scored")[0][0])
        assert len(cache.known(key, texts)) == 2000
    ended(writer)
    assert all(n % 50 == 0 for n in seen)
    assert seen == sorted(seen)
    assert len(set(seen)) > 1


# Runs a model whose numbers tell who scored first; keeps more often than once a second.
RUNNING = """
from pommel.models import NamedModel
from pommel.scoring import RunRecord
from pommel.store import Store, store as kept_runs
from tests.builders import make_suite
from tests.word_model import WordModel

kept_runs.MOST_SECONDS = 0.002
formula = "(2;%a%) < (2;%b%)"
suites = [
    make_suite(
        [{"a": (f"Cat {n + i}", "purrs"), "b": (f"Cat {n + i}", "purr")} for i in range(9)],
        [formula],
        name=f"cats {n}",
    )
    for n in range(0, 100, 5)
]
model = WordModel(bits={"purrs": float(sys.argv[2])})
sys.stdin.readline()
with Store.open(path) as store:
    named = NamedModel(reference="toy://words")
    runs = [*kept_runs.run_and_keep(named, model, suites, store=store)]
    for run in runs:
        print(run.result.suite_name, *run.result.predictions[0].margin_bits.tolist())
        again = store.runs.run(RunRecord.of(run).run_id)
        assert again.to_frame("predictions").equals(run.to_frame("predictions"))
        assert again.to_frame("tokens").equals(run.to_frame("tokens"))
"""


def test_four_processes_on_one_model_come_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 0)
    running = [started(RUNNING, str(path), str(bits)) for bits in range(4)]
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    printed = {ended(each) for each in running}
    # Each run rests on the numbers of whoever was first, sentence by sentence.
    assert len(printed) == 1
    margins = {margin for line in printed.pop().splitlines() for margin in line.split()[2:]}
    assert margins <= {str(4.0 - bits) for bits in range(4)}
    with Database.open(path) as database:
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
        assert database.rows("SELECT status, count(*) FROM runs GROUP BY 1") == [("complete", 20)]
        # Who was second has written nothing of it.
        assert database.rows("SELECT count(*) FROM scored") == [(2 * 104,)]


# Has the store locked, with a row of its own that is not kept yet, until it is killed.
LOCKING = """
with Database.open(path) as database, database.transaction() as connection:
    connection.execute("INSERT INTO sentences (hash, text) VALUES (x'00', 'theirs')")
    print("locked", flush=True)
    sys.stdin.readline()
"""


@POSIX_ONLY
@pytest.mark.parametrize("killed", ["who has it", "who waits"])
def test_one_is_killed_while_another_waits_for_the_store(tmp_path: Path, killed: str) -> None:
    path = tmp_path / "store"
    filled(path, 100)
    holder = started(LOCKING, str(path))
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    waiter = started(
        "with Database.open(path) as database:\n    cache, key = cache_of(database)\n"
        "    print('waits', flush=True)\n    cache.keep(key, numbered(150))",
        str(path),
    )
    assert waiter.stdout is not None
    assert waiter.stdout.readline() == "waits\n"
    time.sleep(0.3)
    assert waiter.poll() is None
    (holder if killed == "who has it" else waiter).kill()
    if killed == "who waits":
        assert waiter.wait(60) == -signal.SIGKILL
        ended(holder, "go on\n")
    else:
        ended(waiter)
        assert holder.wait(60) == -signal.SIGKILL
    with Database.open(path) as database:
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
        ((n_theirs,),) = database.rows("SELECT count(*) FROM sentences WHERE text = 'theirs'")
        ((n_scored,),) = database.rows("SELECT count(*) FROM scored")
    assert (n_theirs, n_scored) == ((0, 150) if killed == "who has it" else (1, 100))
    for each in (holder, waiter):
        for pipe in (each.stdin, each.stdout, each.stderr):
            assert pipe is not None
            pipe.close()
