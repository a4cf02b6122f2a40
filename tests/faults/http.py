"""HTTP requests of players, one per connection."""

from __future__ import annotations

import asyncio

ANSWERED_WITHIN = 20.0
"""Seconds allowed for the response to a request."""


async def request(port: int, target: str, method: str = "GET") -> tuple[int, bytes]:
    """Send a request to this machine, and return the status and the body."""
    async with asyncio.timeout(ANSWERED_WITHIN):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            writer.write(head.encode())
            answer = await reader.read()
        finally:
            writer.close()
    status, _, body = answer.partition(b"\r\n\r\n")
    if not status.startswith(b"HTTP/1.1 "):
        raise ConnectionResetError
    return int(status.split(b" ", 2)[1]), body
