"""HTTP as the server speaks it: uvicorn, whose connections end when they are slow, or too many."""

import asyncio
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from pommel.serve.app import make_app
from pommel.serve.guard import Door, Limits
from pommel.serve.site import Site

# Idle connections are closed after so many seconds; so long the server waits for answers when it
# ends.
_IDLE_SECONDS = 5
_ENDING_SECONDS = 5
_SECONDS_BETWEEN_LOOKS = 5.0
# Whoever takes less than this of an answer, for so long, does not read it.
_LEAST_BYTES_PER_SECOND = 1_000
_SECONDS_UNREAD = 30.0


def make_server(site: Site, door: Door) -> uvicorn.Server:
    """Return the server of a site, to be run on sockets that listen already."""
    config = uvicorn.Config(
        make_app(site, door),
        http=_wire(door),
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        # `guard` knows whom to believe.
        proxy_headers=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_ENDING_SECONDS,
    )
    return uvicorn.Server(config)


def _wire(door: Door) -> type[H11Protocol]:
    """Return what uvicorn makes of each connection."""

    class Wire(_Wire):
        limits = door.limits
        # All connections of a proxy come from one address.
        is_behind_proxy = door.proxy is not None

    return Wire


class _Wire(H11Protocol):
    """A connection: uvicorn itself waits for ever for the head of a request, and for a reader."""

    limits: Limits
    is_behind_proxy: bool
    _looking: asyncio.TimerHandle | None = None
    # When the last answer was complete, or else the connection made.
    _waiting_since = 0.0
    # How much it has been sent and not taken, and for how long hardly any of that.
    _n_unread = 0
    _unread_seconds = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        if self._is_one_too_many():
            transport.abort()
            return
        # asyncio does so for sockets that say that they are TCP's, which Python's do not. Without,
        # the second part of an answer waits for a word that the first has come: for 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waiting_since = self.loop.time()
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._looking:
            self._looking.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def _is_one_too_many(self) -> bool:
        if len(self.connections) > self.limits.connections:
            return True
        if self.is_behind_proxy or not self.client:
            return False
        clients = [getattr(each, "client", None) for each in self.connections]
        own = [each for each in clients if each and each[0] == self.client[0]]
        return len(own) > self.limits.connections_each

    def _look_later(self) -> None:
        seconds = min(_SECONDS_BETWEEN_LOOKS, self.limits.header_seconds)
        self._looking = self.loop.call_later(seconds, self._look, seconds)

    def _look(self, seconds: float) -> None:
        """End the connection if it has waited for too long, in one way or the other."""
        waited = self.loop.time() - self._waiting_since
        cycle: RequestResponseCycle | None = self.cycle
        is_asked = cycle is not None and not cycle.response_complete
        unread = self.transport.get_write_buffer_size()
        is_read = unread == 0 or self._n_unread - unread >= seconds * _LEAST_BYTES_PER_SECOND
        self._unread_seconds = 0.0 if is_read else self._unread_seconds + seconds
        self._n_unread = unread
        is_slow = not is_asked and unread == 0 and waited >= self.limits.header_seconds
        if is_slow or self._unread_seconds >= _SECONDS_UNREAD:
            self.transport.abort()
        else:
            self._look_later()
