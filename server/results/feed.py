"""Subscriptions of sessions to leaderboards, updated twice a second.

A leaderboard is read at most once per tick, and only after a score was entered: its size, first
rows and median take one round trip and are encoded once for all subscribers. Each subscriber also
has their own rows: the rows around the player. These and their ranks change only if an entered
score is not worse than the last of them, or if there are fewer rows below the player than would
fit. Each tick reads the own rows of at most `MAX_READ` affected subscribers, who get individual
frames; the others follow in later ticks. A player without a result has no own rows, and the own
rows of a player ahead of every entered score are not read again.

A subscriber who has raced also has the rows of their opponents, read together with the own rows
when an opponent's score is entered. For this the node keeps the opponents' ids for each subscriber:
a set of 100, the maximum, takes 11 KB, so 10,000 such subscribers take 110 MB; a subscriber who has
not raced takes nothing. Searching the sets of 10,000 subscribers takes 2 ms per tick. Opponents are
mutual, so one entry causes reads for about 100 subscribers at most.
"""

from __future__ import annotations

import asyncio
from itertools import chain, islice
from typing import Final

from server.base.core.ids import PlayerId
from server.base.core.refusal import UnavailableError
from server.base.wire import codec
from server.base.wire.feed import SLICE, Audience, Feed, Subscribers
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.tasks import in_timed_slices
from server.play.core.result import Row, Rows
from server.results import messages
from server.results import present as results_present
from server.results.core.boards import BoardId
from server.results.core.bus import ScoreChanged
from server.results.leaderboards import REACH, Leaderboards, Page

MAX_READ = 500
"""The most subscribers whose own rows are read in one tick."""

READ_AT_ONCE = 50
"""The number of subscribers whose own rows are read by one script call."""

ANY_SCORE = float("inf")
"""A bound that includes every score; lower scores are better."""

NO_SCORE = float("-inf")
"""A bound that includes no score."""

NOBODY: Final[frozenset[PlayerId]] = frozenset()


class _Own:
    """A subscriber's own rows and their opponents' rows, as last sent.

    Attributes:
        rows: the player's row and its neighbours, in order; empty if the player has no row.
        bound: the worst score that changes the rows or their ranks when it is entered.
        circle: the player and their opponents; empty without opponents.
        rivals: the rows of `circle`.
    """

    __slots__ = ("bound", "circle", "rivals", "rows")

    def __init__(
        self,
        player: PlayerId | None,
        rows: list[Row],
        circle: frozenset[PlayerId],
        rivals: list[Row],
    ) -> None:
        self.rows = rows
        self.circle = circle
        self.rivals = rivals
        self.bound = NO_SCORE
        own = next((place for place, row in enumerate(rows) if row.player == player), None)
        if own is not None:
            # A score worse than the last row comes after it and changes no rank, unless there
            # are fewer than `REACH` rows below the player's own.
            self.bound = rows[-1].score if len(rows) - own > REACH else ANY_SCORE


class _Audience(Audience[_Own]):
    """The subscribers of one leaderboard. A mark has the subscriber's own rows.

    Attributes:
        unread: subscribers whose own rows must be read, in order, and whether their opponents' must
            be as well.
        behind: slow subscribers who missed a change; they receive the whole page later.
        last_sent: the size, first rows and median, as last sent.
        best: the best score entered since the last tick.
        players: the players whose scores were entered since the last tick.
        unknown: whether messages about entered scores may have been lost.
        stale: whether the first rows may have changed while they were read.
    """

    __slots__ = ("behind", "best", "last_sent", "players", "stale", "unknown", "unread")

    def __init__(self, sent: Rows) -> None:
        super().__init__()
        self.unread: dict[Session, bool] = {}
        self.behind: dict[Session, None] = {}
        self.last_sent = sent
        self.best: float = ANY_SCORE
        self.players: set[PlayerId] = set()
        self.unknown = False
        self.stale = False

    def remove(self, session: Session) -> None:
        """Remove a subscriber, in constant time."""
        super().remove(session)
        self.unread.pop(session, None)
        self.behind.pop(session, None)

    @property
    def changed(self) -> bool:
        """Whether a score may have been entered since the last tick."""
        return self.unknown or self.stale or bool(self.players)

    @property
    def is_pending(self) -> bool:
        """Whether the next tick has anything to read or send."""
        return self.changed or bool(self.unread or self.behind)


