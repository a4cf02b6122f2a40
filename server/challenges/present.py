"""Challenges as clients are shown them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server.base.core.ids import PlayerId
from server.challenges.challenges import Page
from server.challenges.core.challenge import Challenge
from server.challenges.core.listed import ListedChallenge
from server.challenges.core.table import Row, table
from server.challenges.messages import Challenge as ChallengeEvent
from server.challenges.messages import Challenger, ChallengeRow, Challenges
from server.play import present as play_present
from server.players import present as players_present
from server.players.core.names import Profile

Profiles = Mapping[PlayerId, Profile]


def challenge(page: Page, profiles: Profiles) -> ChallengeEvent:
    """Return a challenge as its viewer may see it.

    Args:
        page: the challenge, and what is the viewer's.
        profiles: of the maker and of all players.
    """
    shows_results = page.challenge.shows_results(page.viewer)
    rows = [challenger(row, profiles) for row in table(page.challenge, shows_results=shows_results)]
    return of(page, rows, profiles)


def of(page: Page, rows: list[Challenger], profiles: Profiles) -> ChallengeEvent:
    """Return a challenge as `challenge` does, with rows that may be those of other viewers, too."""
    found, made = page.challenge, page.challenge.made
    has_begun = page.mine is not None
    return ChallengeEvent(
        challenge=found.id,
        version=found.version,
        maker=players_present.player(profiles[made.maker]),
        game=made.terms.game,
        variant=made.terms.variant,
        limit=made.terms.limit // 1000,
        help=made.terms.help,
        at=made.at,
        closes=found.closes,
        over=found.over is not None,
        deal=made.deal,
        commitment=made.commitment,
        seed=page.seed,
        certificate=play_present.certificate(page.deal.certificate) if page.deal else None,
        audience=made.audience,
        may_play=page.may_play,
        mine=play_present.result(page.mine) if page.mine is not None else None,
        attempt=found.attempt(page.viewer) if has_begun else None,
        players=rows,
        opened=page.opened,
        race=bool(made.raced),
        circle=made.terms.circle,
        rematch=found.rematch,
        closing=found.closing is not None,
    )


def challenger(row: Row, profiles: Profiles) -> Challenger:
    """Return a player's row."""
    return Challenger(
        player=players_present.player(profiles[row.player]),
        state=row.state,
        result=play_present.result(row.result) if row.result is not None else None,
        rank=row.rank,
        attempt=row.attempt,
        emotes=[*row.emotes.items()],
    )


def players_of(found: Challenge) -> set[PlayerId]:
    """Return the players whose profiles a challenge is shown with."""
    return {found.made.maker, *found.players}


def challenges(rows: Iterable[tuple[ListedChallenge, Profile]]) -> Challenges:
    """Return a player's challenges, each with the profile of its maker."""
    return Challenges([_listed(row, maker) for row, maker in rows])


def _listed(row: ListedChallenge, maker: Profile) -> ChallengeRow:
    found, made = row.challenge, row.challenge.made
    return ChallengeRow(
        challenge=found.id,
        maker=players_present.player(maker),
        game=made.terms.game,
        variant=made.terms.variant,
        closes=found.closes,
        over=found.over is not None,
        state=row.state,
        rank=row.rank,
        ended=row.ended,
        players=len(found.players),
        news=row.news,
        circle=made.terms.circle,
    )
