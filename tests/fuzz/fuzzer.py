"""A player of the stateful fuzzer, who sends random commands and checks the answers."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, get_args, get_type_hints

import msgpack
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server import protocol
from server.base.core.codes import parse_room_code
from server.base.wire import codec
from server.base.wire.contracts import Reason
from server.base.wire.lenient import BadMessageError
from server.base.wire.messages import NEWS, Command
from server.base.wire.session_messages import VERSION, Refused
from server.handlers import HANDLERS
from server.lobby.messages import QuickMatch
from server.play.messages import (
    FIRST_NUMBER,
    LAST_NUMBER,
    Attempt,
    Hint,
    Moved,
    PlayMove,
    Resign,
    Undo,
)
from server.rooms.messages import PROGRESS, CreateRoom, JoinRoom
from server.routes import ROUTES
from tests.clients.known import Known
from tests.faults import ledger
from tests.faults.http import request
from tests.faults.ledger import Ledger
from tests.fuzz.commands import Commands, Row, Seen
from tests.wire import COMMANDS, Message, Wire, plain, read_event

PATIENCE = 30.0
"""Seconds allowed for each answer."""

BATCH = 24
"""The most frames per batch, enough to make a node pause reading."""

STATUSES = {200, 204, 304, 400, 404, 405, 409, 421, 426, 429, 503}
"""The statuses documented in HTTP.md, and the pages' statuses."""

NUMBERED = (Resign, Undo, Hint)
"""Commands that name an attempt by its number in the session, as moves do."""

_TYPES = {struct: name for name, struct in COMMANDS.items()}
_SAID = re.compile(r"[Rr]efused as ([^.;]+)[.;]")


def _codes_of(struct: type) -> set[str]:
    """Return the refusal codes named in the docstrings of a message and its base."""
    said = " ".join(" ".join((each.__doc__ or "").split()) for each in struct.__mro__[:2])
    return set(re.findall(r"`(\w+)`", " ".join(_SAID.findall(said))))


ANY = {
    *("bad_message", "hello_first", "unavailable", "room_closed"),
    *("unknown_rules", "unknown_format", "seed_not_opened"),
}
"""Codes that can refuse any message. `too_fast` and `internal` must not occur here."""

_HANDLED: list[type] = [*HANDLERS, PlayMove]

CODES = {struct: _codes_of(struct) | ANY for struct in _HANDLED}
"""Codes that can refuse a message, by its type."""


def _answers_of(struct: type[Command]) -> set[type]:
    returned = get_type_hints(HANDLERS[struct])["return"]
    return {*(get_args(returned) or (returned,)), Refused}


ANSWERS: dict[type, set[type]] = {
    **{struct: _answers_of(struct) for struct in HANDLERS},
    PlayMove: {Moved, Attempt, Refused},
}
"""Event types that can answer a message, by its type."""


@dataclass
class World:
    """State shared by all players of a run.

    Attributes:
        left: number of frames left to send.
        seen: values that commands can name.
        complaints: failures, each with the last frames before it.
    """

    ports: list[int]
    left: int
    seen: Seen = field(default_factory=Seen)
    ledgers: dict[str, Ledger] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    ids: Any = field(default_factory=lambda: count(1))


@dataclass(frozen=True, slots=True)
class Sent:
    """A sent frame.

    Attributes:
        command: the command in it, or `None`.
        re: the `re` of its answer.
        message: the command for the ledger, if the answer determines its attempt.
    """

    command: Command | PlayMove | None
    re: int | tuple[int, int]
    message: Message | None = None
    at: int = 0


class _Frames(Wire):
    """Decodes the events of a session whose moves were encoded elsewhere."""

    subscribed = ""
    """Code of the room to which the session is subscribed."""

    def expect(self, number: int, seq: int, message: Message) -> None:
        """Expect the answer to a move, or to a frame that resembles one."""
        self._unanswered_moves[number, seq].append(message)

    def _progress(self, counters: Sequence[int]) -> Message:
        # Any room's state may be an answer, but progress comes only from the subscribed room.
        if self._room.get("code") != self.subscribed:
            return {"type": "progress of another room"}
        return super()._progress(counters)

    def row(self, move: Message) -> Row:
        row: Row = msgpack.unpackb(self._pack_move(move))
        self._unanswered_moves[row[0], row[1]].pop()
        return row

    @property
    def attempts(self) -> dict[int, str]:
        """The attempts by their numbers in the session."""
        return self._attempts


