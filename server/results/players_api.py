"""The public HTTP API of players' pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import reduce
from operator import itemgetter, or_

from msgspec import Struct
from msgspec.structs import replace

from engine.catalog import daily_ruleset, daily_variant, games
from server.base.core import days as daily
from server.base.core.ids import DealId, has_owner
from server.base.core.numbers import Count, Milliseconds
from server.base.core.refusal import BaseRefusals
from server.base.web.api.route import LIVE, Answer, Asked, Route, player_of
from server.base.work.tasks import in_slices, release
from server.play.core.result import End, unpack
from server.players.api import Player
from server.results.core.boards import ALL_GAMES
from server.results.core.daily_sets import DailySets
from server.results.core.excerpt import Excerpt
from server.results.core.history import MAX_ROUNDS, DayResult, RoundResult, Sums
from server.results.core.history import Rating as Strength
from server.results.core.played_days import DaySet, PlayedDays, streak
from server.results.services import ResultServices

PLAYER_COST = 2.0
"""The cost of a player's page: up to a few thousand results, whatever the history's length."""

MAX_DAYS = 400
"""The most days per game on a player's page."""

SLICE = 100
"""Results processed between two yields to the event loop: 0.2 ms."""


class Streak(Struct, frozen=True):
    """A number of consecutive days.

    Attributes:
        now: the streak up to today, or up to yesterday if today is not played yet.
        best: the longest streak.
    """

    now: Count
    best: Count


class Streaks(Struct, frozen=True):
    """Streaks of days with a daily played to its end, and of days with a daily won."""

    played: Streak
    won: Streak


class BestRun(Struct, frozen=True):
    """The best run at a game's dailies, by their present rules.

    Attributes:
        home: the number of cards on the foundations.
        left: the number of other cards.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: the number of moves.
        day: the UTC day, counted from 1970-01-01.
    """

    home: Count
    left: Count
    time: Milliseconds
    moves: Count
    day: Count


class PlayedDay(Struct, frozen=True):
    """A run at a daily.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        home: the number of cards on the foundations.
        left: the number of other cards.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: the number of moves.
        end: the reason it ended.
        points: the points on the week's board.
    """

    day: Count
    home: Count
    left: Count
    time: Milliseconds
    moves: Count
    end: End
    points: Count


class PlayedDailies(Struct, frozen=True):
    """A player's runs at a game's dailies.

    Attributes:
        played: the number of dailies that are over, also without a card home.
        won: the number of dailies won.
        streaks: the streaks at this game.
        average: the mean number of cards home; null without runs.
        total: the number of cards in the game.
        best: the best run, or null.
        days: the latest runs, latest first: at most 400.
    """

    played: Count
    won: Count
    streaks: Streaks
    average: float | None
    total: Count
    best: BestRun | None
    days: list[PlayedDay]


class PlayedRound(Struct, frozen=True):
    """A round with the player in it.

    Attributes:
        at: the end of the round, in Unix milliseconds.
        deal: the id of its deal.
        place: 1 for the best; equal results share a place. Null for a run without a card home.
        of: the number of players.
        home: the number of cards on the foundations.
        rating: the player's rating after it; null if the round was not rated.
        variant: the variant of the game.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: the number of moves.
        end: the reason the player's run ended.
    """

    at: Milliseconds
    deal: str
    place: Count | None
    of: Count
    home: Count
    rating: Count | None
    variant: str
    time: Milliseconds
    moves: Count
    end: End


class PlayedRaces(Struct, frozen=True):
    """A player's races at a game.

    Attributes:
        played: the number of rounds.
        won: the number of rounds won.
        rounds: the latest rounds, latest first: at most 200.
    """

    played: Count
    won: Count
    rounds: list[PlayedRound]


class Rating(Struct, frozen=True):
    """A player's strength at a game, estimated from races.

    Attributes:
        value: the rating compared by leaderboards: a lower bound of the player's skill.
        uncertainty: the standard deviation of the skill, in the same unit.
        rounds: the number of rounds behind it.
    """

    value: Count
    uncertainty: Count
    rounds: Count


class PlayedGame(Struct, frozen=True):
    """A player's statistics for a game; `rating` is null without a rated race."""

    game: str
    dailies: PlayedDailies
    races: PlayedRaces
    rating: Rating | None


class PlayerPage(Struct, frozen=True):
    """A player's public page.

    Attributes:
        kept: whether the player has a kept identity; otherwise the player is a guest.
        day: today, counted from 1970-01-01.
        streaks: the streaks over all games.
        crowns: the number of crowns earned, each by playing all dailies of a day that count for it.
        games: the games that the player has played.
        repaired: days lost to server faults, which do not end a streak.
        bot_of: the player responsible for this one, if it is a bot.
    """

    player: Player
    kept: bool
    day: Count
    streaks: Streaks
    crowns: Count
    games: list[PlayedGame]
    repaired: list[Count] = []
    bot_of: Player | None = None


class OfPlayer(Asked, frozen=True):
    """The parameters of a request about a player.

    Attributes:
        player: the player's id.
    """

    player: str


