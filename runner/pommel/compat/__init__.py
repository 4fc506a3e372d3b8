"""The retired tools: `syntaxgym` and the client side of `lm-zoo`."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
