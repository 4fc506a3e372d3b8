"""References to served models: what they may be, and what is refused without repeating it."""

import pytest

from pommel.errors import ModelNotAvailableError, PommelError, UsageError
from pommel.models.endpoint.reference import read_reference


@pytest.mark.parametrize(
    ("reference", "base_url", "model", "bos"),
    [
        ("http://gpu7:8000/v1#gpt2", "http://gpu7:8000/v1", "gpt2", None),
        ("https://API.example.org/v1/#org/name", "https://api.example.org/v1", "org/name", None),
        ("http://localhost:80/v1", "http://localhost/v1", None, None),
        ("https://h:443/openai/v1#m", "https://h/openai/v1", "m", None),
        ("http://h:8000/v1/completions#m", "http://h:8000/v1", "m", None),
        ("http://[::1]:8000/v1#m", "http://[::1]:8000/v1", "m", None),
        ("http://h/v1?bos=<|endoftext|>#m", "http://h/v1", "m", "<|endoftext|>"),
        ("http://h/v1?bos=<s>", "http://h/v1", None, "<s>"),
    ],
)
def test_parts(reference: str, base_url: str, model: str | None, bos: str | None) -> None:
    parsed = read_reference(reference)
    assert (parsed.base_url, parsed.model, parsed.bos) == (base_url, model, bos)
    assert read_reference(parsed.text) == parsed


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("[::1]", True),
        ("gpu.localhost", True),
        ("gpu7", False),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
    ],
)
def test_this_machine(host: str, is_loopback: bool) -> None:  # noqa: FBT001
    assert read_reference(f"http://{host}/v1#m").is_loopback == is_loopback


NO_URL = "http://: this is no URL; write http://HOST:PORT/v1#MODEL"
NO_SETTING = "https://h/v1?...: the only setting is bos=MARK; a key belongs into POMMEL_API_KEY"


@pytest.mark.parametrize(
    ("reference", "error", "message"),
    [
        (
            "http://h:8000/v1/chat/completions#m",
            ModelNotAvailableError,
            (
                "http://h:8000/v1/chat/completions is a chat endpoint; surprisals need prompt "
                "log-probabilities, which only completions give; write http://h:8000/v1#m"
            ),
        ),
        (
            "http://h:8000",
            UsageError,
            "http://h:8000: the path is missing; write http://h:8000/v1#MODEL",
        ),
        (
            "http:///v1#m",
            UsageError,
            "http://: the host is missing; write http://HOST:PORT/v1#MODEL",
        ),
        ("http://h:port/v1#m", UsageError, NO_URL),
        ("http://é\\x.localhost/v1#m", UsageError, NO_URL),
        ("http://[::x]/v1#m", UsageError, NO_URL),
        ("http://h/v1#m\udce9", UsageError, "'http://h/v1#m\\udce9' is not UTF-8"),
        ("http://h ost/v1#m", UsageError, NO_URL),
        (
            "https://me:s3cret@h/v1#m",
            UsageError,
            (
                "https://***@h/v1: a reference holds no user name and no password; put the key "
                "into POMMEL_API_KEY"
            ),
        ),
        ("https://h/v1?api_key=s3cret#m", UsageError, NO_SETTING),
        ("https://h/v1?bos=<s>&s3cret#m", UsageError, NO_SETTING),
    ],
)
def test_what_is_refused(reference: str, error: type[PommelError], message: str) -> None:
    with pytest.raises(error) as raised:
        read_reference(reference)
    assert str(raised.value) == message
    assert "s3cret" not in str(raised.value)
