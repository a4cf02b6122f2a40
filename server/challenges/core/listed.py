"""A challenge in a player's list, as it is to that player. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from server.base.core.ids import PlayerId
from server.challenges.core.challenge import Challenge

ListState = Literal["new", "playing", "ended", "missed", "made"]
"""How far a player is with a challenge in the list.

`new` may be begun, `missed` has closed before they began, or lets nobody begin, and `made` is an
own one that they have not begun.
"""


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """A challenge in a player's list.

    Attributes:
        rank: the player's among those who have ended so far; `None` unless they have.
        ended: how many have ended.
        news: whether something is new since the player last looked.
    """

    challenge: Challenge
    state: ListState
    rank: int | None
    ended: int
    news: bool


def listed(challenge: Challenge, player: PlayerId, seen: int) -> ListedChallenge:
    """Return a challenge as it is to a player who has last looked at a time; 0 for never."""
    own = challenge.players.get(player)
    state: ListState
    if own is not None and own.result is not None:
        state = "ended"
    elif own is not None and own.is_playing:
        state = "playing"
    elif not challenge.is_open:
        state = "missed"
    else:
        state = "made" if player == challenge.made.maker else "new"
    return ListedChallenge(
        challenge,
        state,
        challenge.ranks().get(player) if state == "ended" else None,
        sum(each.result is not None for each in challenge.players.values()),
        challenge.news_at(player) > seen,
    )