class Fuzzer(Known):
    """A player who sends random frames, over one socket at a time.

    `Known` keeps the boards and rooms, as a client does.
    """

    def __init__(self, number: int, world: World, rng: random.Random) -> None:
        super().__init__()
        self.number = number
        self.rng = rng
        self.fuzz = world
        self.commands = Commands(rng, world.seen)
        self._last: deque[str] = deque(maxlen=40)
        self._own_token: str | None = None

    async def run(self) -> None:
        """Open sockets and send until all frames of the run are sent."""
        while self.fuzz.left > 0:
            try:
                socket = await connect(
                    f"ws://127.0.0.1:{self.rng.choice(self.fuzz.ports)}/socket",
                    proxy=None,
                    compression=None,
                    ping_interval=None,
                    max_size=None,
                )
            except (OSError, InvalidHandshake, ConnectionClosed, EOFError) as error:
                self._complain(f"cannot open a socket: {error!r}")
                return
            self.fuzz.counts["sockets"] += 1
            await Session(self, socket).run()

    def _complain(self, text: str) -> None:
        sent = "\n    ".join(self._last)
        self.fuzz.complaints.append(f"player {self.number}: {text}; sent before:\n    {sent}")

    def token(self) -> str | None:
        """Return the token for hello, mostly the player's own."""
        others = list(self.fuzz.seen.of["tokens"])
        match self.rng.randrange(12):
            case 0:
                return None
            case 1 if others:
                return self.rng.choice(others)
            case 2 if others:
                return self.rng.choice(others)[:-1] + "x"
        return self._own_token

    async def ask_http(self) -> None:
        """Send an HTTP request for a seen or an unknown resource."""
        rng, seen = self.rng, self.fuzz.seen.of
        known = [id_ for kind in ("code", "attempt", "player", "deal") for id_ in seen[kind]]
        known += ["robert", "2026-11-23", "%00", "..%2f", "x" * 300, "1"]
        path = rng.choice(
            [f"/api{route.path}" for route in ROUTES] + ["/r/{a}", "/run/{a}", "/{a}"]
        )
        path = re.sub(r"{\w+}", lambda _: rng.choice(known), path)
        query = "&".join(
            f"{rng.choice(('from', 'count', 'player', 'day', 'before'))}={rng.choice(known)}"
            for _ in range(rng.randrange(3))
        )
        method = rng.choice(("GET", "GET", "HEAD", "OPTIONS", "POST"))
        target = f"{path}?{query}"
        self._last.append(f"{method} {target}")
        try:
            status, _ = await request(rng.choice(self.fuzz.ports), target, method)
        except OSError as error:
            self._complain(f"HTTP: {error!r}")
            return
        self.fuzz.counts[f"HTTP {status}"] += 1
        if status not in STATUSES:
            self._complain(f"HTTP {status}")


