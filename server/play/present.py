"""Conversion of the services' results into events and their parts.

Cards are sent to clients by this module only. It uses nothing but views and deltas, from which
`engine.board` leaves out all cards that the player has not seen, and runs, whose deals are closed.
Watchers are sent the views and deltas of runners, by `server.watching.core.sight`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from operator import itemgetter

from engine.board import Delta, delta_between, view_of
from engine.notation import parse_move
from engine.ruleset import Move, Ruleset
from server.base.core import days
from server.base.core.ids import PlayerId, attempt_id
from server.base.journals.stored import rules_of
from server.base.wire import codec
from server.base.wire.messages import Certificate, Player, Result
from server.dailies.dailies import Today
from server.dailies.messages import Dailies, Daily
from server.deals.core import certificate as certificates
from server.lobby.open_rooms import OpenRoom
from server.play import resume
from server.play.answers import Played, Snapshot
from server.play.core import attempt as core
from server.play.core import result as ranking
from server.play.messages import Attempt, Ended, Hinted, Missed, MissedMove
from server.players.core.names import Profile
from server.results.core.boards import BoardId
from server.results.leaderboards import Page
from server.results.messages import Entry, Leaderboard, Middle
from server.rooms import messages
from server.rooms.core import quick
from server.rooms.core.room import Room, Score
from server.rooms.live_room import RoomPage
from server.rooms.messages import Former, Place, Proposal, RoomState, Round, Runner, Seat
from server.runs.messages import Run, RunRow, Runs
from server.runs.runs import FoundRun
from server.runs.runs import RunRow as FoundRow
from server.watching.core.sight import WATCH_DELAY, Sight
from server.watching.messages import Watched, WatchedBoard, WatchedMove
from server.watching.watching import WatchedEntry


def player(profile: Profile) -> Player:
    """Return a player's public profile."""
    return Player(id=profile.id, name=profile.name, tag=profile.tag, bot=profile.is_bot)


