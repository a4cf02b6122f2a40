"""A session: a client's commands over one connection, and their answers.

Commands are executed one after another. A move takes no task: `receive` passes it on, and `_moved`
is called once it is in the journal. Every other command is executed in a task, which starts when
its address gets a turn.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Hashable
from functools import partial
from typing import Any

import structlog

from server.base.core.costs import MOVE
from server.base.core.ids import PlayerId
from server.base.core.refusal import (
    BaseRefusals,
    Refusal,
    RefusalCode,
    UnavailableError,
    UnreadableError,
)
from server.base.net.budgets import Budgets, Payer
from server.base.net.outgoing import TooSlowError
from server.base.wire import codec
from server.base.wire.contracts import Answerer, Reason, Wire
from server.base.wire.lenient import BadMessageError
from server.base.wire.messages import Command, Event, MoveMessage, Re
from server.base.wire.session_messages import Bye, Hello, Refused
from server.base.wire.shown import ShownAttempts
from server.base.work.log_context import TaskFields
from server.base.work.metrics import Metrics
from server.base.work.tasks import run_soon

HELLO_WITHIN = 5.0
"""Seconds from the handshake within which `Hello` must have been executed."""

MAX_PENDING = 16
"""Frames that may be pending behind the current command before reading is paused."""

RECONNECT_WITHIN_MS = 5_000
"""Milliseconds over which a stopping node spreads its clients' reconnects."""

_FATAL: dict[RefusalCode, Reason] = {
    BaseRefusals.bad_version: Reason.BAD_VERSION,
    BaseRefusals.barred: Reason.BARRED,
}
"""Refusals that end a session permanently, and the close reasons."""

log = structlog.get_logger()


