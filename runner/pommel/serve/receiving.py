"""The pages of what is sent: submissions and suites, what checks say of them, a keeper's queue."""

from dataclasses import replace
from typing import Annotated

import msgspec

from pommel.errors import UsageError
from pommel.serve.jobs import Job, Task
from pommel.serve.people import Person
from pommel.serve.shelf import NotShownError
from pommel.serve.site import Moved, Nothing, Sent
from pommel.serve.uploads import Inbox, Submissions, Upload
from pommel.values import frozen

# So long a sender waits before a page comes that says that the check goes on.
_SECONDS_WAITED = 4.0
_NO_FILE = Sent(name="", content=b"")


def _may_see(upload: Upload, person: Person) -> bool:
    """Return whether somebody may see it: who has sent it, and who decides."""
    is_own = person.may("upload") and bool(person.name) and person.name == upload.sent_by
    return is_own or person.may("keep")


@frozen
class OwnShown:
    """What whoever asks has sent, the latest first; the page has a form to send more."""

    sent: list[Upload]


def submit(inbox: Submissions, _asked: Nothing, *, person: Person) -> OwnShown:
    """How to submit to the board, and a form for that."""
    return OwnShown(sent=inbox.sent_by(person.name) if person.may("upload") else [])


@frozen
class SubmissionAsked:
    """A submission: the file that `pommel submit` has written."""

    submission: Sent = _NO_FILE


def send(inbox: Submissions, asked: SubmissionAsked, *, person: Person) -> Moved:
    """Send a submission: it is checked at once, and waits for a keeper."""
    sent = asked.submission
    return _sent(inbox, inbox.send(sent.name, sent.content, by=person.name))


def propose(inbox: Inbox, _asked: Nothing, *, person: Person) -> OwnShown:
    """A form for proposing a suite."""
    return OwnShown(sent=inbox.sent_by(person.name))


@frozen
class ProposalAsked:
    """A suite, JSON or CSV, and some words for its card: what it tests, and whose design it is."""

    suite: Sent = _NO_FILE
    words: str = ""


def propose_suite(inbox: Inbox, asked: ProposalAsked, *, person: Person) -> Moved:
    """Propose a suite: it is checked at once, and waits for a keeper."""
    sent = asked.suite
    if not asked.words.strip():
        raise UsageError("say in a few words what the suite tests, and whose design it is")
    sent_as = inbox.send(sent.name, sent.content, by=person.name, words=asked.words)
    return _sent(inbox, sent_as)


def _sent(inbox: Inbox, upload_id: str) -> Moved:
    inbox.wait(upload_id, _SECONDS_WAITED)
    return Moved(to=f"{inbox.root}/uploads/{upload_id}")


@frozen
class UploadShown:
    """What became of something that was sent; `submission_id` is what it is on the board."""

    root: str
    noun: str
    upload: Upload
    submission_id: str


def upload(inbox: Inbox, _asked: Nothing, upload_id: str, *, person: Person) -> UploadShown:
    """What became of something that was sent: what its check says, and what was decided."""
    found = inbox.upload(upload_id)
    if not _may_see(found, person):
        # Whether there is one is nobody else's business.
        raise NotShownError(f"there is no such {inbox.noun}")
    if not person.may("keep"):
        # It has paths of this machine.
        found = replace(found, found=replace(found.found, log=""))
    known = found.found.id if found.status == "accepted" else ""
    return UploadShown(root=inbox.root, noun=inbox.noun, upload=found, submission_id=known)


@frozen
class QueueShown:
    """What waits for a keeper, the oldest first, and what was decided last.

    `jobs` are those in which models have scored submissions again, the newest first.
    """

    root: str
    noun: str
    waiting: list[Upload]
    decided: list[Upload]
    jobs: list[Job]


def queue(inbox: Inbox, _asked: Nothing) -> QueueShown:
    """What waits for a keeper."""
    jobs = inbox.jobs.latest() if isinstance(inbox, Submissions) else []
    return QueueShown(
        root=inbox.root,
        noun=inbox.noun,
        waiting=inbox.waiting(),
        decided=inbox.decided(),
        jobs=[
            each
            for each in jobs
            if each.kind == "verify" and each.about.get("board") == str(inbox.place)
        ],
    )


@frozen
class AcceptAsked:
    """Whether what is accepted takes the place of those that its check names."""

    supersede: bool = False


def accept(inbox: Inbox, asked: AcceptAsked, upload_id: str, *, person: Person) -> Moved:
    """Accept what waits."""
    inbox.accept(upload_id, by=person.name, replaces=asked.supersede)
    return Moved(to=f"{inbox.root}/uploads/{upload_id}")


@frozen
class ReasonAsked:
    """Why: one line, which whoever has sent it reads; of what is withdrawn, everybody."""

    reason: str = ""


def refuse(inbox: Inbox, asked: ReasonAsked, upload_id: str, *, person: Person) -> Moved:
    """Refuse what waits, with a reason."""
    inbox.refuse(upload_id, by=person.name, reason=asked.reason.strip())
    return Moved(to=f"{inbox.root}/uploads/{upload_id}")


def withdraw(
    inbox: Submissions, asked: ReasonAsked, submission_id: str, *, person: Person
) -> Moved:
    """Take a submission off the ranking for good, with a reason."""
    inbox.withdraw(submission_id, reason=asked.reason.strip(), by=person.name)
    return Moved(to=f"/board/submissions/{submission_id}")


@frozen
class VerifyAsked:
    """Which submission is scored again, "" for all that are ranked, and how many sentences."""

    submission_id: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{16})?$")] = ""
    sample: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 50


def verify(inbox: Submissions, asked: VerifyAsked, *, person: Person) -> Moved:
    """Have models score a sample of sentences again, as `pommel leaderboard verify --rerun`."""
    own = [asked.submission_id] if asked.submission_id else []
    if own and own[0] not in inbox.board.ledger.submissions:
        raise NotShownError("there is no such submission on this board")
    options = ["--rerun", f"--sample={asked.sample}", f"--by={person.name}"]
    task = Task(
        kind="verify",
        title=f"Scoring {own[0] if own else 'all submissions'} again",
        arguments=["leaderboard", "verify", str(inbox.place), *own, *options],
        about={
            "board": str(inbox.place),
            "results": f"/board/submissions/{own[0]}" if own else "/board",
        },
    )
    return Moved(to=f"/jobs/{inbox.jobs.begin(task, by=person.name)}")
