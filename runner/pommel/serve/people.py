"""Who asks, and what they may do: the owner's token, personal ones, and whoever else may look."""

import datetime as dt
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

from pommel.errors import UsageError, listed, printable, quoted
from pommel.serve.desk import Desk, now
from pommel.values import frozen

Scope = Literal["read", "write", "upload", "keep"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
_LONGEST_NAME = 100


@frozen
class Person:
    """Who asks: a name, "" where nobody has said it, and what that one may do.

    *read* is to look; *write* to write suites and to run them; *upload* to send submissions and to
    propose suites; *keep* to accept, refuse and withdraw. Each of the others allows to look, too.
    """

    name: str
    scopes: frozenset[Scope]

    def may(self, scope: Scope) -> bool:
        """Return whether this one may do what needs a scope."""
        return scope in self.scopes or (scope == "read" and bool(self.scopes))


NOBODY = Person(name="", scopes=frozenset())
ANYBODY = Person(name="", scopes=frozenset({"read"}))


@frozen
class Grant:
    """A personal token as it is kept: not the token, but whose it is, and until when (UTC).

    `revoked` is when it was taken back, None if it was not.
    """

    token_id: int
    name: str
    scopes: tuple[Scope, ...]
    created: str
    expires: str
    revoked: str | None

    @property
    def holds(self) -> bool:
        """Whether it opens anything now."""
        return self.revoked is None and self.expires > now()


@frozen
class People:
    """Those who may come in: whoever has the owner's token, or a personal one of the desk.

    The owner may do everything. Where `is_open`, anybody may look without a token. An empty
    `owner_token` opens nothing.
    """

    desk: Desk
    owner_name: str = ""
    owner_token: str = ""
    is_open: bool = False

    @classmethod
    def at(cls, path: Path, *, owner_name: str, owner_token: str, is_open: bool) -> "People":
        """Return those of the desk in a file; raises `StoreError` as `Desk.open` does."""
        return cls(
            desk=Desk.open(path), owner_name=owner_name, owner_token=owner_token, is_open=is_open
        )

    @classmethod
    def of(cls, path: Path) -> "People":
        """Return those with tokens of a desk that is there; raises `StoreError` for no desk."""
        return cls(desk=Desk.open(path, create=False))

    @property
    def stranger(self) -> Person:
        """Who comes without a token."""
        return ANYBODY if self.is_open else NOBODY

    def with_token(self, token: str) -> Person | None:
        """Return whose token it is, None where it opens nothing."""
        if self.owner_token and hmac.compare_digest(token.encode(), self.owner_token.encode()):
            return Person(name=self.owner_name, scopes=frozenset(SCOPES))
        found = self._grants("hash = ?", _hash(token))
        return next((_person(each.name, [each]) for each in found if each.holds), None)

    def called(self, name: str) -> Person | None:
        """Return who has personal tokens of this name: what all of them allow. None for nobody."""
        grants = [each for each in self._grants("name = ?", name) if each.holds]
        return _person(name, grants) if grants else None

    def grant(self, name: str, scopes: Iterable[Scope], *, n_days: int) -> str:
        """Make a personal token, and return it; what is kept of it is a hash.

        Raises `UsageError` for a name that could not stand in a ledger.
        """
        if not name.strip() or name != printable(name) or len(name) > _LONGEST_NAME:
            raise UsageError(
                f"the name cannot be {quoted(name)}; write one line of up to {_LONGEST_NAME} "
                f"characters"
            )
        # 256 bits that nobody can guess: such a hash needs neither salt nor time.
        token = secrets.token_urlsafe(32)
        allowed, expires = " ".join(sorted({*scopes})), now(dt.timedelta(days=n_days))
        with self.desk.writing() as connection:
            connection.execute(
                "INSERT INTO tokens (name, hash, scopes, created, expires) VALUES (?, ?, ?, ?, ?)",
                (name, _hash(token), allowed, now(), expires),
            )
        return token

    def grants(self) -> list[Grant]:
        """Return all personal tokens that there have been, the oldest first."""
        return self._grants("TRUE")

    def revoke(self, token_id: int) -> Grant:
        """Take a personal token back; raises `UsageError` for one that is not there."""
        with self.desk.writing() as connection:
            connection.execute(
                "UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE token_id = ?",
                (now(), token_id),
            )
        found = self._grants("token_id = ?", token_id)
        if not found:
            known = listed([str(each.token_id) for each in self.grants()]) or "none"
            raise UsageError(f"there is no token {token_id}; there are {known}")
        return found[0]

    def _grants(self, where: str, *values: object) -> list[Grant]:
        columns = "token_id, name, scopes, created, expires, revoked"
        with self.desk.reading() as connection:
            rows = connection.execute(
                f"SELECT {columns} FROM tokens WHERE {where} ORDER BY token_id",  # noqa: S608 - our own text
                values,
            ).fetchall()
        return [Grant(**{**row, "scopes": tuple(_scopes(row["scopes"]))}) for row in rows]


def _person(name: str, grants: Iterable[Grant]) -> Person:
    return Person(name=name, scopes=frozenset(each for one in grants for each in one.scopes))


def _scopes(text: str) -> Iterator[Scope]:
    """Yield what a column of the table allows, in the usual order."""
    return (each for each in SCOPES if each in text.split())


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
