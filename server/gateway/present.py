"""What the services return, as messages: the one place where boards become bytes.

Only views and deltas have a way out of here, so that what is encoded has passed `engine.board`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import UNSET

from engine.board import Delta, View
from engine.notation import seen_text
from engine.ruleset import Ruleset
from server.core import daily
from server.core.ids import PlayerId
from server.core.names import Profile
from server.core.ranking import Result, Row, unpack
from server.gateway import messages
from server.gateway.messages import Re
from server.service.answers import Answer, Over, Played, Snapshot
from server.service.dailies import Today
from server.service.leaderboards import Page
from server.service.live_room import RoomPage
from server.service.resume import Missed


def player(profile: Profile) -> messages.Player:
    """Return a player as others see it."""
    return messages.Player(profile.id, profile.name, profile.tag)


def result(found: Result) -> messages.Result:
    """Return how an attempt stands or ended."""
    return messages.Result(found.home, found.left, found.time, found.moves, found.end)


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


def answer(
    found: Answer, now: int, re: Re = UNSET
) -> messages.Moved | messages.Ended | messages.Attempt:
    """Return what became of a command of an attempt."""
    if isinstance(found, Snapshot):
        return attempt(found, now, re)
    if isinstance(found, Over):
        return messages.Ended(re=re, attempt=found.attempt, seq=found.seq, result=found.result)
    return _moved(found, re)


def _moved(played: Played, re: Re) -> messages.Moved:
    return messages.Moved(
        re=re,
        attempt=played.attempt,
        seq=played.seq,
        move=played.move,
        changes=_changes(played.ruleset, played.delta),
        redeals=played.delta.redeals,
        result=played.result,
    )


def attempt(snapshot: Snapshot, now: int, re: Re = UNSET) -> messages.Attempt:
    """Return an attempt's snapshot."""
    start = snapshot.start
    return messages.Attempt(
        re=re,
        attempt=snapshot.attempt,
        deal=start.deal,
        commitment=snapshot.commitment,
        game=start.game,
        variant=start.variant,
        room=start.room,
        day=start.day,
        seq=snapshot.seq,
        piles=_piles(snapshot.view),
        redeals=snapshot.view.redeals,
        started=start.at,
        deadline=start.deadline,
        now=now,
        result=snapshot.result,
    )


def missed(found: Missed, now: int, re: Re = UNSET) -> messages.Missed:
    """Return what leads to an attempt's snapshot."""
    snapshot = found.now
    ruleset = snapshot.view.ruleset
    return messages.Missed(
        re=re,
        attempt=snapshot.attempt,
        since=found.since,
        seq=snapshot.seq,
        moves=[(move, _changes(ruleset, delta), delta.redeals) for move, delta in found.moves],
        now=now,
        result=snapshot.result,
    )


def _piles(view: View) -> dict[str, str]:
    names = view.ruleset.pile_names
    return {name: seen_text(pile) for name, pile in zip(names, view.piles, strict=True)}


def _changes(ruleset: Ruleset, delta: Delta) -> list[tuple[str, int, str]]:
    names = ruleset.pile_names
    return [(names[pile], take, seen_text(put)) for pile, take, put in delta.changes]


def dailies(day: int, today: list[Today], now: int, re: Re = UNSET) -> messages.Dailies:
    """Return the day's deals."""
    games = [
        messages.Daily(
            game=each.deal.game,
            variant=each.deal.variant,
            deal=each.deal.id,
            commitment=each.deal.commitment,
            mine=each.mine,
        )
        for each in today
    ]
    return messages.Dailies(
        re=re,
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
