"""What a reference to a served model says: `http(s)://HOST[:PORT]/v1[?bos=MARK]#MODEL`."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.values import frozen

_HOST = re.compile(r"[\w.-]+")
_FORM = "write http://HOST:PORT/v1#MODEL"
_CHAT, _COMPLETIONS = "/chat/completions", "/completions"


@frozen
class EndpointReference:
    """A reference in its parts; it holds no secrets.

    `base_url` is where the protocol's paths begin (`http://localhost:8000/v1`), in one form only.
    `model` is None where the reference names none, `bos` the mark that goes in front of sentences.
    """

    base_url: str
    host: str
    is_encrypted: bool
    model: str | None = None
    bos: str | None = None

    @property
    def text(self) -> str:
        """The reference as it is recorded and shown."""
        setting = f"?bos={self.bos}" if self.bos else ""
        return self.base_url + setting + (f"#{self.model}" if self.model else "")

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_reference(reference: str) -> EndpointReference:
    """Return the parts of a reference; nothing in it is decoded.

    The path of the completions (`/v1/completions`) stands for what it lies under. Raises
    `ModelNotAvailableError` for the path of a chat endpoint, and `UsageError` for what is no such
    reference. A name, password or key in it is refused, and no message repeats it.
    """
    try:
        reference.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{reference!a} is not UTF-8") from None
    address, _, model = reference.partition("#")
    address, _, query = address.partition("?")
    parts = _split(address)
    host = parts.hostname
    if not host:
        raise UsageError(f"{parts.scheme}://: the host is missing; {_FORM}")
    usual = {"http": 80, "https": 443}[parts.scheme]
    port = "" if parts.port in {None, usual} else f":{parts.port}"
    base_url = f"{parts.scheme}://{bracketed(host)}{port}{parts.path.rstrip('/')}"
    bos = _bos(query, base_url)
    if base_url.endswith(_CHAT):
        raise ModelNotAvailableError(
            f"{base_url} is a chat endpoint; surprisals need prompt log-probabilities, which only "
            f"completions give; write {base_url.removesuffix(_CHAT)}#{model or 'MODEL'}"
        )
    base_url = base_url.removesuffix(_COMPLETIONS)
    if not urlsplit(base_url).path:
        raise UsageError(f"{base_url}: the path is missing; write {base_url}/v1#{model or 'MODEL'}")
    return EndpointReference(
        base_url=base_url,
        host=host,
        is_encrypted=parts.scheme == "https",
        model=model or None,
        bos=bos,
    )


def _split(address: str) -> SplitResult:
    if not address.isprintable() or " " in address:
        raise UsageError(f"{address.partition('://')[0]}://: this is no URL; {_FORM}")
    try:
        parts = urlsplit(address)
        _ = parts.port
        if parts.hostname and not _HOST.fullmatch(parts.hostname):
            ipaddress.ip_address(parts.hostname)
    except ValueError:
        raise UsageError(f"{address.partition('://')[0]}://: this is no URL; {_FORM}") from None
    if "@" in parts.netloc:
        raise UsageError(
            f"{parts.scheme}://***@{parts.netloc.rpartition('@')[2]}{parts.path}: a reference "
            "holds no user name and no password; put the key into POMMEL_API_KEY"
        )
    return parts


def bracketed(host: str) -> str:
    """Return a host as a URL has it."""
    return f"[{host}]" if ":" in host else host


def _bos(query: str, base_url: str) -> str | None:
    """Return the mark that the reference names.

    What else there is may be a key, so it is not shown.
    """
    name, _, value = query.partition("=")
    if query and (name != "bos" or not value or "&" in value):
        raise UsageError(
            f"{base_url}?...: the only setting is bos=MARK; a key belongs into POMMEL_API_KEY"
        )
    return value or None
