"""A player's history: the results of dailies and races, and what follows from them. Pure.

Scores, streaks and ratings are computed from the history, so that taking a result back takes back
what followed from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from server.core import boards, daily
from server.core.boards import ALL_GAMES, BoardId, Group
from server.core.ids import DealId
from server.core.ranking import End, Result, pack

WON_POINTS: Final = 50
"""Points for winning a daily, in addition to those for the cards."""

SPEED_POINTS: Final = 50
"""More points for a win at once; it is one less for each minute."""

MINUTE: Final = 60_000

MAX_ROUNDS: Final = 200
"""Rounds of a game that a history holds one by one; of earlier ones only the sums."""

RATING: Final = 25.0
UNCERTAINTY: Final = RATING / 3
"""Mean and standard deviation of the rating of a player who has not raced."""


class DayResult(Struct, array_like=True, frozen=True):
    """The result of a daily, as stored.

    Attributes:
        home: cards on foundations.
        left: cards not there.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        end: why it ended.
        points: what it counts for in sums.
        void: whether an operator has taken it back.
    """

    home: int
    left: int
    time: int
    moves: int
    end: End
    points: int
    void: bool = False

    @property
    def counts(self) -> bool:
        """Whether it counts as a day played: it brought a card home, and stands."""
        return self.points > 0 and not self.void

    @property
    def won(self) -> bool:
        """Whether it is a win that stands."""
        return self.end == "won" and not self.void

    @property
    def packed(self) -> int:
        """The result packed into one integer; runs that brought no card home share the last rank.

        Their moves do not count, and are packed as 0.
        """
        return pack(self.left, self.time, self.moves if self.points else 0)


class RoundResult(Struct, array_like=True, frozen=True):
    """The result of a round of several players, as stored.

    Attributes:
        at: when the round was over, in Unix milliseconds.
        place: the rank, from 1.
        players: how many played.
        won: whether the player won.
        home: as in `DayResult`, like `left`, `time`, `moves` and `end`.
        help: whether players could ask for help; such a run is no record.
        shift: by how much the round changed the mean of the rating.
        factor: by what it multiplied the uncertainty.
        void: whether an operator has taken it back.
    """

    at: int
    place: int
    players: int
    won: bool
    home: int
    left: int
    time: int
    moves: int
    end: End
    help: bool = False
    shift: float = 0.0
    factor: float = 1.0
    void: bool = False

    @property
    def is_rated(self) -> bool:
        """Whether it has changed the rating."""
        return self.factor != 1.0

    @property
    def packed(self) -> int:
        """The result packed into one integer."""
        return pack(self.left, self.time, self.moves)


class Sums(Struct, array_like=True, frozen=True):
    """What the rounds of a game add up to that are no longer held one by one, as stored.

    Attributes:
        played: rounds that stand.
        won: those that were won.
        rated: those that have changed the rating.
        mean: of the rating after them.
        uncertainty: its standard deviation.
        best: the best packed result without help, or `None`.
    """

    played: int = 0
    won: int = 0
    rated: int = 0
    mean: float = RATING
    uncertainty: float = UNCERTAINTY
    best: int | None = None


class Rating(NamedTuple):
    """A rating by races: a normal distribution of skill.

    Attributes:
        rated: rounds that it follows from.
    """

    mean: float
    uncertainty: float
    rated: int

    @property
    def value(self) -> int:
        """What is shown and ranked: what the skill exceeds almost surely, times 100, at least 0."""
        return max(0, round((self.mean - 3 * self.uncertainty) * 100))


class Streak(NamedTuple):
    """Days in a row: up to now, and the most there have been."""

    now: int
    best: int


class History(Struct, frozen=True):
    """What is kept of a player's results.

    Attributes:
        version: how often it has changed.
        kept: when the player first kept an identity, in Unix milliseconds; `None` for a guest.
        days: results of dailies, by game and day.
        rounds: results of rounds, by game and deal.
        sums: of earlier rounds, by game.
    """

    version: int = 0
    kept: int | None = None
    days: Mapping[tuple[str, int], DayResult] = {}
    rounds: Mapping[tuple[str, DealId], RoundResult] = {}
    sums: Mapping[str, Sums] = {}

    @property
    def group(self) -> Group:
        """The group of leaderboards that the player is shown in."""
        return "guests" if self.kept is None else "ranked"

    def of_day(self, day: int) -> dict[str, DayResult]:
        """Return the results of a day by game."""
        return {game: result for (game, each), result in self.days.items() if each == day}

    def rounds_of(self, game: str) -> list[RoundResult]:
        """Return the rounds of a game that stand and are held, the oldest first."""
        found = (r for (each, _), r in self.rounds.items() if each == game and not r.void)
        return sorted(found, key=lambda result: result.at)

    def rating(self, game: str) -> Rating:
        """Return the rating by the races of a game."""
        sums = self.sums.get(game, Sums())
        mean, uncertainty, rated = sums.mean, sums.uncertainty, sums.rated
        for result in self.rounds_of(game):
            mean += result.shift
            uncertainty *= result.factor
            rated += result.is_rated
        return Rating(mean, uncertainty, rated)

    def score(self, board: BoardId) -> int | None:
        """Return the player's score on a leaderboard, or `None` if there is none."""
        if board.group != self.group:
            return None
        if board.is_of_results:
            return self._best(board.game) if board.scope == "best" else self._of_day(board)
        number = self._number(board)
        return -number if number else None

    def _of_day(self, board: BoardId) -> int | None:
        result = self.days.get((board.game, board.period))
        return None if result is None or result.void else result.packed

    def _best(self, game: str) -> int | None:
        found = [r.packed for (each, _), r in self.days.items() if each == game and r.counts]
        found += [r.packed for r in self.rounds_of(game) if r.time and not r.help]
        earlier = self.sums.get(game, Sums()).best
        return min(found if earlier is None else [*found, earlier], default=None)

    def _number(self, board: BoardId) -> int:
        """Return the number that a leaderboard compares of which more is better."""
        match board.scope:
            case "day":
                return self._points(board.game, (board.period,))
            case "week":
                return self._points(board.game, boards.days_of(board.period))
            case "wins":
                return sum(r.won for (game, _), r in self.days.items() if _is(board, game))
            case "races":
                earlier = sum(sums.won for game, sums in self.sums.items() if _is(board, game))
                won = (r for (game, _), r in self.rounds.items() if _is(board, game) and r.won)
                return earlier + sum(not r.void for r in won)
            case "rating":
                rating = self.rating(board.game)
                return rating.value if rating.rated else 0
        raise AssertionError(f"{board.scope} compares results")

    def _points(self, game: str, days: Collection[int]) -> int:
        return sum(
            r.points
            for (each, day), r in self.days.items()
            if day in days and game in (each, ALL_GAMES) and not r.void
        )

    def days_played(self, game: str = ALL_GAMES) -> set[int]:
        """Return the days on which a result counts, of a game or of any."""
        return {
            day for (each, day), r in self.days.items() if game in (each, ALL_GAMES) and r.counts
        }

    def days_won(self, game: str = ALL_GAMES) -> set[int]:
        """Return the days on which a daily was won, of a game or of any."""
        return {day for (each, day), r in self.days.items() if game in (each, ALL_GAMES) and r.won}

    def crowns(self, games: Collection[str]) -> int:
        """Return on how many days results of all these games count."""
        played = [self.days_played(game) for game in games]
        return len(set.intersection(*played)) if played else 0


