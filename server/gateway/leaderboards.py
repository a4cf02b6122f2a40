"""The sessions that watch leaderboards, and what they are sent.

A leaderboard is looked at once a tick in which something was entered, whoever watches: one round
trip for its size and first rows, which are encoded once for all. A watcher's own rows with their
ranks can have changed only if a score was entered that is not worse than the last of them, or if
there is room after them; some hundred of those watchers are read in a tick, the rest in the next
ones, and each of them is sent a frame of its own. Who has not played has no such rows, and who is
better than everything that was entered is not read again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from itertools import islice

import structlog

from server.core.boards import BoardId
from server.core.ids import PlayerId
from server.core.ranking import Row
from server.core.refusal import UnavailableError
from server.gateway import codec, present
from server.gateway.messages import leaderboards as messages
from server.gateway.session import Session
from server.service.bus_messages import Entered
from server.service.leaderboards import REACH, Leaderboards, Page
from server.stop import Stop

TICK = 0.5
"""Seconds between two looks at a leaderboard."""

MOST_READ = 500
"""Watchers whose own rows are read in a tick."""

READ_AT_ONCE = 50
"""Watchers whose own rows are read by one script."""

SLICE = 0.003
"""Seconds after which telling watchers lets others go first."""

ANY_SCORE = float("inf")
NO_SCORE = float("-inf")

log = structlog.get_logger()


class _Own:
    """A watcher's own row with its neighbours, as they were sent last.

    Attributes:
        bound: the worst score that changes them or their ranks when it is entered.
    """

    __slots__ = ("bound", "rows")

    def __init__(self, player: PlayerId | None, rows: list[Row]) -> None:
        self.rows = rows
        self.bound = NO_SCORE
        own = next((place for place, row in enumerate(rows) if row.player == player), None)
        if own is not None:
            # Whatever is worse than the last of the rows comes after them, and counts for no rank
            # in them; but there may be room after them.
            self.bound = rows[-1].score if len(rows) - own > REACH else ANY_SCORE


class _Watched:
    """A leaderboard that is watched.

    Attributes:
        own: the own rows of each watcher.
        reading: watchers whose own rows are to be read.
        behind: watchers who do not keep up, or have missed something: they are sent all of it.
        last_sent: its size and first rows, as they were sent last.
        best: the best score that was entered since the last tick.
        players: whose score was entered since then.
        unknown: whether something was entered of which no more is known.
        again: whether the first rows may have changed while they were read.
    """

    __slots__ = ("again", "behind", "best", "last_sent", "own", "players", "reading", "unknown")

    def __init__(self, size: int, top: list[Row]) -> None:
        self.own: dict[Session, _Own] = {}
        self.reading: dict[Session, None] = {}
        self.behind: dict[Session, None] = {}
        self.last_sent = (size, top)
        self.best: float = ANY_SCORE
        self.players: set[PlayerId] = set()
        self.unknown = False
        self.again = False

    @property
    def changed(self) -> bool:
        """Whether anything may have been entered since the last tick."""
        return self.unknown or self.again or bool(self.players)

    @property
    def waits(self) -> bool:
        """Whether anything is to be looked at or sent."""
        return self.changed or bool(self.reading or self.behind)


class LeaderboardFeeds:
    """All leaderboards that sessions of this node watch."""

    def __init__(self, leaderboards: Leaderboards) -> None:
        self._leaderboards = leaderboards
        self._watched: dict[BoardId, _Watched] = {}
        self._any = asyncio.Event()
        self._entries_seen = 0
        leaderboards.entered.subscribe(self._entered)

    async def watch(self, session: Session, board: BoardId) -> Page:
        """Let a session watch a leaderboard, and no other any more; return it as it is now.

        Raises:
            UnavailableError: the store does not answer.
        """
        assert session.player is not None
        self._leaderboards.subscribe(board)
        seen = self._entries_seen
        try:
            page = await self._leaderboards.page(board, session.player)
        except BaseException:
            self._leaderboards.unsubscribe(board)
            raise
        self.unwatch(session)
        session.watched = board
        watched = self._watched.setdefault(board, _Watched(page.size, page.top))
        watched.own[session] = _Own(session.player, page.around)
        if seen != self._entries_seen:
            # Something may have been entered while it was read.
            watched.again = True
            watched.reading[session] = None
        if (page.size, page.top) != watched.last_sent:
            watched.behind[session] = None
        self._notify(watched)
        return page

    def unwatch(self, session: Session) -> None:
        """Let a session watch none. It takes the same time however many there are."""
        board = session.watched
        if board is None:
            return
        session.watched = None
        watched = self._watched[board]
        del watched.own[session]
        watched.reading.pop(session, None)
        watched.behind.pop(session, None)
        if not watched.own:
            del self._watched[board]
        self._leaderboards.unsubscribe(board)

    def _entered(self, board: BoardId, entered: Entered | None) -> None:
        """Take that a score was entered; `None` if it is not known which, or how many."""
        self._entries_seen += 1
        watched = self._watched.get(board)
        if watched is None:
            return
        if entered is None:
            watched.unknown = True
        else:
            watched.best = min(watched.best, entered.score)
            watched.players.add(entered.player)
        self._any.set()

    def _notify(self, watched: _Watched) -> None:
        if watched.waits:
            self._any.set()

    async def run(self, stop: Stop) -> None:
        """Tell watchers of what has changed, once a tick, until told to stop."""
        while not stop.is_set:
            await stop.or_wait(self._any.wait())
            await stop.or_wait(asyncio.sleep(TICK))
            self._any.clear()
            for board, watched in list(self._watched.items()):
                if watched.waits and not stop.is_set:
                    try:
                        await self._update(board, watched)
                    except UnavailableError as error:
                        watched.unknown = True
                        log.warning("leaderboard_unread", board=board, error=str(error))
                self._notify(watched)

    async def _update(self, board: BoardId, watched: _Watched) -> None:
        """Look at a leaderboard, and tell its watchers of what is new to them."""
        if watched.changed:
            best, players, unknown = watched.best, watched.players, watched.unknown
            watched.best, watched.players = ANY_SCORE, set()
            watched.unknown = watched.again = False
            async for session in _slices(watched.own):
                known = watched.own.get(session)
                if known is not None and (
                    unknown or best <= known.bound or session.player in players
                ):
                    watched.reading[session] = None
            top = await self._read_top(board, watched)
        else:
            top = None
        # Who is sent something of its own is sent the rest with it.
        own = dict.fromkeys(islice(watched.reading, MOST_READ))
        if top is not None:
            frame = codec.encode(top)
            async for session in _slices(watched.own):
                if session not in own:
                    self._send(watched, session, frame)
        try:
            while own:
                await self._send_own_rows(board, watched, own, top)
        finally:
            if top is not None:
                watched.behind.update(
                    dict.fromkeys(session for session in own if session in watched.own)
                )
        await self._send_all(watched)

    async def _read_top(
        self, board: BoardId, watched: _Watched
    ) -> messages.LeaderboardChange | None:
        """Return what is new about the size and the first rows."""
        size, top = await self._leaderboards.top(board)
        before = watched.last_sent
        if (size, top) == before:
            return None
        profiles = await self._leaderboards.profiles(top)
        watched.last_sent = (size, top)
        rows = present.entries(top, profiles) if top != before[1] else None
        return messages.LeaderboardChange(size, rows, None)

    async def _send_own_rows(
        self,
        board: BoardId,
        watched: _Watched,
        left: dict[Session, None],
        top: messages.LeaderboardChange | None,
    ) -> None:
        """Tell some of those who are left of their own rows, and of what is new at the top."""
        sessions = list(islice(left, READ_AT_ONCE))
        players = [session.player for session in sessions if session.player is not None]
        found = await self._leaderboards.around(board, players)
        profiles = await self._leaderboards.profiles([row for rows in found for row in rows])
        for session, rows in zip(sessions, found, strict=True):
            del left[session]
            watched.reading.pop(session, None)
            if session not in watched.own:
                continue
            is_new = watched.own[session].rows != rows
            if is_new:
                watched.own[session] = _Own(session.player, rows)
            if is_new or top is not None:
                change = messages.LeaderboardChange(
                    watched.last_sent[0],
                    top.top if top is not None else None,
                    present.entries(rows, profiles) if is_new else None,
                )
                self._send(watched, session, codec.encode(change))

    async def _send_all(self, watched: _Watched) -> None:
        """Tell those who have missed something of everything, if they keep up by now."""
        size, top = watched.last_sent
        async for session in _slices(watched.behind):
            if session.behind or session not in watched.own:
                continue
            rows = watched.own[session].rows
            profiles = await self._leaderboards.profiles([*top, *rows])
            watched.behind.pop(session, None)
            whole = messages.LeaderboardChange(
                size, present.entries(top, profiles), present.entries(rows, profiles)
            )
            session.send_frame(codec.encode(whole))

    @staticmethod
    def _send(watched: _Watched, session: Session, frame: bytes) -> None:
        if session.behind and session in watched.own:
            watched.behind[session] = None
        elif session in watched.own and session not in watched.behind:
            session.send_frame(frame)


async def _slices(sessions: Iterable[Session]) -> AsyncIterator[Session]:
    """Yield sessions, and let others go first now and then; some may be gone when they come."""
    until = time.monotonic() + SLICE
    for session in list(sessions):
        yield session
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + SLICE
