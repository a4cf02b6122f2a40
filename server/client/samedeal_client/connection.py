"""Consecutive sessions with the server: reconnecting, and commands that wait for a session."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException

from samedeal_client.budget import Budget
from samedeal_client.clock import Clock
from samedeal_client.messages import (
    VERSION,
    BlockChallenger,
    CloseChallenge,
    CreateChallenge,
    CreateRoom,
    EmoteRun,
    ExportData,
    GetAccount,
    GetChallengers,
    GetRun,
    GetRuns,
    GetWatchKey,
    Hello,
    HideChallenge,
    JoinRoom,
    KeepRecoveryCode,
    LinkDevice,
    ListBlocked,
    ListChallenges,
    ListDailies,
    ListRooms,
    OpenAttempt,
    OpenDaily,
    Ping,
    PlayChallenge,
    Player,
    QuickMatch,
    Rematch,
    Rename,
    ShowDeal,
    WatchChallenge,
    WatchLeaderboard,
    WatchRound,
    Welcome,
)
from samedeal_client.protocol import Command, Event
from samedeal_client.refusal import NOT_CARRIED_OUT, TEMPORARY, Disconnected, Refusal
from samedeal_client.session import Session
from samedeal_client.storage import TokenStorage

# Commands that are safe to send again if the session is lost before the answer.
IDEMPOTENT: frozenset[type[Command[Any]]] = frozenset(
    {
        *(CreateRoom, JoinRoom, QuickMatch, ListRooms, WatchRound, GetWatchKey),
        *(OpenAttempt, OpenDaily, ListDailies, WatchLeaderboard, ShowDeal, GetRun, GetRuns),
        *(CreateChallenge, Rematch, WatchChallenge, PlayChallenge, ListChallenges),
        *(HideChallenge, CloseChallenge, EmoteRun, GetChallengers, BlockChallenger, ListBlocked),
        *(Rename, GetAccount, LinkDevice, KeepRecoveryCode, ExportData, Ping),
    }
)

# Refusals of a `Hello` that would be refused again.
FINAL_REFUSALS = frozenset(
    {"bad_version", "bad_token", "barred", "bad_name", "name_reserved", "name_offensive"}
)

# Close codes that keep the client from reconnecting.
FINAL_CLOSES = {4001: "replaced", 4002: "bad_version", 4007: "signed_out", 4008: "barred"}

# Close codes that delay reconnecting by some seconds: the client sent too much, or invalid frames.
PENALTY_CLOSES = {4000, 4005}

WELCOME_WITHIN = 10.0
FIRST_WAIT = 1.0
MIN_WAIT = 0.2
QUICK_WAIT = 0.45
QUICK_TRIES = 3
MAX_WAIT = 10.0
# Seconds to wait for a server whose store is away, so that play resumes soon after.
MAX_BACKOFF = 4.0

Answer = TypeVar("Answer")
Found = TypeVar("Found")


class Connection:
    """Keeps a session open until it is closed or the server forbids reconnecting."""

    def __init__(
        self,
        url: str,
        *,
        storage: TokenStorage,
        name: str | None,
        timeout: float | None,
        on_event: Callable[[Event, Command[Any] | None], None],
        restore: Callable[[Session], Awaitable[None]],
        on_lost: Callable[[], None],
    ) -> None:
        self.player: Player | None = None  # the player; `None` before the first session
        self._session: Session | None = None
        # The reason why the last attempt to open a session failed; `None` while one is open.
        self.failure: str | None = None
        # The error behind `failure`, if there is one.
        self._cause: Exception | None = None
        self.clock = Clock()  # the server's
        self._url = url
        self._storage = storage
        self._name = name
        self._timeout = timeout
        self._on_event = on_event
        self._restore = restore
        self._on_lost = on_lost
        self._budget = Budget()
        self._ids: set[str] = set()
        self._waiters: dict[asyncio.Future[Any], Callable[[], Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: asyncio.Task[None] | None = None
        self._end: BaseException | None = None

    @property
    def session(self) -> Session | None:
        """The open session, once the state of the last one is restored."""
        session = self._session
        return None if session is None or session.lost else session

    async def open(self) -> None:
        """Start to keep a session open, and return when the first one is open."""
        self._running = asyncio.create_task(self._run())
        self._running.add_done_callback(self._ended)
        await self.opened()

    async def close(self) -> None:
        """Close the session. All pending waits raise `closed`."""
        running = self._running
        if running is not None:
            running.cancel()
            await asyncio.wait({running, *self._tasks})

    async def ask(self, command: Command[Answer]) -> Answer:
        """Send a command in the open session, or the next one, and return its answer.

        It is retried after temporary refusals and, if it is idempotent, after a lost session.
        Refused if the server refuses it, or there was no session or no answer in time.
        """
        tries, began = 0, time.monotonic()
        while True:
            session = await self.opened()
            try:
                return await session.ask(command)
            except Disconnected:
                if type(command) not in IDEMPOTENT:
                    raise
            except Refusal as refusal:
                again = TEMPORARY if type(command) in IDEMPOTENT else NOT_CARRIED_OUT
                if refusal.code not in again:
                    raise
                await self.wait_out(refusal, tries, began)
            tries += 1

    async def wait_out(self, refusal: Refusal, tries: int, began: float) -> None:
        """Wait until a command with a temporary refusal is worth retrying.

        `tries` are the refused tries before this one, and `began` the local monotonic time of the
        first, in seconds. The refusal is raised if the timeout leaves no time for another try.
        """
        wait = refusal.wait.total_seconds() or wait_before(tries, most=MAX_BACKOFF)
        if self._timeout is not None and time.monotonic() + wait > began + self._timeout:
            raise refusal
        await asyncio.sleep(wait)

    async def opened(self) -> Session:
        """Return the open session, waiting for one if needed.

        Refused as `unreachable` if none was opened in time, or for the reason why there will be
        none.
        """
        return await self.within(lambda: self.session)

    async def within(self, test: Callable[[], Found | None]) -> Found:
        """Wait like `until`, but refuse as `unreachable` after the timeout for commands."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self.until(test)
        except TimeoutError:
            reason = self.failure or "no session was opened"
            text = f"There is no session with {self._url}: {reason}."
            raise Refusal("unreachable", text) from self._cause

    async def until(self, test: Callable[[], Found | None]) -> Found:
        """Return the test's first truthy value, now or after any event.

        Refused if there will be no further session. Errors of the test are raised.
        """
        found = test()
        if found:
            return found
        if self._end is not None:
            raise self._end
        waiter: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiters[waiter] = test
        try:
            return await waiter
        finally:
            del self._waiters[waiter]

    def changed(self) -> None:
        """Evaluate the tests of all pending waits."""
        for waiter, test in list(self._waiters.items()):
            if waiter.done():
                continue
            try:
                found = test()
            except Exception as error:
                waiter.set_exception(error)
            else:
                if found:
                    waiter.set_result(found)

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine in the background; any error but a refusal fails all pending waits."""

        async def run() -> None:
            with suppress(Refusal):
                await work

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def is_own_session(self, session: str) -> bool:
        """Return whether a session id is of a session opened here."""
        return session in self._ids

    def keep(self, token: str) -> None:
        """Store a token."""
        self._storage.save(token)

    def renamed(self, name: str) -> None:
        """Store the player's new name."""
        if self.player is not None:
            self.player = replace(self.player, name=name)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and self._running is not None:
            self._fail(error)
            self._running.cancel()

    def _ended(self, running: asyncio.Task[None]) -> None:
        error = None if running.cancelled() else running.exception()
        self._fail(error or Refusal("closed", "The client is closed."))
        for task in self._tasks:
            task.cancel()

    def _fail(self, error: BaseException) -> None:
        """Fail all pending and future waits with an error."""
        self._end = self._end or error
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(self._end)

    async def _run(self) -> None:
        """Open one session after another. Refused if the server forbids reconnecting."""
        failures = 0
        while True:
            wait, penalized = 0.0, False
            try:
                async with connect(
                    self._url,
                    compression=None,
                    # The protocol has its own pings, which the server answers in order.
                    ping_interval=None,
                    close_timeout=1,
                    # Exports take megabytes.
                    max_size=None,
                ) as socket:
                    opened, wait = await self._serve(socket)
                failures = 0 if opened else failures
                penalized = socket.close_code in PENALTY_CLOSES
                self._failed(f"it was closed with {socket.close_code}")
            except InvalidStatus as error:
                self._failed(str(error), error)
                wait = _seconds(error.response.headers.get("Retry-After"))
            except (OSError, WebSocketException) as error:
                self._failed(str(error) or "no answer came in time", error)
            self.changed()
            await asyncio.sleep(wait or wait_before(failures, penalized=penalized))
            failures += 1

    async def _serve(self, socket: ClientConnection) -> tuple[bool, float]:
        """Open a session on a socket, and serve it until it is lost.

        Return whether it was open, and the seconds that the server asks to wait before the next
        one. Refused if the server forbids reconnecting.

        Raises:
            TimeoutError: the server did not answer the hello.
        """
        session = Session(socket, self._budget, self._on_event)
        session.times = self.clock.measure
        reading = asyncio.create_task(session.run())
        wait, opened = timedelta(), False
        try:
            await self._hello(session)
            await self._restore(session)
            self._session, opened = session, True
            self._failed(None)
            self.changed()
            await asyncio.wait({reading})
        except Disconnected:
            await asyncio.wait({reading})
        except Refusal as refusal:
            if refusal.code in FINAL_REFUSALS:
                raise
            wait = refusal.wait
            self._failed(refusal.text, refusal)
        finally:
            self._session = None
            self._on_lost()
            session.end()
            if not reading.done():
                reading.cancel()
                await asyncio.wait({reading})
        if not reading.cancelled():
            reading.result()
        if session.bye is not None:
            wait = timedelta(milliseconds=session.bye.wait)
        code = FINAL_CLOSES.get(socket.close_code or 0)
        if code is not None:
            raise Refusal(code, session.bye.text if session.bye else "The session was ended.")
        return opened, wait.total_seconds()

    def _failed(self, failure: str | None, cause: Exception | None = None) -> None:
        """Set the reason why there is no session, and its error; `None` if there is one."""
        self.failure, self._cause = failure, cause

    async def _hello(self, session: Session) -> None:
        token = self._storage.load()
        asked = time.monotonic()
        hello = Hello(VERSION, token, None if token else self._name)
        try:
            async with asyncio.timeout(WELCOME_WITHIN):
                welcome: Welcome = await session.ask(hello)
        except Refusal as refusal:
            if refusal.code == "bad_version":
                text = (
                    f"The server does not speak version {VERSION} of the protocol: {refusal.text}"
                )
                raise Refusal("bad_version", f"{text} Use another samedeal-client.") from refusal
            raise
        self.clock.restart()
        self.clock.measure(welcome.now, asked, time.monotonic())
        self._ids.add(welcome.session)
        self.player = welcome.player
        if welcome.token != token:
            self._storage.save(welcome.token)


def wait_before(failures: int, *, penalized: bool = False, most: float = MAX_WAIT) -> float:
    """Return the seconds before the next try: exponential backoff with jitter."""
    # Jitter keeps the clients of a failed node from reconnecting all at once.
    chance = random.random()  # noqa: S311 - no secret
    if failures == 0 and not penalized:
        return chance * FIRST_WAIT
    # The first few tries fit within two seconds, since another node may take over quickly.
    longest = most if penalized else QUICK_WAIT * 2 ** max(0, min(failures, 20) + 1 - QUICK_TRIES)
    return MIN_WAIT + chance * (min(most, longest) - MIN_WAIT)


def _seconds(text: str | None) -> float:
    """Return the seconds of a `Retry-After` header; 0 if it gives none."""
    return float(text) if text is not None and text.isdecimal() else 0.0
