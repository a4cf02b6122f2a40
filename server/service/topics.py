"""Topics of wake-ups: what it is that changed."""

from __future__ import annotations

from server.core.ids import PlayerId, RoomCode


def room(code: RoomCode) -> str:
    """A room's journal grew, or the presence of one of its members changed."""
    return f"room:{code}"


def progress(code: RoomCode) -> str:
    """Runners of the room's round got further."""
    return f"progress:{code}"


def leaderboard(game: str, day: int) -> str:
    """A day's leaderboard changed."""
    return f"leaderboard:{game}:{day}"


def session(player: PlayerId) -> str:
    """A player opened a new session."""
    return f"session:{player}"


def ended(player: PlayerId) -> str:
    """An attempt of the player is over without a command: out of time, or found to be stuck."""
    return f"ended:{player}"
