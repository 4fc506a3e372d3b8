"""Text, JSON with places, atomic writing, tables, waiting, and where shipped data lies."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
