"""N-gram models: ARPA files, plain or gzipped, and KenLM binaries, `ngram://FILE`."""

from pommel.files import expanded
from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, Model


def _open(reference: str, options: LoadOptions) -> Model:
    # What models there are can be said without what they compute with.
    from pommel.models.ngram.model import open_model

    return open_model(reference, options)


KIND = Kind(
    open=_open,
    place=lambda reference, _: expanded(reference.removeprefix("ngram://").partition("?")[0]),
    forms={"ngram://FILE": "an n-gram model, an ARPA file (pommel train ngram)"},
    endings=(".arpa", ".arpa.gz"),
    models_are="file",
    has_settings=True,
)
