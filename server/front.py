"""The front of a node: feeds for subscribed sessions, and link previews."""

from __future__ import annotations

from functools import partial

from server.accounts.confirmations import Confirmations
from server.accounts.passkey_challenges import PasskeyChallenges
from server.base.core.ids import ChallengeId, CircleId, DealId, PlayerId, RoomCode
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.web.previews import Previews
from server.base.wire.session import Session
from server.challenges.challenges import Page as ChallengePage
from server.challenges.feed import ChallengeFeeds
from server.challenges.lists_feed import ChallengeListsFeed
from server.challenges.preview import ChallengePreviews
from server.circles.core.circle import Circle
from server.circles.feed import CircleFeeds
from server.moderation.operating import Operating
from server.play.holding_feed import HoldingFeed
from server.players.hub import Hub
from server.results.core.boards import BoardId
from server.results.feed import LeaderboardFeeds
from server.results.leaderboards import Page
from server.results.preview import of_leaderboard
from server.rooms.core.room import Room
from server.rooms.emotes_feed import Emotes
from server.rooms.feed import RoomFeeds
from server.rooms.preview import RoomPreviews
from server.rooms.same_address_feed import SameAddressFeed
from server.watching.feed import WatchFeeds
from server.wings import Services


class Front:
    """The sessions of a node and their feeds.

    Attributes:
        hub: sessions, by id and by player.
        rooms: sessions subscribed to rooms.
        emotes: transient emotes of rooms' members.
        leaderboards: sessions subscribed to leaderboards.
        circles: sessions subscribed to circles.
        watching: sessions that watch rounds.
        same_address: notices to hosts about players at the same address.
        confirmations: sessions that have shown a credential of their player.
        operating: sessions that may moderate.
        passkey_challenges: pending passkey challenges.
        holding: which of a player's sessions holds an attempt, while the others mirror it.
    """

    def __init__(self, services: Services) -> None:
        background = services.background
        self._closed_deals = services.closed_deals
        self.hub = Hub(services.sessions, services.quotas, background)
        self.rooms = RoomFeeds(services.rooms, services.live, services.clock, background)
        self.emotes = Emotes(services.rooms, services.live, self.rooms)
        self.watching = WatchFeeds(
            services.watching, services.live, services.metrics, self.rooms, background
        )
        self.same_address = SameAddressFeed(
            services.room_addresses, services.live, background, self.rooms
        )
        self.leaderboards = LeaderboardFeeds(services.leaderboards, services.metrics, background)
        self.challenges = ChallengeFeeds(services.challenges, services.profiles, background)
        self.circles = CircleFeeds(services.circles, services.profiles, background)
        ChallengeListsFeed(services.challenge_lists, self.hub, background)
        self.confirmations = Confirmations()
        self.operating = Operating()
        self.passkey_challenges = PasskeyChallenges()
        self.holding = HoldingFeed(
            services.attempts,
            services.mirrors,
            services.sessions,
            services.node_bus,
            services.clock,
            background,
            self.hub,
        )
        self.rooms.dealt.subscribe(self.holding.open)
        self.hub.left.subscribe(self.rooms.unsubscribe)
        self.hub.left.subscribe(self.leaderboards.unwatch)
        self.hub.left.subscribe(self.challenges.unwatch)
        self.hub.left.subscribe(self.circles.unwatch)

    async def enter_room(self, session: Session, room: Room, *, seated: bool = True) -> None:
        """Subscribe a session to a room, and wait until its command can be answered.

        If `seated`, its player counts as present in the room.
        """
        hidden = await self.hidden_from(session, room)
        if self.hub.has(session):
            self.rooms.subscribe(session, room, seated=seated, hidden=hidden)
            await self.rooms.wait_until_ready(session, room)

    async def hidden_from(self, session: Session, room: Room) -> frozenset[DealId]:
        """Return the deals of a room's rounds whose results are hidden from a session.

        They are decided at subscription, and read only if there are rounds that the player has not
        raced.
        """
        known = self.rooms.hidden_from(session, room.opened.code)
        if known is not None:
            return known
        deals = dict.fromkeys(room.not_raced(session.player), room.at)
        return await self._closed_deals.withheld(deals, session.player)

    def leave_room(self, session: Session, code: RoomCode) -> None:
        """Unsubscribe a session from a room, if it is subscribed to it."""
        if self.rooms.room_of(session) == code:
            self.rooms.unsubscribe(session)

    def stop_watching(self, session: Session) -> None:
        """Stop a session's watching; without a seat, it is also unsubscribed from the room."""
        code = self.watching.code_of(session)
        if code is not None and self.rooms.is_seatless(session):
            self.rooms.unsubscribe(session)
        else:
            self.watching.stop(session)

    async def watch(self, session: Session, board: BoardId, circle: frozenset[PlayerId]) -> Page:
        """Subscribe a session to a leaderboard; see `LeaderboardFeeds.watch`."""
        page = await self.leaderboards.watch(session, board, circle)
        if not self.hub.has(session):
            # The session has left in the meantime.
            self.leaderboards.unwatch(session)
        return page

    async def watch_challenge(self, session: Session, challenge: ChallengeId) -> ChallengePage:
        """Subscribe a session to a challenge; see `ChallengeFeeds.watch`."""
        page = await self.challenges.watch(session, challenge)
        if not self.hub.has(session):
            # The session has left in the meantime.
            self.challenges.unwatch(session)
        return page

    async def watch_circle(self, session: Session, circle: CircleId) -> Circle:
        """Subscribe a session to a circle; see `CircleFeeds.watch`."""
        found = await self.circles.watch(session, circle)
        if not self.hub.has(session):
            # The session has left in the meantime.
            self.circles.unwatch(session)
        return found

    async def finish(self) -> None:
        """Wait until pending events have been sent, after `Hub.close`."""
        await self.rooms.close()


def previews_of(services: Services, load: Load, budgets: Budgets) -> Previews:
    """Return the link previews of a node's pages."""
    return Previews(
        RoomPreviews(services.rooms, services.live),
        ChallengePreviews(services.challenges, services.profiles).of_challenge,
        partial(of_leaderboard, services.leaderboards),
        load,
        budgets,
    )
