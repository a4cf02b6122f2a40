"""Attacks on a node during a measurement.

    python -m deploy.bench.attacks NAME PORT NETWORK

runs an attack from four addresses of 127.0.NETWORK.0/24, which have the limits of four homes.
Closed connections reconnect. The attacker prepares its data and ignores answers, to use little of
its core.

    python -m deploy.bench.attacks nowhere PORT

runs a server that does nothing. Attacking it shows how much the attacking process itself takes from
the machine.

    python -m deploy.bench.attacks sessions PORT COUNT

holds idle sessions, so that killing it drops all of them at once.

    python -m deploy.bench.attacks awake CORE

keeps a core from idling. Waking a process on an idle virtual processor takes the host up to 10 ms
in one case of a hundred, a delay that would add to every write that an attack causes.

Each prints a line when it is ready, and runs until it is killed.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import cast

import uvloop

from deploy.bench import wire
from deploy.bench.client import masked, open_sessions
from deploy.bench.crowds import CROWDED, ENDED
from deploy.bench.games import frames
from deploy.bench.processes import LOAD_CORE, pin, upgrade
from engine.catalog import ruleset
from server.base.core.ids import CODE_ALPHABET, CODE_LENGTH
from server.base.wire import session_messages as session
from server.base.wire.messages import Command
from server.base.wire.short_forms import FIRST_NUMBER
from server.challenges import messages as challenges
from server.dailies import messages as dailies
from server.play import messages as attempts
from server.results import messages as leaderboards
from server.rooms import messages as rooms

ADDRESSES = 4
MAX_UNSENT = 65_536  # the most unsent bytes of an attacking connection, above which it skips a turn

# A room's code in an answer: a short text in MessagePack.
_ROOM = re.compile(f"\xa8([{CODE_ALPHABET}]{{{CODE_LENGTH}}})".encode("latin-1"))

_SHAKEN = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"  # the idle server's answer


@dataclass(frozen=True, slots=True)
class Attack:
    """The behaviour of each connection of an attack."""

    sockets: int
    head: bytes
    then: bytes = b""  # the data to send after the first bytes have come back
    again: tuple[bytes, ...] = ()  # sent after each later pause, or from the start without `then`
    pause: float = 0.1  # seconds between turns, and before a closed connection is replaced
    reads: bool = True  # whether more than the first bytes is read
    ends: bool = False  # whether the connection is dropped at its second turn
    starts: bool = False  # whether a round is started in the room that `then` opens
    crowded: bool = False  # whether the challenges of `crowds.CROWDED` are created first

    @property
    def memory(self) -> float:
        """The allowed growth of a node's memory in MiB."""
        # 18 MiB for retained budgets (`limits.MAX_KNOWN`) and memory that the allocator does not
        # return; for each connection 32 KiB sent too fast, 32 KiB unread, and a session.
        return 24 + self.sockets * 80 / 1_024


