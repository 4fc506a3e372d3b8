"""Models behind a server that speaks OpenAI's completions: `http(s)://HOST[:PORT]/v1#MODEL`."""

from pommel.models.endpoint.model import open_model
from pommel.models.kinds import Kind

__all__ = ["KIND"]

KIND = Kind(
    open=open_model,
    forms={"http://HOST/v1#MODEL": "a model behind an OpenAI-compatible server; also https://"},
    separators="#",
)
