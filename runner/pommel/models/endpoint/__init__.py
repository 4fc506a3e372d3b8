"""Models behind a server that speaks OpenAI's completions: `http(s)://HOST[:PORT]/v1#MODEL`."""

from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, Model


def _open(reference: str, options: LoadOptions) -> Model:
    # What models there are can be said without what they compute with.
    from pommel.models.endpoint.model import open_model

    return open_model(reference, options)


KIND = Kind(
    open=_open,
    forms={"http://HOST/v1#MODEL": "a model behind an OpenAI-compatible server; also https://"},
    separators="#",
)
