"""Topics of wake-ups, and who is told of what."""

from __future__ import annotations

from server.core.ids import PlayerId, RoomCode


def room(code: RoomCode) -> str:
    """A room's journal grew, or the presence of one of its members changed."""
    return f"room:{code}"


def progress(code: RoomCode) -> str:
    """Runners got further; the text is their attempts' ids, with spaces between."""
    return f"progress:{code}"


def leaderboard(game: str, day: int) -> str:
    """A day's leaderboard changed."""
    return f"leaderboard:{game}:{day}"


def session(player: PlayerId) -> str:
    """A player opened a new session; the text is its id."""
    return f"session:{player}"


def ended(player: PlayerId) -> str:
    """An attempt of the player is over; the text is its id."""
    return f"ended:{player}"
