#!/bin/sh
# websocket-client 1.9.2 (Python): the handshake has an Origin, which is made from the URL.
#
# Origin is how browsers name the page that opens a WebSocket, and one would expect none from a
# program, as from websockets 17.4 and aiohttp 3.14.5. A server that compares Origin with its public
# address refuses the handshake with 403, if the program uses another name of the server, such as an
# internal one: the URL decides, so the same program is accepted elsewhere. `suppress_origin=True`
# sends none.
#
# Observed: ws://127.0.0.1:PORT/ sends "Origin: http://127.0.0.1:PORT", and with `suppress_origin`
# nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check \
    websocket-client==1.9.2 websockets==17.4 aiohttp==3.14.5 || exit 2
cat >run.py <<'PYTHON'
import asyncio
import socket
import threading

import aiohttp
import websocket
import websockets

server = socket.create_server(("127.0.0.1", 0))
host = f"127.0.0.1:{server.getsockname()[1]}"
found = []


def serve():
    """Refuse every handshake, and keep its Origin."""
    while True:
        connection, _ = server.accept()
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        lines = [line.partition(": ") for line in head.decode().split("\r\n")]
        found.append(next((text for name, _, text in lines if name.lower() == "origin"), None))
        connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        connection.close()


async def asynchronous():
    try:
        await websockets.connect(f"ws://{host}/")
    except websockets.InvalidStatus:
        pass
    async with aiohttp.ClientSession() as session:
        try:
            await session.ws_connect(f"ws://{host}/")
        except aiohttp.WSServerHandshakeError:
            pass


threading.Thread(target=serve, daemon=True).start()
for options in ({}, {"suppress_origin": True}):
    try:
        websocket.create_connection(f"ws://{host}/", **options)
    except websocket.WebSocketBadStatusException:
        pass
asyncio.run(asynchronous())
print("websocket-client, with suppress_origin, websockets, aiohttp:", found)
assert found == [f"http://{host}", None, None, None]
PYTHON
venv/bin/python run.py || exit 1
