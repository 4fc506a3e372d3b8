"""`pommel serve`: the store's results in a browser."""

import datetime as dt
import os
import secrets
import socket

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import option, takes_options
from pommel.cli.options import StoreOptions
from pommel.cli.output import note
from pommel.errors import PommelError, UsageError

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class _ServeOptions(StoreOptions):
    """Where the server listens, and who may look."""

    host: str = option(default="127.0.0.1", help="The address that it listens on.")
    port: int = option(
        type=click.IntRange(0, 65535),
        default=8765,
        metavar="N",
        help="The port; 0 is any free one.",
    )
    read_only: bool = option(
        help="Let everybody look who reaches the address, without a token. Another address than "
        "this machine's own needs it."
    )
    names: tuple[str, ...] = option(
        "--name",
        metavar="HOST",
        help="What browsers call this machine, beside its address: pommel.example.org; repeatable.",
    )


@click.command("serve", cls=Command)
@takes_options
def command(chosen: _ServeOptions) -> None:
    """Show what is in the store in a browser: runs, suites, items, two models side by side.

    The address that is printed has a token, which your browser keeps; nobody else can look. Every
    page is there as JSON, too: /runs.json. Ctrl-C ends it.

    \b
      pommel serve
      pommel serve --host 0.0.0.0 --name lab.example.org --read-only
    """
    if not chosen.read_only and chosen.host not in _LOOPBACK:
        raise UsageError(
            f"--host {chosen.host}: others could reach it; --read-only lets everybody look"
        )
    try:
        import uvicorn

        from pommel.serve import make_app
    except ImportError as error:
        raise UsageError(f"{error.name} is not installed: pip install 'pommel[serve]'") from None
    with chosen.reading(), _listening(chosen.host, chosen.port) as listening:
        port = listening.getsockname()[1]
        hosts = [chosen.host, *chosen.names, *(_LOOPBACK if chosen.host in _LOOPBACK else ())]
        token = "" if chosen.read_only else secrets.token_urlsafe(32)
        app = make_app(
            chosen.store_path, [_with_port(each, port) for each in hosts], token=token, tell=_tell
        )
        click.echo(f"http://{_with_port(chosen.host, port)}/{f'?token={token}' if token else ''}")
        note("Ctrl-C ends it")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
        )
        uvicorn.Server(config).run(sockets=[listening])


def _tell(line: str) -> None:
    note(f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M:%S} {line}")


def _with_port(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host.lower()
    return f"{shown}:{port}"


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises `PommelError` where another program has the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        where = _with_port(host, port)
        why = os.strerror(error.errno or 0)
        raise PommelError(f"{where}: {why}; --port 0 takes any free one") from None
