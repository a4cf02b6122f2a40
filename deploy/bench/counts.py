"""Exact costs of operations of a node: bytecode instructions, calls of Python and C functions.

    python -m deploy.bench.counts [--record]

Unlike times, these are the same on every machine with this version of Python, so that a small
slowdown is seen at once. A node and its clients run in this process, one operation at a time. Only
the node's code and the libraries that it calls directly are counted. Moves differ, so their median
is taken, and of the other operations the least, which leaves out timers.

The operations are a move; a connection with its handshake; the same with the `Hello` of a new or a
known guest; and the same with the return to a race.

It fails if a count is more than `TOLERANCE` above the recorded one; `--record` records the counts.
"""

from __future__ import annotations

import asyncio
import json
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from statistics import median
from types import FrameType, SimpleNamespace
from typing import Any, Final

import uvloop

from deploy.bench.node import LIMITS, deal_recorded
from server.base.net import limits

# The module of sockets copies the limits at import.
vars(limits).update(LIMITS)

from deploy.bench.client import connect, open_session, open_sessions  # noqa: E402
from deploy.bench.comparison import print_line  # noqa: E402
from deploy.bench.games import race  # noqa: E402
from deploy.bench.players import Player, open_players  # noqa: E402
from server.app import running_node  # noqa: E402
from server.base.redis.embedded import embedded_redis  # noqa: E402
from server.base.seals.key_file import own_keys  # noqa: E402
from server.cli.logs import configure  # noqa: E402
from server.cli.tuning import tune_process  # noqa: E402
from server.rooms.core import commands, rate_limit  # noqa: E402
from server.rooms.messages import JoinRoom  # noqa: E402
from server.settings import Settings  # noqa: E402

RECORDED: Final = Path(__file__).with_name("counts.json")
TOLERANCE: Final = 0.02  # the share by which a count may exceed the recorded one
GAMES: Final = ("deuces", "roosevelt", "rouge-et-noir")
WARM_UP: Final = 10  # moves of each player before counting; the first confirms the clock
MOVES: Final = 80  # counted moves of each player
OPENINGS: Final = 30  # counted operations of every other kind
SETTLED: Final = 0.02  # seconds until the node has finished an operation
KINDS: Final = "C calls", "Python calls", "instructions"
Counts = dict[str, int]  # by kind
ROOT: Final = Path(__file__).parents[2]

_COUNTED: Final = (f"{ROOT}/server/", f"{ROOT}/engine/")


@contextmanager
def counting(found: Counter[str]) -> Iterator[None]:
    """Count into `found` what the node's code does in the block."""

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_COUNTED):
            return None
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            found["instructions"] += 1
        return trace

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if frame.f_code.co_filename.startswith(_COUNTED):
            if event == "call":
                found["Python calls"] += 1
            elif event == "c_call":
                found["C calls"] += 1

    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.settrace(None)
        sys.setprofile(None)


async def move(player: Player) -> None:
    """Send a player's next frame, and wait for the answer."""
    player.move(0.0)
    while player.due:
        await asyncio.sleep(0)
    assert not player.refused, "the recorded moves are legal"


async def measure() -> dict[str, Counts]:
    """Return the counts of each operation: the median of the moves, and the least of the others."""
    configure("console", "warning", "bench")
    deal_recorded()
    commands.COUNTDOWN_MS = 0
    vars(rate_limit)["MOST_MS"] = 10**18
    with tempfile.TemporaryDirectory(prefix="samedeal") as folder:
        async with embedded_redis(Path(folder)) as socket:
            keys = own_keys(Path(folder))
            settings = Settings(
                host="127.0.0.1",
                port=0,
                redis=socket,
                secret_key_file=keys,
                address_players=1_000,
            )
            async with running_node(settings) as port:
                tune_process()
                server: Any = SimpleNamespace(port=port, redis=True)
                players = await open_players(server, 2 * len(GAMES), WARM_UP + MOVES + 1, GAMES)
                moves = [each for player in players for each in await counted(player)]
                found = {"move": {kind: round(median(m[kind] for m in moves)) for kind in KINDS}}
                for name, openings in (await counted_openings(port)).items():
                    found[name] = {kind: min(each[kind] for each in openings) for kind in KINDS}
                return found


async def counted_openings(port: int) -> dict[str, list[Counter[str]]]:
    """Return the counts of connections, of sessions, and of returns to a race."""
    known = await open_sessions(port, OPENINGS)
    pairs = [await open_sessions(port, 2) for _ in range(OPENINGS)]
    codes = [(await race(pair, GAMES[0]))[0].room for pair in pairs]
    for client in (*known, *chain.from_iterable(pairs)):
        client.transport.abort()
    await asyncio.sleep(SETTLED)

    async def return_(number: int) -> None:
        client = await open_session(port, pairs[number][0].token)
        await client.ask(JoinRoom, codes[number])

    operations: dict[str, Callable[[int], Awaitable[object]]] = {
        "connection": lambda _: connect(port),
        "new guest": lambda _: open_session(port),
        "known guest": lambda number: open_session(port, known[number].token),
        "return to a race": return_,
    }
    found: dict[str, list[Counter[str]]] = {}
    for name, act in operations.items():
        found[name] = []
        for number in range(OPENINGS):
            counts: Counter[str] = Counter()
            with counting(counts):
                await act(number)
                # What follows the answer belongs to the operation.
                await asyncio.sleep(SETTLED)
            found[name].append(counts)
    return found


async def counted(player: Player) -> list[Counter[str]]:
    """Return the counts of each of a player's moves after the warm-up."""
    for _ in range(WARM_UP):
        await move(player)
    found = []
    for _ in range(MOVES):
        counts: Counter[str] = Counter()
        with counting(counts):
            await move(player)
        found.append(counts)
    return found


def check(found: Mapping[str, Counts]) -> int:
    """Return 1 if a count exceeds the recorded one, else 0."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    if recorded.pop("python") != platform.python_version().rpartition(".")[0]:
        print_line("counts: recorded with another version of Python, so not compared")
        return 0
    grown = []
    for name, counts in found.items():
        for kind, count in counts.items():
            before = recorded[name][kind]
            print_line(f"a {name} takes {count:,} {kind}, recorded {before:,}")
            if count > before * (1 + TOLERANCE):
                grown.append(f"a {name} takes more {kind}")
    if grown:
        sys.stderr.write(f"counts: {', '.join(grown)} than recorded\n")
    return 1 if grown else 0


def main() -> int:
    """Count, and compare or record; return the exit status."""
    found = uvloop.run(measure())
    if "--record" not in sys.argv[1:]:
        return check(found)
    version = platform.python_version().rpartition(".")[0]
    RECORDED.write_text(json.dumps({"python": version, **found}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
