"""`pommel serve`: a store, suites and a board in a browser; tokens for people."""

import contextlib
import datetime as dt
import ipaddress
import os
import re
import secrets
import socket
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from pommel.cli.lazy_group import Command, Group
from pommel.cli.option_groups import File, Folder, option, takes_options
from pommel.cli.options import StoreOptions, user_name
from pommel.cli.output import note, show_table
from pommel.errors import PommelError, UsageError, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pommel.serve import People, Proxy

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# All addresses of a machine, none of which a browser would be told.
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - what is listened on is asked for
_HTTP_PORT = 80
_SHORTEST_TOKEN = 20
_MOST_DAYS = 3650
# All that are built in would be many to run a suite on.
_MODELS = ("builtin://en-gpt2", "builtin://en-ngram")


class _Serve(Group, Command):
    """A command with commands of its own, which is one itself, too."""


class _DeskOptions(StoreOptions):
    """Which store is shown, and where the server's own things lie."""

    desk: File | None = option(
        help="The server's own file: drafts, tokens, and what was sent.  [default: beside the "
        "store, serve.sqlite]"
    )

    @property
    def desk_path(self) -> Path:
        """The server's own file."""
        return self.desk or self.store_path.with_name("serve.sqlite")

    def people(self, *, owner_token: str = "", is_open: bool = False) -> "People":
        """Return those who may come in; raises `UsageError` without the extra `serve`."""
        from pommel.serve import People

        return People.at(
            self.desk_path, owner_name=user_name(), owner_token=owner_token, is_open=is_open
        )

    def known_people(self) -> "People":
        """Return the same of a file that is there; raises `StoreError` where there is none."""
        from pommel.serve import People

        return People.of(self.desk_path)


