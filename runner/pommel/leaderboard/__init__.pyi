from .board import BoardPlan as BoardPlan
from .folder import BoardFolder as BoardFolder
from .site import Ranking as Ranking
from .submission.limits import SubmissionError as SubmissionError
from .submission.manifest import Submitter as Submitter
