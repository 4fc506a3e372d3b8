"""What runs say together: rows of plain values, and the same as tidy tables. Knows no store."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
