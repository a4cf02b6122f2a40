"""What the services return, as messages: the one place where boards become bytes.

Only views and deltas have a way out of here, so that what is encoded has passed `engine.board`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.board import Delta
from engine.notation import parse_move
from engine.ruleset import ROW, Ruleset
from server.core import daily
from server.core.attempt import Attempt
from server.core.ids import PlayerId
from server.core.names import Profile
from server.core.ranking import Result, Row, unpack
from server.gateway import messages
from server.service.answers import Snapshot
from server.service.dailies import Today
from server.service.leaderboards import Page
from server.service.live_room import RoomPage
from server.service.resume import Missed


def player(profile: Profile) -> messages.Player:
    """Return a player as others see it."""
    return messages.Player(id=profile.id, name=profile.name, tag=profile.tag)


def room(page: RoomPage) -> messages.RoomState:
    """Return a room as a whole."""
    state = page.room
    opened = state.opened
    members = [
        messages.Seat(
            player=player(page.profiles[seat.player]),
            ready=seat.ready or seat.player == state.host,
            here=seat.player in page.here,
            wins=state.wins.get(seat.player, 0),
        )
        for seat in state.seats
    ]
    return messages.RoomState(
        code=opened.code,
        version=state.version,
        game=opened.game,
        variant=opened.variant,
        seats=opened.seats,
        limit=opened.limit // 1000,
        host=state.host,
        members=members,
        round=_round(page),
    )


def _round(page: RoomPage) -> messages.Round | None:
    round_ = page.room.round
    if round_ is None:
        return None
    ranks = round_.ranks() if round_.over else {}
    return messages.Round(
        number=round_.number,
        deal=round_.deal,
        commitment=round_.commitment,
        starts=round_.starts,
        deadline=round_.deadline,
        over=round_.over,
        seed=page.seed,
        runners=[
            messages.Runner(
                player=player(page.profiles[runner]),
                attempt=round_.attempt(runner),
                result=result(page.progress[runner]),
                rank=ranks.get(runner),
            )
            for runner in round_.players
        ],
    )


def ended(after: Attempt, number: int) -> messages.Ended:
    """Return the end of an attempt without a move."""
    return messages.Ended(number, after.seq, result(after.result))


def attempt(snapshot: Snapshot, number: int, now: int) -> messages.Attempt:
    """Return an attempt's snapshot for a session that knows it by a number."""
    start = snapshot.start
    return messages.Attempt(
        number=number,
        attempt=snapshot.attempt,
        deal=start.deal,
        commitment=snapshot.commitment,
        game=start.game,
        variant=start.variant,
        room=start.room,
        day=start.day,
        seq=snapshot.seq,
        piles=list(snapshot.view.piles),
        redeals=snapshot.view.redeals,
        started=start.at,
        deadline=start.deadline,
        now=now,
        result=result(snapshot.result),
        rules=snapshot.view.ruleset.digest,
    )


def missed(found: Missed, number: int, now: int) -> messages.Missed:
    """Return what leads to an attempt's snapshot."""
    snapshot = found.now
    return messages.Missed(
        number=number,
        attempt=snapshot.attempt,
        since=found.since,
        seq=snapshot.seq,
        moves=[_missed_move(snapshot.view.ruleset, *move) for move in found.moves],
        now=now,
        result=result(snapshot.result),
    )


def _missed_move(ruleset: Ruleset, text: str, delta: Delta) -> messages.MissedMove:
    move = parse_move(ruleset, text)
    target = len(ruleset.pile_names) if move.target == ROW else move.target
    changes = [[pile, take, *put] for pile, take, put in delta.changes]
    return messages.MissedMove(move.source, target, move.count, changes, delta.redeals)


def result(found: Result) -> messages.Result:
    """Return how an attempt stands."""
    return messages.Result(found.home, found.left, found.time, found.moves, found.end)


def dailies(day: int, today: list[Today], now: int) -> messages.Dailies:
    """Return the day's deals."""
    games = [
        messages.Daily(
            game=each.deal.game,
            variant=each.deal.variant,
            deal=each.deal.id,
            commitment=each.deal.commitment,
            mine=None if each.mine is None else result(each.mine),
        )
        for each in today
    ]
    return messages.Dailies(
        day=day,
        date=daily.date_text(day),
        ends=daily.ends(day),
        closes=daily.closes(day),
        now=now,
        games=games,
    )


def leaderboard(page: Page) -> messages.Leaderboard:
    """Return what a player is shown of a leaderboard."""
    return messages.Leaderboard(
        game=page.game,
        day=page.day,
        size=page.size,
        top=entries(page.top, page.profiles),
        around=entries(page.around, page.profiles),
    )


def entries(rows: Iterable[Row], profiles: Mapping[PlayerId, Profile]) -> list[messages.Entry]:
    """Return rows of a leaderboard."""
    return [
        messages.Entry(row.rank, player(profiles[row.player]), *unpack(row.score)) for row in rows
    ]
