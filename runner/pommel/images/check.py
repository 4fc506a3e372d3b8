"""What a check of an image is, and what comes out of one."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pommel.errors import PommelError, printable
from pommel.images.subject import Skipped, Subject

Status = Literal["ok", "failed", "warning", "skipped"]

# Surprisals that differ by less are the same: they are printed with six decimals.
SAME_BITS = 1e-3

_LONGEST = 2000


class Failed(Exception):  # noqa: N818 - it is what a check says, and no error of ours
    """The image does not do what a check wants; the message says what it does instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that an image has to do.

    `shows` says what, `mend` what an author does about it. `run` returns a remark (it may be
    empty), or raises `Failed`, `Skipped`, or any error that is meant for the user. What fails
    while `only_warns` is a warning: the image can be used all the same.
    """

    name: str
    shows: str
    mend: str
    run: Callable[[Subject], str]
    only_warns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What came out of a check: a message that says why, and what to do if it has failed."""

    name: str
    shows: str
    status: Status
    message: str
    mend: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        return {
            "name": self.name,
            "shows": self.shows,
            "status": self.status,
            "message": self.message,
            "mend": self.mend,
            "seconds": round(self.seconds, 3),
        }


def run_check(check: Check, subject: Subject) -> CheckResult:
    """Run a check; whatever is wrong with the image is in the result."""
    started = time.monotonic()
    status: Status = "ok"
    mend = check.mend
    try:
        message = check.run(subject)
    except Skipped as skipped:
        status, message = "skipped", str(skipped)
    except (Failed, PommelError) as error:
        status = "warning" if check.only_warns else "failed"
        message = str(error).removeprefix(f"{subject.commands.reference}: ")
        mend = _mend(check, message)
    # What a stranger prints finds the places where nobody thought of it (numbers of thousands of
    # digits, lists in lists in lists): that is a fault of the image, and ends this check only.
    except (RecursionError, MemoryError, ValueError) as error:
        status = "warning" if check.only_warns else "failed"
        reason = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"what it says cannot be made sense of ({reason})"
    return CheckResult(
        name=check.name,
        shows=check.shows,
        status=status,
        message=_readable(message),
        mend=mend if status in ("failed", "warning") else "",
        seconds=time.monotonic() - started,
    )


def _mend(check: Check, message: str) -> str:
    """Return what to do; for a command that does not even run, that is not what the check is of."""
    if "is not there (exit status 127)" in message:
        return "put the command on the image's PATH, and the program that its first line names"
    if ": it ended with exit status" in message:
        return "standard error says why (weights that are not in the image: --checkpoint PATH)"
    return check.mend


def _readable(message: str) -> str:
    """Return a message that quotes a stranger's program, without what would steer a terminal."""
    shown = "\n".join(map(printable, message[: _LONGEST + 1].split("\n")))
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
