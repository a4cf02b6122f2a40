"""Compare the processor time of a node with that of an earlier commit, interleaved.

    python -m deploy.bench.earlier COMMIT [--pairs N] [MEASURE ...]

A measure is a number of sockets in a closed loop, or `operations`: connection and `Hello`,
`CreateRoom`, `StartRound` of eight, a daily's opening and finish, and the return to a race, one at
a time. By default, all are measured. The earlier commit is installed in `build/earlier` with the
packages that it locks. This file then runs in both trees, with each tree's own load generator.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from deploy.bench.client import Client, connect, open_session, open_sessions
from deploy.bench.games import FIRST_ENTRY, GAMES, frames, open_room, race
from deploy.bench.players import closed_loop
from deploy.bench.processes import LOAD_CORE, ROOT, Figures, Server, pin, running
from server.base.wire import session_messages as session
from server.dailies import messages as dailies
from server.play import messages as attempts
from server.rooms import messages as rooms

MEASURES = ("50", "500", "operations")
SECONDS = 3.0  # of a closed loop
MOVES = 5  # before a daily's finish
SETTLED = 0.5  # seconds before and after an operation is repeated


async def cost(server: Server, repeat: int, act: Callable[[int], Awaitable[object]]) -> float:
    """Return the node's processor time in µs of one call of `act`, which gets its number."""
    await asyncio.sleep(SETTLED)
    before = server.spent()
    for number in range(repeat):
        await act(number)
    await asyncio.sleep(SETTLED)
    return 1e6 * (server.spent() - before) / repeat


async def operations(server: Server) -> Figures:
    """Return the costs of single operations, in µs."""
    found: Figures = {}
    await open_sessions(server.port, 20)
    found["Hello"] = await cost(server, 300, lambda _: open_session(server.port))
    (host,) = await open_sessions(server.port, 1)
    found["CreateRoom"] = await cost(server, 200, lambda n: open_room(host, _game(n), 2))
    found["StartRound of 8"] = await _rounds(server, 25)
    players = await open_sessions(server.port, 100)
    cards: list[attempts.Attempt] = []

    async def open_daily(number: int) -> None:
        cards.append(await players[number].ask(dailies.OpenDaily, "robert"))

    found["OpenDaily"] = await cost(server, len(players), open_daily)
    for player, card in zip(players, cards, strict=True):
        player.write(b"".join(frames("robert", card.number, MOVES)))
    await asyncio.sleep(1)

    async def finish(number: int) -> None:
        entry = FIRST_ENTRY + MOVES
        await players[number].ask(attempts.Resign, cards[number].number, entry)

    found["finish of a daily"] = await cost(server, len(players), finish)
    found["return to a race"] = await _returns(server, 100)
    return found


def _game(number: int) -> str:
    return GAMES[number % len(GAMES)]


async def _rounds(server: Server, count: int) -> float:
    groups: list[tuple[list[Client], str]] = []
    for number in range(count):
        seated = await open_sessions(server.port, 8)
        code = await open_room(seated[0], _game(number), 8)
        for guest in seated[1:]:
            await guest.ask(rooms.JoinRoom, code)
            await guest.ask(rooms.SetReady, code, True)
        groups.append((seated, code))

    async def start(number: int) -> None:
        seated, code = groups[number]
        cards = [each.snapshot(code) for each in seated]
        await seated[0].ask(rooms.StartRound, code)
        await asyncio.gather(*cards)

    return await cost(server, count, start)


async def _returns(server: Server, count: int) -> float:
    left: list[tuple[str, str]] = []
    for number in range(count):
        clients, tokens = [], []
        for _ in range(2):
            client = await connect(server.port)
            welcome: session.Welcome = await client.ask(session.Hello, session.VERSION)
            client.player = welcome.player.id
            clients.append(client)
            tokens.append(welcome.token)
        first, _ = await race(clients, _game(number))
        assert first.room is not None, "it is a race"
        left.append((tokens[0], first.room))
        clients[0].transport.abort()
    await asyncio.sleep(1)

    async def come_back(number: int) -> None:
        token, code = left[number]
        client = await connect(server.port)
        await client.ask(session.Hello, session.VERSION, token)
        await client.ask(rooms.JoinRoom, code)

    return await cost(server, count, come_back)


def measure(what: str) -> Figures:
    """Return the figures of a measure of this tree's node, in µs."""
    pin(LOAD_CORE)
    with running("node", "--unlimited") as server:
        if what == "operations":
            return asyncio.run(operations(server))
        found = asyncio.run(closed_loop(server, int(what), SECONDS))
        return {f"a move at {what} sockets": found["server_us"]}


def install(commit: str) -> tuple[Path, Path]:
    """Install a commit, unless it is installed already; return its tree and its interpreter."""
    folder = ROOT / "build" / "earlier" / commit
    tree, python = folder / "tree", folder / "venv" / "bin" / "python"
    if not python.exists():
        archive = subprocess.run(  # noqa: S603 - git, with a commit
            ["git", "archive", commit],  # noqa: S607
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)  # noqa: S603
        for wanted in (["-r", "deploy/requirements.txt"], ["--no-deps", "-e", "."]):
            command = [str(python), "-m", "pip", "install", "-q", *wanted]
            subprocess.run(command, cwd=tree, check=True)  # noqa: S603 - its own packages
    return tree, python


def measured_in(tree: Path, python: Path, what: str) -> Figures:
    """Run this file in a tree, and return the figures of a measure."""
    environment = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'server' / 'client'}"}
    printed = subprocess.run(  # noqa: S603 - this file
        # Without the folder of this file, which has a module named as a package.
        [python, "-P", __file__, "--measure", what],
        cwd=tree,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found: Figures = json.loads(printed.splitlines()[-1])
    return found


def compare(commit: str, measures: list[str], pairs: int) -> None:
    """Print the medians of both commits in µs, and their ratio."""
    trees = install(commit), (ROOT, Path(sys.executable))
    print(f"| µs of the node | {commit} | this tree | ratio |")  # noqa: T201 - a command's output
    print("|---|--:|--:|--:|")  # noqa: T201
    for what in measures:
        found = [[measured_in(*each, what) for each in trees] for _ in range(pairs)]
        for name in found[0][0]:
            then, now = (median(pair[side][name] for pair in found) for side in (0, 1))
            ratio = median(pair[1][name] / pair[0][name] for pair in found)
            print(f"| {name} | {then:,.1f} | {now:,.1f} | {ratio:.2f} |", flush=True)  # noqa: T201


def main() -> int:
    """Run the command line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench.earlier", description=__doc__)
    parser.add_argument("commit", nargs="?")
    parser.add_argument("measures", nargs="*", default=MEASURES, metavar="MEASURE")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure is not None:
        print(json.dumps(measure(chosen.measure)))  # noqa: T201
    elif chosen.commit is None:
        parser.error("COMMIT is missing")
    else:
        compare(chosen.commit, list(chosen.measures), chosen.pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
