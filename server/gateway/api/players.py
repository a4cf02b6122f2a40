"""Players: what everybody may see of them."""

from __future__ import annotations

from msgspec import Struct

from server.gateway.api.shared import Count, End, Player


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
    rating: float | None


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
        value: the rating.
        uncertainty: how far off it may be: a standard deviation.
        rounds: how many it is made from.
    """

    value: float
    uncertainty: float
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
        crowns: days on which every game's daily counts as played.
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
