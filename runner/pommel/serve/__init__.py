"""A server that shows what is in a store: pages for people, and the same as JSON."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
