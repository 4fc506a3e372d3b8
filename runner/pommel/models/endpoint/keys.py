"""Keys of servers, from the environment and from nowhere else.

`POMMEL_API_KEY_<HOST>` is for one host; `POMMEL_API_KEY` is for any that is reached encrypted or
is this machine. A key is never part of a message, a description or a stored run.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pommel.errors import UsageError
from pommel.models.endpoint.reference import EndpointReference

_GENERAL = "POMMEL_API_KEY"
_HIDDEN = "***"
_FEWEST_CHARACTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, or that there is none; `advice` says what to do if a server wants another."""

    secret: str = field(default="", repr=False)
    advice: str

    @property
    def headers(self) -> dict[str, str]:
        """What a request carries of it."""
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    def without(self, text: str) -> str:
        """Return what a server has said, with the key made unreadable.

        What is shorter than 4 characters ("x", for a server that wants none) is in every text.
        """
        is_secret = len(self.secret) >= _FEWEST_CHARACTERS
        return text.replace(self.secret, _HIDDEN) if is_secret else text


def find_key(reference: EndpointReference, environment: Mapping[str, str]) -> Key:
    """Return the key for a server.

    1. That of its host, `variable_of(host)`.
    2. `POMMEL_API_KEY`, if what is sent cannot be read on the way.
    3. None.

    Raises `UsageError`, without the value, for one that no request can carry.
    """
    own = variable_of(reference.host)
    if secret := _secret(own, environment):
        return Key(secret=secret, advice=f"it does not take the key in {own}")
    secret = _secret(_GENERAL, environment)
    if not secret:
        return Key(advice=f"put its key into {_GENERAL}, or into {own} for this host only")
    if reference.is_encrypted or reference.is_loopback:
        return Key(secret=secret, advice=f"it does not take the key in {_GENERAL}")
    return Key(
        advice=f"{_GENERAL} is not sent unencrypted to another machine: write https://, or put "
        f"the key for this host into {own}"
    )


def _secret(name: str, environment: Mapping[str, str]) -> str:
    secret = environment.get(name, "").strip()
    if secret and not (secret.isascii() and secret.isprintable() and " " not in secret):
        raise UsageError(f"{name} holds characters that no key has (its value is not shown)")
    return secret


def variable_of(host: str) -> str:
    """Return the name of the variable for one host: `POMMEL_API_KEY_API_EXAMPLE_ORG`."""
    return f"{_GENERAL}_{re.sub(r'[^A-Z0-9]+', '_', host.upper()).strip('_')}"
