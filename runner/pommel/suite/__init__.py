"""What a suite is: values, formulas, reading and writing, every fault, doubts about a design."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
