"""Studies: what a paper's tables rest on, as a file, and a folder in which it is done again."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
