"""A connection that sends pings as fast as they are taken, reads nothing, and says no hello."""

from __future__ import annotations

import socket
import threading
import time
from types import TracebackType

from deploy.bench.processes import upgrade

_PINGS = b"\x89\x80\0\0\0\0" * 2_048
_WITHIN = 0.2


class Flood:
    """Floods a server from a thread, for as long as the block lasts.

    Attributes:
        sent: bytes so far.
    """

    def __init__(self, port: int) -> None:
        self.sent = 0
        self._port = port
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Flood:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self._port), _WITHIN) as one:
                    self._send(one)
            except OSError:
                # It was cut, or is not accepted: come back, as somebody who floods would.
                time.sleep(_WITHIN)

    def _send(self, one: socket.socket) -> None:
        one.sendall(upgrade(self._port))
        one.settimeout(_WITHIN)
        while not self._over.is_set():
            try:
                self.sent += one.send(_PINGS)
            except TimeoutError:
                continue