def _is(board: BoardId, game: str) -> bool:
    return board.game in (game, ALL_GAMES)


def points(result: Result, dealt: int) -> int:
    """Return the points of a daily: up to 100 for cards brought home, and up to 100 for a win.

    Args:
        result: how it ended.
        dealt: the cards that the deal itself brought home.
    """
    brought, all_cards = result.home - dealt, result.home + result.left - dealt
    # Rounded up, so that one card is a point.
    share = -(-100 * brought // all_cards)
    if result.end != "won":
        return share
    return share + WON_POINTS + max(0, SPEED_POINTS - result.time // MINUTE)


def streak(days: Collection[int], today: int, repaired: Collection[int] = ()) -> Streak:
    """Return how many of these days follow each other, up to today or yesterday and at best.

    Args:
        days: numbers of UTC days.
        today: today's; not to have played yet ends no streak.
        repaired: days lost by a fault of the server's: they count for nothing, and end no streak.
    """
    best = now = 0
    before: int | None = None
    for day in sorted(days):
        now = now + 1 if before is not None and _bridged(before, day, repaired) else 1
        best, before = max(best, now), day
    alive = before is not None and _bridged(before, today, repaired)
    return Streak(now if alive or before == today else 0, best)


def _bridged(before: int, day: int, repaired: Collection[int]) -> bool:
    """Return whether every day between two days was repaired."""
    return all(each in repaired for each in range(before + 1, day))


def boards_of_day(game: str, day: int, group: Group) -> list[BoardId]:
    """Return the leaderboards that the result of a daily counts on."""
    week = boards.week_of(day)
    found = [
        BoardId("day", game, day, group),
        BoardId("day", ALL_GAMES, day, group),
        BoardId("week", game, week, group),
        BoardId("week", ALL_GAMES, week, group),
    ]
    if group == "ranked":
        found += [BoardId("wins", each, 0, group) for each in (game, ALL_GAMES)]
        found.append(BoardId("best", game, 0, group))
    return found


def boards_of_round(game: str) -> list[BoardId]:
    """Return the leaderboards that a round counts on; guests are on none of them."""
    return [
        BoardId("races", game, 0, "ranked"),
        BoardId("races", ALL_GAMES, 0, "ranked"),
        BoardId("rating", game, 0, "ranked"),
        BoardId("best", game, 0, "ranked"),
    ]


def open_boards(games: Iterable[str], now: int, group: Group) -> list[BoardId]:
    """Return the leaderboards that can still change at a time: all but those of closed periods."""
    today = daily.day_at(now)
    days = [today] if now >= daily.closes(today - 1) else [today - 1, today]
    found = [
        board
        for game in games
        for board in (
            *(each for day in days for each in boards_of_day(game, day, group)),
            *(boards_of_round(game) if group == "ranked" else ()),
        )
    ]
    return list(dict.fromkeys(found))


_DAY = msgspec.json.Decoder(DayResult)
_ROUND = msgspec.json.Decoder(RoundResult)
_SUMS = msgspec.json.Decoder(Sums)
_ENCODER = msgspec.json.Encoder()

VERSION: Final = "v"
KEPT: Final = "kept"


def parsed(fields: Mapping[str, str]) -> History:
    """Return the history in the fields of its hash; fields of unknown kinds are ignored."""
    days, rounds, sums = {}, {}, {}
    for field, text in fields.items():
        match field.split(":"):
            case ["d", game, day]:
                days[game, int(day)] = _DAY.decode(text)
            case ["r", game, deal]:
                rounds[game, DealId(deal)] = _ROUND.decode(text)
            case ["s", game]:
                sums[game] = _SUMS.decode(text)
    kept = fields.get(KEPT)
    version = int(fields.get(VERSION, 0))
    return History(version, None if kept is None else int(kept), days, rounds, sums)


def fields_of(history: History) -> dict[str, str]:
    """Return the fields of a history's hash, without its version."""
    fields = {} if history.kept is None else {KEPT: str(history.kept)}
    for (game, day), result in history.days.items():
        fields[f"d:{game}:{day}"] = _text(result)
    for (game, deal), round_ in history.rounds.items():
        fields[f"r:{game}:{deal}"] = _text(round_)
    for game, sums in history.sums.items():
        fields[f"s:{game}"] = _text(sums)
    return fields


def _text(value: Struct) -> str:
    return _ENCODER.encode(value).decode()


def with_day(history: History, game: str, day: int, result: DayResult) -> History:
    """Return the history with the result of a daily, unless it has one."""
    if (game, day) in history.days:
        return history
    days = {**history.days, (game, day): result}
    return msgspec.structs.replace(history, days=days)


def with_void(history: History, game: str, day: int, void: bool) -> History:
    """Return the history with the result of a daily taken back or not, if it has one."""
    found = history.days.get((game, day))
    if found is None:
        return history
    days = {**history.days, (game, day): msgspec.structs.replace(found, void=void)}
    return msgspec.structs.replace(history, days=days)


def with_round(history: History, game: str, deal: DealId, result: RoundResult) -> History:
    """Return the history with the result of a round, in place of the one that it has.

    The oldest round of the game goes into the sums when there would be more than `MAX_ROUNDS`. A
    round that is older than all of a full history has gone there before, and changes nothing.
    """
    rounds = {**history.rounds, (game, deal): result}
    of_game = sorted((r.at, key) for key, r in rounds.items() if key[0] == game)
    sums = dict(history.sums)
    for _, key in of_game[: max(0, len(of_game) - MAX_ROUNDS)]:
        if key == (game, deal) and key not in history.rounds:
            return history
        sums[game] = _added(sums.get(game, Sums()), rounds.pop(key))
    return msgspec.structs.replace(history, rounds=rounds, sums=sums)


def _added(sums: Sums, result: RoundResult) -> Sums:
    """Return the sums with one more round."""
    if result.void:
        return sums
    bests = [] if sums.best is None else [sums.best]
    if result.time and not result.help:
        bests.append(result.packed)
    return Sums(
        sums.played + 1,
        sums.won + result.won,
        sums.rated + result.is_rated,
        sums.mean + result.shift,
        sums.uncertainty * result.factor,
        min(bests, default=None),
    )


def changes(before: History, after: History) -> Iterator[tuple[str, str | None]]:
    """Yield the fields that differ, with their new text, or `None` for those that are gone."""
    old, new = fields_of(before), fields_of(after)
    for field in old:
        if field not in new:
            yield field, None
    for field, text in new.items():
        if old.get(field) != text:
            yield field, text