class _ServeOptions(_DeskOptions):
    """What is shown, where the server listens, and who may come in."""

    board: Folder | None = option(
        metavar="DIR", help="A leaderboard that is shown, and takes submissions."
    )
    suites: Folder | None = option(
        metavar="DIR", help="The folder in which suites lie that are written in the browser."
    )
    models: tuple[str, ...] = option(
        "--model",
        metavar="MODEL",
        help="A model that suites can be run on; repeatable.  [default: the two of English "
        "that are built in and know contexts]",
    )
    host: str = option(default="127.0.0.1", help="The address that it listens on.")
    port: int = option(
        type=click.IntRange(0, 65535),
        default=8765,
        metavar="N",
        help="The port; 0 is any free one.",
    )
    read_only: bool = option(
        help="Let everybody look who reaches the address, without a token. With --token-file, "
        "tokens allow the rest; without it, no token holds and nothing can be changed."
    )
    token_file: File | None = option(
        help="The file with your own token, in place of a random one that is printed: one line of "
        f"{_SHORTEST_TOKEN} characters or more."
    )
    names: tuple[str, ...] = option(
        "--name",
        metavar="HOST",
        help="What browsers call this machine, beside its address: pommel.example.org, or with "
        "its port if that is another; repeatable.",
    )
    trusted: tuple[str, ...] = option(
        "--trust-header",
        metavar="WHAT=HEADER",
        help="Behind a proxy: the header in which it says the address of whoever asks "
        "(address=X-Forwarded-For), or whom it knows that to be (person=X-Remote-User); "
        "repeatable.",
    )
    proxies: tuple[str, ...] = option(
        "--proxy",
        metavar="NETWORK",
        help="Where the proxy is whose headers are trusted: an address, or a network such as "
        "172.16.0.0/12; repeatable.  [default: this machine]",
    )

    def check(self) -> None:
        """Raise `UsageError` for what would let in others than was said, or nobody."""
        if not (self.read_only or self.token_file or self.host in _LOOPBACK):
            raise UsageError(
                f"--host {self.host}: others could reach it; --token-file says your own token, and "
                f"--read-only lets everybody look"
            )
        if self.host in _EVERYWHERE and not self.names:
            raise UsageError(
                f"--host {self.host}: say with --name what browsers call this machine, its name or "
                f"an address"
            )
        for name in self.names:
            # Browsers write other letters as ASCII.
            if not re.fullmatch(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", name):
                raise UsageError(
                    f"--name {name}: write what stands in an address between // and the next /, "
                    f"such as pommel.example.org"
                )

    def proxy(self) -> "Proxy | None":
        """Return what a proxy says in headers, None where there is none."""
        from pommel.serve import Proxy

        found = {}
        for network in self.proxies:
            try:
                ipaddress.ip_network(network)
            except ValueError as error:
                raise UsageError(f"--proxy {network}: {error}") from None
        if self.proxies and not self.trusted:
            raise UsageError("--proxy: --trust-header says which header of it is trusted")
        for value in self.trusted:
            what, _, header = value.partition("=")
            if what not in ("address", "person") or not re.fullmatch("[A-Za-z0-9-]+", header):
                raise UsageError(
                    f"--trust-header {value}: write address=HEADER or person=HEADER, such as "
                    f"address=X-Forwarded-For"
                )
            found[what] = header
        if not found:
            return None
        address, person = found.get("address", ""), found.get("person", "")
        near = Proxy(address=address, person=person)
        return replace(near, networks=self.proxies) if self.proxies else near

    @contextlib.contextmanager
    def opened_people(self) -> "Iterator[People]":
        """Give those who may come in.

        Where nothing can be changed no token opens anything, and nothing is written beside the
        store, which may lie on a disk that is only read.
        """
        from pommel.serve import People

        token = _token(self)
        if token:
            yield self.people(owner_token=token, is_open=self.read_only)
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.desk_path.name
            yield People.at(path, owner_name="", owner_token="", is_open=True)


@click.group("serve", cls=_Serve, invoke_without_command=True)
@takes_options
def command(chosen: _ServeOptions) -> None:
    """Show what is in the store in a browser; write and run suites; receive submissions.

    The address that is printed has a token, which your browser keeps; nobody else can look. Every
    page is there as JSON, too: /runs.json. Ctrl-C ends it.

    \b
      pommel serve
      pommel serve --suites my_suites --model builtin://en-gpt2
      pommel serve --board board --host 0.0.0.0 --name lab.example.org --read-only --token-file key
    """
    context = click.get_current_context()
    if context.invoked_subcommand:
        given = click.core.ParameterSource.COMMANDLINE
        if any(context.get_parameter_source(name) == given for name in context.params):
            # They would be for nobody.
            raise UsageError(f"write options behind `{context.invoked_subcommand}` and its command")
        return
    chosen.check()
    try:
        from pommel.serve import Door, Site, make_server
        from pommel.store import Store
    except ImportError as error:
        raise UsageError(f"{error.name} is not installed: {PommelError.install('serve')}") from None
    if not chosen.store_path.exists() and (chosen.board or not chosen.read_only):
        # What is written in the browser is run into it, and a board needs none.
        Store.open(chosen.store_path).close()
    with (
        chosen.reading(),
        chosen.opened_people() as people,
        _listening(chosen.host, chosen.port) as listening,
    ):
        port = listening.getsockname()[1]
        site = Site(
            store=chosen.store_path,
            people=people,
            board=chosen.board,
            suites=chosen.suites,
            models=chosen.models or _MODELS,
        )
        door = Door(
            hosts=_hosts(chosen, port),
            people=people,
            cookie=f"pommel-{port}",
            proxy=chosen.proxy(),
            tell=_tell,
        )
        token = people.owner_token if not chosen.token_file else ""
        query = f"?token={token}" if token else ""
        click.echo(f"http://{_with_port(_shown(chosen), port)}/{query}")
        note("Ctrl-C ends it")
        server = make_server(site, door)
        try:
            server.run(sockets=[listening])
        finally:
            site.close()


def _token(chosen: _ServeOptions) -> str:
    """Return the owner's token: of the file, a random one, or "" where nobody has one."""
    if not chosen.token_file:
        return "" if chosen.read_only else secrets.token_urlsafe(32)
    try:
        token = chosen.token_file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"--token-file {chosen.token_file}: cannot be read: {why}") from None
    if (
        len(token) < _SHORTEST_TOKEN
        or not (token.isascii() and token.isprintable())
        or " " in token
    ):
        raise UsageError(
            f"--token-file {chosen.token_file}: write one line of {_SHORTEST_TOKEN} letters and "
            f"digits or more, such as `python -c 'import secrets; "
            f"print(secrets.token_urlsafe(32))'` prints"
        )
    return token