class LeaderboardFeeds(Feed[BoardId, _Audience]):
    """The leaderboards to which this node's sessions subscribe."""

    def __init__(
        self,
        leaderboards: Leaderboards,
        metrics: Metrics,
        sessions: Subscribers,
        background: Background,
    ) -> None:
        super().__init__("leaderboards", sessions, background)
        self._leaderboards = leaderboards
        self._metrics = metrics
        self._entries_seen = 0
        leaderboards.score_changed.subscribe(self._score_changed)
        leaderboards.name_changed.subscribe(self._name_changed)

    def _follow(self, topic: BoardId) -> None:
        self._leaderboards.subscribe(topic)

    def _unfollow(self, topic: BoardId) -> None:
        self._leaderboards.unsubscribe(topic)

    async def watch(self, session: Session, board: BoardId, circle: frozenset[PlayerId]) -> Page:
        """Subscribe a session to a leaderboard in place of any other; return its current page.

        Args:
            session: a session with a player.
            board: the leaderboard.
            circle: the player's circle, from `Leaderboards.circle`.
        """
        assert session.player is not None
        seen = self._entries_seen

        def add(page: Page) -> None:
            found = Rows(page.size, page.top, page.middle)
            audience = self._audiences.setdefault(board, _Audience(found))
            audience.marks[session] = _Own(session.player, page.around, circle, page.rivals)
            if seen != self._entries_seen:
                # A score may have been entered while the page was read.
                audience.stale = True
                audience.unread[session] = bool(circle)
            if found != audience.last_sent:
                audience.behind[session] = None
            self._notify_if_pending(board, audience)

        load = self._leaderboards.page(board, session.player, circle)
        return await self._subscribe(session, board, load, add)

    def _score_changed(self, board: BoardId, change: ScoreChanged | None) -> None:
        """Record an entered score; `None` if messages about scores may have been lost."""
        self._entries_seen += 1
        audience = self._audiences.get(board)
        if audience is None:
            return
        if change is None:
            audience.unknown = True
        else:
            audience.best = min(audience.best, change.score)
            audience.players.add(change.player)
        self._notify_if_pending(board, audience)

    def _name_changed(self, player: PlayerId) -> None:
        """Resend the page to all subscribers who see the player, after a rename by an operator.

        It takes a few comparisons per subscriber.
        """
        for board, audience in self._audiences.items():
            top = audience.last_sent.rows
            in_top = any(row.player == player for row in top)
            for session, own in audience.marks.items():
                if in_top or any(row.player == player for row in own.rows):
                    audience.behind[session] = None
            self._notify_if_pending(board, audience)

    def _notify_if_pending(self, board: BoardId, audience: _Audience) -> None:
        if audience.is_pending:
            self._notify(board)

    async def _update(self, topic: BoardId) -> None:
        """Send a leaderboard's changes to its subscribers."""
        audience = self._audiences.get(topic)
        if audience is None:
            return
        try:
            if audience.is_pending:
                await self._send_changes(topic, audience)
        except UnavailableError:
            audience.unknown = True
            raise
        self._notify_if_pending(topic, audience)

    async def _send_changes(self, board: BoardId, audience: _Audience) -> None:
        """Read and send a leaderboard's changes."""
        if audience.changed:
            best, players, unknown = audience.best, audience.players, audience.unknown
            audience.best, audience.players = ANY_SCORE, set()
            audience.unknown = audience.stale = False
            async for session in in_timed_slices(audience.marks, SLICE):
                known = audience.marks.get(session)
                if known is None:
                    continue
                met = bool(known.circle) and (unknown or not known.circle.isdisjoint(players))
                if met or unknown or best <= known.bound or session.player in players:
                    audience.unread[session] = met or audience.unread.get(session, False)
            top = await self._read_top(board, audience)
        else:
            top = None
        # Subscribers whose own rows are read receive the first rows in the same frame.
        own = dict(islice(audience.unread.items(), MAX_READ))
        frame = None if top is None else self._encode(top)
        if frame is not None:
            async for session in in_timed_slices(audience.marks, SLICE):
                if session not in own:
                    self._send(audience, session, frame)
        try:
            while own:
                await self._send_own_rows(board, audience, own, top, frame)
        finally:
            # After a failure, subscribers not yet served receive the whole page later.
            if top is not None:
                audience.behind.update(
                    dict.fromkeys(session for session in own if session in audience.marks)
                )
        await self._send_pages(board, audience)

    async def _read_top(
        self, board: BoardId, audience: _Audience
    ) -> messages.LeaderboardChange | None:
        """Read the rows shown to all subscribers; return their change, or `None`."""
        self._metrics.board_reads += 1
        found = await self._leaderboards.top(board)
        before = audience.last_sent
        if found == before:
            return None
        profiles = await self._leaderboards.profiles(found.rows)
        audience.last_sent = found
        return messages.LeaderboardChange(
            found.size,
            results_present.entries(board, found.rows, profiles)
            if found.rows != before.rows
            else None,
            None,
            middle=results_present.middle(board, found.middle)
            if found.middle != before.middle
            else None,
        )

    async def _send_own_rows(
        self,
        board: BoardId,
        audience: _Audience,
        remaining: dict[Session, bool],
        top: messages.LeaderboardChange | None,
        frame: bytes | None,
    ) -> None:
        """Read the own rows of the next subscribers, and send them with the change for all.

        Args:
            board: the leaderboard.
            audience: its subscribers.
            remaining: the subscribers to read, and whether to read their opponents; up to
                `READ_AT_ONCE` of them are read and removed.
            top: the change for all, or `None`.
            frame: the same, encoded, for subscribers without a change of their own.
        """
        sessions = list(islice(remaining, READ_AT_ONCE))
        known = [audience.marks.get(session) for session in sessions]
        players = [session.player for session in sessions if session.player is not None]
        circles = [
            own.circle if remaining[session] and own is not None else NOBODY
            for session, own in zip(sessions, known, strict=True)
        ]
        found, rivals = await asyncio.gather(
            self._leaderboards.around(board, players), self._leaderboards.among(board, circles)
        )
        shown = chain.from_iterable([*found, *rivals])
        profiles = await self._leaderboards.profiles(list(shown))
        each = zip(sessions, known, found, rivals, strict=True)
        async for session, before, rows, among in in_timed_slices(each, SLICE):
            with_rivals = remaining.pop(session)
            if before is None or audience.marks.get(session) is not before:
                # It has left, or has received a newer page meanwhile.
                continue
            audience.unread.pop(session, None)
            after = _Own(
                session.player, rows, before.circle, among if with_rivals else before.rivals
            )
            audience.marks[session] = after
            has_changed, have_changed = after.rows != before.rows, after.rivals != before.rivals
            if has_changed or have_changed:
                change = messages.LeaderboardChange(
                    audience.last_sent.size,
                    top.top if top is not None else None,
                    results_present.entries(board, rows, profiles) if has_changed else None,
                    results_present.entries(board, among, profiles) if have_changed else None,
                    top.middle if top is not None else None,
                )
                self._send(audience, session, self._encode(change))
            elif frame is not None:
                self._send(audience, session, frame)

    async def _send_pages(self, board: BoardId, audience: _Audience) -> None:
        """Send the whole page to subscribers who missed a change and have caught up.

        It is encoded once for all subscribers without own rows.
        """
        for_all: bytes | None = None
        sent = audience.last_sent
        async for session in in_timed_slices(audience.behind, SLICE):
            own = audience.marks.get(session)
            if own is None or session.behind:
                continue
            if own.rows or own.rivals:
                frame = await self._page(board, sent, own)
            elif for_all is None:
                frame = for_all = await self._page(board, sent, own)
            else:
                frame = for_all
            audience.behind.pop(session, None)
            session.send_frame(frame)

    async def _page(self, board: BoardId, sent: Rows, own: _Own) -> bytes:
        profiles = await self._leaderboards.profiles([*sent.rows, *own.rows, *own.rivals])
        return self._encode(
            messages.LeaderboardChange(
                sent.size,
                results_present.entries(board, sent.rows, profiles),
                results_present.entries(board, own.rows, profiles),
                results_present.entries(board, own.rivals, profiles),
                results_present.middle(board, sent.middle),
            )
        )

    def _encode(self, change: messages.LeaderboardChange) -> bytes:
        self._metrics.board_changes += 1
        return codec.encode(change)

    @staticmethod
    def _send(audience: _Audience, session: Session, frame: bytes) -> None:
        if session.behind and session in audience.marks:
            audience.behind[session] = None
        elif session in audience.marks and session not in audience.behind:
            session.send_frame(frame)
