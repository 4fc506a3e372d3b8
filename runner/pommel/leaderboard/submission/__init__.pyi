from .limits import Limits as Limits, SubmissionError as SubmissionError
from .manifest import (
    FileEntry as FileEntry,
    Manifest as Manifest,
    Submitter as Submitter,
    SuiteEntry as SuiteEntry,
)
from .packing import write_submission as write_submission
from .reading import (
    Submission as Submission,
    SubmittedRun as SubmittedRun,
    parse_submission as parse_submission,
    read_submission as read_submission,
)
from .recomputing import recomputed as recomputed
