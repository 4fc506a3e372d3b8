"""Submissions: runs of one model packed for a leaderboard, and read again by those who doubt it."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
