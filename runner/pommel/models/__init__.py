"""Strings to tokens with bits: one file or folder a kind of model."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