def _hosts(chosen: _ServeOptions, port: int) -> frozenset[str]:
    """Return what browsers may call this server; behind a proxy there is no port in it."""
    is_near = chosen.host in (*_LOOPBACK, *_EVERYWHERE)
    own = [chosen.host, *(_LOOPBACK if is_near else ())]
    bare = [each for each in chosen.names if not re.search(r":[0-9]+$", each)]
    with_port = [_with_port(each, port) for each in (*own, *bare)]
    # Of the port that is usual browsers do not speak.
    without = [_bracketed(each) for each in own] if port == _HTTP_PORT else []
    return frozenset([*with_port, *without, *(each.lower() for each in chosen.names)])


def _shown(chosen: _ServeOptions) -> str:
    """Return how this machine is called in an address that can be opened."""
    return _LOOPBACK[0] if chosen.host in _EVERYWHERE else chosen.host


def _tell(line: str) -> None:
    note(f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M:%S} {line}")


def _with_port(host: str, port: int) -> str:
    return f"{_bracketed(host)}:{port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host.lower()


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises `PommelError` where another program has the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        where = _with_port(host, port)
        why = os.strerror(error.errno or 0)
        raise PommelError(f"{where}: {why}; --port 0 takes any free one") from None


@click.group("token", cls=Group, no_args_is_help=True)
def token() -> None:
    """Give people tokens of their own, list them, and take them back."""


class _NewTokenOptions(_DeskOptions):
    """Whose a token is, what it allows, and how long."""

    name: str = option(required=True, help="Whose it is, as pages and ledgers will say it.")
    scopes: tuple[Literal["read", "write", "upload", "keep"], ...] = option(
        "--scope",
        required=True,
        help="What it allows, beside looking: to write and run suites, to upload submissions, to "
        "keep the board; repeatable.",
    )
    days: int = option(
        type=click.IntRange(1, _MOST_DAYS), metavar="N", default=90, help="For how many days."
    )


@token.command("new", no_args_is_help=True)
@takes_options
def new_token(chosen: _NewTokenOptions) -> None:
    """Make a token, and print it: it is shown this once, and kept as a hash only.

    \b
      pommel serve token new --name 'A. Linguist' --scope upload
    """
    people = chosen.people()
    made = people.grant(chosen.name, chosen.scopes, n_days=chosen.days)
    click.echo(made)
    note(f"{chosen.name} opens the server's address with /?token=TOKEN behind it")


@token.command("list")
@takes_options
def list_tokens(chosen: _DeskOptions) -> None:
    """List the tokens that there have been: whose, for what, until when. No token is shown."""
    from rich.table import Table

    table = Table()
    for name in ("number", "name", "allows", "made", "until", "state"):
        table.add_column(name, no_wrap=name != "name")
    for each in chosen.known_people().grants():
        state = "valid" if each.holds else "revoked" if each.revoked else "expired"
        allows = ", ".join(each.scopes)
        dates = (each.created[:10], each.expires[:10])
        table.add_row(str(each.token_id), printable(each.name), allows, *dates, state)
    show_table(table)


@token.command("revoke", no_args_is_help=True)
@click.argument("number", type=int)
@takes_options
def revoke_token(number: int, chosen: _DeskOptions) -> None:
    """Take back the token with this NUMBER of `pommel serve token list`."""
    revoked = chosen.known_people().revoke(number)
    note(f"the token of {printable(revoked.name)} opens nothing any more")


command.add_command(token)
