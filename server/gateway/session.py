"""One socket: its frames become commands, one after the other, and each gets its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from enum import Enum
from typing import Any

import structlog
from msgspec import UNSET
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from server.core.ids import AttemptId, PlayerId, RoomCode
from server.core.refusal import Refusal, UnavailableError
from server.gateway import codec
from server.gateway.limits import BURST, MOST_OFFENCES, RATE, Bucket
from server.gateway.messages import (
    FIRST_NUMBER,
    AnyCommand,
    AnyEvent,
    Bye,
    Hello,
    Re,
    Refused,
    RoomState,
)
from server.gateway.outgoing import Outgoing, TooSlowError

HELLO_WITHIN = 5.0
"""Seconds for the first command."""

BYE_WITHIN = 2.0
"""Seconds for what waits to be sent before the socket is closed all the same."""

log = structlog.get_logger()


class Reason(Enum):
    """Why the server closes a session: the close code, and what is said before it."""

    GOING_AWAY = (1001, "The server is restarting. Your game is kept.")
    BAD_MESSAGES = (4000, "Too many messages were none of the protocol.")
    REPLACED = (4001, "The game was opened in another window.")
    BAD_VERSION = (4002, "The server does not speak this version of the protocol.")
    HELLO_TIMEOUT = (4003, "There was no hello within five seconds.")
    TOO_SLOW = (4004, "The connection does not keep up. Please come back.")
    TOO_FAST = (4005, "There were too many commands. Please slow down.")
    WENT_BACK = (4006, "The server's store has lost its last moments. Please come back.")


class Session:
    """A client's connection. A player outlives it.

    Attributes:
        id: random, public, and no credential.
        player: who it is, once it has said hello.
        room: the room that it hears of.
        attempt: the attempt that it was last shown.
        dealt: the same among those of rounds, though it may have turned to a daily since.
        told: what it was last told of its room without having asked.
        watched: the leaderboard that it hears of, as (game, day).
    """

    def __init__(self, session_id: str, socket: ServerConnection, answer: Answerer) -> None:
        self.id = session_id
        self.player: PlayerId | None = None
        self.room: RoomCode | None = None
        self.attempt: AttemptId | None = None
        self.dealt: AttemptId | None = None
        self.told: RoomState | None = None
        self.watched: tuple[str, int] | None = None
        self._socket = socket
        self._answer = answer
        self._outgoing = Outgoing()
        self._bucket = Bucket(RATE, BURST, time.monotonic)
        self._offences = 0
        self._closing: Reason | None = None
        self._closed = asyncio.Event()

    async def run(self) -> None:
        """Serve the connection until it ends."""
        structlog.contextvars.bind_contextvars(session=self.id)
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
            if self._closing is not None:
                await self._say_goodbye(self._closing)
        except ConnectionClosed:
            pass
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            log.info("session_closed", code=self._socket.close_code)

    def shows(self, attempt: AttemptId, room: RoomCode | None) -> None:
        """Note that it is shown an attempt, of this room's round or, at `None`, of a daily."""
        self.attempt = attempt
        if room is not None:
            self.dealt = attempt

    @property
    def behind(self) -> bool:
        """Whether something that was sent before still waits."""
        return self._outgoing.waits

    def number_of(self, attempt: AttemptId) -> int:
        """Return what the session knows an attempt by."""
        return FIRST_NUMBER

    def send_frame(self, frame: bytes, key: Hashable = None) -> None:
        """Send news that was encoded before."""
        if self._closing is not None:
            return
        try:
            self._outgoing.put(frame, key)
        except TooSlowError:
            self.close(Reason.TOO_SLOW)

    def send(self, event: AnyEvent, key: Hashable = None) -> None:
        """Send an event. One with a key takes the place of an unsent one with the same key."""
        if self._closing is not None:
            return
        try:
            self._outgoing.put(codec.encode(event), key)
        except TooSlowError:
            self.close(Reason.TOO_SLOW)

    def close(self, reason: Reason) -> None:
        """Stop reading, say why, and close; the command that is being carried out is answered."""
        if self._closing is None:
            self._closing = reason
            self._closed.set()

    async def _read(self) -> None:
        """Carry commands out until the session is to close."""
        closed = asyncio.create_task(self._closed.wait())
        deadline: float | None = time.monotonic() + HELLO_WITHIN
        try:
            while self._closing is None:
                frame = asyncio.create_task(self._socket.recv())
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                await asyncio.wait({frame, closed}, timeout=left, return_when=_FIRST)
                if not frame.done():
                    # Nothing was received, so nothing is lost by not waiting for it any more.
                    frame.cancel()
                    await asyncio.gather(frame, return_exceptions=True)
                    self.close(Reason.HELLO_TIMEOUT)
                    return
                await self._handle(frame.result())
                if self.player is not None:
                    deadline = None
        finally:
            closed.cancel()

    async def _handle(self, frame: str | bytes) -> None:
        """Answer one frame."""
        try:
            command = codec.decode(frame)
        except codec.BadMessageError as error:
            self._refuse(Refusal("bad_message", error.text), error.re or UNSET)
            self._offend(Reason.BAD_MESSAGES)
            return
        if not self._bucket.take():
            self._refuse(Refusal("too_fast"), command.id)
            self._offend(Reason.TOO_FAST)
            return
        if isinstance(command, Hello) != (self.player is None):
            self._refuse(Refusal("hello_first"), command.id)
            return
        with structlog.contextvars.bound_contextvars(**_context(command)):
            await self._carry_out(command)

    async def _carry_out(self, command: AnyCommand) -> None:
        """Answer one command: whatever happens, there is an answer."""
        try:
            event = await self._answer(self, command)
        except Refusal as refusal:
            self._refuse(refusal, command.id)
            if refusal.code == "bad_version":
                self.close(Reason.BAD_VERSION)
        except UnavailableError as error:
            log.warning("store_unavailable", error=str(error))
            self._refuse(Refusal("unavailable"), command.id)
        except Exception:
            log.exception("command_failed")
            self._refuse(Refusal("internal"), command.id)
        else:
            if isinstance(command, Hello):
                structlog.contextvars.bind_contextvars(player=self.player)
                log.info("session_opened")
            self._reply(event, command.id)

    def _reply(self, event: AnyEvent, re: Re) -> None:
        # The answer goes out even if the session has been told to close meanwhile.
        answered: Any = replace(event, re=re)
        try:
            self._outgoing.put(codec.encode(answered))
        except TooSlowError:
            self.close(Reason.TOO_SLOW)

    def _refuse(self, refusal: Refusal, re: Re) -> None:
        log.info("refused", code=refusal.code)
        self._reply(Refused(code=refusal.code, text=refusal.text), re)

    def _offend(self, reason: Reason) -> None:
        self._offences += 1
        if self._offences >= MOST_OFFENCES:
            self.close(reason)

    async def _write(self) -> None:
        """Send what waits. The socket's own buffer holds this up when the client does not read."""
        try:
            while True:
                await self._socket.send(await self._outgoing.next())
        except ConnectionClosed:
            pass

    async def _say_goodbye(self, reason: Reason) -> None:
        """Send what waits and then the reason, if the client reads it, and close."""
        code, text = reason.value
        bye = Bye(code=reason.name.lower(), text=text)
        try:
            async with asyncio.timeout(BYE_WITHIN):
                await self._outgoing.emptied()
                await self._socket.send(codec.encode(bye))
        except TimeoutError:
            log.info("goodbye_unsent", reason=reason.name)
        await self._socket.close(code)


_FIRST = asyncio.FIRST_COMPLETED

Answerer = Callable[[Session, AnyCommand], Awaitable[AnyEvent]]
"""Carries a command out and returns its answer, without `re`."""


def _context(command: AnyCommand) -> dict[str, str]:
    """Return what the log is to say of a command: never more than public ids."""
    context = {"command": type(command).__name__}
    if attempt := getattr(command, "attempt", None):
        context["attempt"] = attempt
    if code := getattr(command, "code", None):
        context["room"] = code
    return context
