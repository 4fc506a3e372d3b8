"""All checks of an image, in the order in which they are run, and their report."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pommel.errors import package_version
from pommel.files.json import to_json
from pommel.files.text import write_text
from pommel.images.check import Check, CheckResult, Subject, run_check
from pommel.images.command_checks import (
    ALIGNMENT_CHECKS,
    CHECKPOINT_CHECKS,
    COMMAND_CHECKS,
    EXIT_CHECKS,
    LINE_CHECKS,
    PREDICTION_CHECKS,
    SANDBOX_CHECKS,
    SPEC_CHECKS,
    VOCABULARY_CHECKS,
)
from pommel.images.score_checks import SCORE_CHECKS
from pommel.models.container.commands import ImageCommands

# A check that others build on comes before them: they are skipped where it has failed.
CHECKS: tuple[Check, ...] = (
    *SPEC_CHECKS,
    *COMMAND_CHECKS,
    *VOCABULARY_CHECKS,
    *ALIGNMENT_CHECKS,
    *LINE_CHECKS,
    *EXIT_CHECKS,
    *PREDICTION_CHECKS,
    *CHECKPOINT_CHECKS,
    *SCORE_CHECKS,
    *SANDBOX_CHECKS,
)

REPORT_FORMAT = "pommel-image-check"
REPORT_VERSION = 1


def check_image(commands: ImageCommands, *, n_sentences: int) -> Iterator[CheckResult]:
    """Yield what comes out of each check, as soon as it is known.

    `n_sentences` is how many the image is given in one go. A check that fails does not keep the
    others from running; what hangs is ended by the sandbox.
    """
    subject = Subject(commands, n_sentences=n_sentences)
    for check in CHECKS:
        yield run_check(check, subject)


def has_passed(results: Sequence[CheckResult]) -> bool:
    """Say whether nothing has failed; warnings and what was skipped do not count."""
    return all(result.status != "failed" for result in results)


def write_report(
    path: Path, commands: ImageCommands, results: Sequence[CheckResult], *, n_sentences: int
) -> None:
    """Write what came out as JSON; raises `PommelError` if the file cannot be written."""
    image, checkpoint = commands.image, commands.checkpoint
    report: dict[str, Any] = {
        "format": REPORT_FORMAT,
        "version": REPORT_VERSION,
        "image": {
            "reference": image.reference,
            "id": image.id,
            "digests": list(image.digests),
            "engine": dict(image.engine),
        },
        "pommel": package_version("pommel"),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(sum(result.seconds for result in results), 3),
        "sandbox": commands.sandbox.to_dict(),
        "checkpoint": None if checkpoint is None else str(checkpoint),
        "n_sentences": n_sentences,
        "passed": has_passed(results),
        "checks": [result.to_dict() for result in results],
    }
    write_text(path, to_json(report, indent=2))
