"""Summaries of challenges for lists, and scores of their players.

Both are stored beside the journal, so that the time to read a list does not depend on the number of
players in its challenges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from msgspec import Struct

from server.base.core.ids import ChallengeId, PlayerId
from server.challenges.core.challenge import Challenge, Entrant
from server.challenges.core.events import Begun, ChallengeMade, Event, Finished, ResultVoided
from server.play.core.result import packed

# A player's progress with a challenge in their list. `new`: the player can start it. `missed`: it
# closed, or stopped accepting attempts, before they started. `made`: they created it and have not
# started.
ListState = Literal["new", "playing", "ended", "missed", "made"]

# The score of a run without a card home. Other valid results use their packed value.
UNRANKED: Final = 1 << 53

PLAYING: Final = UNRANKED + 2

VOID: Final = UNRANKED + 4


class Summary(Struct, frozen=True, omit_defaults=True):
    """A challenge's summary for lists, as of the last entry of its journal."""

    challenge: ChallengeId
    creator: PlayerId
    game: str
    variant: str
    at: int
    # The latest possible close; after an early close by the creator, the actual one once it is
    # over.
    closes: int
    players: int  # the number of players who have started or are invited
    ended: int  # the number of players who have ended
    circle: str | None = None  # the id of its circle, or `None`
    over: int = 0
    is_closing: bool = False  # whether its creator closed it early
    rematch_at: int = 0  # when its rematch was created; 0 without one
    latest: tuple[tuple[PlayerId, int], ...] = ()  # the players who ended last and the times


def summary(challenge: Challenge) -> Summary:
    """Return the summary of a challenge."""
    made, terms = challenge.made, challenge.made.terms
    return Summary(
        made.challenge,
        made.creator,
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
    """Return the players whose scores an entry changes, with the scores."""
    players: tuple[PlayerId, ...] = ()
    if isinstance(event, ChallengeMade):
        players = tuple(event.raced)
    elif isinstance(event, Begun | Finished | ResultVoided):
        players = (event.player,)
    return tuple((each, score_of(after, after.players[each])) for each in players)


def score_of(challenge: Challenge, entrant: Entrant) -> int:
    """Return the score of a player's started attempt."""
    if entrant.result is None:
        return PLAYING
    if entrant.void:
        return VOID
    has_rank = entrant.result.home > challenge.made.home
    return packed(entrant.result) if has_rank else UNRANKED


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """A challenge in a player's list."""

    summary: Summary
    state: ListState
    # The player's rank among the results so far; `None` before their attempt ends, and for a voided
    # result.
    rank: int | None
    news: bool  # whether something changed since the player last viewed the list


def rank_bound(score: int) -> str | None:
    """Return the upper bound, for ZCOUNT, of the scores that determine a score's rank.

    `None` for a score that has no rank.
    """
    if score > UNRANKED:
        return None
    # A run without a card home shares the last rank, the number of all valid results. The rank of
    # any other is the number of better scores plus one.
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
    """Return a challenge as shown in a player's list.

    `seen` is when the player last viewed the list (0 for never), `score` the player's, as returned
    by `placed_by` (`None` before they start), and `up_to` the number of scores within `rank_bound`.
    `told` says whether another player added it to the list.
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
        state = "made" if player == found.creator else "new"
    # A player's own result is no news to them.
    times = [at for each, at in found.latest if each != player]
    news = max(over, found.rematch_at, found.at if told else 0, *times, 0) > seen
    return ListedChallenge(found, state, rank, news)
