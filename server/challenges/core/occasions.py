"""The occasions that challenges are, for which their deals are played."""

from __future__ import annotations

from server.base.core.ids import ChallengeId, Occasion

KIND = "c"
"""The kind of these occasions."""


def occasion_of(challenge: ChallengeId) -> Occasion:
    """Return what the deal of a challenge is played for."""
    return Occasion(f"{KIND}:{challenge}")


def challenge_of(occasion: Occasion | None) -> ChallengeId | None:
    """Return the challenge that an occasion is, or `None` if it is none."""
    kind, _, name = (occasion or "").partition(":")
    return ChallengeId(name) if kind == KIND else None
