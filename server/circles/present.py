"""Conversion of circles to messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.catalog import in_order
from server.base.core.ids import PlayerId
from server.base.wire.messages import Player, Result
from server.circles import messages
from server.circles.circles import PlayerCircles
from server.circles.core.circle import Circle, Member
from server.circles.core.events import League
from server.circles.core.items import Item
from server.circles.core.seasons import Season
from server.circles.core.tables import Duel, Row
from server.circles.messages import (
    CircleChallenge,
    CircleDaily,
    CircleMember,
    CircleRecord,
    CircleRow,
    CircleSeason,
    CircleSummary,
    CircleTable,
    FeedItem,
    HeadToHead,
    LeagueResult,
    LeagueRound,
    LeagueTerms,
    WebhookAnswer,
)
from server.circles.tables import Table
from server.play.core.result import unpack
from server.players import present as players_present
from server.players.core.names import Profile
from server.results.core.history import DayResult

Profiles = Mapping[PlayerId, Profile]


def circle(found: Circle, profiles: Profiles) -> messages.Circle:
    """Return a circle as shown to all its members, given their profiles."""
    season, rounds = found.season, found.rounds
    if season is not None:
        rounds = found.rounds_of(season)
    return messages.Circle(
        circle=found.id,
        version=found.version,
        name=found.name,
        owner=found.owner,
        link=found.link,
        founded=found.founded,
        members=[
            CircleMember(_player(profiles, each.player), each.since) for each in found.members
        ],
        season=None if season is None else _season(season),
        season_weeks=found.weeks,
        seasons=[_season(each) for each in found.closed],
        league=None if found.league is None else _league(found.league),
        rounds=[
            LeagueRound(number, each.challenge, each.game, each.at, each.closes)
            for number, each in enumerate(rounds, 1)
        ],
        webhook=None if found.webhook is None else found.webhook.form,
        challenges=[
            CircleChallenge(each.challenge, each.player, each.game, each.at, each.closes)
            for each in reversed(found.challenges)
        ],
        answer=None if found.answer is None else WebhookAnswer(found.answer.code, found.answer.at),
    )


def _season(season: Season) -> CircleSeason:
    return CircleSeason(season.number, season.days.start, season.weeks)


def _league(league: League) -> LeagueTerms:
    return LeagueTerms(
        league.every, list(league.games), league.limit // 1000, league.drop, league.help
    )


def circles(mine: PlayerCircles, player: PlayerId) -> messages.Circles:
    """Return a player's circles. The player is a member of each."""
    return messages.Circles(
        [
            _summary(each, member)
            for each in mine.circles
            for member in [each.member(player)]
            if member is not None
        ],
        list(mine.unreadable),
    )


def _summary(found: Circle, member: Member) -> CircleSummary:
    return CircleSummary(
        circle=found.id,
        name=found.name,
        owned=found.owner == member.player,
        members=len(found.members),
        since=member.since,
        muted=member.muted,
        season=None if found.season is None else found.season.number,
    )


def table(found: Table, of: Circle, profiles: Profiles) -> CircleTable:
    """Return a table of a circle, given the profiles of `players_of(found)`."""
    is_of_all = found.span == "all"
    return CircleTable(
        circle=of.id,
        span=found.span,
        period=found.period,
        first=0 if is_of_all else found.days.start,
        last=0 if is_of_all else found.days.stop - 1,
        rows=[_row(row, profiles) for row in found.rows],
        records=[
            CircleRecord(game, _player(profiles, player), *unpack(record.packed), record.day)
            for game, (player, record) in found.records.items()
        ],
        games=in_order(found.games),
    )


def players_of(found: Table) -> list[PlayerId]:
    """Return the players of a table. Record holders have a row, too."""
    return [row.player for row in found.rows]


def _row(row: Row, profiles: Profiles) -> CircleRow:
    score = row.score
    return CircleRow(
        player=_player(profiles, row.player),
        rank=row.rank,
        points=row.points,
        played=score.played,
        won=score.won,
        crowns=score.crowns,
        races=score.races,
        league=row.league_points,
        dailies=[CircleDaily(game, _result(each), each.points) for game, each in score.dailies],
        results=[
            LeagueResult(number, each.points, each.dropped)
            for number, each in enumerate(row.league, 1)
        ],
    )


def _result(found: DayResult) -> Result:
    return Result(found.home, found.left, found.time, found.moves, found.end)


def head_to_head(of: Circle, duels: Sequence[Duel], one: Profile, other: Profile) -> HeadToHead:
    """Return the head-to-head results of two members."""
    return HeadToHead(
        of.id,
        players_present.player(one),
        players_present.player(other),
        [messages.Duel(*duel) for duel in duels],
    )


def feed(of: Circle, found: Sequence[Item], profiles: Profiles) -> messages.CircleFeed:
    """Return a circle's feed with its emotes, given the profiles of the items' players."""
    return messages.CircleFeed(
        of.id,
        [
            FeedItem(
                item=each.id,
                about=each.about,
                at=each.at,
                player=None if each.player is None else _player(profiles, each.player),
                game=each.game,
                day=each.day,
                points=each.points,
                played=each.played,
                crowns=list(each.crowns),
                number=each.number,
                challenge=each.challenge,
                emotes=[*of.emotes.get(each.id, {}).items()],
            )
            for each in found
        ],
    )


def with_emotes(found: messages.CircleFeed, of: Circle) -> messages.CircleFeed:
    """Return a circle's feed with its latest emotes."""
    items = [replace(each, emotes=[*of.emotes.get(each.item, {}).items()]) for each in found.items]
    return messages.CircleFeed(of.id, items)


def invitation(link: str, found: Circle, player: PlayerId, owner: Profile) -> messages.Invitation:
    """Return the circle behind a link, for a member or another player."""
    return messages.Invitation(
        link=link,
        circle=found.id if found.member(player) else None,
        name=found.name,
        owner=players_present.player(owner),
        members=len(found.members),
        full=found.full,
    )


def _player(profiles: Profiles, player: PlayerId) -> Player:
    return players_present.player(profiles[player])
