"""The refusals of challenges."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class ChallengeRefusals(RefusalCode):
    """The refusals of challenges."""

    listed_only = "Circles only play listed rules."
    deal_shown = "Others have already seen this deal."
    unknown_challenge = "There is no such challenge, or it is no longer kept."
    challenge_over = "This challenge has closed."
    challenge_full = "This challenge is full."
    not_challenged = "This challenge is for others."
    key_used = "This key was already used for something else."
    too_many_challenges = "You already have the maximum number of open challenges."
    not_creator = "Only the challenge's creator can do that."
    for_circle = "A circle's challenge stays open until its date."
    not_played = "Play first, then you can do that."
    not_in_circle = "Only members of this circle can do that."