def room(page: RoomPage) -> RoomState:
    """Return the state of a room, with its seats and its latest round."""
    state = page.room
    opened = state.opened
    members = [
        Seat(
            player=player(page.profiles[seat.player]),
            ready=seat.ready,
            here=seat.is_bot or seat.player in page.online,
            wins=state.wins.get(seat.player, 0),
            points=state.points.get(seat.player, 0),
            out=seat.out,
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
        round=_round(page),
        locked=state.locked,
        proposals=[
            Proposal(by, terms.game, terms.variant, terms.limit // 1000, terms.help)
            for by, terms in state.proposals.items()
        ],
        scores=[_score(score) for score in state.scores],
        public=state.public,
        former=[
            Former(player(page.profiles[each]), state.points.get(each, 0)) for each in state.former
        ],
        quick=opened.quick,
        bot_at=quick.bot_at(state),
        help=state.terms.help,
    )


def _score(score: Score) -> messages.Score:
    places = sorted(score.ranks.items(), key=itemgetter(1))
    return messages.Score(
        number=score.number,
        game=score.game,
        places=[Place(runner, rank, score.points[runner]) for runner, rank in places],
    )


def _round(page: RoomPage) -> Round | None:
    round_ = page.room.round
    if round_ is None:
        return None
    ranks = round_.ranks() if round_.over else {}
    return Round(
        number=round_.number,
        deal=round_.deal,
        commitment=round_.commitment,
        starts=round_.starts,
        deadline=round_.deadline,
        over=round_.over,
        seed=page.seed,
        runners=[
            Runner(
                player=player(page.profiles[runner]),
                attempt=round_.attempt(runner),
                result=result(page.progress[runner]),
                rank=ranks.get(runner),
            )
            for runner in round_.players
        ],
        game=round_.terms.game,
        variant=round_.terms.variant,
        limit=round_.terms.limit // 1000,
        public=round_.public,
        help=round_.terms.help,
    )


def rooms(found: Iterable[OpenRoom]) -> messages.Rooms:
    """Return the list of open rooms."""
    return messages.Rooms(
        [
            messages.OpenRoom(
                code=row.code,
                game=row.game,
                variant=row.variant,
                limit=row.limit // 1000,
                taken=row.taken,
                seats=row.seats,
                host=player(host),
                running=row.running,
            )
            for row, host in found
        ]
    )


def ended(after: core.Attempt, number: int) -> Ended:
    """Return the event for an attempt that ended without a move.

    Args:
        after: the attempt after its end.
        number: its number in the session.
    """
    return Ended(number, after.seq, result(after.result))


def moved_frame(move: Played, number: int) -> bytes:
    """Return the frame that answers a move.

    Args:
        move: the move that was appended.
        number: the attempt's number in the session.
    """
    before, after, delta = move
    came_home = after.board.home != before.board.home
    turned_over = delta.redeals != before.board.redeals
    return codec.encode_moved(
        number,
        after.seq,
        _changes(delta),
        after.last_home if came_home else None,
        after.end,
        delta.redeals if turned_over else None,
    )


def _changes(delta: Delta) -> list[list[int]]:
    """Return the changes of a delta as `Moved` has them: `[pile, take, card, ...]` for each."""
    return [[pile, take, *put] for pile, take, put in delta.changes]


def attempt(snapshot: Snapshot, number: int, now: int) -> Attempt:
    """Return the event with an attempt's snapshot.

    Args:
        snapshot: the snapshot.
        number: the attempt's number in the session.
        now: Unix milliseconds.
    """
    start = snapshot.start
    return Attempt(
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
        help=start.help,
        hint=_numbers(snapshot.view.ruleset, snapshot.hinted),
        undoable=snapshot.undoable,
        certificate=certificate(snapshot.certificate),
    )


def certificate(found: certificates.Certificate | None) -> Certificate | None:
    """Return what was proved of a deal, if anything."""
    return None if found is None else Certificate(found.winnable, found.par, found.level)


def hinted(after: core.Attempt, number: int) -> Hinted:
    """Return the event with the hint that stands on an attempt's board, if there is one."""
    move = _numbers(after.board.ruleset, after.hinted)
    return Hinted(number, after.seq, move, after.hints)


def _numbers(ruleset: Ruleset, move: Move | None) -> list[int] | None:
    return None if move is None else [*ruleset.numbers_of(move)]


def missed(found: resume.Missed, number: int, now: int) -> Missed:
    """Return the event with the moves of an attempt that a client has missed.

    Args:
        found: the moves, and the current snapshot.
        number: the attempt's number in the session.
        now: Unix milliseconds.
    """
    snapshot = found.now
    return Missed(
        number=number,
        attempt=snapshot.attempt,
        since=found.since,
        seq=snapshot.seq,
        moves=[_missed_move(snapshot.view.ruleset, *move) for move in found.moves],
        now=now,
        result=result(snapshot.result),
    )


def followed(after: core.Attempt, move: str, delta: Delta, number: int, now: int) -> Missed:
    """Return the event with one move or undo: for a session that follows, or as an undo's answer.

    Args:
        after: the attempt after the move.
        move: the move's text, or `UNDONE`.
        delta: what it changed, for the player.
        number: the attempt's number in the session.
        now: Unix milliseconds.
    """
    moves = [_missed_move(after.board.ruleset, move, delta)]
    return Missed(number, after.id, after.seq - 1, after.seq, moves, now, result(after.result))


def _missed_move(ruleset: Ruleset, text: str, delta: Delta) -> MissedMove:
    return MissedMove(*_move_numbers(ruleset, text), _changes(delta), delta.redeals)


def _move_numbers(ruleset: Ruleset, text: str) -> tuple[int, int, int]:
    """Return source, target and count of a move, by its text; three zeros for an undo."""
    return (0, 0, 0) if text == core.UNDONE else ruleset.numbers_of(parse_move(ruleset, text))


def result(found: ranking.Result) -> Result:
    """Return the result of an attempt, which may still be in progress."""
    return Result(**dataclasses.asdict(found))


def dailies(day: int, today: list[Today], now: int) -> Dailies:
    """Return the deals of a day with one player's results.

    Args:
        day: days since the Unix epoch.
        today: the deal of each game.
        now: Unix milliseconds.
    """
    games = [
        Daily(
            game=each.deal.game,
            variant=each.deal.variant,
            deal=each.deal.id,
            commitment=each.deal.commitment,
            mine=None if each.mine is None else result(each.mine),
            certificate=certificate(each.deal.certificate),
            best=each.best,
        )
        for each in today
    ]
    return Dailies(
        day=day,
        date=days.date_text(day),
        ends=days.ends(day),
        closes=days.closes(day),
        now=now,
        games=games,
    )


def leaderboard(page: Page, deal: str | None) -> Leaderboard:
    """Return a leaderboard: its size, its first rows, and those around one player.

    Args:
        page: the leaderboard, as one player is shown it.
        deal: the deal of the day and game if it is closed, or `None`.
    """
    return Leaderboard(
        game=page.board.game,
        day=page.board.period,
        size=page.size,
        top=entries(page.board, page.top, page.profiles),
        around=entries(page.board, page.around, page.profiles),
        deal=deal,
        scope=page.board.scope,
        group=page.board.group,
        rivals=entries(page.board, page.rivals, page.profiles),
        middle=middle(page.board, page.middle),
    )


def entries(
    board: BoardId, rows: Iterable[ranking.Row], profiles: Mapping[PlayerId, Profile]
) -> list[Entry]:
    """Return rows of a leaderboard.

    Args:
        board: the leaderboard.
        rows: the rows.
        profiles: the profiles of their players.
    """
    return [Entry(row.rank, player(profiles[row.player]), *board.read(row.score)) for row in rows]


def middle(board: BoardId, score: int | None) -> Middle | None:
    """Return the score of a leaderboard's middle row, if there is one."""
    return None if score is None else Middle(*board.read(score))


def run(found: FoundRun) -> Run:
    """Return a run of a closed deal: about six bytes a move, 25 KB for the longest one.

    Raises:
        UnreadableError: this release does not know its rules.
    """
    start, deal = found.run.start, found.deal
    ruleset = rules_of(start.game, start.variant, start.rules)
    moves: list[int] = []
    before = 0
    for text, time in found.run.moves:
        moves += (time - before, *_move_numbers(ruleset, text))
        before = time
    return Run(
        attempt=attempt_id(start.deal, start.player),
        player=player(found.profile),
        deal=deal.id,
        commitment=deal.commitment,
        seed=deal.seed.hex(),
        game=start.game,
        variant=start.variant,
        rules=start.rules,
        started=start.at,
        deadline=start.deadline,
        moves=moves,
        ended=found.run.ended,
        end=found.run.end,
        help=start.help,
        hints=found.run.hints,
    )


def runs(deal: str, size: int, rows: Iterable[FoundRow]) -> Runs:
    """Return runs on a closed deal, of which there are `size`."""
    return Runs(
        deal=deal,
        size=size,
        runs=[
            RunRow(
                row.attempt,
                row.rank,
                player(row.profile),
                row.left,
                row.time,
                row.moves,
                row.undos,
                row.hints,
                row.peeked,
            )
            for row in rows
        ],
    )


def watched(
    room: Room, seen: Sight, boards: Iterable[tuple[core.Attempt | None, str | None]]
) -> Watched:
    """Return the boards of a room's latest round, for those who see them in one way.

    Args:
        room: the room.
        seen: how they are seen.
        boards: each runner's attempt as it is to be seen, `None` if there is nothing to see, and
            the code of what keeps it from being read; none if the boards are hidden.
    """
    round_ = room.round
    players = round_.players if round_ is not None else ()
    shown = [_watched_board(runner, *board) for runner, board in zip(players, boards, strict=False)]
    return Watched(
        code=room.opened.code,
        round=round_.number if round_ is not None else 0,
        sight=seen,
        delay=WATCH_DELAY if seen == "delayed" else 0,
        game=round_.terms.game if round_ is not None else None,
        variant=round_.terms.variant if round_ is not None else None,
        rules=round_.rules if round_ is not None else None,
        boards=shown if seen != "hidden" else [],
    )


def _watched_board(
    runner: PlayerId, found: core.Attempt | None, problem: str | None
) -> WatchedBoard:
    if found is None:
        return WatchedBoard(runner, 0, [], 0, Result(0, 0, 0, 0, None), problem)
    view = view_of(found.board)
    shown = result(found.result)
    return WatchedBoard(runner, found.seq, list(view.piles), view.redeals, shown, problem)


def watching_ended(room: Room, why: str) -> Watched:
    """Return the event for a session that may not watch a room any more, with a refusal's code."""
    number = room.round.number if room.round is not None else 0
    return Watched(room.opened.code, number, "ended", 0, None, None, None, [], why)


def watched_move(entry: WatchedEntry) -> WatchedMove:
    """Return the event for what a runner has played, the same for all watchers.

    It is made from views alone. It takes about 10 µs, once for each entry of a watched round.
    """
    before, after = entry.before, entry.after
    if before is None:
        piles = enumerate(view_of(after.board).piles)
        changes = [[number, 0, *pile] for number, pile in piles if pile]
    else:
        changes = _changes(delta_between(before.board, after.board))
    redeals = after.board.redeals
    shown = result(after.result)
    return WatchedMove(entry.round, entry.place, after.seq, changes, redeals, shown)