def get(path: str, *headers: str) -> bytes:
    """Return an HTTP request."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def _shake(*headers: str) -> bytes:
    return upgrade(80)[:-2] + "".join(f"{each}\r\n" for each in headers).encode() + b"\r\n"


def _frame(command: Command) -> bytes:
    return masked(wire.pack(command))


_HELLO = _frame(session.Hello(1, session.VERSION))
_VIEWER = _HELLO + _frame(leaderboards.WatchLeaderboard(2, "robert"))
_MOVES = frames("robert", FIRST_NUMBER, 5)
# The moves and the end of a session's first attempt, which puts it on the leaderboard.
_PLAYED = b"".join([*_MOVES, _frame(attempts.Resign(4, FIRST_NUMBER, 7))])

# The number of hints of an attempt with hostile rules, alternating with moves. Each is followed by
# a challenge with other rules.
HINTS = 40


def _rules(number: int) -> str:
    deal = [6 + number // 3**pile % 3 for pile in range(9)]
    return (
        # Hostile, with 500 moves.
        f"tableau.deal={','.join(map(str, deal))}"
        ";tableau.order=any;tableau.match=any;tableau.moves=run"
    )


def _hints() -> tuple[bytes, ...]:
    """Return frames that request a hint on each board of an attempt, and create challenges."""
    known = ruleset("roosevelt", _rules(0))
    assert known.waste is not None
    deal = known.move(known.stock, known.waste)
    sent = []
    for number in range(HINTS):
        entry = 2 + 2 * number
        challenge = challenges.CreateChallenge(
            5, "roosevelt", 600, 86_400, f"{number:08}", _rules(number)
        )
        (move,) = wire.moves(known, FIRST_NUMBER, entry + 1, [deal])
        sent += [_frame(attempts.Hint(4, FIRST_NUMBER, entry)), masked(move), _frame(challenge)]
    return tuple(sent)


def _looks() -> tuple[bytes, ...]:
    """Return frames that play, watch, list and send emotes to crowded challenges."""
    begun = [_frame(challenges.PlayChallenge(2, name)) for name in CROWDED]
    sent = [begun[0], _PLAYED, *begun[1:]]
    for number, name in enumerate(CROWDED * 4):
        sent += [
            _frame(challenges.WatchChallenge(3, name)),
            _frame(challenges.EmoteRun(4, CROWDED[0], ENDED, number % 8)),
            _frame(challenges.ListChallenges(5)),
            _frame(challenges.GetChallengers(6, name, 1 + 20 * number)),
        ]
    return tuple(sent)


_BYTES = tuple(bytes([byte]) for byte in masked(wire.pack(session.Ping(2)) + bytes(100)) * 4)
_HEAD_BYTES = tuple(bytes([byte]) for byte in get("/" + "x" * 400))
_EMPTY, _PIECE, _PING, _PONG = 0x00, 0x02, 0x89, 0x8A

ATTACKS = {
    "stopped readers": Attack(
        1_000, _shake(), _VIEWER, (_frame(dailies.ListDailies(3)),), pause=4.0, reads=False
    ),
    "readers of a busy board": Attack(
        1_000,
        _shake(),
        _VIEWER,
        (_frame(dailies.OpenDaily(3, "robert")), _PLAYED),
        pause=0.8,
        reads=False,
    ),
    "heads byte by byte": Attack(400, b"", again=_HEAD_BYTES),
    "frames byte by byte": Attack(400, _shake(), _HELLO, _BYTES),
    "endless fragments": Attack(
        100, _shake(), _HELLO + masked(b"", _PIECE), (masked(b"", _EMPTY) * 300,), 0.05
    ),
    "a flood of pings": Attack(
        1, _shake(), again=(masked(b"", _PING) * 2_048,), pause=0, reads=False
    ),
    "pings": Attack(100, _shake(), _HELLO, (masked(b"", _PING) * 300,), 0.05, reads=False),
    "pongs": Attack(100, _shake(), _HELLO, (masked(b"x" * 125, _PONG) * 100,), 0.05),
    "silence": Attack(1_000, b"", again=(b"",)),
    "no hello": Attack(1_000, _shake(), again=(b"",)),
    "guests that reconnect": Attack(200, _shake(), _HELLO, (b"",), ends=True),
    "guesses": Attack(100, _shake(), _HELLO, (_frame(rooms.JoinRoom(2, "22222222")),), 0.05),
    "foreign origins": Attack(100, _shake("Origin: http://" + "x" * 4_000)),
    "smuggling": Attack(
        100, get("/", "Content-Length: 4", "Transfer-Encoding: chunked") + b"0\r\n\r\n" + get("/")
    ),
    "large heads": Attack(100, get("/", *(f"X-{n}: {'y' * 120}" for n in range(63)), "Z: " * 99)),
    "deep messages": Attack(100, _shake(), _HELLO, (masked(b"\x91" * 4_000),), 0.05),
    "rooms": Attack(
        100,
        _shake(),
        _HELLO,
        tuple(_frame(rooms.CreateRoom(2, "robert", 2, 600, f"{n:010}")) for n in range(500)),
    ),
    "hostile rules": Attack(
        70,
        _shake(),
        _HELLO + _frame(rooms.CreateRoom(2, "roosevelt", 1, 600, "h" * 8, _rules(0), "hints")),
        _hints(),
        pause=0.02,
        starts=True,
    ),
    "crowded challenges": Attack(25, _shake(), _HELLO, _looks(), pause=0.05, crowded=True),
    "pages": Attack(50, get("/"), again=(get("/") * 4,), pause=0.05),
    "API": Attack(50, get("/api/dailies"), again=(get("/api/leaderboards/robert") * 4,)),
}


class _Connection(asyncio.Protocol):
    """Records the first bytes, the room and the end of a connection; a server's one answers."""

    def __init__(self, answer: bytes = b"") -> None:
        self.answered, self.lost = asyncio.Event(), asyncio.Event()
        self.room = ""
        self._answer = answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if not self.answered.is_set():
            self.answered.set()
            self._transport.write(self._answer)
        elif not self.room and (found := _ROOM.search(data)):
            self.room = found[1].decode()

    def connection_lost(self, _: Exception | None) -> None:
        self.answered.set()
        self.lost.set()


