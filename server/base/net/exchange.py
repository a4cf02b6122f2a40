"""An HTTP request, and its response by an ASGI application."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

import structlog
from starlette.types import ASGIApp, Message, Scope

# Bytes that no header may contain.
_INVALID: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")

# Responses without a Content-Length.
_BODILESS: Final = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}

log = structlog.get_logger()


class Exchange:
    """A request without a body, and its response.

    Args:
        scope: the request, as in the ASGI specification.
        transport: the connection.
        writable: set while the client reads the response.
        on_complete: called once the whole response is written.
        keep_alive: whether the connection stays open after the response; it may change.
    """

    def __init__(
        self,
        scope: Scope,
        transport: asyncio.Transport,
        writable: asyncio.Event,
        on_complete: Callable[[], None],
        *,
        keep_alive: bool,
    ) -> None:
        self.scope = scope
        self.keep_alive = keep_alive
        self._transport = transport
        self._writable = writable
        self._on_complete = on_complete
        self._ended = asyncio.Event()
        self._is_received = False
        self._is_started = False
        self._is_complete = False
        self._left = 0

    async def run(self, app: ASGIApp) -> None:
        """Have an application respond. A failure is logged, and answered with 500 if possible."""
        try:
            await app(self.scope, self._receive, self._send)
        except Exception:
            log.exception("request_failed")
        else:
            if self._is_complete or self._transport.is_closing():
                return
            log.error("request_failed", error="The application has not completed the response.")
        if self._is_started:
            self._transport.close()
        elif not self._transport.is_closing():
            text = b"Internal Server Error"
            self.keep_alive = False
            self._start(500, [(b"content-length", b"%d" % len(text))])
            self._write(text, more=False)

    def end(self) -> None:
        """Report to the application that the client is gone."""
        self._ended.set()

    async def _receive(self) -> Message:
        if self._is_received:
            await self._ended.wait()
        if self._ended.is_set():
            return {"type": "http.disconnect"}
        self._is_received = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Message) -> None:
        await self._writable.wait()
        kind = message["type"]
        if self._transport.is_closing():
            return
        if kind == "http.response.start" and not self._is_started:
            self._start(message["status"], message.get("headers", ()))
        elif kind == "http.response.body" and self._is_started and not self._is_complete:
            self._write(message.get("body", b""), more=message.get("more_body", False))
        else:
            raise RuntimeError(f"The application has sent {kind} out of order.")

    def _start(self, code: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Write the head of the response.

        Raises:
            RuntimeError: a header is invalid, or Content-Length is missing.
        """
        status = HTTPStatus(code)
        lines = [f"HTTP/1.1 {code} {status.phrase}".encode(), _date_line(int(time.time()))]
        length = 0 if status in _BODILESS else None
        for name, value in headers:
            line = name + b": " + value
            if _INVALID.search(line):
                raise RuntimeError("The application has sent an invalid header.")
            if name == b"content-length":
                length = int(value)
            lines.append(line)
        if length is None:
            raise RuntimeError("The application has sent no Content-Length.")
        if not self.keep_alive:
            lines.append(b"connection: close")
        self._left = 0 if self.scope["method"] == "HEAD" else length
        self._is_started = True
        self._transport.write(b"\r\n".join([*lines, b"", b""]))

    def _write(self, body: bytes, *, more: bool) -> None:
        """Write a part of the response's body.

        Raises:
            RuntimeError: the body's length differs from Content-Length.
        """
        if self.scope["method"] != "HEAD" and body:
            self._left -= len(body)
            if self._left < 0:
                raise RuntimeError("The response is longer than its Content-Length.")
            self._transport.write(body)
        if more:
            return
        if self._left:
            raise RuntimeError("The response is shorter than its Content-Length.")
        self._is_complete = True
        self._ended.set()
        if not self.keep_alive:
            self._transport.close()
        self._on_complete()


@lru_cache(1)
def _date_line(second: int) -> bytes:
    return b"date: " + formatdate(second, usegmt=True).encode()
