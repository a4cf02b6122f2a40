"""Summaries of challenges for lists, beside their journals, and scores of their players. Pure.

A list is read from these, in a time that does not grow with the players of its challenges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from msgspec import Struct

from server.base.core.ids import ChallengeId, PlayerId
from server.challenges.core.challenge import Challenge, Entrant
from server.challenges.core.events import Begun, ChallengeMade, Event, Finished, ResultVoided
from server.play.core.result import packed

ListState = Literal["new", "playing", "ended", "missed", "made"]
"""How far a player is with a challenge in the list.

`new` may be begun, `missed` has closed before they began, or lets nobody begin, and `made` is an
own one that they have not begun.
"""

UNRANKED: Final = 1 << 53
"""The score of who brought no card home; of others whose results stand, it is the packed result."""

PLAYING: Final = UNRANKED + 2
"""The score of who has begun."""

VOID: Final = UNRANKED + 4
"""The score of whose result was taken back."""


class Summary(Struct, frozen=True, omit_defaults=True):
    """The summary of a challenge for lists, as of the last entry of its journal.

    Attributes:
        maker: who made it.
        at: when it was made.
        closes: when it closes at the latest; when its maker has closed it, if that was before.
        players: how many have begun or are named.
        ended: how many have ended.
        circle: the circle that it is for, or `None`.
        over: when it has closed; 0 before.
        is_closing: whether its maker has closed it.
        rematch_at: when the challenge was made that followed; 0 before.
        latest: who have ended last, and when.
    """

    challenge: ChallengeId
    maker: PlayerId
    game: str
    variant: str
    at: int
    closes: int
    players: int
    ended: int
    circle: str | None = None
    over: int = 0
    is_closing: bool = False
    rematch_at: int = 0
    latest: tuple[tuple[PlayerId, int], ...] = ()


def summary(challenge: Challenge) -> Summary:
    """Return the summary of a challenge."""
    made, terms = challenge.made, challenge.made.terms
    return Summary(
        made.challenge,
        made.maker,
        terms.game,
        terms.variant,
        made.at,
        challenge.closes,
        len(challenge.players),
        challenge.ended,
        terms.circle,
        challenge.over or 0,
        challenge.closing is not None,
        challenge.rematch_at,
        challenge.latest,
    )


def placed_by(after: Challenge, event: Event) -> tuple[tuple[PlayerId, int], ...]:
    """Return the players whose scores an entry has set, with those."""
    players: tuple[PlayerId, ...] = ()
    if isinstance(event, ChallengeMade):
        players = tuple(event.raced)
    elif isinstance(event, Begun | Finished | ResultVoided):
        players = (event.player,)
    return tuple((each, score_of(after, after.players[each])) for each in players)


def score_of(challenge: Challenge, entrant: Entrant) -> int:
    """Return the score of a player who has begun."""
    if entrant.result is None:
        return PLAYING
    if entrant.void:
        return VOID
    has_rank = entrant.result.home > challenge.made.home
    return packed(entrant.result) if has_rank else UNRANKED


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """A challenge in a player's list.

    Attributes:
        rank: the player's among those who have ended so far; `None` unless they have, and if an
            operator has taken the result back.
        news: whether something is new since the player last looked.
    """

    summary: Summary
    state: ListState
    rank: int | None
    news: bool


def best_of(score: int) -> str | None:
    """Return up to which score, as of a sorted set, all have a better rank than one or share it.

    `None` if it is no result that stands. Who brought no card home shares the last rank, which is
    as many as there are; else a rank is one more than there are better ones.
    """
    if score > UNRANKED:
        return None
    return str(UNRANKED) if score == UNRANKED else f"({score}"


def listed(
    found: Summary,
    player: PlayerId,
    seen: int,
    *,
    score: int | None,
    up_to: int,
    told: bool,
    now: int,
) -> ListedChallenge:
    """Return a challenge as it is to a player.

    Args:
        found: its summary.
        player: the player.
        seen: when the player has last looked; 0 for never.
        score: the player's, as `placed_by` returns them; `None` of who has not begun.
        up_to: how many scores are up to its `best_of`.
        told: whether others have put it into the player's list.
        now: the time.
    """
    state: ListState
    rank = None
    over = found.over or (found.closes if now >= found.closes else 0)
    if score == PLAYING:
        state = "playing"
    elif score is not None:
        state = "ended"
        rank = {UNRANKED: up_to, VOID: None}.get(score, up_to + 1)
    elif over or found.is_closing:
        state = "missed"
    else:
        state = "made" if player == found.maker else "new"
    times = [at for each, at in found.latest if each != player]
    news = max(over, found.rematch_at, found.at if told else 0, *times, 0) > seen
    return ListedChallenge(found, state, rank, news)
