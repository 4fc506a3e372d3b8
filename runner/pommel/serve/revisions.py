"""Drafts as the server keeps them: every change is a revision, and undo goes from one to another.

Nothing that was written is lost by a change, by undo, or by two people at once: a revision stays
what it is, and says which one it was made of.
"""

import datetime as dt
import time
import zlib
from collections.abc import Callable
from dataclasses import field
from pathlib import PurePath
from sqlite3 import Connection
from threading import Lock
from typing import TypeVar, cast

from pommel.files import JsonDocument
from pommel.serve import drafts
from pommel.serve.desk import Desk, new_id, now
from pommel.serve.drafts import Change, Clash, Document, DraftError, merged
from pommel.serve.recent import Recent
from pommel.serve.shelf import NotShownError
from pommel.values import frozen

_Computed = TypeVar("_Computed")

# What is typed into one cell without so long a pause is one step back.
_A_STEP = dt.timedelta(seconds=5)
# Of a draft so many revisions are kept.
_MOST_REVISIONS = 1_000
# Documents of a thousand items take ten megabytes each; what is computed of them takes little.
_MOST_AT_HAND, _MOST_COMPUTED = 8, 64
_MOST_LISTED = 200


@frozen
class Draft:
    """A draft as it is now: which revision, of which document, and what else is known of it.

    `file` is its name in the folder of suites, "" before it was saved there, and `saved_sha256`
    that of the file's content then; of both where it was being saved when the server ended.
    """

    draft_id: str
    revision: int
    document: Document = field(repr=False)
    file: str
    saved_sha256: str
    changed_by: str
    can_undo: bool = False
    can_redo: bool = False

    @property
    def stem(self) -> str:
        """What its file is called, or could be, without an ending."""
        return PurePath(self.file).stem or drafts.file_stem(_title(self.document))


@frozen
class ListedDraft:
    """A draft in a list."""

    draft_id: str
    title: str
    file: str
    created_by: str
    changed: str
    changed_by: str


@frozen
class Outcome:
    """What came of a change: the draft after it, and what was not done since others were first.

    `before` is the document that others may have made meanwhile, `rested_on` the one that the
    change rests on, and `by` who has changed it since.
    """

    kept: Draft
    by: tuple[str, ...]
    before: Document = field(repr=False)
    rested_on: Document = field(repr=False)
    clashes: tuple[Clash, ...] = ()


