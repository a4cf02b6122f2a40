"""Occasions of challenges: the purpose of their deals."""

from __future__ import annotations

from server.base.core.ids import ChallengeId, Occasion

KIND = "c"  # the prefix of these occasions


def occasion_of(challenge: ChallengeId) -> Occasion:
    """Return the occasion of a challenge's deal."""
    return Occasion(f"{KIND}:{challenge}")


def challenge_of(occasion: Occasion | None) -> ChallengeId | None:
    """Return the challenge of an occasion, or `None` for another kind of occasion."""
    kind, _, name = (occasion or "").partition(":")
    return ChallengeId(name) if kind == KIND else None
