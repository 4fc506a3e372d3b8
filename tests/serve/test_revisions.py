"""Drafts as they are kept: undo, redo, several people, and who is there."""

import contextlib
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.serve.test_drafts import changes, document, documents, done, told

from pommel.errors import StoreError
from pommel.serve import drafts
from pommel.serve.desk import Desk
from pommel.serve.drafts import Change, DraftError
from pommel.serve.revisions import Drafts, Windows
from pommel.serve.shelf import NotShownError


def kept_in(folder: Path) -> Drafts:
    return Drafts(desk=Desk.open(folder / "serve.sqlite"))


def text(place: str, written: str) -> Change:
    return Change(what="texts", places=(place,), texts=(written,))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_undo_after_any_changes_goes_back_over_the_same_documents(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = kept_in(Path(folder))
        draft_id = kept.begin(data.draw(documents()), by="A")
        seen = [kept.shown(draft_id)]
        for n in range(data.draw(st.integers(1, 5))):
            last = seen[-1]
            change = data.draw(changes(last.document))
            if done(last.document, change) is None:
                continue
            # Another person each time: what one types into one cell is one step back.
            outcome = kept.change(draft_id, last.revision, change, by=f"A{n}")
            assert outcome.clashes == ()
            if outcome.kept.revision != last.revision:
                seen.append(outcome.kept)
        for before in reversed(seen[:-1]):
            back = kept.undo(draft_id, kept.shown(draft_id).revision)
            assert told(back.document) == told(before.document)
        assert not kept.shown(draft_id).can_undo
        for after in seen[1:]:
            on = kept.redo(draft_id, kept.shown(draft_id).revision)
            assert told(on.document) == told(after.document)
        assert not kept.shown(draft_id).can_redo


@settings(max_examples=15, deadline=None)
@given(documents())
def test_a_draft_is_read_as_it_was_begun(value: drafts.Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        draft_id = kept_in(Path(folder)).begin(value, by="A")
        # Another server, which has nothing at hand.
        assert told(kept_in(Path(folder)).shown(draft_id).document) == told(value)


def test_what_is_typed_into_a_cell_is_one_step_back(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    revision = 1
    for written in ("T", "Th", "The"):
        revision = kept.change(draft_id, revision, text("c-0-0-1", written), by="A").kept.revision
    revision = kept.change(draft_id, revision, text("c-0-0-2", "cat"), by="A").kept.revision
    back = kept.undo(draft_id, revision)
    assert drafts.text_at(back.document, "c-0-0-1") == "The"
    back = kept.undo(draft_id, back.revision)
    assert back.document == document()
    assert not back.can_undo


def test_a_change_after_undo_leaves_what_was_undone_behind(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    one = kept.change(draft_id, 1, text("c-0-0-1", "one"), by="A").kept
    kept.undo(draft_id, one.revision)
    # Somebody whose page is of the revision that was undone has no other in mind.
    two = kept.change(draft_id, one.revision, text("c-0-0-2", "two"), by="B").kept
    assert drafts.text_at(two.document, "c-0-0-1") == "The dogs"
    assert two.revision > one.revision
    assert not two.can_redo
    assert kept.at(draft_id, one.revision) == one.document


def test_undo_of_a_draft_that_has_changed_does_nothing(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    kept.change(draft_id, 1, text("c-0-0-1", "theirs"), by="B")
    assert drafts.text_at(kept.undo(draft_id, 1).document, "c-0-0-1") == "theirs"


def test_people_who_change_cells_at_once_lose_nothing(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    cells = [f"c-{i}-{c}-{n}" for i in (0, 1) for c in (0, 1) for n in (1, 2)]

    def write(place: str) -> None:
        own = kept_in(tmp_path)
        for n in range(5):
            seen = own.shown(draft_id).revision
            own.change(draft_id, seen, text(place, f"{place} {n}"), by=place)

    threads = [threading.Thread(target=write, args=(each,)) for each in cells]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    value = kept.shown(draft_id).document
    assert {drafts.text_at(value, each) for each in cells} == {f"{each} 4" for each in cells}
    assert {*kept.people_since(draft_id, 1)} == {*cells}


def test_a_page_that_is_too_old_is_told(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    with pytest.raises(DraftError, match=r"^this page is too old: copy what you have written last"):
        kept.change(draft_id, 99, text("c-0-0-1", "x"), by="A")


def test_the_oldest_revisions_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommel.serve.revisions._MOST_REVISIONS", 3)
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    revision = 1
    for n in range(6):
        change = text(f"c-{n % 2}-0-1", f"text {n}")
        revision = kept.change(draft_id, revision, change, by="A").kept.revision
    with kept.desk.reading() as connection:
        (left,) = connection.execute("SELECT count(*) FROM revisions").fetchone()
    assert left == 3
    for _ in range(2):
        revision = kept.undo(draft_id, revision).revision
    oldest = kept.undo(draft_id, revision)
    assert drafts.text_at(oldest.document, "c-1-0-1") == "text 3"
    assert not oldest.can_undo
    with pytest.raises(DraftError, match=r"^this page is too old"):
        kept_in(tmp_path).change(draft_id, 1, text("c-0-0-1", "x"), by="A")


def test_drafts_are_listed_the_newest_first_and_thrown_away(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    one, two = (kept.begin(document(), by=name) for name in "AB")
    kept.change(one, 1, text("m-name", "renamed"), by="B")
    with sqlite3.connect(tmp_path / "serve.sqlite") as connection:
        connection.execute("UPDATE revisions SET changed = '2020' WHERE draft_id = ?", (two,))
    connection.close()
    listed = [
        (each.draft_id, each.title, each.created_by, each.changed_by) for each in kept.latest()
    ]
    assert listed == [(one, "renamed", "A", "B"), (two, "agreement", "B", "B")]
    kept.discard(one)
    with pytest.raises(NotShownError, match=r"^there is no such draft \(any more\)$"):
        kept.shown(one)
    assert kept_in(tmp_path).at(one, 1) is None


def test_what_is_computed_of_a_revision_is_computed_once(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    asked = []

    def compute(value: drafts.Document) -> int:
        asked.append(value)
        return len(asked)

    first = kept.shown(draft_id)
    assert [kept.once(first, compute), kept.once(first, compute)] == [1, 1]
    changed = kept.change(draft_id, 1, text("c-0-0-1", "x"), by="A").kept
    assert kept.once(changed, compute) == 2


def test_who_else_has_a_draft_open(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr("pommel.serve.revisions.time.monotonic", lambda: now_s)
    windows = Windows()
    assert windows.others("d", "1", "A") == []
    assert windows.others("d", "2", "B") == ["A"]
    assert windows.others("d", "3", "A") == ["A", "B"]
    assert windows.others("another", "4", "C") == []
    now_s = 129.0
    assert windows.others("d", "1", "A") == ["A", "B"]
    now_s = 131.0
    assert windows.others("d", "1", "A") == []


class FullDesk(Desk):
    """A desk whose disk is full when something is to be written for good."""

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with super().writing() as connection:
            yield connection
            raise StoreError("the disk is full")


def test_what_could_not_be_written_is_not_taken_for_what_is_written_next(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    draft_id = kept.begin(document(), by="A")
    with pytest.raises(StoreError, match="full"):
        replace(kept, desk=FullDesk(path=kept.desk.path)).change(
            draft_id, 1, text("c-0-0-1", "lost"), by="A"
        )
    assert kept.shown(draft_id).revision == 1
    after = kept.change(draft_id, 1, text("c-0-0-1", "there"), by="A").kept
    assert drafts.text_at(after.document, "c-0-0-1") == "there"
    assert kept.shown(draft_id).document == after.document
