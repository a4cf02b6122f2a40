"""Subscriptions of sessions to challenges, updated at most twice a second.

A change to the table is encoded twice: for viewers with and without access to results. When a
subscriber starts or ends an attempt, or the challenge closes, that subscriber receives the whole
challenge with shared rows and their own fields. Slow readers skip changes and receive the whole
challenge once they catch up. A challenge without subscribers costs nothing here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from server.base.core.ids import ChallengeId, PlayerId
from server.base.wire import codec
from server.base.wire.contracts import Reason
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.tasks import in_timed_slices
from server.base.work.worker_pool import WorkerPool
from server.challenges import present
from server.challenges.challenges import Challenges, Page
from server.challenges.core.challenge import Challenge
from server.challenges.core.table import Row, Table
from server.challenges.messages import ChallengeChange, ChallengeGone, Challenger
from server.players.core.names import Profile
from server.players.profiles import Profiles

TICK = 0.5
"""Seconds between two updates of a challenge."""

CONCURRENCY = 4
"""The number of challenges updated concurrently."""

SLICE = 0.003
"""Seconds of sending before the feed yields to the event loop."""


_BOTH = True, False

_Pages = Mapping[bool, Sequence[Row]]
"""The first page of a table, with results visible (`True`) and hidden (`False`)."""


class _Feed:
    """The subscribers of one challenge.

    Attributes:
        sent: the version last sent to each subscriber; 0 if a slow reader missed one.
        known: the challenge as last sent.
        pages: the first page of `known`, with results visible and hidden.
        now: the latest known state of the challenge.
    """

    __slots__ = ("known", "now", "pages", "sent")

    def __init__(self, now: Challenge, pages: _Pages) -> None:
        self.sent: dict[Session, int] = {}
        self.known = now
        self.pages = pages
        self.now = now


class ChallengeFeeds:
    """The challenges to which this node's sessions subscribe."""

    def __init__(
        self,
        challenges: Challenges,
        profiles: Profiles,
        background: Background,
    ) -> None:
        self._challenges = challenges
        self._journals = challenges.journals
        self._profiles = profiles
        self._feeds: dict[ChallengeId, _Feed] = {}
        self._watched: dict[Session, ChallengeId] = {}
        self._ticks: WorkerPool[ChallengeId] = WorkerPool(
            background, "challenges", self._tick, size=CONCURRENCY
        )
        self._journals.changed.subscribe(self._changed)

    def watched_by(self, session: Session) -> ChallengeId | None:
        """Return the challenge to which a session subscribes, if any."""
        return self._watched.get(session)

    async def watch(self, session: Session, challenge: ChallengeId) -> Page:
        """Subscribe a session to a challenge in place of any other, and return its page.

        Raises:
            Refusal: as for `Challenges.load`; the previous subscription then stays.
        """
        assert session.player is not None
        self._journals.follow(challenge)
        try:
            # Follow before reading, so that no change is missed in between.
            found = await self._challenges.load(challenge, session.player)
            page = await self._challenges.page(found, session.player)
        except BaseException:
            self._journals.unfollow(challenge)
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
        """End a session's subscription, in constant time."""
        challenge = self._watched.pop(session, None)
        if challenge is None:
            return
        feed = self._feeds[challenge]
        del feed.sent[session]
        if not feed.sent:
            del self._feeds[challenge]
            self._ticks.schedule(challenge, None)
        self._journals.unfollow(challenge)

    def _pages(self, found: Challenge) -> _Pages:
        tables = self._challenges.tables
        return {shows: tables.of(found, shows_results=shows).rows() for shows in _BOTH}

    def _changed(self, challenge: ChallengeId) -> None:
        """Schedule a changed challenge for its next tick."""
        feed, now = self._feeds.get(challenge), self._journals.state(challenge)
        if feed is not None and now is not None:
            feed.now = now
            self._schedule(challenge)

    def _schedule(self, challenge: ChallengeId) -> None:
        if not self._ticks.is_scheduled(challenge):
            self._ticks.schedule(challenge, TICK)

    def _end_for(self, feed: _Feed, players: Collection[PlayerId | None]) -> None:
        """End and notify the subscriptions of players who can no longer see a challenge."""
        for session in [each for each in feed.sent if each.player in players]:
            self.unwatch(session)
            session.send(ChallengeGone(feed.now.id))

    async def _tick(self, challenge: ChallengeId) -> None:
        """Send a challenge's changes to its subscribers."""
        feed = self._feeds.get(challenge)
        if feed is None:
            return
        before, now = feed.known, feed.now
        if now.version < before.version:
            _go_back(feed)
            return
        pages = self._pages(now)
        watching = {each.player for each in feed.sent if each.player is not None}
        # Only check the players queried: others may subscribe during the await.
        self._end_for(
            feed, watching.difference(await self._challenges.allowed_viewers(now, watching))
        )
        old, feed.known, feed.pages = feed.pages, now, pages
        changes: dict[bool, bytes] = {}
        rows: dict[bool, list[Challenger]] = {}
        profiles: dict[PlayerId, Profile] = {}

        async def know(players: Collection[PlayerId]) -> None:
            """Load the profiles that are not loaded yet."""
            if more := [each for each in players if each not in profiles]:
                profiles.update(await self._profiles.load(more))

        async for session in in_timed_slices(feed.sent, SLICE):
            version = feed.sent.get(session)
            if version is None or version == now.version:
                continue
            player = session.player
            assert player is not None
            # Do not queue changes for a slow reader.
            if session.behind:
                feed.sent[session] = 0
                continue
            shows = now.shows_results(player)
            # A change only helps subscribers who have the version before it.
            if version == before.version and not _concerns(before, now, player):
                if shows not in changes:
                    table, fresh = self._challenges.table(now, player), _fresh(old, pages, shows)
                    await know([row.player for row in fresh])
                    change = _change(old[shows], pages[shows], fresh, table, profiles)
                    changes[shows] = codec.encode(change)
                    # The session may have unsubscribed during the await.
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
    """Close the sessions because Redis lost entries: clients ignore lower versions until then."""
    feed.known = feed.now
    for session in list(feed.sent):
        session.close(Reason.WENT_BACK)


def _concerns(before: Challenge, now: Challenge, player: PlayerId) -> bool:
    """Return whether the whole challenge must be sent to a player after a change."""
    own, was = now.players.get(player), before.players.get(player)
    is_other = (own is None) != (was is None) or (
        own is not None
        and was is not None
        and (own.begun, own.result, own.void) != (was.begun, was.result, was.void)
    )
    return is_other or (now.over, now.closing) != (before.over, before.closing)


def _fresh(old: _Pages, new: _Pages, shows: bool) -> list[Row]:
    """Return the rows of a page that changed apart from their ranks."""
    known = {row.player: row for row in old[shows]}
    return [row for row in new[shows] if not _is_same(row, known.get(row.player))]


def _change(
    old: Sequence[Row],
    new: Sequence[Row],
    fresh: Sequence[Row],
    table: Table,
    profiles: present.Profiles,
) -> ChallengeChange:
    """Return the change of the first page for viewers with the same access to results."""
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
    """Return whether two rows are equal apart from their ranks."""
    return other is not None and row == replace(other, rank=row.rank)
