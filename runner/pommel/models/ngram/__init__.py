"""N-gram models: ARPA files, plain or gzipped, and KenLM binaries, `ngram://FILE`."""

from pommel.models.ngram.model import (
    NgramModel,
    open,  # noqa: A004 - every backend has it
    open_arpa,
)

__all__ = ["NgramModel", "open", "open_arpa"]
