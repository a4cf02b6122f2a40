"""Views of rooms, players, circles and results, for operators."""

from __future__ import annotations

from collections.abc import Container, Mapping

from msgspec import Struct

from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.circles.core.ids import CircleId
from server.moderation.core.suspicion import Suspicion
from server.players.core.names import Profile
from server.results.core.history import History
from server.results.core.played_days import day_set, streak
from server.rooms.core.room import Room


class RoomRow(Struct, frozen=True):
    """A room in a list; `changed` is the time of its last entry, in Unix milliseconds.

    The host is empty for a quick match.
    """

    code: RoomCode
    game: str
    host: str
    seats: str
    state: str
    changed: int


class SeatRow(Struct, frozen=True):
    """A seat; `result` is its player's in the running or last round."""

    player: PlayerId
    name: str
    online: bool
    ready: bool
    since: int
    points: int
    wins: int
    result: str


class RoomShown(Struct, frozen=True):
    """A room's details. Times are Unix milliseconds."""

    code: RoomCode
    state: str
    host: str
    opened: int
    changed: int
    terms: str
    rounds: int
    deal: str
    seats: list[SeatRow]
    removed: list[PlayerId]


class PlayerRow(Struct, frozen=True):
    """A player in a list."""

    player: PlayerId
    name: str


class GameRow(Struct, frozen=True):
    """A summary of a player's results at a game."""

    game: str
    played: int
    won: int
    void: int
    streak: int
    best_streak: int
    races: int
    rating: int | None


class CircleRow(Struct, frozen=True):
    """A circle in a list."""

    circle: CircleId
    name: str


class CircleShown(Struct, frozen=True):
    """A circle's details, without its secret link or post addresses. Times are Unix milliseconds.

    Attributes:
        owner: the owning member.
        members: in order of joining.
    """

    circle: CircleId
    name: str
    owner: PlayerId
    founded: int
    members: list[PlayerRow]


class PlayerShown(Struct, frozen=True):
    """A player's details. Times are Unix milliseconds.

    Attributes:
        kept: the time the identity was kept; `None` for a guest.
        barred: the end of the bar; 0 if permanent, `None` if not barred.
        hidden: the hidden name; `None` if the name is shown.
        bot_of: the owner's id; `None` if the player is not a player's bot.
        circles: the player's circles, in order of joining.
    """

    player: PlayerId
    name: str
    kept: int | None
    barred: int | None
    hidden: str | None
    bot_of: PlayerId | None
    sessions: list[str]
    games: list[GameRow]
    suspicious: list[Suspicion]
    circles: list[CircleRow]


class RunShown(Struct, frozen=True):
    """A result of a daily or a race that an operator can void.

    Attributes:
        day: the number of the day; `None` for a race.
        void: whether it is void.
    """

    attempt: AttemptId
    player: PlayerId
    name: str
    game: str
    day: int | None
    void: bool


def named(profile: Profile) -> str:
    """Return a player's name with the tag."""
    return f"{profile.isolated} #{profile.tag}{' (bot)' if profile.is_bot else ''}"


def state_of(room: Room) -> str:
    """Return a room's state in a few words."""
    first = "closed" if room.closed else "running" if room.running else "waiting"
    marks = {"public": room.public, "locked": room.locked, "quick": room.opened.quick}
    return " ".join([first, *(word for word, holds in marks.items() if holds)])


def seat_rows(
    room: Room, names: Mapping[PlayerId, Profile], online: Container[PlayerId]
) -> list[SeatRow]:
    """Return the seats of a room, given the profiles of their players."""
    return [
        SeatRow(
            seat.player,
            named(names[seat.player]),
            seat.player in online or seat.is_bot,
            seat.ready,
            seat.since,
            room.points.get(seat.player, 0),
            room.wins.get(seat.player, 0),
            _result(room, seat.player),
        )
        for seat in room.seats
    ]


def _result(room: Room, player: PlayerId) -> str:
    """Return a player's result in the last round, in words."""
    if room.round is None or player not in room.round.players:
        return ""
    result = room.round.results.get(player)
    if result is None:
        return "playing"
    rank = room.round.ranks()[player]
    return f"{rank}. of {len(room.round.players)}, {result.home} home, {result.end}"


def game_row(found: History, game: str, today: int, repaired: frozenset[int]) -> GameRow:
    """Return the summary of a player's results at a game, given the repaired days."""
    rating, sums = found.rating(game), found.sums.get(game)
    days = streak(day_set(found.days_played(game)), today, repaired)
    return GameRow(
        game,
        len(found.days_played(game)),
        len(found.days_won(game)),
        sum(result.void for (each, _), result in found.days.items() if each == game),
        days.now,
        days.best,
        len(found.rounds_of(game)) + (sums.played if sums is not None else 0),
        rating.value if rating.rated else None,
    )
