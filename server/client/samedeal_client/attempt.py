"""The player's attempt: a replica of the server's state, and the commands that change it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

from engine.board import View, apply_delta, count_home
from engine.errors import EngineError
from engine.moves import is_legal, legal_moves
from engine.notation import move_text, parse_move, seen_text
from engine.ruleset import Move, Ruleset
from engine.wire import read_delta, read_view
from samedeal_client import messages
from samedeal_client.connection import Connection
from samedeal_client.messages import (
    UNDO_DEPTH,
    Ended,
    Have,
    Hint,
    Hinted,
    Missed,
    Moved,
    OpenAttempt,
    OpenDaily,
    PlayChallenge,
    PlayMove,
    Released,
    Resign,
    Result,
    Taken,
    Undo,
)
from samedeal_client.protocol import Command, Event
from samedeal_client.refusal import TEMPORARY, AttemptEnded, Disconnected, Refusal
from samedeal_client.session import Session

Changes = tuple[tuple[int, ...], ...]  # The piles changed by a move, as in `Moved`.
TRIES = 3  # of a hint or a resignation, since another entry may take its number first


class Attempt:
    """A player's attempt at a deal, kept current across lost connections.

    Commands run one at a time, and each is answered before the next is sent, so that a decision
    based on `view` is based on the current state. A command whose session is lost is sent again in
    the next session with the same number; if the server has already stored it, it repeats the
    answer. No move is lost or played twice.

    Attributes:
        id: the attempt's.
        deal: its deal's id.
        commitment: the commitment to the deal's seed.
        room: the room's code; `None` for a daily.
        day: a daily's UTC day, counted from 1970-01-01.
        certificate: the proven properties of a daily's deal.
        ruleset: the rules.
        view: the player's view of the board.
        seq: the last known entry of its journal.
        started: the start of its clock, in Unix milliseconds.
        deadline: the time of its automatic end, in Unix milliseconds.
        result: the current or final result.
        help: the help that may be requested.
        undoable: how many moves can be undone in a row.
        hint_given: the hint given for this board.
        elsewhere: whether another session of the player is playing. This one follows it, and
            accepts no move until `take_over`.
    """

    def __init__(
        self, connection: Connection, snapshot: messages.Attempt, ruleset: Ruleset
    ) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()
        self._closed = False
        self._number: int | None = None
        self.id = snapshot.attempt
        self.deal = snapshot.deal
        self.commitment = snapshot.commitment
        self.room = snapshot.room
        self.day = snapshot.day
        self.certificate = snapshot.certificate
        self.help = snapshot.help
        self.ruleset = ruleset
        self.elsewhere = False
        self._resync(snapshot)

    @property
    def over(self) -> bool:
        """Whether the attempt has ended."""
        return self.result.end is not None

    def legal_moves(self) -> list[Move]:
        """Return the moves that the rules allow in this view."""
        return [] if self.over else legal_moves(self.view)

    def text(self, move: Move) -> str:
        """Return a move as text, such as `t3>f0`."""
        return move_text(self.ruleset, move)

    async def play(self, move: Move | str) -> View:
        """Play a move, and return the new view once the server has stored the move.

        Raises:
            AttemptEnded: the attempt is over.
            Refusal: `illegal_move`, without asking the server, if the move is not legal in this
                view; `overtaken` if another session has played first; or the server's refusal.
        """
        async with self._turn:
            played = self._parsed(move)
            numbers = self.ruleset.numbers_of(played)
            await self._enter(lambda number, seq: PlayMove(number, seq, *numbers))
            return self.view

    async def undo(self) -> View:
        """Undo the last move, if `help` allows it, and return the new view.

        Raises:
            Refusal: `no_help`, `nothing_to_undo`, or as for `play`.
        """
        async with self._turn:
            await self._enter(Undo)
            return self.view

    async def hint(self) -> Move | None:
        """Request a hint, if `help` is `hints`; `None` if no useful move is known.

        Raises:
            Refusal: `no_help`, `attempt_ended`, or `overtaken` if another session keeps playing.
        """
        async with self._turn:
            answer = await self._ask(Hint, lambda: False)
            if not isinstance(answer, Hinted):
                raise _overtaken()
            return self.hint_given

    async def resign(self) -> Result:
        """End the attempt as it stands, unless it is over, and return its result.

        Raises:
            Refusal: `overtaken` if another session keeps playing.
        """
        async with self._turn:
            with suppress(AttemptEnded):
                await self._ask(Resign, lambda: self.over)
            if not self.over:
                raise _overtaken()
            return self.result

    async def take_over(self) -> None:
        """Play here instead of in the other session, which then follows this one."""
        await self._connection.ask(OpenAttempt(self.id, self._have(), take=True))

    def reopening(self) -> OpenAttempt:
        """Return the command that requests all later entries in a new session."""
        return OpenAttempt(self.id, self._have())

    def lost(self) -> None:
        """Hold back commands until a new session has reported the attempt's state."""
        self._number = None

    def close(self) -> None:
        """Refuse all further commands: another attempt has replaced this one."""
        self._closed = True

    def handle(self, event: Event, answered: Command[Any] | None) -> None:
        """Apply an event, if it concerns this attempt."""
        match event:
            case messages.Attempt(attempt=self.id):
                self._resync(event)
            case Missed(attempt=self.id):
                # News of another session are useless before the pending answer.
                if answered is not None or self._number is not None:
                    self._missed(event)
            case Moved(number=self._number):
                self._moved(event, answered)
            case Hinted(number=self._number):
                self._hinted(event)
            case Ended(number=self._number):
                self._ended(event)
            case Taken(number=self._number):
                self._taken(event.session)
            case Released(number=self._number):
                self.elsewhere = False
            case _:
                return
        if isinstance(answered, (PlayMove, Undo, OpenDaily, PlayChallenge)) or (
            isinstance(answered, OpenAttempt) and answered.take
        ):
            self.elsewhere = False

    def _parsed(self, move: Move | str) -> Move:
        """Return a legal move. Refused if it is malformed or illegal."""
        try:
            parsed = parse_move(self.ruleset, move) if isinstance(move, str) else move
        except EngineError as error:
            raise Refusal("bad_move", str(error)) from error
        if not self.over and not is_legal(self.view, parsed):
            raise Refusal("illegal_move", f"{self.text(parsed)} is not a legal move here.")
        return parsed

    async def _enter(self, command: Callable[[int, int], Command[Any]]) -> None:
        """Make a move or an undo the next entry. Refused if it was not accepted."""
        if self.elsewhere:
            raise Refusal("elsewhere", "Another session of the player plays; take it over first.")
        seq, began = self.seq + 1, time.monotonic()
        for tries in count():
            session, number = await self._ready()
            answer = await self._try(session, command(number, seq), tries, began)
            if isinstance(answer, messages.Attempt):
                raise _overtaken()
            if answer is not None:
                return

    async def _ask(
        self, command: Callable[[int, int], Command[Any]], done: Callable[[], bool]
    ) -> Any:
        """Send a command numbered as the next entry, and retry if another entry takes that number.

        `done` tells whether it is already done, as a reconnect may show.
        """
        began, answer = time.monotonic(), None
        for tries in range(TRIES):
            session, number = await self._ready()
            if done():
                break
            answer = await self._try(session, command(number, self.seq + 1), tries, began)
            if answer is not None and not isinstance(answer, messages.Attempt):
                break
        return answer

    async def _try(self, session: Session, command: Command[Any], tries: int, began: float) -> Any:
        """Return the answer to a command; `None` if it is worth another try."""
        try:
            return await session.ask(command)
        except Disconnected:
            return None
        except AttemptEnded:
            await self._learn_end()
            raise
        except Refusal as refusal:
            if refusal.code not in TEMPORARY:
                raise
            await self._connection.wait_out(refusal, tries, began)
            return None

    async def _learn_end(self) -> None:
        """Wait until the attempt's result is known here."""
        if not self.over:
            self._diverged()
        await self._connection.within(lambda: self.over)

    async def _ready(self) -> tuple[Session, int]:
        """Return the open session, and the attempt's number in it."""

        def ready() -> tuple[Session, int] | None:
            if self._closed:
                raise Refusal("no_attempt", "This attempt is not played any more.")
            session = self._connection.session
            return None if session is None or self._number is None else (session, self._number)

        return await self._connection.within(ready)

    def _have(self) -> Have:
        text = ",".join([*map(seen_text, self.view.piles), str(self.view.redeals)])
        return Have(self.seq, _fnv1a(text))

    def _resync(self, snapshot: messages.Attempt) -> None:
        self._number = snapshot.number
        self.seq = snapshot.seq
        self.result = snapshot.result
        self.view = read_view(self.ruleset, snapshot.piles, snapshot.redeals, snapshot.result.moves)
        self.started = snapshot.started
        self.deadline = snapshot.deadline
        self.undoable = snapshot.undoable
        self.hint_given = self._move(snapshot.hint)

    def _missed(self, event: Missed) -> None:
        number = event.number
        last = event.since + len(event.moves)
        whole = event.seq == last or (event.seq == last + 1 and event.result.end is not None)
        if not whole or event.since > self.seq:
            return self._diverged()
        for seq, move in enumerate(event.moves, event.since + 1):
            if not self._apply(seq, move.changes, move.redeals, undoes=move.count == 0):
                return self._diverged()
        self._number = number
        if event.seq >= self.seq:
            self.seq = event.seq
            self.result = event.result
        return None

    def _moved(self, event: Moved, answered: Command[Any] | None) -> None:
        known = event.seq <= self.seq
        if answered is None or not self._apply(event.seq, event.changes, event.redeals):
            return self._diverged()
        if not known:
            home = count_home(self.ruleset, self.view.piles)
            self.result = replace(
                self.result,
                home=home,
                left=self.ruleset.total - home,
                time=self.result.time if event.time is None else event.time,
                moves=self.view.moves,
                end=event.end,
            )
        return None

    def _apply(
        self, seq: int, changes: Changes, redeals: int | None, *, undoes: bool = False
    ) -> bool:
        """Apply a move as entry `seq`; return whether it follows the known entries."""
        if seq > self.seq + 1:
            return False
        if seq <= self.seq:
            return True
        try:
            self.view = apply_delta(self.view, read_delta(self.view, changes, redeals))
        except EngineError:
            return False
        self.seq = seq
        self.hint_given = None
        step = -1 if undoes else 1
        self.undoable = 0 if self.help == "none" else min(UNDO_DEPTH, max(0, self.undoable + step))
        return True

    def _hinted(self, event: Hinted) -> None:
        if event.seq > self.seq + 1:
            return self._diverged()
        if event.seq >= self.seq:
            self.seq = event.seq
            self.result = replace(self.result, hints=event.hints)
            self.hint_given = self._move(event.move)
        return None

    def _ended(self, event: Ended) -> None:
        self.result = event.result
        if event.seq > self.seq + 1:
            return self._diverged()
        self.seq = max(self.seq, event.seq)
        return None

    def _taken(self, session: str | None) -> None:
        if session is None or not self._connection.is_own_session(session):
            self.elsewhere = True
        else:
            self._connection.spawn(self.take_over())

    def _diverged(self) -> None:
        """Request a snapshot, and send nothing before it arrives."""
        self._number = None
        self._connection.spawn(self._connection.ask(OpenAttempt(self.id)))

    def _move(self, numbers: tuple[int, ...] | None) -> Move | None:
        return None if numbers is None else self.ruleset.move_of(*numbers)


def _overtaken() -> Refusal:
    return Refusal("overtaken", "Another session of the player has played first.")


def _fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash of an ASCII text."""
    value = 0x811C9DC5
    for byte in text.encode("ascii"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value
