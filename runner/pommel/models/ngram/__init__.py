"""N-gram models: ARPA files, plain or gzipped, and KenLM binaries, `ngram://FILE`."""

from pommel.models.kinds import Kind
from pommel.models.ngram.model import NgramModel, open_arpa, open_model

__all__ = ["KIND", "NgramModel", "open_arpa", "open_model"]

KIND = Kind(
    open=open_model,
    forms={"ngram://FILE": "an n-gram model, an ARPA file (pommel train ngram)"},
    endings=(".arpa", ".arpa.gz"),
    models_are="file",
    has_settings=True,
)