class Session:
    """A session: a client's activity over one connection, until that is closed.

    Args:
        session_id: random; not a credential, so it may be logged.
        wire: the connection.
        answerer: executes commands.
        metrics: the node's metrics.
        origin: the page's origin, from the operator's settings or the handshake; `None` if unknown.
        address: the client's, as returned by `Proxies.client`.
        budgets: the node's budgets; `None` to share them with no other session.

    Attributes:
        id: the session's id.
        address: as given.
        origin: as given.
        epoch: the epoch of the player's token.
        payer: pays for the session's commands.
        player: the player, or `None` until `Hello` has been executed.
        shown: the attempts sent to the client.
    """

    __slots__ = (
        "__weakref__",
        "_answerer",
        "_busy",
        "_closing",
        "_debugs",
        "_hello_timer",
        "_metrics",
        "_move",
        "_pending",
        "_reading_paused",
        "_received_at",
        "_wait",
        "_wire",
        "address",
        "epoch",
        "id",
        "origin",
        "payer",
        "player",
        "shown",
    )

    def __init__(  # noqa: PLR0917 - the parts of a session
        self,
        session_id: str,
        wire: Wire,
        answerer: Answerer,
        metrics: Metrics,
        origin: str | None = None,
        address: str = "",
        budgets: Budgets | None = None,
    ) -> None:
        self.id = session_id
        self.address = address
        self.origin = origin
        self.payer = Payer(budgets or Budgets(), address)
        self.epoch = 0
        self.shown = ShownAttempts()
        self.player: PlayerId | None = None
        self._wire = wire
        self._answerer = answerer
        self._metrics = metrics
        self._pending: deque[bytes | None] | None = None
        self._busy = False
        self._reading_paused = False
        self._move: tuple[int, int] = (0, 0)
        self._received_at = 0.0
        self._closing: Reason | None = None
        self._wait = 0
        # Cached, since even a suppressed log line would cost something with each move.
        self._debugs: bool = log.is_enabled_for(logging.DEBUG)
        loop = asyncio.get_running_loop()
        self._hello_timer: asyncio.TimerHandle | None = loop.call_later(
            HELLO_WITHIN, self.close, Reason.HELLO_TIMEOUT
        )

    def identify(self, player: PlayerId, epoch: int = 0) -> None:
        """Set the session's player, once, and the epoch of the player's token."""
        self.player = player
        self.epoch = epoch
        self.payer.identify(player)

    # Commands

    def receive(self, frame: bytes | None) -> None:
        """Handle a frame, after the commands received before; `None` stands for a text frame."""
        if self._closing is not None:
            return
        # A frame must not overtake pending ones. The rest is `_can_start`, without a call.
        if not self._pending and not self._busy and not self._wire.is_full():
            self._handle(frame)
            return
        if self._pending is None:
            self._pending = deque()
        self._pending.append(frame)
        if len(self._pending) >= MAX_PENDING and not self._reading_paused:
            self._reading_paused = True
            self._wire.hold()

    def count_frame(self) -> None:
        """Charge for a frame that is not a whole message: a fragment, a ping or a pong."""
        now = time.monotonic()
        if self._closing is None and not self.payer.pay(MOVE, now):
            self._count_offence(Reason.TOO_FAST)

    def _done(self) -> None:
        """Continue with the pending frames after a command has been answered."""
        self._busy = False
        if self._closing is not None:
            self._send_bye(self._closing)
        elif self._pending is not None:
            self.go_on()

    def go_on(self) -> None:
        """Continue with the pending frames, unless a command or a large answer is in progress.

        The client must read a large answer before its next command starts. Unread answers therefore
        take no more memory than one large one.
        """
        if self._busy:
            return
        while self._can_start and self._pending:
            self._handle(self._pending.popleft(), has_waited=True)
        if not self._pending:
            self._pending = None
            if self._reading_paused:
                self._reading_paused = False
                self._wire.release()

    @property
    def _can_start(self) -> bool:
        return not self._busy and self._closing is None and not self._wire.is_full()

    def _handle(self, frame: bytes | None, *, has_waited: bool = False) -> None:
        """Decode a frame, and start or refuse its command.

        A move that has waited for earlier commands takes a turn, like other commands. A client
        could send hundreds at once.
        """
        try:
            command = self._answerer.decode(frame)
        except BadMessageError as error:
            self._refuse(Refusal(BaseRefusals.bad_message, error.text), error.re)
            self._count_offence(Reason.BAD_MESSAGES)
            return
        except codec.OldProtocolError:
            self.close(Reason.BAD_VERSION)
            return
        cost = command.cost
        self._received_at = now = time.monotonic()
        if not self.payer.pay(cost, now):
            re = (command.number, command.seq) if isinstance(command, MoveMessage) else command.id
            self._refuse(self.payer.too_fast(cost, now), re)
            self._count_offence(Reason.TOO_FAST)
        elif isinstance(command, MoveMessage):
            if has_waited:
                self._busy = True
                self._wire.in_turn(partial(self._play_in_turn, command), cost)
            else:
                self._play(command)
        # Hello comes first, and only once.
        elif isinstance(command, Hello) != (self.player is None):
            self._refuse(Refusal(BaseRefusals.hello_first), command.id)
        else:
            self._busy = True
            self._wire.in_turn(partial(run_soon, self._carry_out(command)), cost)

    def _play_in_turn(self, move: MoveMessage) -> None:
        """Start to play a move that has waited for its turn."""
        self._busy = False
        self._play(move)
        if not self._busy:
            self._done()

    def _play(self, move: MoveMessage) -> None:
        """Start to play a move; `_moved` is called with its outcome."""
        player, number = self.player, move.number
        self._move = re = number, move.seq
        attempt = self.shown.attempt_of(number)
        if player is None:
            self._refuse(Refusal(BaseRefusals.hello_first), re)
        elif attempt is None:
            self._refuse(Refusal(BaseRefusals.unknown_attempt), re)
        else:
            self._busy = True
            self._answerer.play(attempt, player, move, self._moved)

    def _moved(self, found: Any) -> None:
        """Answer the current move, and continue with the pending frames."""
        try:
            outcome = self._answer_move(found)
        except Exception as error:
            # Every command is answered, even after an internal error.
            outcome = self._refuse_error(error, self._move)
        if self._debugs:
            ms = _ms_since(self._received_at)
            log.debug("move", **self._move_context(*self._move), outcome=outcome, ms=ms)
        self._done()

    def _answer_move(self, found: Any) -> str:
        """Answer the current move, and return its outcome in a word."""
        number, seq = self._move
        if isinstance(found, Exception):
            return self._refuse_error(found, (number, seq))
        metrics = self._metrics
        answer = self._answerer.answer_move(found, self.shown, number, seq)
        if answer.cost:
            self.payer.owe(answer.cost, time.monotonic())
        self._send_answer(answer.frame)
        metrics.moves[answer.game, answer.outcome] += 1
        if answer.written:
            self.shown.wrote(number, seq)
            metrics.until_answer.observe(time.monotonic() - self._received_at)
        return answer.outcome

    async def _carry_out(self, command: Command) -> None:
        """Execute and answer one command, and continue with the pending frames."""
        with TaskFields(self._context(command)):
            await self._answer(command)
        self._done()

    async def _answer(self, command: Command) -> None:
        """Answer one command, with a refusal in case of an exception."""
        begun = time.monotonic()
        outcome = "answered"
        try:
            event = await self._answerer.answer(self, command)
            frame = codec.encode(event, command.id)
        except Exception as error:
            outcome = self._refuse_error(error, command.id)
            if isinstance(error, Refusal) and error.code in _FATAL:
                self.close(_FATAL[error.code])
        else:
            if isinstance(command, Hello):
                self.cancel_hello_timer()
                log.info("session_opened", player=self.player)
            self._send_answer(frame)
        if self._debugs:
            log.debug("command", outcome=outcome, ms=_ms_since(begun))

    # Events

    def send(self, event: Event, key: Hashable = None) -> None:
        """Send news (an event that answers no command).

        It replaces an unsent event with the same key, unless `key` is `None`.
        """
        self.send_frame(codec.encode(event), key)

    def send_frame(self, frame: bytes, key: Hashable = None) -> None:
        """Send encoded news; see `send`."""
        if self._closing is None:
            try:
                self._wire.send(frame, key)
            except TooSlowError:
                self.close(Reason.TOO_SLOW)

    @property
    def behind(self) -> bool:
        """Whether the client reads too slowly, so that frames are queued."""
        return self._wire.is_behind()

    def _send_answer(self, frame: bytes) -> None:
        # Answers are sent even if the session has started to close meanwhile.
        try:
            self._wire.send(frame)
        except TooSlowError:
            self.close(Reason.TOO_SLOW)

    def _refuse(self, refusal: Refusal, re: Re) -> str:
        """Refuse a command, and return the code."""
        code = refusal.code.name
        self._metrics.refusals[code] += 1
        event = Refused(code, refusal.text, refusal.wait)
        self._send_answer(codec.encode(event, re))
        return code

    def _refuse_error(self, error: Exception, re: Re) -> str:
        """Refuse a command that raised an exception, and return the code.

        An unexpected exception is logged.
        """
        match error:
            case Refusal():
                return self._refuse(error, re)
            case UnreadableError():
                # The failed read has logged it.
                return self._refuse(Refusal(error.code), re)
            case UnavailableError():
                # The outage has been logged once.
                log.debug("store_unavailable", error=str(error))
                return self._refuse(Refusal(BaseRefusals.unavailable), re)
        context = self._move_context(*re) if isinstance(re, tuple) else {}
        log.error("command_failed", exc_info=error, **context)
        return self._refuse(Refusal(BaseRefusals.internal), re)

    def _context(self, command: Command) -> dict[str, str]:
        """Return the fields of a command's log entries: public ids only."""
        context = {"session": self.id, "command": type(command).__name__}
        if self.player is not None:
            context["player"] = self.player
        return context | command.subject(self.shown.attempt_of)

    def _move_context(self, number: int, seq: int) -> dict[str, str | int | None]:
        """Return the fields of a move's log entry, which no task provides."""
        attempt = self.shown.attempt_of(number)
        return {"session": self.id, "player": self.player, "attempt": attempt, "seq": seq}

    def _count_offence(self, reason: Reason) -> None:
        log.debug("offence", session=self.id, player=self.player, reason=reason.name.lower())
        if self.payer.offend(time.monotonic()):
            self.close(reason)

    # The end

    def close(self, reason: Reason, wait: int = 0) -> None:
        """Send a `Bye` and close the connection, once the current command has been answered.

        Pending frames are dropped. Only the first call has an effect.

        Args:
            reason: determines the close code and the text of the `Bye`.
            wait: milliseconds until the client should reconnect.
        """
        if self._closing is None:
            self._closing = reason
            self._metrics.closes[reason.name.lower()] += 1
            log.debug("session_closed", session=self.id, reason=reason.name.lower())
            self._wait = wait
            self._pending = None
            if not self._busy:
                self._send_bye(reason)

    def _send_bye(self, reason: Reason) -> None:
        self.cancel_hello_timer()
        code, text = reason.value
        try:
            self._wire.send(codec.encode(Bye(reason.name.lower(), text, self._wait)))
        except TooSlowError:
            log.info("bye_unsent", reason=reason.name)
        self._wire.close(code)

    def close_for_restart(self) -> None:
        """Close the session of a stopping node, with a random delay for the reconnect."""
        wait = random.randrange(RECONNECT_WITHIN_MS)  # noqa: S311 - not a secret
        self.close(Reason.GOING_AWAY, wait)

    def cancel_hello_timer(self) -> None:
        """Cancel the deadline of `Hello`: it has arrived, or the connection is closing."""
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None


def _ms_since(begun: float) -> float:
    """Return the milliseconds since a time of the monotonic clock, for the log."""
    return round((time.monotonic() - begun) * 1000, 1)
