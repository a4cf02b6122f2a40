"""Circles without I/O, for tests."""

from __future__ import annotations

from server.base.core.ids import PlayerId
from server.circles.core import circle as circles
from server.circles.core import commands
from server.circles.core.circle import Circle
from server.circles.core.events import Event, Founded
from server.circles.core.ids import CircleId
from tests.builders import ADA, START

CIRCLE = CircleId("c1rc1e0000000000")
SECRET = "5ecret0000000000"
OTHER_SECRET = "0ther00000000000"


def founded(at: int = START) -> Circle:
    return circles.fold(None, Founded(CIRCLE, ADA, "Friends", SECRET, at))


def circle_of(*players: PlayerId, at: int = START) -> Circle:
    """Return Ada's circle with other members, who joined at intervals of a millisecond."""
    found = founded(at)
    for player in players:
        found = then(found, commands.join(found, player, found.secret, found.at + 1))
    return found


def then(circle: Circle, event: Event | None) -> Circle:
    assert event is not None, "the command has an effect"
    return circles.fold(circle, event)
