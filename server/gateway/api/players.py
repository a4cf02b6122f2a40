"""Players: what everybody may see of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from engine.catalog import games, ruleset
from server.core import daily, history
from server.core.boards import ALL_GAMES
from server.core.history import History, Sums
from server.gateway.api.route import LIVE, Answer, Asked, Route, player_of
from server.gateway.api.shared import Count, End, Player
from server.service.services import Services

PLAYER_COST = 2.0
"""What a player's page costs: a history has up to some thousand results."""

MAX_DAYS = 400
"""The most days of a game on a player's page."""


class Streak(Struct, frozen=True):
    """Days in a row.

    Attributes:
        now: how many up to today, or up to yesterday if today is still to come.
        best: the most there ever were.
    """

    now: Count
    best: Count


class Streaks(Struct, frozen=True):
    """Days in a row on which a daily was played to its end, and on which one was won."""

    played: Streak
    won: Streak


class BestRun(Struct, frozen=True):
    """The best run at a game's dailies.

    Attributes:
        home: cards on the foundations.
        left: cards that are not.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        day: the UTC day, counted from 1970-01-01.
    """

    home: Count
    left: Count
    time: Count
    moves: Count
    day: Count


class PlayedDay(Struct, frozen=True):
    """A run at a daily.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        home: cards on the foundations.
        left: cards that are not.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        end: why it ended.
        points: for the board of the week.
    """

    day: Count
    home: Count
    left: Count
    time: Count
    moves: Count
    end: End
    points: Count


class PlayedDailies(Struct, frozen=True):
    """A player's runs at the dailies of a game.

    Attributes:
        played: how many there are.
        won: how many of them were won.
        streaks: days in a row.
        average: cards home in a run; null without runs.
        total: how many cards there are to bring home.
        best: the best run, or null.
        days: the last ones, latest first: at most 400.
    """

    played: Count
    won: Count
    streaks: Streaks
    average: float | None
    total: Count
    best: BestRun | None
    days: list[PlayedDay]


class PlayedRound(Struct, frozen=True):
    """A round that a player has raced in.

    Attributes:
        at: when it was over, in Unix milliseconds.
        deal: the id of its deal.
        place: 1 for the best; equal results share one.
        of: how many raced.
        home: cards on the foundations.
        rating: the player's rating after it; null if the round was not rated.
    """

    at: int
    deal: str
    place: Count
    of: Count
    home: Count
    rating: Count | None


class PlayedRaces(Struct, frozen=True):
    """A player's races at a game.

    Attributes:
        played: how many rounds.
        won: how many of them were won.
        rounds: the last ones, latest first: at most 200.
    """

    played: Count
    won: Count
    rounds: list[PlayedRound]


class Rating(Struct, frozen=True):
    """How strong a player is at a game, as far as races show.

    Attributes:
        value: what the player's skill exceeds almost surely; it is what leaderboards compare.
        uncertainty: the standard deviation of the skill, in the same unit.
        rounds: how many it follows from.
    """

    value: Count
    uncertainty: Count
    rounds: Count


class PlayedGame(Struct, frozen=True):
    """What a player has played of a game; `rating` is null without a rated race."""

    game: str
    dailies: PlayedDailies
    races: PlayedRaces
    rating: Rating | None


class PlayerPage(Struct, frozen=True):
    """A player's public page.

    Attributes:
        kept: whether the player has kept an identity; who has not is a guest.
        day: today, counted from 1970-01-01.
        streaks: days in a row, at any game.
        crowns: days on which the dailies of all games were played.
        games: those that the player has played.
        repaired: days lost by a fault of the server's, which end no streak.
    """

    player: Player
    kept: bool
    day: Count
    streaks: Streaks
    crowns: Count
    games: list[PlayedGame]
    repaired: list[Count] = []


class OfPlayer(Asked, frozen=True):
    """A request about a player.

    Attributes:
        player: the id.
    """

    player: str


async def show_player(services: Services, asked: OfPlayer) -> Answer[PlayerPage]:
    """What everybody may see of a player; there is nothing on it of who has not played."""
    player = player_of(asked.player)
    found = await services.histories.find(player)
    profile = (await services.profiles.find([player]))[player]
    today = daily.day_at(services.clock.now())
    repaired = {game: await services.repaired_days.of(game) for game in (*games(), ALL_GAMES)}
    return Answer(page_of(found, Player.of(profile), today, repaired), LIVE)


def page_of(
    found: History, player: Player, today: int, repaired: Mapping[str, frozenset[int]]
) -> PlayerPage:
    """Return a player's page.

    Args:
        found: the player's history.
        player: the player.
        today: the number of the UTC day.
        repaired: the days that end no streak, by game, and of all games.
    """
    played = {game for game, _ in (*found.days, *found.rounds)} | found.sums.keys()
    return PlayerPage(
        player=player,
        kept=found.kept is not None,
        day=today,
        streaks=_streaks(found.days_played(), found.days_won(), today, repaired[ALL_GAMES]),
        crowns=found.crowns(games()),
        games=[
            PlayedGame(
                game=game,
                dailies=_dailies(found, game, today, repaired[game]),
                races=_races(found, game),
                rating=_rating(found, game),
            )
            for game in games()
            if game in played
        ],
        repaired=sorted(repaired[ALL_GAMES]),
    )


def _streaks(
    played: Collection[int], won: Collection[int], today: int, repaired: Collection[int]
) -> Streaks:
    return Streaks(
        Streak(*history.streak(played, today, repaired)),
        Streak(*history.streak(won, today, repaired)),
    )


def _dailies(found: History, game: str, today: int, repaired: Collection[int]) -> PlayedDailies:
    results = {
        day: each for (of, day), each in sorted(found.days.items()) if of == game and not each.void
    }
    played, won = found.days_played(game), found.days_won(game)
    counted = [(results[day].packed, day) for day in played]
    days = [
        PlayedDay(day, each.home, each.left, each.time, each.moves, each.end, each.points)
        for day, each in reversed(results.items())
    ]
    best = None
    if counted:
        _, day = min(counted)
        run = results[day]
        best = BestRun(run.home, run.left, run.time, run.moves, day)
    return PlayedDailies(
        played=len(played),
        won=len(won),
        streaks=_streaks(played, won, today, repaired),
        average=sum(each.home for each in days) / len(days) if days else None,
        total=ruleset(game).total,
        best=best,
        days=days[:MAX_DAYS],
    )


def _races(found: History, game: str) -> PlayedRaces:
    sums = found.sums.get(game, Sums())
    standing = sorted(
        (each.at, deal, each)
        for (of, deal), each in found.rounds.items()
        if of == game and not each.void
    )
    mean, uncertainty = sums.mean, sums.uncertainty
    rounds = []
    for at, deal, each in standing:
        mean += each.shift
        uncertainty *= each.factor
        rating = history.Rating(mean, uncertainty, 1).value if each.is_rated else None
        rounds.append(PlayedRound(at, deal, each.place, each.players, each.home, rating))
    won = sum(each.won for _, _, each in standing)
    return PlayedRaces(sums.played + len(rounds), sums.won + won, rounds[::-1])


def _rating(found: History, game: str) -> Rating | None:
    rating = found.rating(game)
    if not rating.rated:
        return None
    return Rating(rating.value, round(rating.uncertainty * 100), rating.rated)


ROUTES = (Route("/players/{player}", show_player, ("unknown_player",), PLAYER_COST),)