class Session:
    """A player's socket."""

    def __init__(self, player: Fuzzer, socket: ClientConnection) -> None:
        self._player = player
        self._world = player.fuzz
        self._rng = player.rng
        self._socket = socket
        self._frames = _Frames()
        self._waiting: deque[Sent] = deque()
        self._ledger: Ledger | None = None
        self._answered = asyncio.Event()
        self._bye = ""
        self._subscribes = False
        """Whether the last answer belongs to a command that subscribes the session to a room."""

    async def run(self) -> None:
        """Send batches until either side closes the socket."""
        reading = asyncio.create_task(self._read())
        try:
            if self._rng.random() < 0.95:
                hello = [1, next(self._world.ids), VERSION, self._player.token()]
                await self._send([msgpack.packb(hello)])
                await self._until_answered(reading)
            while self._world.left > 0 and not reading.done():
                await self._send(self._batch())
                if self._rng.random() < 0.01:
                    # Cut the connection in the middle of the frames in flight.
                    self._socket.transport.abort()
                    self._world.counts["sockets cut"] += 1
                elif self._rng.random() < 0.1:
                    await self._player.ask_http()
                await self._until_answered(reading)
                # Without a hello, every command is refused as `hello_first`.
                if self._rng.random() < (0.02 if self._ledger else 0.9):
                    break
        except ConnectionClosed:
            pass
        finally:
            await self._socket.close()
            await asyncio.wait({reading})
        reading.result()
        # Unanswered commands may have been carried out, for any attempt of the player.
        own = [
            a
            for a in self._world.seen.of["attempt"]
            if self._ledger and a.endswith(self._ledger.player)
        ]
        for sent in self._waiting:
            self._record_late(sent, own)
        self._check_close()

    def _check_close(self) -> None:
        code = self._socket.close_code
        names = {reason.value[0]: reason.name.lower() for reason in Reason}
        self._world.counts[f"closed with {code}"] += 1
        if code in names and names[code] != self._bye:
            self._player._complain(f"closed with {code} after a bye with {self._bye!r}")
        elif code not in names and code not in {1000, 1005, 1006, 1007}:
            self._player._complain(f"closed with {code}")

    async def _until_answered(self, reading: asyncio.Task[None]) -> None:
        deadline = time.monotonic() + PATIENCE
        while self._waiting and not reading.done():
            self._answered.clear()
            answered = asyncio.create_task(self._answered.wait())
            left = max(0.0, deadline - time.monotonic())
            first = {answered, reading}
            done, _ = await asyncio.wait(first, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            answered.cancel()
            if not done:
                self._player._complain(f"no answer to {self._waiting[0]}")
                self._socket.transport.abort()
                return

    def _batch(self) -> list[bytes | str]:
        """Return frames, some broken, duplicated or reordered."""
        rng, commands = self._rng, self._player.commands
        numbers = list(self._frames.attempts)
        frames: list[bytes | str] = []
        for _ in range(rng.randint(1, BATCH)):
            rows = self._moves(numbers) if rng.random() < 0.5 else []
            rows = rows or [commands.any(next(self._world.ids), numbers)]
            for row in rows:
                frames.append(msgpack.packb(row))
                if rng.random() < 0.1:
                    frames.append(commands.broken(row))
                    self._world.counts["broken"] += 1
                if rng.random() < 0.03:
                    frames.append(frames[-1])
                    self._world.counts["sent twice"] += 1
        if rng.random() < 0.1:
            rng.shuffle(frames)
            self._world.counts["shuffled batches"] += 1
        return frames[:BATCH]

    def _moves(self, numbers: list[int]) -> list[Row]:
        """Return consecutive moves of an attempt that look legal on the visible cards."""
        if not numbers:
            return []
        number = self._rng.choice(numbers)
        state = self._player.states.get(self._frames.attempts[number])
        if state is None or state.end is not None or self._rng.random() < 0.03:
            return [self._player.commands.move(numbers)]
        rows: list[Row] = []
        for at, text in enumerate(state.plan(self._rng.randint(1, 5), self._rng), 1):
            move = {"attempt": state.attempt, "seq": state.seq + at, "move": text}
            rows.append(self._frames.row(move))
        return rows

    async def _send(self, frames: list[bytes | str]) -> None:
        for frame in frames:
            self._world.left -= 1
            self._world.counts["frames"] += 1
            self._player._last.append(repr(frame[:200]))
            self.expect(frame)
            await self._socket.send(frame)

    def expect(self, frame: bytes | str) -> None:
        """Expect the answer to a frame, and record its command."""
        try:
            command = protocol.decode(frame if isinstance(frame, bytes) else None)
        except BadMessageError as error:
            if isinstance(error.re, tuple):
                self._frames.expect(*error.re, {"id": next(self._world.ids)})
            self._waiting.append(Sent(None, error.re))
            return
        except codec.OldProtocolError:
            # The node closes the socket.
            return
        if isinstance(command, PlayMove):
            message = self._move_message(command)
            self._frames.expect(command.number, command.seq, message)
            re_: int | tuple[int, int] = (command.number, command.seq)
        else:
            message, re_ = self._message(command), command.id
        if message.get("attempt") == "" and self._ledger is not None:
            # An earlier command in flight may be given that number.
            self._waiting.append(Sent(command, re_, message, ledger.now()))
            return
        self._waiting.append(Sent(command, re_))
        if self._ledger is not None:
            self._ledger.record_command(message)

    def _record_late(self, sent: Sent, attempts: Iterable[str]) -> None:
        """Record a command whose attempt was unknown when it was sent."""
        if sent.message is None or self._ledger is None:
            return
        for attempt in attempts:
            message = sent.message | {"attempt": attempt}
            if isinstance(sent.command, PlayMove):
                message["move"] = self._move_text(sent.command, attempt)
            self._ledger.record_command(message, sent.at)

    def _message(self, command: Command) -> Message:
        message: Message = {"type": _TYPES[type(command)], **msgspec.structs.asdict(command)}
        if "number" in message:
            message["attempt"] = self._frames.attempts.get(message.pop("number"), "")
        if "code" in message:
            message["code"] = parse_room_code(message["code"])
        return message | {
            name: plain(value)
            for name, value in message.items()
            if isinstance(value, msgspec.Struct)
        }

    def _move_message(self, move: PlayMove) -> Message:
        attempt = self._frames.attempts.get(move.number, "")
        given = {"attempt": attempt, "seq": move.seq, "move": self._move_text(move, attempt)}
        return {"type": "move", "id": next(self._world.ids), **given}

    def _move_text(self, move: PlayMove, attempt: str) -> str:
        """Return a move's text, or an empty text if its piles do not exist in the attempt."""
        state = self._player.states.get(attempt)
        names = () if state is None else (*state.view.ruleset.pile_names, "t")
        if max(move.source, move.target) >= len(names):
            return ""
        count_ = f"x{move.count}" if move.count > 1 else ""
        return f"{names[move.source]}>{names[move.target]}{count_}"

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                assert isinstance(frame, bytes)
                self.take(frame)
        except ConnectionClosed:
            pass
        except (AssertionError, LookupError, ValueError) as error:
            self._player._complain(f"cannot decode an event: {error!r}")

    def take(self, frame: bytes) -> None:
        """Check an event and apply it."""
        value = msgpack.unpackb(frame)
        first = value[0]
        if FIRST_NUMBER <= first <= LAST_NUMBER:
            self._answer((first, value[1]), Moved, "")
        elif first != PROGRESS:
            event = read_event(value)
            re_ = tuple(value[1]) if isinstance(value[1], list) else value[1]
            if re_ != NEWS or isinstance(event, Refused):
                self._answer(re_, type(event), event.code if isinstance(event, Refused) else "")
        message = self._frames.unpack(frame)
        if message["type"] == "room" and (not message.get("re") or self._subscribes):
            self._frames.subscribed = message["code"]
        self._bye = message["code"] if message["type"] == "bye" else self._bye
        self._world.seen.take(message)
        if message["type"] == "welcome":
            self._welcome(message)
        if self._ledger is not None:
            self._ledger.record_event(message)
        if not self._player.learn(message):
            self._player._complain(f"missed moves do not apply: {message}")

    def _welcome(self, message: Message) -> None:
        player = message["player"]["id"]
        if self._rng.random() < 0.5 or self._player._own_token is None:
            self._player._own_token = message["token"]
        self._ledger = self._world.ledgers.setdefault(player, Ledger(player))
        self._player.forget()

    def _answer(self, re_: Any, answer: type, code: str) -> None:
        if not self._waiting:
            self._player._complain(f"{answer.__name__} {code} {re_} answers nothing")
            return
        sent = self._waiting.popleft()
        if isinstance(sent.command, (PlayMove, *NUMBERED)):
            known = self._frames.attempts.get(sent.command.number)
            self._record_late(sent, [] if known is None else [known])
        self._subscribes = isinstance(sent.command, CreateRoom | JoinRoom | QuickMatch)
        if not self._waiting:
            self._answered.set()
        kind = type(sent.command)
        name = kind.__name__ if sent.command is not None else "no message"
        self._world.answers[name, code or answer.__name__] += 1
        if sent.re != re_:
            self._player._complain(f"{answer.__name__} {code} {re_} answers {sent}")
        elif sent.command is None:
            if code != "bad_message":
                self._player._complain(f"{answer.__name__} {code} answers no message")
        elif answer not in ANSWERS[kind]:
            self._player._complain(f"{answer.__name__} answers {sent}")
        elif code and code not in CODES[kind]:
            self._player._complain(f"{code} refuses {sent}")
