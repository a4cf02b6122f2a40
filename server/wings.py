"""The wings of the server."""

from __future__ import annotations

from collections.abc import Callable

from server.accounts.wing import AccountsWing
from server.challenges.wing import ChallengesWing
from server.circles.wing import CirclesWing
from server.dailies.wing import DailiesWing
from server.deals.wing import DealsWing
from server.lobby.wing import LobbyWing
from server.moderation.wing import ModerationWing
from server.notifications.wing import NotificationsWing
from server.play.wing import PlayWing
from server.players.wing import PlayersWing
from server.results.wing import ResultsWing
from server.rooms.wing import RoomsWing
from server.runs.wing import RunsWing
from server.verification import Report, Verification
from server.watching.wing import WatchingWing
from server.wing import Wing


class Services(
    ModerationWing,
    NotificationsWing,
    CirclesWing,
    ChallengesWing,
    RunsWing,
    WatchingWing,
    LobbyWing,
    AccountsWing,
    DailiesWing,
    RoomsWing,
    ResultsWing,
    PlayWing,
    DealsWing,
    PlayersWing,
):
    """The stores, services and feeds of one node, by wing.

    A wing precedes those it depends on, which are constructed first.
    """

    async def verify(
        self, percent: int, expected: Report | None, progress: Callable[[int], None]
    ) -> Report:
        """Verify all stored data. See `server.verification`."""
        return await Verification(self, percent).run(expected, progress)


WINGS: tuple[Wing, ...] = tuple(vars(each)["wing"] for each in reversed(Services.__bases__))
"""The declarations of all wings, the lowest first."""
