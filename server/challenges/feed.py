"""The sessions that watch challenges, and the changes that they are sent, twice a second at most.

What changes in the table is encoded once for all who may see results, and once for those who may
not. When a watcher has begun or ended, and when the challenge closes, the whole of it is sent
instead: the rows are made once, and only what is the watcher's own is not the same for all. Nobody
who reads slowly is sent what would only be queued, but the whole when they have caught up. A
challenge that nobody watches costs nothing here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from server.base.core.ids import ChallengeId, PlayerId
from server.base.net.contracts import Reason
from server.base.wire import codec
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.tasks import in_timed_slices
from server.base.work.worker_pool import WorkerPool
from server.challenges import present
from server.challenges.challenges import Challenges, Page
from server.challenges.core.challenge import Challenge
from server.challenges.core.table import Row, Table
from server.challenges.live_challenges import LiveChallenges
from server.challenges.messages import ChallengeChange, ChallengeGone, Challenger
from server.players.core.names import Profile
from server.players.profiles import Profiles

TICK = 0.5
"""Seconds between two updates of a challenge."""

CONCURRENCY = 4
"""Challenges that are updated at the same time."""

SLICE = 0.003
"""Seconds after which sending to watchers yields to the event loop."""


_BOTH = True, False

_Pages = Mapping[bool, Sequence[Row]]
"""The first page of a table: whether results may be seen, and its rows then."""


class _Feed:
    """The watchers of one challenge.

    Attributes:
        sent: each watcher, and the version of the challenge that it has; 0 if it reads slowly, and
            has missed one.
        known: the challenge as it was sent last.
        pages: the first page of it, as those who may see results see it, and as others do.
        now: the challenge as it is known here.
    """

    __slots__ = ("known", "now", "pages", "sent")

    def __init__(self, now: Challenge, pages: _Pages) -> None:
        self.sent: dict[Session, int] = {}
        self.known = now
        self.pages = pages
        self.now = now


class ChallengeFeeds:
    """All challenges that sessions of this node watch."""

    def __init__(
        self,
        challenges: Challenges,
        live: LiveChallenges,
        profiles: Profiles,
        background: Background,
    ) -> None:
        self._challenges = challenges
        self._live = live
        self._profiles = profiles
        self._feeds: dict[ChallengeId, _Feed] = {}
        self._watched: dict[Session, ChallengeId] = {}
        self._ticks: WorkerPool[ChallengeId] = WorkerPool(
            background, "challenges", self._tick, size=CONCURRENCY
        )
        live.changed.subscribe(self._changed)

    def watched_by(self, session: Session) -> ChallengeId | None:
        """Return the challenge that a session watches, if any."""
        return self._watched.get(session)

    async def watch(self, session: Session, challenge: ChallengeId) -> Page:
        """Let a session watch a challenge instead of any other; return it as its player sees it.

        Raises:
            Refusal: as for `Challenges.load`; the session watches what it did before.
        """
        assert session.player is not None
        self._live.follow(challenge)
        try:
            # Read after it is followed, so that nothing comes in between.
            found = await self._challenges.load(challenge, session.player)
            page = await self._challenges.page(found, session.player)
        except BaseException:
            self._live.unfollow(challenge)
            raise
        self.unwatch(session)
        self._watched[session] = challenge
        feed = self._feeds.get(challenge)
        if feed is None:
            feed = self._feeds[challenge] = _Feed(found, self._pages(found))
        feed.sent[session] = found.version
        if found.version > feed.now.version:
            feed.now = found
        if feed.now.version != feed.known.version or found.version != feed.known.version:
            self._schedule(challenge)
        return page

    def unwatch(self, session: Session) -> None:
        """Let a session watch no challenge, in constant time."""
        challenge = self._watched.pop(session, None)
        if challenge is None:
            return
        feed = self._feeds[challenge]
        del feed.sent[session]
        if not feed.sent:
            del self._feeds[challenge]
            self._ticks.schedule(challenge, None)
        self._live.unfollow(challenge)

    def _pages(self, found: Challenge) -> _Pages:
        tables = self._challenges.tables
        return {shows: tables.of(found, shows_results=shows).rows() for shows in _BOTH}

    def _changed(self, challenge: Challenge) -> None:
        """Send a challenge that has changed with its next tick."""
        feed = self._feeds.get(challenge.id)
        if feed is None:
            return
        if challenge.version < feed.now.version:
            known = self._challenges.known(challenge.id)
            if known is None or known.version >= feed.now.version:
                # It was read before the latest entry, and is told after it.
                return
        feed.now = challenge
        self._schedule(challenge.id)

    def _schedule(self, challenge: ChallengeId) -> None:
        if not self._ticks.is_scheduled(challenge):
            self._ticks.schedule(challenge, TICK)

    def _end_for(self, feed: _Feed, players: Collection[PlayerId | None]) -> None:
        """End the subscriptions of players who may not see a challenge, and tell them."""
        for session in [each for each in feed.sent if each.player in players]:
            self.unwatch(session)
            session.send(ChallengeGone(feed.now.id))

    async def _tick(self, challenge: ChallengeId) -> None:
        """Send what has changed in a challenge to its watchers."""
        feed = self._feeds.get(challenge)
        if feed is None:
            return
        before, now = feed.known, feed.now
        if now.version < before.version:
            _go_back(feed)
            return
        pages = self._pages(now)
        watching = {each.player for each in feed.sent if each.player is not None}
        # Of those who were asked for: others may have come meanwhile.
        self._end_for(feed, watching.difference(await self._challenges.may_look(now, watching)))
        old, feed.known, feed.pages = feed.pages, now, pages
        changes: dict[bool, bytes] = {}
        rows: dict[bool, list[Challenger]] = {}
        profiles: dict[PlayerId, Profile] = {}

        async def know(players: Collection[PlayerId]) -> None:
            """Load the profiles of players that are not known yet."""
            if more := [each for each in players if each not in profiles]:
                profiles.update(await self._profiles.load(more))

        async for session in in_timed_slices(feed.sent, SLICE):
            version = feed.sent.get(session)
            if version is None or version == now.version:
                continue
            player = session.player
            assert player is not None
            if session.behind:
                feed.sent[session] = 0
                continue
            shows = now.shows_results(player)
            if version == before.version and not _concerns(before, now, player):
                if shows not in changes:
                    table, fresh = self._challenges.table(now, player), _fresh(old, pages, shows)
                    await know([row.player for row in fresh])
                    change = _change(old[shows], pages[shows], fresh, table, profiles)
                    changes[shows] = codec.encode(change)
                    if session not in feed.sent:
                        continue
                session.send_frame(changes[shows])
            else:
                if shows not in rows:
                    await know([row.player for row in pages[shows]])
                    rows[shows] = present.challengers(pages[shows], profiles)
                await know([now.made.maker, player])
                page = await self._challenges.page(now, player)
                if session not in feed.sent:
                    continue
                session.send(present.of(page, rows[shows], profiles))
            feed.sent[session] = now.version
        if self._feeds.get(challenge) is feed and (
            feed.now is not now or any(version != now.version for version in feed.sent.values())
        ):
            self._schedule(challenge)


def _go_back(feed: _Feed) -> None:
    """Close the sessions, as Redis has lost entries: clients ignore a lower version until then."""
    feed.known = feed.now
    for session in list(feed.sent):
        session.close(Reason.WENT_BACK)


def _concerns(before: Challenge, now: Challenge, player: PlayerId) -> bool:
    """Return whether the whole challenge is sent, since it is another one for a player."""
    own, was = now.players.get(player), before.players.get(player)
    is_other = (own is None) != (was is None) or (
        own is not None
        and was is not None
        and (own.begun, own.result, own.void) != (was.begun, was.result, was.void)
    )
    return is_other or (now.over, now.closing) != (before.over, before.closing)


def _fresh(old: _Pages, new: _Pages, shows: bool) -> list[Row]:
    """Return the rows of a page that have changed, but for their ranks."""
    known = {row.player: row for row in old[shows]}
    return [row for row in new[shows] if not _is_same(row, known.get(row.player))]


def _change(
    old: Sequence[Row],
    new: Sequence[Row],
    fresh: Sequence[Row],
    table: Table,
    profiles: present.Profiles,
) -> ChallengeChange:
    """Return what has changed on the first page for those who may see the same table."""
    ranks, were = _ranks(new), _ranks(old)
    found = table.challenge
    return ChallengeChange(
        found.id,
        found.version,
        present.challengers(fresh, profiles),
        ranks if ranks != were else [],
        found.rematch,
        table.size,
        found.begun,
        found.ended,
        present.target_of(found),
    )


def _ranks(rows: Iterable[Row]) -> list[tuple[str, int | None]]:
    return [(row.player, row.rank) for row in rows]


def _is_same(row: Row, other: Row | None) -> bool:
    """Return whether two rows are the same but for their ranks."""
    return other is not None and row == replace(other, rank=row.rank)
