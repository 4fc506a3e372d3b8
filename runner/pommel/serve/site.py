"""What a server was started with, and what its pages answer beside values."""

import re
import threading
from dataclasses import field
from functools import cached_property
from pathlib import Path

from pommel.serve.desk import Desk
from pommel.serve.jobs import Jobs
from pommel.serve.live import Live
from pommel.serve.people import People
from pommel.serve.revisions import Drafts, Windows
from pommel.serve.shelf import Shelf
from pommel.serve.shown_board import ShownBoard
from pommel.serve.uploads import Proposals, Submissions
from pommel.values import frozen


@frozen(eq=False, slots=False)
class Site:
    """What a server shows and changes: a store; a board and a folder of suites, where there are.

    `models` are the references that it was started with: no others are opened.
    """

    store: Path
    people: People
    board: Path | None = None
    suites: Path | None = None
    models: tuple[str, ...] = ()
    # Held while a draft is saved among the suites.
    saving: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # Before two requests can ask for them at once, and get two of them.
        _ = (self.shelf, self.jobs, self.submissions, self.proposals)
        _ = (self.drafts, self.windows, self.live)

    @property
    def desk(self) -> Desk:
        """Where the server's own things lie."""
        return self.people.desk

    @cached_property
    def shelf(self) -> Shelf:
        """The store, to be read."""
        return Shelf(self.store)

    @cached_property
    def drafts(self) -> Drafts:
        """The suites that are being written."""
        return Drafts(desk=self.desk)

    @cached_property
    def windows(self) -> Windows:
        """Who has which draft open."""
        return Windows()

    @cached_property
    def live(self) -> Live:
        """The models, to be asked for one item."""
        return Live(self.store, self.models)

    @cached_property
    def shown_board(self) -> ShownBoard | None:
        """The board, to be looked at; None where there is none."""
        return ShownBoard(self.board) if self.board else None

    @cached_property
    def submissions(self) -> Submissions | None:
        """What is sent for the board; None where there is none."""
        board = self.shown_board
        return Submissions(self.desk, self.jobs, board) if board else None

    @cached_property
    def proposals(self) -> Proposals | None:
        """What is proposed for the folder of suites; None where there is none."""
        return Proposals(self.desk, self.jobs, self.suites) if self.suites else None

    @cached_property
    def jobs(self) -> Jobs:
        """What goes on beside requests."""
        return Jobs(desk=self.desk)

    def close(self) -> None:
        """End what goes on."""
        self.jobs.close()
        self.live.close()


@frozen
class Moved:
    """An answer that leads on: a browser goes to this address of ours, a program reads it."""

    to: str

    def __post_init__(self) -> None:
        if not is_local(self.to):
            raise ValueError(f"{self.to!r} is no address of this server")


@frozen
class Sent:
    """A file that came with a request."""

    name: str
    content: bytes


@frozen
class Download:
    """An answer that is a file; `media_type` is what HTTP calls its kind.

    One without a name is a part of a page: a browser does not ask where to put it.
    """

    name: str
    content: bytes
    media_type: str


@frozen
class Nothing:
    """A page that is asked nothing."""


def is_local(address: str) -> bool:
    """Return whether an address leads to this server whatever a browser makes of it.

    To browsers `\\` is `/`, of which two begin the name of a host, and tabs and ends of lines are
    nothing.
    """
    return re.fullmatch(r"/(?![/\\])[^\x00-\x1f\x7f]*", address) is not None
