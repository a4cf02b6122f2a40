"""Compare a node with another game server that filters its state per player: Colyseus.

    python -m deploy.bench.colyseus

It installs Colyseus in `build/colyseus`, and takes a few minutes. Both servers take turns on the
same core, with players who wait for each answer. Colyseus runs `colyseus.mjs`, which has no rules,
no journal and no progress of opponents.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median

from deploy.bench import players
from deploy.bench.client import Client, map_concurrently, masked
from deploy.bench.players import Player
from deploy.bench.processes import (
    LOAD_CORE,
    ROOT,
    SERVER_CORE,
    Figures,
    Server,
    free_port,
    pin,
    running,
    running_program,
    wait_until,
)

PACKAGES = ("@colyseus/core@0.18.17", "@colyseus/ws-transport@0.18.4", "@colyseus/schema@5.0.34")
SOURCE = Path(__file__).with_name("colyseus.mjs")
FOLDER = ROOT / "build" / "colyseus"

SIZES = (50, 500, 2_000)
ROUNDS = 3
SECONDS = 3.0
PILES = 14

# Codes of its protocol. `JOIN` alone is also the client's answer to the first message.
JOIN, DATA, PATCH = b"\x0a", b"\x0d", b"\x0f"


def install() -> None:
    """Install the packages and the server in `FOLDER`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "package.json").write_text('{ "private": true, "type": "module" }\n')
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run([*command, *PACKAGES], cwd=FOLDER, check=True)  # noqa: S603 - pinned packages
    (FOLDER / SOURCE.name).write_bytes(SOURCE.read_bytes())


@contextmanager
def colyseus() -> Iterator[Server]:
    """Run the Colyseus server."""
    port = free_port()
    with running_program(["node", str(FOLDER / SOURCE.name), str(port)], core=SERVER_CORE) as pid:
        wait_until(lambda: _listens(port))
        yield Server(port, pid)


def _listens(port: int) -> bool:
    try:
        _seat(port)
    except OSError:
        return False
    return True


def _seat(port: int) -> str:
    """Reserve a seat, and return the path of its WebSocket."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/matchmake/joinOrCreate/race",
        b"{}",
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
        seat = json.load(response)
    return f"/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}"


async def _join(port: int) -> Client:
    path = await asyncio.to_thread(_seat, port)
    received: asyncio.Queue[bytes] = asyncio.Queue()

    def make() -> Client:
        client = Client(port, path)
        client.handle_payload = lambda data, begin, end: received.put_nowait(data[begin:end])
        return client

    loop = asyncio.get_running_loop()
    _, client = await loop.create_connection(make, "127.0.0.1", port)
    await client.opened
    # It sends the schema, and the whole state after the client's confirmation.
    await received.get()
    client.write(masked(JOIN))
    await received.get()
    return client


def _moves(number: int) -> Iterator[bytes]:
    """Yield moves of a card to another pile and back, each as [entry, source, target]."""
    for seq in count(1):
        source = (number + (seq - 1) // 2) % PILES
        piles = source, (source + 5) % PILES
        ordered = piles if seq % 2 else piles[::-1]
        yield masked(DATA + b"\xa1m\x93\xce" + seq.to_bytes(4, "big") + bytes(ordered))


class PeersPlayer(Player):
    """A player on Colyseus, which also sends empty patches for the opponent's moves."""

    def handle(self, data: bytes, begin: int, end: int) -> None:
        """Count a patch with changes as an answer."""
        if end - begin > len(PATCH):
            super().handle(data, begin, end)


async def peers_loop(server: Server, sockets: int, seconds: float) -> Figures:
    """Measure players on Colyseus as `players.closed_loop` does on a node."""
    clients = await map_concurrently(sockets, lambda _: _join(server.port))
    moving = [PeersPlayer(each, _moves(n), echoes=True) for n, each in enumerate(clients)]
    return await players.measured(server, moving, seconds)


def main() -> int:
    """Print the moves per second of both servers at each size, and their ratio."""
    install()
    pin(LOAD_CORE)
    print("| sockets | node, moves/s | Colyseus, moves/s | ratio | node, µs | Colyseus, µs |")  # noqa: T201
    print("|--:|--:|--:|--:|--:|--:|")  # noqa: T201
    is_ahead = True
    for sockets in SIZES:
        ours: list[Figures] = []
        theirs: list[Figures] = []
        for _ in range(ROUNDS):
            with colyseus() as server:
                theirs.append(asyncio.run(peers_loop(server, sockets, SECONDS)))
            with running("node", "--unlimited") as server:
                ours.append(asyncio.run(players.closed_loop(server, sockets, SECONDS)))
        rates = _median(ours, "rate"), _median(theirs, "rate")
        costs = _median(ours, "server_us"), _median(theirs, "server_us")
        is_ahead &= rates[0] > rates[1]
        print(  # noqa: T201 - a command's output
            f"| {sockets:,} | {rates[0]:,.0f} | {rates[1]:,.0f} | {rates[0] / rates[1]:.2f} "
            f"| {costs[0]:.1f} | {costs[1]:.1f} |",
            flush=True,
        )
    return 0 if is_ahead else 1


def _median(found: Sequence[Figures], name: str) -> float:
    return median(each[name] for each in found)


if __name__ == "__main__":
    sys.exit(main())
