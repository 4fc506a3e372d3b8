from .board import BoardPlan as BoardPlan
from .folder import BoardFolder as BoardFolder
from .ledger import Event as Event, Ledger as Ledger
from .pages import Pages as Pages, Places as Places
from .site import Ranking as Ranking
from .submission.limits import SubmissionError as SubmissionError
from .submission.manifest import Submitter as Submitter
