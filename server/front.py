"""The front of a node: feeds for subscribed sessions, and link previews."""

from __future__ import annotations

from functools import partial

from server.accounts.confirmations import Confirmations
from server.accounts.passkey_challenges import PasskeyChallenges
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.web.previews import Previews
from server.challenges.feed import ChallengeFeeds
from server.challenges.lists_feed import ChallengeListsFeed
from server.challenges.preview import ChallengePreviews
from server.circles.feed import CircleFeeds
from server.moderation.operating import Operating
from server.play.holding_feed import HoldingFeed
from server.players.hub import Hub
from server.results.feed import LeaderboardFeeds
from server.results.preview import of_leaderboard
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
        self.hub = Hub(services.sessions, services.quotas, background)
        self.rooms = RoomFeeds(
            services.rooms,
            services.live,
            services.closed_deals.withheld,
            self.hub,
            clock=services.clock,
            background=background,
        )
        self.emotes = Emotes(services.rooms, services.live, self.rooms)
        self.watching = WatchFeeds(
            services.watching, services.live, services.metrics, self.rooms, background
        )
        self.same_address = SameAddressFeed(
            services.room_addresses, services.live, background, self.rooms
        )
        self.leaderboards = LeaderboardFeeds(
            services.leaderboards, services.metrics, self.hub, background
        )
        self.challenges = ChallengeFeeds(
            services.challenges, services.profiles, self.hub, background
        )
        self.circles = CircleFeeds(services.circles, services.profiles, self.hub, background)
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
