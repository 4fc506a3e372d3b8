"""N-gram models: ARPA files, plain or gzipped, and KenLM binaries, `ngram://FILE`."""

from pommel.files import expanded
from pommel.models.kinds import Kind

KIND = Kind(
    open=Kind.opened_by("pommel.models.ngram.model"),
    place=lambda reference, _: expanded(reference.removeprefix("ngram://").partition("?")[0]),
    forms={"ngram://FILE": "an n-gram model, an ARPA file (pommel train ngram)"},
    endings=(".arpa", ".arpa.gz"),
    models_are="file",
    has_settings=True,
)
