"""A connection that sends pings as fast as it can, reads nothing, and sends no hello."""

from __future__ import annotations

import socket
import threading
import time
from types import TracebackType

from deploy.bench.processes import upgrade

_PINGS = b"\x89\x80\0\0\0\0" * 2_048
_TIMEOUT = 0.2
"""Seconds to wait for the socket, and before reconnecting."""


class Flood:
    """Floods a server from a thread, until the context is left.

    Attributes:
        sent: bytes sent so far.
    """

    def __init__(self, port: int) -> None:
        self.sent = 0
        self._port = port
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Flood:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the thread."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self._port), _TIMEOUT) as connection:
                    self._send(connection)
            except OSError:
                # The server closed or refused the connection: reconnect, as an attacker would.
                time.sleep(_TIMEOUT)

    def _send(self, connection: socket.socket) -> None:
        connection.sendall(upgrade(self._port))
        connection.settimeout(_TIMEOUT)
        while not self._stopped.is_set():
            try:
                self.sent += connection.send(_PINGS)
            except TimeoutError:
                continue
