"""N-gram models: ARPA files, plain or gzipped, and KenLM binaries, `ngram://FILE`."""

from pommel.models.ngram.model import NgramModel, open_arpa
from pommel.models.ngram.opening import open  # noqa: A004 - every backend has it

__all__ = ["NgramModel", "open", "open_arpa"]
