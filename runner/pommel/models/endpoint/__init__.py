"""Models behind a server that speaks OpenAI's completions: `http(s)://HOST[:PORT]/v1#MODEL`."""

from pommel.models.endpoint.model import open_model as open  # noqa: A004 - every backend has `open`

__all__ = ["open"]
