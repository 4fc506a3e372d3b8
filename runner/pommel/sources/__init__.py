"""Where suites come from: shipped ones, grammars, other formats, downloads."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