async def show_player(services: ResultServices, asked: OfPlayer) -> Answer[PlayerPage]:
    """Return a player's public page, which is empty for a player without results."""
    player = player_of(asked.player)
    found = await services.histories.page(player, MAX_DAYS)
    raced = {deal: round_.at for (_, deal), round_ in found.rounds.items()}
    # A race's result stays hidden while a challenge on its deal is open.
    hidden = await services.closed_deals.withheld(raced, None)
    if hidden:
        shown = {key: round_ for key, round_ in found.rounds.items() if key[1] not in hidden}
        found = replace(found, rounds=shown)
    played = found.kept is not None or bool(found.totals)
    # Do not cache players without results: requests for arbitrary ids could flush the cache.
    profile = (await services.profiles.load([player], caching=played))[player]
    today = daily.day_at(services.clock.now())
    repaired = {game: await services.repaired_days.load(game) for game in (*games(), ALL_GAMES)}
    sets = await services.daily_sets.load()
    page = await page_of(found, Player.of(profile), today, repaired, sets)
    # Freeing a long history at once would block the event loop.
    await release(found.days, found.rounds)
    owner = await services.profiles.owner(player) if has_owner(player) else None
    if owner is not None:
        page = replace(page, bot_of=Player.of(owner))
    return Answer(page, LIVE, is_kept=played)


async def page_of(
    found: Excerpt,
    player: Player,
    today: int,
    repaired: Mapping[str, frozenset[int]],
    sets: DailySets,
) -> PlayerPage:
    """Return a player's page, computed in slices because it has up to a few thousand results.

    Args:
        found: the excerpt for the page.
        player: the player.
        today: the number of the UTC day.
        repaired: the repaired days by game, and for `ALL_GAMES`.
        sets: the games that were dailies on each day.
    """
    days: defaultdict[str, list[tuple[int, DayResult]]] = defaultdict(list)
    async for (game, day), result in in_slices(found.days.items(), SLICE):
        if not result.void:
            days[game].append((day, result))
    rounds: defaultdict[str, list[tuple[int, DealId, RoundResult]]] = defaultdict(list)
    async for (game, deal), round_ in in_slices(found.rounds.items(), SLICE):
        rounds[game].append((round_.at, deal, round_))
    made = []
    async for game in in_slices(games(), 1):
        if game in found.totals or game in found.sums:
            sums = found.played.get(game, PlayedDays())
            dailies = await _dailies(days[game], sums, game, today, repaired[game])
            races, rating = await _races(rounds[game], found.sums.get(game, Sums()))
            made.append(PlayedGame(game, dailies, races, rating))
    played = [found.played.get(game, PlayedDays()) for game in games()]
    days_played = [each.days_played for each in played]
    return PlayerPage(
        player=player,
        kept=found.kept is not None,
        day=today,
        streaks=_streaks(
            reduce(or_, days_played),
            reduce(or_, (each.days_won for each in played)),
            today,
            repaired[ALL_GAMES],
        ),
        crowns=sets.crowns(dict(zip(games(), days_played, strict=True))),
        games=made,
        repaired=sorted(repaired[ALL_GAMES]),
    )


def _streaks(played: DaySet, won: DaySet, today: int, repaired: Collection[int]) -> Streaks:
    found = (Streak(*streak(days, today, repaired)) for days in (played, won))
    return Streaks(*found)


async def _dailies(
    results: list[tuple[int, DayResult]],
    sums: PlayedDays,
    game: str,
    today: int,
    repaired: Collection[int],
) -> PlayedDailies:
    total, best = daily_ruleset(game).total, None
    # Runs of different variants cannot be compared: a game's dailies may have had another one.
    if (found := sums.bests.get(daily_variant(game))) is not None:
        packed, day = found
        left, time, moves = unpack(packed)
        best = BestRun(total - left, left, time, moves, day)
    standing = sums.days_standing.bit_count()
    results.sort(key=itemgetter(0), reverse=True)
    return PlayedDailies(
        played=standing,
        won=sums.days_won.bit_count(),
        streaks=_streaks(sums.days_played, sums.days_won, today, repaired),
        average=sums.home / standing if standing else None,
        total=total,
        best=best,
        days=[
            PlayedDay(day, each.home, each.left, each.time, each.moves, each.end, each.points)
            async for day, each in in_slices(results[:MAX_DAYS], SLICE)
        ],
    )


async def _races(
    held: list[tuple[int, DealId, RoundResult]], earlier: Sums
) -> tuple[PlayedRaces, Rating | None]:
    change, won = earlier.change, earlier.won
    rounds = []
    async for at, deal, each in in_slices(sorted(held), SLICE):
        if not each.void:
            won += each.won
            change = change.plus(each.change)
            rating = change.rating.value if each.is_rated else None
            # A time of 0 means that no card came home.
            place = each.place if each.time else None
            run = (each.variant, each.time, each.moves, each.end)
            rounds.append(PlayedRound(at, deal, place, each.players, each.home, rating, *run))
    races = PlayedRaces(earlier.played + len(rounds), won, rounds[: -MAX_ROUNDS - 1 : -1])
    return races, _rating(change.rating)


def _rating(rating: Strength) -> Rating | None:
    if not rating.rated:
        return None
    return Rating(rating.value, round(rating.uncertainty * 100), rating.rated)


ROUTES = (Route("/players/{player}", show_player, (BaseRefusals.unknown_player,), PLAYER_COST),)
