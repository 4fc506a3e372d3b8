"""What is kept of runs: token surprisals and results, in one SQLite file; all the SQL there is."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
