"""Conversion of challenges to messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server.base.core.ids import PlayerId
from server.base.wire.messages import Result
from server.challenges.challenges import Page
from server.challenges.core.challenge import Challenge
from server.challenges.core.listed import ListedChallenge
from server.challenges.core.table import TOP, Row, Table, target
from server.challenges.messages import (
    Blocked,
    Challenger,
    ChallengeRow,
    Challengers,
    Challenges,
)
from server.challenges.messages import Challenge as ChallengeEvent
from server.play import present as play_present
from server.players import present as players_present
from server.players.core.names import Profile

Profiles = Mapping[PlayerId, Profile]


def challenge(page: Page, profiles: Profiles) -> ChallengeEvent:
    """Return a challenge as its viewer may see it, given the profiles of `players_of(page)`."""
    return of(page, challengers(page.table.rows(), profiles), profiles)


def of(page: Page, rows: list[Challenger], profiles: Profiles) -> ChallengeEvent:
    """Return a challenge as `challenge` does, with rows shared between viewers."""
    found, made = page.challenge, page.challenge.made
    own = page.table.row(page.viewer) if page.viewer in found.players else None
    return ChallengeEvent(
        challenge=found.id,
        version=found.version,
        creator=players_present.player(profiles[made.creator]),
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
        attempt=found.attempt(page.viewer) if page.mine is not None else None,
        players=rows,
        opened=page.opened,
        race=bool(made.raced),
        circle=made.terms.circle,
        rematch=found.rematch,
        closing=found.closing is not None,
        size=page.table.size,
        begun=found.begun,
        ended=found.ended,
        own=_challenger(own, profiles) if own is not None else None,
        target=target_of(found),
    )


def target_of(found: Challenge) -> Result | None:
    """Return the result shown to players before they play, if any."""
    shown = target(found)
    return play_present.result(shown) if shown is not None else None


def challengers(rows: Iterable[Row], profiles: Profiles) -> list[Challenger]:
    """Convert table rows."""
    return [_challenger(row, profiles) for row in rows]


def _challenger(row: Row, profiles: Profiles) -> Challenger:
    return Challenger(
        player=players_present.player(profiles[row.player]),
        state=row.state,
        result=play_present.result(row.result) if row.result is not None else None,
        rank=row.rank,
        attempt=row.attempt,
        emotes=[*row.emotes.items()],
    )


def players_of(page: Page) -> set[PlayerId]:
    """Return the players whose profiles `challenge` needs."""
    return {page.challenge.made.creator, page.viewer, *page.table.order.players[:TOP]}


def page_of(table: Table, first: int, count: int, profiles: Profiles) -> Challengers:
    """Return another page of a challenge's table."""
    found = table.challenge
    rows = challengers(table.rows(first, count), profiles)
    return Challengers(found.id, found.version, first, rows)


def blocked(profiles: Iterable[Profile]) -> Blocked:
    """Return the players whose challenges are blocked."""
    return Blocked([players_present.player(each) for each in profiles])


def challenges(rows: Iterable[tuple[ListedChallenge, Profile]]) -> Challenges:
    """Return a player's challenges with their creators."""
    return Challenges([_listed(row, creator) for row, creator in rows])


def _listed(row: ListedChallenge, creator: Profile) -> ChallengeRow:
    found = row.summary
    return ChallengeRow(
        challenge=found.challenge,
        creator=players_present.player(creator),
        game=found.game,
        variant=found.variant,
        closes=found.closes,
        over=bool(found.over),
        state=row.state,
        rank=row.rank,
        ended=found.ended,
        players=found.players,
        news=row.news,
        circle=found.circle,
    )