@frozen(eq=False)
class Drafts:
    """The drafts of a desk."""

    desk: Desk
    # Documents by draft and revision, which never change.
    _at_hand: Recent[tuple[str, int], Document | None] = field(
        default_factory=lambda: Recent(_MOST_AT_HAND)
    )
    # What was computed of them, by that and by what computes it.
    _computed: Recent[tuple[object, str, int], object] = field(
        default_factory=lambda: Recent(_MOST_COMPUTED)
    )

    def once(self, kept: Draft, compute: Callable[[Document], _Computed]) -> _Computed:
        """Return what is computed of a draft's document alone, which is costly and asked again."""
        key = compute, kept.draft_id, kept.revision
        return cast("_Computed", self._computed.get(key, lambda: compute(kept.document)))

    def begin(self, document: Document, *, by: str, file: str = "", saved_sha256: str = "") -> str:
        """Begin a draft, and return its id."""
        draft_id = new_id()
        with self.desk.writing() as connection:
            connection.execute(
                "INSERT INTO drafts (draft_id, revision, title, created, created_by, file, "
                "saved_sha256) VALUES (?, 1, ?, ?, ?, ?, ?)",
                (draft_id, _title(document), now(), by, file, saved_sha256),
            )
            self._insert(connection, (draft_id, 1, None), document, ("", by))
        return draft_id

    def latest(self, n: int = _MOST_LISTED) -> list[ListedDraft]:
        """Return the drafts that were changed last, the newest first."""
        with self.desk.reading() as connection:
            rows = connection.execute(
                "SELECT draft_id, title, coalesce(file, '') AS file, created_by, changed, "
                "changed_by FROM drafts JOIN revisions USING (draft_id, revision) "
                "ORDER BY changed DESC, draft_id LIMIT ?",
                (n,),
            ).fetchall()
        return [ListedDraft(**row) for row in rows]

    def shown(self, draft_id: str) -> Draft:
        """Return a draft as it is now; raises `NotShownError` for one that is not there."""
        with self.desk.reading() as connection:
            return self._shown(connection, draft_id)

    def at(self, draft_id: str, revision: int) -> Document | None:
        """Return what a draft was at a revision, None for one that is not kept any more."""
        with self.desk.reading() as connection:
            return self._document(connection, draft_id, revision)

    def people_since(self, draft_id: str, revision: int) -> list[str]:
        """Return who has changed a draft since a revision, each once."""
        with self.desk.reading() as connection:
            return self._people_since(connection, draft_id, revision)

    def _people_since(self, connection: Connection, draft_id: str, revision: int) -> list[str]:
        rows = connection.execute(
            "SELECT DISTINCT changed_by FROM revisions WHERE draft_id = ? AND revision > ?",
            (draft_id, revision),
        ).fetchall()
        return [name for (name,) in rows]

    def change(self, draft_id: str, rests_on: int, change: Change, *, by: str) -> Outcome:
        """Change a draft, as somebody has seen it at the revision `rests_on`.

        What others have changed since stays, and is told where it clashes. Raises `DraftError` for
        what cannot be done.
        """
        with self.desk.writing() as connection:
            kept = self._shown(connection, draft_id)
            base = self._document(connection, draft_id, rests_on)
            if base is None:
                raise DraftError(
                    "this page is too old: copy what you have written last, and load it again"
                )
            found = merged(base, kept.document, change)
            others = self._people_since(connection, draft_id, rests_on)
            if found.document != kept.document:
                self._add(connection, kept, found.document, change, by)
            after = self._shown(connection, draft_id)
        self._at_hand.put((draft_id, after.revision), after.document)
        return Outcome(
            kept=after,
            by=tuple(others),
            before=kept.document,
            rested_on=base,
            clashes=found.clashes,
        )

    def undo(self, draft_id: str, rests_on: int) -> Draft:
        """Go back to before the last change, if the draft is as it was at `rests_on`."""
        return self._go(
            draft_id,
            rests_on,
            "SELECT parent FROM revisions WHERE draft_id = :draft AND revision = :revision "
            "AND parent IN (SELECT revision FROM revisions WHERE draft_id = :draft)",
        )

    def redo(self, draft_id: str, rests_on: int) -> Draft:
        """Do again what was undone last, if the draft is as it was at `rests_on`."""
        return self._go(
            draft_id,
            rests_on,
            "SELECT max(revision) FROM revisions WHERE draft_id = :draft AND parent = :revision",
        )

    def saved(self, draft_id: str, file: str, sha256: str) -> None:
        """Note in which file a draft was saved, and that file's SHA-256."""
        with self.desk.writing() as connection:
            connection.execute(
                "UPDATE drafts SET file = ?, saved_sha256 = ? WHERE draft_id = ?",
                (file, sha256, draft_id),
            )

    def discard(self, draft_id: str) -> None:
        """Delete a draft with all its revisions."""
        with self.desk.writing() as connection:
            self._shown(connection, draft_id)
            connection.execute("DELETE FROM drafts WHERE draft_id = ?", (draft_id,))

    def _go(self, draft_id: str, rests_on: int, where: str) -> Draft:
        with self.desk.writing() as connection:
            kept = self._shown(connection, draft_id)
            if kept.revision != rests_on:
                return kept
            row = connection.execute(
                where, {"draft": draft_id, "revision": kept.revision}
            ).fetchone()
            if row and row[0] is not None:
                document = self._document(connection, draft_id, row[0])
                connection.execute(
                    "UPDATE drafts SET revision = ?, title = ? WHERE draft_id = ?",
                    (row[0], _title(document or {}), draft_id),
                )
            return self._shown(connection, draft_id)

    def _shown(self, connection: Connection, draft_id: str) -> Draft:
        row = connection.execute(
            "SELECT draft_id, revision, coalesce(file, '') AS file, "
            "coalesce(saved_sha256, '') AS saved_sha256, changed_by, "
            "coalesce(parent IN (SELECT revision FROM revisions "
            "WHERE draft_id = drafts.draft_id), 0) AS can_undo, "
            "EXISTS (SELECT 1 FROM revisions AS child WHERE child.draft_id = drafts.draft_id "
            "AND child.parent = drafts.revision) AS can_redo "
            "FROM drafts JOIN revisions USING (draft_id, revision) WHERE draft_id = ?",
            (draft_id,),
        ).fetchone()
        document = row and self._document(connection, draft_id, row["revision"])
        if document is None:
            raise NotShownError("there is no such draft (any more)")
        can = {name: bool(row[name]) for name in ("can_undo", "can_redo")}
        return Draft(**{**row, **can, "document": document})

    def _add(
        self, connection: Connection, kept: Draft, document: Document, change: Change, by: str
    ) -> None:
        (last,) = connection.execute(
            "SELECT max(revision) FROM revisions WHERE draft_id = ?", (kept.draft_id,)
        ).fetchone()
        said = f"{change.what} {' '.join(change.places)}"
        is_one_cell = change.what == "texts" and len(change.places) == 1
        parent = kept.revision
        if is_one_cell and last == kept.revision:
            # A word that is typed letter by letter is one step back.
            row = connection.execute(
                "SELECT parent FROM revisions WHERE draft_id = ? AND revision = ? AND said = ? "
                "AND changed_by = ? AND changed >= ?",
                (kept.draft_id, kept.revision, said, by, now(-_A_STEP)),
            ).fetchone()
            parent = row[0] if row else parent
        own = (kept.draft_id, last + 1, parent)
        self._insert(connection, own, document, (said, by))
        connection.execute(
            "UPDATE drafts SET revision = ?, title = ? WHERE draft_id = ?",
            (last + 1, _title(document), kept.draft_id),
        )
        connection.execute(
            "DELETE FROM revisions WHERE draft_id = ? AND revision <= ?",
            (kept.draft_id, last + 1 - _MOST_REVISIONS),
        )

    def _insert(
        self,
        connection: Connection,
        own: tuple[str, int, int | None],
        document: Document,
        about: tuple[str, str],
    ) -> None:
        said, by = about
        packed = zlib.compress(JsonDocument.encoded(document), 1)
        connection.execute(
            "INSERT INTO revisions (draft_id, revision, parent, document, said, changed, "
            "changed_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*own, packed, said, now(), by),
        )

    def _document(self, connection: Connection, draft_id: str, revision: int) -> Document | None:
        key = draft_id, revision

        def read() -> Document | None:
            row = connection.execute(
                "SELECT document FROM revisions WHERE draft_id = ? AND revision = ?", key
            ).fetchone()
            if row is None:
                return None
            text = zlib.decompress(row[0]).decode()
            document: Document = JsonDocument.parse(text, file="the draft").value
            return document

        # What this connection has written is not kept yet: the disk may be full.
        return read() if connection.total_changes else self._at_hand.get(key, read)


def _title(document: Document) -> str:
    return str(document.get("meta", {}).get("name", ""))


# Who has not been heard of for so long has closed the window.
_SECONDS_SEEN = 30.0


@frozen(eq=False)
class Windows:
    """The windows in which drafts are open, by draft: whose each is, and when it was last heard."""

    _seen: dict[str, dict[str, tuple[str, float]]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def others(self, draft_id: str, window: str, name: str) -> list[str]:
        """Note that somebody's window shows a draft; return who else has it open, sorted.

        A name stands there as often as it has windows.
        """
        now_s = time.monotonic()
        with self._lock:
            own = self._seen.setdefault(draft_id, {})
            if window:
                own[window] = name, now_s
            for each in [key for key, (_, s) in own.items() if now_s - s > _SECONDS_SEEN]:
                del own[each]
            return sorted(who for key, (who, _) in own.items() if key != window)
