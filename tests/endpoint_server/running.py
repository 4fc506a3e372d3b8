"""Servers on loopback, in a thread, for as long as a `with` lasts."""

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.endpoint_server.application import Behaviour, EndpointServer
from tests.endpoint_server.language_model import LanguageModel

# From behaviour (keywords) to a running server and its address, `http://127.0.0.1:PORT/N/v1`.
Serve = Callable[..., tuple[EndpointServer, str]]


class _Dispatcher:
    """Many servers at one address, each under a number: to start a real one takes its time."""

    def __init__(self) -> None:
        self.servers: dict[str, EndpointServer] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        number, _, path = scope["path"].removeprefix("/").partition("/")
        await self.servers[number]({**scope, "path": f"/{path}"}, receive, send)


@contextlib.contextmanager
def serving(language_model: LanguageModel) -> Iterator[Serve]:
    """Give a function that starts servers."""
    dispatcher, numbers = _Dispatcher(), itertools.count()
    with running(dispatcher) as address:

        def start(**behaviour: Any) -> tuple[EndpointServer, str]:
            number = str(next(numbers))
            server = EndpointServer(language_model, Behaviour(**behaviour))
            dispatcher.servers[number] = server
            return server, f"{address}/{number}/v1"

        yield start


@contextlib.contextmanager
def running(application: ASGIApp) -> Iterator[str]:
    """Run an application; give its address, `http://127.0.0.1:PORT`."""
    # The protocol is named: asyncio sends at once only on sockets that say so.
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            application, log_level="critical", lifespan="off", ws="none", http="h11"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.001)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def main() -> None:
    """Run one that stays, to try things by hand: `python -m tests.endpoint_server.running`."""
    server = EndpointServer(LanguageModel(), Behaviour(adds_bos=True))
    uvicorn.run(server, host="127.0.0.1", port=8000, log_level="warning")


if __name__ == "__main__":
    main()