async def attack(chosen: Attack, port: int, network: int) -> None:
    """Run an attack until the process is killed."""

    async def keep(number: int) -> None:
        while True:
            try:
                await _visit(chosen, port, f"127.0.{network}.{1 + number % ADDRESSES}")
            except OSError:
                # Keep attacking if refused, or if no port is left.
                await asyncio.sleep(chosen.pause)

    _tell_ready()
    await asyncio.gather(*map(keep, range(chosen.sockets)))


async def _visit(attack: Attack, port: int, address: str) -> None:
    transport, connection = await asyncio.get_running_loop().create_connection(
        _Connection, "127.0.0.1", port, local_addr=(address, 0)
    )
    transport.write(attack.head)
    if attack.then:
        await connection.answered.wait()
        if connection.lost.is_set():
            return
        transport.write(attack.then)
        if not attack.reads:
            transport.pause_reading()
        await asyncio.sleep(attack.pause)
    started = not attack.starts
    for sent in cycle(attack.again or (b"",)):
        if attack.ends:
            transport.abort()
        if transport.is_closing():
            return
        if not started and connection.room:
            started = True
            transport.write(_frame(rooms.StartRound(3, connection.room)))
        if transport.get_write_buffer_size() < MAX_UNSENT:
            transport.write(sent)
        await asyncio.sleep(attack.pause)


async def nowhere(port: int) -> None:
    """Serve nothing on a port of 127.0.0.1 until the process is terminated."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        partial(_Connection, _SHAKEN), "127.0.0.1", port, backlog=4_096
    )
    _tell_ready()
    await server.serve_forever()


async def sessions(port: int, count: int) -> None:
    """Hold sessions until the process is killed."""
    held = await open_sessions(port, count)
    _tell_ready()
    await asyncio.Event().wait()
    del held


async def awake(core: int) -> None:
    """Keep a core busy until the process is killed."""
    pin(core)
    _tell_ready()
    while True:
        pass


def _tell_ready() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()


if __name__ == "__main__":
    pin(LOAD_CORE)
    what, *numbers = sys.argv[1:]
    others: dict[str, Callable[..., Coroutine[None, None, None]]]
    others = {"nowhere": nowhere, "sessions": sessions, "awake": awake}
    if what != "sessions":
        # Use only idle time, since real attackers have their own machines.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    runs = others[what] if what in others else partial(attack, ATTACKS[what])
    uvloop.run(runs(*map(int, numbers)))
