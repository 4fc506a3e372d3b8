"""All checks of an image, in the order in which they are run, and their report."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pommel.errors import package_version
from pommel.files import to_json, write_text
from pommel.images.check import Check, CheckResult, Subject, run_check
from pommel.images.command_checks import COMMAND_CHECKS, IN_THE_SANDBOX
from pommel.images.score_checks import SCORE_CHECKS
from pommel.models import ImageCommands

CHECKS: tuple[Check, ...] = (*COMMAND_CHECKS, *SCORE_CHECKS, IN_THE_SANDBOX)

REPORT_FORMAT = "pommel-image-check"
REPORT_VERSION = 1


@dataclass(slots=True)
class ImageCheck:
    """What comes out of checking an image, check by check.

    `n_sentences` is how many the image is given in one go.
    """

    commands: ImageCommands
    n_sentences: int
    results: list[CheckResult] = field(default_factory=list)

    def run(self) -> Iterator[CheckResult]:
        """Yield the result of each check as soon as it is known, and keep it.

        A check that fails does not keep the others from running; what hangs is ended by the
        sandbox.
        """
        subject = Subject(self.commands, n_sentences=self.n_sentences)
        for check in CHECKS:
            self.results.append(run_check(check, subject))
            yield self.results[-1]

    @property
    def counts(self) -> Counter[str]:
        """How many checks ended in which way."""
        return Counter(result.status for result in self.results)

    @property
    def has_passed(self) -> bool:
        """Whether nothing has failed; warnings and what was skipped do not count."""
        return not self.counts["failed"]

    @property
    def seconds(self) -> float:
        """How long all of them took."""
        return sum(result.seconds for result in self.results)

    def write(self, path: Path) -> None:
        """Write what came out as JSON; raises `PommelError` if the file cannot be written."""
        image, checkpoint = self.commands.image, self.commands.checkpoint
        report: dict[str, object] = {
            "format": REPORT_FORMAT,
            "version": REPORT_VERSION,
            "image": {**image.to_dict(), "engine": dict(image.engine)},
            "pommel": package_version("pommel"),
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 3),
            "sandbox": self.commands.sandbox.to_dict(),
            "checkpoint": None if checkpoint is None else str(checkpoint),
            "n_sentences": self.n_sentences,
            "passed": self.has_passed,
            "checks": [result.to_dict() for result in self.results],
        }
        write_text(path, to_json(report, indent=2))
