"""People and their tokens: what each opens, until when, and what is kept of it."""

import hashlib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings, strategies as st

from pommel.errors import UsageError
from pommel.serve.desk import Desk
from pommel.serve.people import SCOPES, People, Person, Scope

OWNER = "the-token-of-the-owner"


@pytest.fixture
def people(tmp_path: Path) -> People:
    """The people of a server whose owner has a token."""
    return People.at(
        tmp_path / "serve.sqlite", owner_name="The owner", owner_token=OWNER, is_open=False
    )


def test_a_token_opens_what_it_was_given_for(people: People) -> None:
    token = people.grant("A. Linguist", ["upload"], n_days=1)
    person = people.with_token(token)
    assert person == Person(name="A. Linguist", scopes=frozenset({"upload"}))
    assert {scope: person.may(scope) for scope in SCOPES} == {
        "read": True,
        "write": False,
        "upload": True,
        "keep": False,
    }
    owner = people.with_token(OWNER)
    assert owner is not None
    assert (owner.name, all(owner.may(scope) for scope in SCOPES)) == ("The owner", True)
    for wrong in ("", token[:-1], f"{token}x", token.swapcase(), "\N{SNOWMAN}", "' OR 1 --"):
        assert people.with_token(wrong) is None


def test_a_stranger_may_look_where_the_server_is_open(tmp_path: Path) -> None:
    for is_open in (True, False):
        path = tmp_path / "serve.sqlite"
        people = People.at(path, owner_name="", owner_token="", is_open=is_open)
        assert {scope: people.stranger.may(scope) for scope in SCOPES} == {
            "read": is_open,
            "write": False,
            "upload": False,
            "keep": False,
        }
        # No token is no token.
        assert people.with_token("") is None


def test_of_a_token_a_hash_is_kept(people: People) -> None:
    token = people.grant("A. Linguist", ["keep", "read", "keep"], n_days=7)
    assert len(token) >= 43
    kept = b"".join(path.read_bytes() for path in people.desk.path.parent.iterdir())
    assert token.encode() not in kept
    assert hashlib.sha256(token.encode()).digest() in kept
    [grant] = people.grants()
    assert (grant.token_id, grant.name, grant.scopes) == (1, "A. Linguist", ("read", "keep"))
    assert token not in repr(grant)


def test_a_token_that_was_revoked_opens_nothing(people: People) -> None:
    first = people.grant("A. Linguist", ["read"], n_days=1)
    second = people.grant("A. Linguist", ["keep"], n_days=1)
    person = people.called("A. Linguist")
    assert person is not None
    assert person.scopes == {"read", "keep"}
    grant = people.revoke(2)
    assert (grant.name, grant.holds, grant.revoked is None) == ("A. Linguist", False, False)
    # When it was taken back stays as it was.
    assert people.revoke(2) == grant
    assert people.with_token(second) is None
    assert people.with_token(first) is not None
    person = people.called("A. Linguist")
    assert person is not None
    assert person.scopes == {"read"}
    people.revoke(1)
    assert people.called("A. Linguist") is None
    with pytest.raises(UsageError) as caught:
        people.revoke(3)
    assert str(caught.value) == "there is no token 3; there are 1, 2"


def test_a_token_that_has_expired_opens_nothing(people: People) -> None:
    token = people.grant("A. Linguist", ["keep"], n_days=1)
    with people.desk.writing() as connection:
        connection.execute("UPDATE tokens SET expires = '2026-01-01T00:00:00+00:00'")
    assert people.with_token(token) is None
    assert people.called("A. Linguist") is None
    [grant] = people.grants()
    assert (grant.holds, grant.revoked) == (False, None)


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "\x1b[31m", "a" * 101, "a\u202eb"])
def test_a_name_that_could_not_stand_in_a_ledger(people: People, name: str) -> None:
    with pytest.raises(UsageError, match="the name cannot be"):
        people.grant(name, ["read"], n_days=1)
    assert people.grants() == []


def test_a_name_is_text_and_nothing_else(people: People) -> None:
    names = ["O'Brien; DROP TABLE tokens --", "<script>", "Émile Zátopek", "דנה", "%"]
    tokens = [people.grant(name, ["read"], n_days=1) for name in names]
    assert [each.name for each in people.grants()] == names
    for name, token in zip(names, tokens, strict=True):
        found = people.with_token(token)
        assert found is not None
        assert found.name == name
        assert people.called(name) == found


@settings(max_examples=30, deadline=None)
@given(st.lists(st.frozensets(st.sampled_from(SCOPES), min_size=1), min_size=1, max_size=4))
def test_whom_a_proxy_knows_has_what_all_of_her_tokens_allow(
    tmp_path_factory: pytest.TempPathFactory, granted: list[frozenset[Scope]]
) -> None:
    desk = Desk.open(tmp_path_factory.mktemp("desk") / "serve.sqlite")
    people = People(desk=desk)
    tokens = [people.grant("A. Linguist", scopes, n_days=1) for scopes in granted]
    assert len({*tokens}) == len(granted)
    assert [each.scopes for each in people.grants()] == [
        tuple(scope for scope in get_args(Scope) if scope in scopes) for scopes in granted
    ]
    assert people.called("A. Linguist") == Person(
        name="A. Linguist", scopes=frozenset[Scope]().union(*granted)
    )
    assert people.called("A. Linguis") is None
