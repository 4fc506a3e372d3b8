"""Leaderboards: a folder with pinned suites, submissions, and what was done with them."""

from pommel.leaderboard.board import Board, BoardError, PinnedSuite
from pommel.leaderboard.folder import Added, BoardFolder
from pommel.leaderboard.rerunning import Rescored, Sample
from pommel.leaderboard.standings import Scored, Standing, Standings

__all__ = [
    "Added",
    "Board",
    "BoardError",
    "BoardFolder",
    "PinnedSuite",
    "Rescored",
    "Sample",
    "Scored",
    "Standing",
    "Standings",
]
