"""Conversion of rooms to messages."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from server.base.core.ids import DealId, PlayerId
from server.play import present as play_present
from server.play.core.result import Result
from server.players import present as players_present
from server.rooms import messages
from server.rooms.core import quick_match
from server.rooms.core.room import Score
from server.rooms.live_room import RoomPage
from server.rooms.messages import Former, Place, Proposal, RoomState, Round, Runner, Seat

_HIDDEN_RESULT: Final = Result(0, 0, 0, 0, None)  # the placeholder for a hidden result


def is_secret(page: RoomPage, viewer: PlayerId | None) -> bool:
    """Return whether a finished round's seed is hidden from a viewer without a part in it.

    The viewer can request the deal; the request is recorded, and rules out playing the deal later.
    """
    round_ = page.room.round
    return page.seed is not None and round_ is not None and viewer not in round_.players


def room(
    page: RoomPage, *, secret: bool = False, hidden: frozenset[DealId] = frozenset()
) -> RoomState:
    """Return the state of a room, with its seats and its latest round.

    With `secret`, the seed is omitted, for viewers who have not raced. Results on `hidden` deals
    are omitted, for viewers who can still play them.
    """
    state = page.room.without(hidden) if hidden else page.room
    opened = state.opened
    members = [
        Seat(
            player=players_present.player(page.profiles[seat.player]),
            ready=seat.ready,
            here=seat.is_bot or seat.player in page.online,
            wins=state.wins.get(seat.player, 0),
            points=state.points.get(seat.player, 0),
            out=seat.out,
            colour=state.colours[seat.player],
        )
        for seat in state.seats
    ]
    return RoomState(
        code=opened.code,
        version=state.version,
        game=state.terms.game,
        variant=state.terms.variant,
        seats=opened.seats,
        limit=state.terms.limit // 1000,
        host=state.host,
        members=members,
        round=_round(page, secret=secret, hidden=hidden),
        locked=state.locked,
        proposals=[
            Proposal(
                by,
                terms.game,
                terms.variant,
                terms.limit // 1000,
                terms.help,
                terms.known,
                terms.winnable,
            )
            for by, terms in state.proposals.items()
        ],
        scores=[_score(score) for score in state.scores],
        public=state.public,
        former=[
            Former(players_present.player(page.profiles[each]), state.points.get(each, 0))
            for each in state.former
        ],
        quick=opened.quick,
        bot_at=quick_match.bot_at(state),
        help=state.terms.help,
        known=state.terms.known,
        winnable=state.terms.winnable,
    )


def _score(score: Score) -> messages.Score:
    places = sorted(score.ranks.items(), key=itemgetter(1))
    return messages.Score(
        number=score.number,
        game=score.game,
        places=[Place(runner, rank, score.points[runner]) for runner, rank in places],
    )


def _round(page: RoomPage, *, secret: bool, hidden: frozenset[DealId]) -> Round | None:
    round_ = page.room.round
    if round_ is None:
        return None
    sealed = round_.deal in hidden
    ranks = round_.ranks() if round_.over and not sealed else {}
    return Round(
        number=round_.number,
        deal=round_.deal,
        commitment=round_.commitment,
        starts=round_.starts,
        deadline=round_.deadline,
        over=round_.over,
        seed=None if secret else page.seed,
        runners=[
            Runner(
                player=players_present.player(page.profiles[runner]),
                attempt=round_.attempt(runner),
                result=play_present.result(_HIDDEN_RESULT if sealed else page.progress[runner]),
                rank=ranks.get(runner),
                colour=page.room.colours[runner],
                headway=0 if sealed else page.headways.get(runner, 0),
            )
            for runner in round_.players
        ],
        game=round_.terms.game,
        variant=round_.terms.variant,
        limit=round_.terms.limit // 1000,
        public=round_.public,
        help=round_.terms.help,
        known=round_.terms.known,
        sealed=sealed,
        winnable=round_.winnable,
    )
