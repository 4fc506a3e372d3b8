"""Work past one machine: plans, the shards they are cut into, and how far each of these is."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
