"""What a server was started with, and what its pages answer beside values."""

import re
import threading
from pathlib import Path

from pommel.serve.jobs import Jobs
from pommel.serve.live import Live
from pommel.serve.people import People
from pommel.serve.revisions import Drafts, Windows
from pommel.serve.shelf import Shelf
from pommel.serve.shown_board import ShownBoard
from pommel.serve.uploads import Proposals, Submissions
from pommel.values import frozen


class Site:
    """What a server shows and changes: a store; a board and a folder of suites, where there are.

    `models` are the references that it was started with: no others are opened. Of a part of it
    that is not there (`shown_board`, `submissions`, `proposals`), None stands for it.
    """

    def __init__(
        self,
        store: Path,
        people: People,
        *,
        board: Path | None = None,
        suites: Path | None = None,
        models: tuple[str, ...] = (),
    ) -> None:
        self.store, self.people, self.board, self.suites = store, people, board, suites
        self.models = models
        # Where the server's own things lie.
        self.desk = people.desk
        # What goes on beside requests.
        self.jobs = Jobs(desk=self.desk)
        # The store, to be read.
        self.shelf = Shelf(store)
        # The suites that are being written, and who has which of them open.
        self.drafts, self.windows = Drafts(desk=self.desk), Windows()
        # The models, to be asked for one item.
        self.live = Live(store, models)
        # The board, to be looked at, and what is sent for it; what is proposed for the folder.
        self.shown_board = ShownBoard(board) if board else None
        self.submissions = (
            Submissions(self.desk, self.jobs, self.shown_board) if self.shown_board else None
        )
        self.proposals = Proposals(self.desk, self.jobs, suites) if suites else None
        # Held while a draft is saved among the suites.
        self.saving = threading.Lock()

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
