"""The wings of the server."""

from __future__ import annotations

from collections.abc import Callable

from server.accounts.wing import Accounts
from server.challenges.wing import Challenges
from server.circles.wing import Circles
from server.dailies.wing import Dailies
from server.deals.wing import Deals
from server.lobby.wing import Lobby
from server.moderation.wing import Moderation
from server.notifications.wing import Notifications
from server.play.wing import Play
from server.players.wing import Players
from server.results.wing import Results
from server.rooms.wing import Rooms
from server.runs.wing import Runs
from server.verification import Report, Verification
from server.watching.wing import Watching
from server.wing import Wing


class Services(
    Moderation,
    Notifications,
    Circles,
    Challenges,
    Runs,
    Watching,
    Lobby,
    Accounts,
    Dailies,
    Rooms,
    Results,
    Play,
    Deals,
    Players,
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
