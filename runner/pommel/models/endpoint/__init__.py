"""Models behind a server that speaks OpenAI's completions: `http(s)://HOST[:PORT]/v1#MODEL`."""

from pommel.models.kinds import Kind

KIND = Kind(
    open=Kind.opened_by("pommel.models.endpoint.model"),
    forms={"http://HOST/v1#MODEL": "a model behind an OpenAI-compatible server; also https://"},
    separators="#",
)
