"""Which key goes to which server."""

import pytest

from pommel.errors import UsageError
from pommel.models.endpoint.client import find_key, variable_of
from pommel.models.endpoint.reference import read_reference

GENERAL = {"POMMEL_API_KEY": "general"}
OWN = {"POMMEL_API_KEY_GPU7_EXAMPLE_ORG": "own"}


@pytest.mark.parametrize(
    ("url", "environment", "secret"),
    [
        ("https://gpu7.example.org/v1", GENERAL, "general"),
        ("https://gpu7.example.org/v1", GENERAL | OWN, "own"),
        ("https://other.example.org/v1", GENERAL | OWN, "general"),
        ("https://other.example.org/v1", OWN, ""),
        ("http://localhost:8000/v1", GENERAL, "general"),
        # What is sent there can be read on the way: only by whoever named the host.
        ("http://gpu7.example.org/v1", GENERAL, ""),
        ("http://gpu7.example.org/v1", OWN, "own"),
        ("https://gpu7.example.org/v1", {"POMMEL_API_KEY": " \n"}, ""),
    ],
)
def test_who_gets_which(url: str, environment: dict[str, str], secret: str) -> None:
    key = find_key(read_reference(url), environment)
    assert key.secret == secret
    assert key.headers == ({"Authorization": f"Bearer {secret}"} if secret else {})


@pytest.mark.parametrize(
    ("url", "environment", "advice"),
    [
        (
            "https://h/v1",
            {},
            "put its key into POMMEL_API_KEY, or into POMMEL_API_KEY_H for this host only",
        ),
        ("https://h/v1", GENERAL, "it does not take the key in POMMEL_API_KEY"),
        (
            "http://gpu7.example.org/v1",
            GENERAL,
            (
                "POMMEL_API_KEY is not sent unencrypted to another machine: write https://, or put "
                "the key for this host into POMMEL_API_KEY_GPU7_EXAMPLE_ORG"
            ),
        ),
    ],
)
def test_what_to_do_about_it(url: str, environment: dict[str, str], advice: str) -> None:
    assert find_key(read_reference(url), environment).advice == advice


@pytest.mark.parametrize("secret", ["two words", "line\nbreak", "schlüssel"])
def test_what_is_no_key_is_not_repeated(secret: str) -> None:
    with pytest.raises(UsageError) as raised:
        find_key(read_reference("https://h/v1"), {"POMMEL_API_KEY": secret})
    assert str(raised.value) == (
        "POMMEL_API_KEY holds characters that no key has (its value is not shown)"
    )


def test_a_key_is_not_shown() -> None:
    key = find_key(read_reference("https://h/v1"), {"POMMEL_API_KEY": "s3cret"})
    assert "s3cret" not in repr(key)
    assert key.without("no such key: s3cret!") == "no such key: ***!"


def test_a_key_of_a_letter_or_so_is_in_every_text() -> None:
    key = find_key(read_reference("https://h/v1"), {"POMMEL_API_KEY": "x"})
    assert key.without("max_tokens exploded") == "max_tokens exploded"


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "POMMEL_API_KEY_LOCALHOST"),
        ("api.example-1.org", "POMMEL_API_KEY_API_EXAMPLE_1_ORG"),
        ("::1", "POMMEL_API_KEY_1"),
    ],
)
def test_the_variable_of_a_host(host: str, name: str) -> None:
    assert variable_of(host) == name
