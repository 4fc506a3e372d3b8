"""Leaderboards: a folder with pinned suites, submissions, and what was done with them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
