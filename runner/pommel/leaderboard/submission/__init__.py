"""Submissions: runs of one model packed for a leaderboard, and read again by those who doubt it."""

from pommel.leaderboard.submission.limits import Limits, SubmissionError
from pommel.leaderboard.submission.manifest import FileEntry, Manifest, Submitter, SuiteEntry
from pommel.leaderboard.submission.packing import write_submission
from pommel.leaderboard.submission.reading import (
    Submission,
    SubmittedRun,
    parse_submission,
    read_submission,
)
from pommel.leaderboard.submission.recomputing import recomputed

__all__ = [
    "FileEntry",
    "Limits",
    "Manifest",
    "Submission",
    "SubmissionError",
    "SubmittedRun",
    "Submitter",
    "SuiteEntry",
    "parse_submission",
    "read_submission",
    "recomputed",
    "write_submission",
]
