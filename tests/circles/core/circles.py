"""Circles for tests."""

from __future__ import annotations

from collections.abc import Callable

from server.base.core.ids import CircleId, PlayerId
from server.base.core.refusal import Refusal
from server.circles.core import circle as circles
from server.circles.core import commands
from server.circles.core.circle import Circle
from server.circles.core.events import Event, Founded
from tests.builders import ADA, START

CIRCLE = CircleId("c1rc1e0000000000")
SECRET = "5ecret0000000000"
OTHER_SECRET = "0ther00000000000"


def founded(at: int = START) -> Circle:
    """Return a circle that Ada has founded."""
    return circles.fold(None, Founded(CIRCLE, ADA, "Friends", SECRET, at))


def circle_of(*players: PlayerId, at: int = START) -> Circle:
    """Return a circle of Ada in which others have joined, a millisecond after the other."""
    found = founded(at)
    for player in players:
        found = then(found, commands.join(found, player, found.secret, found.at + 1))
    return found


def then(circle: Circle, event: Event | None) -> Circle:
    """Return the circle after an event that was decided."""
    assert event is not None, "something changes"
    return circles.fold(circle, event)


def refused(decide: Callable[[], object]) -> str:
    """Return the code with which a command is refused."""
    try:
        decide()
    except Refusal as refusal:
        return refusal.code
    return ""
