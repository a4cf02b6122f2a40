"""A session: what a client asks over one connection, one command after the other, and its answers.

A move is decided and answered without a task of its own: `receive` hands it on, and `_moved` is
called when it stands. Every other command is carried out by a task.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Hashable

import structlog

from server.core.boards import BoardId
from server.core.ids import AttemptId, PlayerId, RoomCode
from server.core.refusal import Refusal, UnavailableError, UnreadableError
from server.gateway import codec
from server.gateway.contracts import Answerer, Reason, Wire
from server.gateway.limits import BURST, MOST_OFFENCES, RATE, Bucket
from server.gateway.messages.attempts import (
    FIRST_NUMBER,
    MOST_NUMBERS,
    OpenAttempt,
    PlayMove,
    Resign,
)
from server.gateway.messages.rooms import RoomCommand
from server.gateway.messages.session import Bye, Hello, Refused
from server.gateway.messages.shared import Command, Event, Re
from server.gateway.outgoing import TooSlowError
from server.gateway.present import attempt as attempt_event
from server.metrics import Metrics
from server.service.answers import Played, Snapshot
from server.service.tasks import run_soon

HELLO_WITHIN = 5.0
"""Seconds for the first command."""

FRAMES_AHEAD = 16
"""Messages that may wait for the one that is carried out; then no more are read."""

BACK_WITHIN = 5_000
"""Milliseconds over which the clients of a node that ends are asked to come back."""

log = structlog.get_logger()


class Session:
    """A client's connection. A player outlives it.

    Attributes:
        id: random, public, and no credential.
        player: who it is, once it has said hello.
        room: the room that it hears of.
        attempt: the attempt that it was last shown.
        shown_round: the same among those of rounds, though it may have turned to a daily since.
        watched: the leaderboard that it hears of.
    """

    __slots__ = (
        "__weakref__",
        "_ahead",
        "_answerer",
        "_bucket",
        "_busy",
        "_closing",
        "_held_up",
        "_hello_timer",
        "_metrics",
        "_moving",
        "_numbers",
        "_offences",
        "_oldest",
        "_wait",
        "_wire",
        "attempt",
        "id",
        "player",
        "room",
        "shown_round",
        "watched",
    )

    def __init__(self, session_id: str, wire: Wire, answerer: Answerer, metrics: Metrics) -> None:
        self.id = session_id
        self.player: PlayerId | None = None
        self.room: RoomCode | None = None
        self.attempt: AttemptId | None = None
        self.shown_round: AttemptId | None = None
        self.watched: BoardId | None = None
        self._wire = wire
        self._answerer = answerer
        self._metrics = metrics
        self._ahead: deque[bytes | None] | None = None
        self._busy = False
        self._held_up = False
        self._moving: tuple[int, int] = (0, 0)
        self._numbers: list[AttemptId] = []
        self._oldest = 0
        self._bucket = Bucket(RATE, BURST, time.monotonic)
        self._offences = 0
        self._closing: Reason | None = None
        self._wait = 0
        loop = asyncio.get_running_loop()
        self._hello_timer: asyncio.TimerHandle | None = loop.call_later(
            HELLO_WITHIN, self.close, Reason.HELLO_TIMEOUT
        )

    # Attempts by number

    def shows(self, attempt: AttemptId, room: RoomCode | None) -> None:
        """Note that it is shown an attempt, of this room's round or, at `None`, of a daily."""
        self.attempt = attempt
        if room is not None:
            self.shown_round = attempt

    def number_of(self, attempt: AttemptId) -> int:
        """Return the number that the session knows an attempt by, a new one if it has none."""
        numbers = self._numbers
        if attempt in numbers:
            return FIRST_NUMBER + numbers.index(attempt)
        if len(numbers) < MOST_NUMBERS:
            numbers.append(attempt)
            return FIRST_NUMBER + len(numbers) - 1
        place, self._oldest = self._oldest, (self._oldest + 1) % MOST_NUMBERS
        numbers[place] = attempt
        return FIRST_NUMBER + place

    def attempt_of(self, number: int) -> AttemptId | None:
        """Return the attempt with a number, or `None`."""
        place = number - FIRST_NUMBER
        return self._numbers[place] if place < len(self._numbers) else None

    # Commands

    def receive(self, frame: bytes | None) -> None:
        """Take a message, `None` for a text; it is carried out when those before it have been."""
        if self._closing is not None:
            return
        if not self._busy:
            self._handle(frame)
            return
        if self._ahead is None:
            self._ahead = deque()
        self._ahead.append(frame)
        if len(self._ahead) >= FRAMES_AHEAD and not self._held_up:
            self._held_up = True
            self._wire.hold()

    def _done(self) -> None:
        """Go on with the next message, after one has been answered."""
        self._busy = False
        if self._closing is not None:
            self._say_goodbye(self._closing)
            return
        while self._ahead and not self._busy and self._closing is None:
            self._handle(self._ahead.popleft())
        if not self._ahead:
            self._ahead = None
            if self._held_up:
                self._held_up = False
                self._wire.release()

    def _handle(self, frame: bytes | None) -> None:
        """Carry one message out, or refuse it."""
        try:
            command = codec.decode(frame)
        except codec.BadMessageError as error:
            self._refuse(Refusal("bad_message", error.text), error.re)
            self._offend(Reason.BAD_MESSAGES)
            return
        except codec.OldProtocolError:
            self.close(Reason.BAD_VERSION)
            return
        re: Re = (command.number, command.seq) if isinstance(command, PlayMove) else command.id
        if not self._bucket.take():
            self._refuse(Refusal("too_fast"), re)
            self._offend(Reason.TOO_FAST)
        elif isinstance(command, Hello) != (self.player is None):
            self._refuse(Refusal("hello_first"), re)
        elif isinstance(command, PlayMove):
            self._play(command)
        else:
            self._busy = True
            run_soon(self._carry_out(command))

    def _play(self, command: PlayMove) -> None:
        """Have a move played."""
        attempt = self.attempt_of(command.number)
        if attempt is None:
            self._refuse(Refusal("unknown_attempt"), (command.number, command.seq))
            return
        assert self.player is not None, "there is no move before hello"
        self._busy = True
        self._moving = command.number, command.seq
        what = command.source, command.target, command.count
        self._answerer.play(self.player, attempt, command.seq, what, self._moved)

    def _moved(self, answer: Played | Snapshot | Exception) -> None:
        """Answer a move, and go on."""
        try:
            self._answer_move(answer)
        except Exception as error:
            # Whatever happens, there is an answer.
            self._refuse_for(error, self._moving)
        self._done()

    def _answer_move(self, answer: Played | Snapshot | Exception) -> None:
        number, seq = self._moving
        if isinstance(answer, Exception):
            self._refuse_for(answer, (number, seq))
            return
        metrics = self._metrics
        if isinstance(answer, Snapshot):
            event = attempt_event(answer, self.number_of(answer.attempt), self._answerer.now())
            self._send_answer(codec.encode(event, (number, seq)))
            metrics.moves[answer.start.game, "stale"] += 1
            return
        metrics.until_journal.observe(time.monotonic() - self._bucket.taken_at)
        before, after, delta = answer
        came_home = after.board.home != before.board.home
        turned_over = delta.redeals != before.board.redeals
        frame = codec.encode_moved(
            number,
            after.seq,
            [(pile, take, *put) for pile, take, put in delta.changes],
            after.last_home if came_home else None,
            after.end,
            delta.redeals if turned_over else None,
        )
        self._send_answer(frame)
        metrics.moves[after.start.game, after.end or "played"] += 1
        metrics.until_answer.observe(time.monotonic() - self._bucket.taken_at)

    async def _carry_out(self, command: Command) -> None:
        """Answer one command: whatever happens, there is an answer."""
        structlog.contextvars.bind_contextvars(**self._context(command))
        try:
            event = await self._answerer.answer(self, command)
            frame = codec.encode(event, command.id)
        except Exception as error:
            self._refuse_for(error, command.id)
            if isinstance(error, Refusal) and error.code == "bad_version":
                self.close(Reason.BAD_VERSION)
        else:
            if isinstance(command, Hello):
                self.forget()
                log.info("session_opened", player=self.player)
            self._send_answer(frame)
        self._done()

    # Events

    def send(self, event: Event, key: Hashable = None) -> None:
        """Send news. Those with a key take the place of unsent ones with the same key."""
        self.send_frame(codec.encode(event), key)

    def send_frame(self, frame: bytes, key: Hashable = None) -> None:
        """Send news that are encoded already."""
        if self._closing is None:
            try:
                self._wire.send(frame, key)
            except TooSlowError:
                self.close(Reason.TOO_SLOW)

    @property
    def behind(self) -> bool:
        """Whether the client does not read as fast as it is written to: what is sent now waits."""
        return self._wire.is_behind()

    def _send_answer(self, frame: bytes) -> None:
        # The answer goes out even if the session has been told to close meanwhile.
        try:
            self._wire.send(frame)
        except TooSlowError:
            self.close(Reason.TOO_SLOW)

    def _refuse(self, refusal: Refusal, re: Re) -> None:
        self._metrics.refusals[refusal.code] += 1
        event = Refused(refusal.code, refusal.text, refusal.wait)
        self._send_answer(codec.encode(event, re))

    def _refuse_for(self, error: Exception, re: Re) -> None:
        """Refuse a command that went wrong, and log what is a fault."""
        if isinstance(error, Refusal):
            if not isinstance(re, tuple):
                log.debug("refused", code=error.code)
            self._refuse(error, re)
        elif isinstance(error, UnreadableError):
            # What it is has been logged where it was read.
            self._refuse(Refusal(error.code), re)
        elif isinstance(error, UnavailableError):
            log.warning("store_unavailable", error=str(error))
            self._refuse(Refusal("unavailable"), re)
        else:
            about = self._about_move(*re) if isinstance(re, tuple) else {}
            log.error("command_failed", exc_info=error, **about)
            self._refuse(Refusal("internal"), re)

    def _context(self, command: Command) -> dict[str, str]:
        """Return what the log is to say of a command: never more than public ids."""
        context = {"session": self.id, "command": type(command).__name__}
        if self.player is not None:
            context["player"] = self.player
        match command:
            case OpenAttempt(attempt=attempt):
                context["attempt"] = attempt
            case Resign(number=number):
                resigned = self.attempt_of(number)
                if resigned is not None:
                    context["attempt"] = resigned
            case RoomCommand(code=code):
                context["room"] = code
        return context

    def _about_move(self, number: int, seq: int) -> dict[str, str | int | None]:
        """Return the same of a move, for which nothing is bound beforehand."""
        attempt = self.attempt_of(number)
        return {"session": self.id, "player": self.player, "attempt": attempt, "seq": seq}

    def _offend(self, reason: Reason) -> None:
        self._offences += 1
        if self._offences >= MOST_OFFENCES:
            self.close(reason)

    # The end

    def close(self, reason: Reason, wait: int = 0) -> None:
        """Take no more commands, say why, and close, once the one under way has been answered.

        `wait` is after how many milliseconds the client should come back.
        """
        if self._closing is None:
            self._closing = reason
            self._metrics.closes[reason.name.lower()] += 1
            self._wait = wait
            self._ahead = None
            if not self._busy:
                self._say_goodbye(reason)

    def _say_goodbye(self, reason: Reason) -> None:
        self.forget()
        code, text = reason.value
        try:
            self._wire.send(codec.encode(Bye(reason.name.lower(), text, self._wait)))
        except TooSlowError:
            log.info("goodbye_unsent", reason=reason.name)
        self._wire.close(code)

    def close_for_restart(self) -> None:
        """Close it because the node ends; clients come back spread over some seconds."""
        self.close(Reason.GOING_AWAY, random.randrange(BACK_WITHIN))  # noqa: S311 - no secret

    def forget(self) -> None:
        """Expect nothing more of a connection that has ended."""
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None
