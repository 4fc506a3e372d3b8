"""Scoring on a GPU: speed beside what others use, and how far its numbers are off."""
