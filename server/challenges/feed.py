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
from server.base.wire.feed import SLICE, Audience, Feed, Subscribers, close_all
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.tasks import in_timed_slices
from server.challenges import present
from server.challenges.challenges import Challenges, Page
from server.challenges.core.challenge import Challenge
from server.challenges.core.table import Row, Table
from server.challenges.messages import ChallengeChange, ChallengeGone, Challenger
from server.players.core.names import Profile
from server.players.profiles import Profiles

_BOTH = True, False

_Pages = Mapping[bool, Sequence[Row]]
"""The first page of a table, with results visible (`True`) and hidden (`False`)."""


class _Audience(Audience[int]):
    """The subscribers of one challenge.

    A mark is the version last sent, or 0 if a slow reader missed one.

    Attributes:
        known: the challenge as last sent.
        pages: the first page of `known`, with results visible and hidden.
    """

    __slots__ = ("known", "pages")

    def __init__(self, known: Challenge, pages: _Pages) -> None:
        super().__init__()
        self.known = known
        self.pages = pages


class ChallengeFeeds(Feed[ChallengeId, _Audience]):
    """The challenges to which this node's sessions subscribe."""

    def __init__(
        self,
        challenges: Challenges,
        profiles: Profiles,
        sessions: Subscribers,
        background: Background,
    ) -> None:
        super().__init__("challenges", sessions, background)
        self._challenges = challenges
        self._profiles = profiles
        challenges.journals.changed.subscribe(self._notify)

    def _follow(self, topic: ChallengeId) -> None:
        self._challenges.journals.follow(topic)

    def _unfollow(self, topic: ChallengeId) -> None:
        self._challenges.journals.unfollow(topic)

    async def watch(self, session: Session, challenge: ChallengeId) -> Page:
        """Subscribe a session to a challenge in place of any other, and return its page.

        Raises:
            Refusal: as for `Challenges.load`; the previous subscription then stays.
        """

        def add(page: Page) -> None:
            found = page.challenge
            audience = self._audiences.get(challenge)
            if audience is None:
                audience = self._audiences[challenge] = _Audience(found, self._pages(found))
            audience.marks[session] = found.version
            now = self._challenges.journals.state(challenge) or found
            if not now.version == found.version == audience.known.version:
                self._notify(challenge)

        return await self._subscribe(session, challenge, self._page(session, challenge), add)

    async def _page(self, session: Session, challenge: ChallengeId) -> Page:
        assert session.player is not None
        found = await self._challenges.load(challenge, session.player)
        return await self._challenges.page(found, session.player)

    def _pages(self, found: Challenge) -> _Pages:
        tables = self._challenges.tables
        return {shows: tables.of(found, shows_results=shows).rows() for shows in _BOTH}

    async def _dismiss_excluded(self, audience: _Audience, now: Challenge) -> None:
        """End the subscriptions of players who may not see the challenge any longer."""
        watching = {each.player for each in audience.marks if each.player is not None}
        # Only check the players queried: others may subscribe during the await.
        excluded = watching.difference(await self._challenges.allowed_viewers(now, watching))
        for session in [each for each in audience.marks if each.player in excluded]:
            self._dismiss(session, ChallengeGone(now.id))

    async def _update(self, topic: ChallengeId) -> None:
        """Send a challenge's changes to its subscribers."""
        audience, now = self._audiences.get(topic), self._challenges.journals.state(topic)
        if audience is None or now is None:
            return
        before = audience.known
        if now.version < before.version:
            audience.known, audience.pages = now, self._pages(now)
            close_all(audience)
            return
        pages = self._pages(now)
        await self._dismiss_excluded(audience, now)
        old, audience.known, audience.pages = audience.pages, now, pages
        changes: dict[bool, bytes] = {}
        rows: dict[bool, list[Challenger]] = {}
        profiles: dict[PlayerId, Profile] = {}

        async def know(players: Collection[PlayerId]) -> None:
            """Load the profiles that are not loaded yet."""
            if more := [each for each in players if each not in profiles]:
                profiles.update(await self._profiles.load(more))

        async for session in in_timed_slices(audience.marks, SLICE):
            version, player = audience.marks.get(session), session.player
            if version is None or version == now.version:
                continue
            assert player is not None
            # Do not queue changes for a slow reader.
            if session.behind:
                audience.marks[session] = 0
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
                    if session not in audience.marks:
                        continue
                session.send_frame(changes[shows])
            else:
                if shows not in rows:
                    await know([row.player for row in pages[shows]])
                    rows[shows] = present.challengers(pages[shows], profiles)
                await know([now.made.creator, player])
                page = await self._challenges.page(now, player)
                if session not in audience.marks:
                    continue
                session.send(present.of(page, rows[shows], profiles))
            audience.marks[session] = now.version
        is_latest = self._challenges.journals.state(topic) is now
        if not is_latest or any(mark != now.version for mark in audience.marks.values()):
            self._notify(topic)


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
