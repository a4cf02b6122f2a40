"""Conversion of attempts and their changes to messages.

Only `present` modules send cards to clients: this one and that in `watching` from views and deltas,
in which `engine.board` omits all cards that the player has not seen, and the one in `runs` as seeds
of closed deals.

`number` is always the attempt's number in the session, and `now` is in Unix milliseconds.
"""

from __future__ import annotations

from msgspec import structs

from engine.board import Delta
from engine.notation import parse_move
from engine.ruleset import Move, Ruleset
from server.base.wire import codec
from server.base.wire.messages import Certificate, Result
from server.deals.core import certificate as certificates
from server.play import resume
from server.play.answers import Played, Snapshot
from server.play.core import attempt as core
from server.play.core import result as ranking
from server.play.messages import Attempt, Ended, Hinted, Missed, MissedMove


def ended(after: core.Attempt, number: int) -> Ended:
    """Return the event for an attempt that ended without a move."""
    return Ended(number, after.seq, result(after.result))


def moved_frame(move: Played, number: int) -> bytes:
    """Return the frame that answers a move."""
    before, after, delta = move.before, move.after, move.delta
    came_home = after.board.home != before.board.home
    turned_over = delta.redeals != before.board.redeals
    return codec.encode_moved(
        number,
        after.seq,
        changes(delta),
        after.last_home if came_home else None,
        after.end,
        delta.redeals if turned_over else None,
    )


def changes(delta: Delta) -> list[list[int]]:
    """Return a delta's changes as in `Moved`: `[pile, take, card, ...]` for each."""
    return [[pile, take, *put] for pile, take, put in delta.changes]


def attempt(snapshot: Snapshot, number: int, now: int) -> Attempt:
    """Return the event with an attempt's snapshot."""
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
        occasion=start.occasion,
    )


def certificate(found: certificates.Certificate | None) -> Certificate | None:
    """Return the certificate of a deal, if any, as a message."""
    return None if found is None else Certificate(found.winnable, found.par, found.level)


def hinted(after: core.Attempt, number: int) -> Hinted:
    """Return the event with the current hint on an attempt's board, if any."""
    move = _numbers(after.board.ruleset, after.hinted)
    return Hinted(number, after.seq, move, after.hints)


def _numbers(ruleset: Ruleset, move: Move | None) -> list[int] | None:
    return None if move is None else [*ruleset.numbers_of(move)]


def missed(found: resume.Missed, number: int, now: int) -> Missed:
    """Return the event with the moves that a client has missed."""
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


def missed_one(after: core.Attempt, move: str, delta: Delta, number: int, now: int) -> Missed:
    """Return the event with one move, or `UNDONE`, and the player's delta."""
    moves = [_missed_move(after.board.ruleset, move, delta)]
    return Missed(number, after.id, after.seq - 1, after.seq, moves, now, result(after.result))


def _missed_move(ruleset: Ruleset, text: str, delta: Delta) -> MissedMove:
    return MissedMove(*move_numbers(ruleset, text), changes(delta), delta.redeals)


def move_numbers(ruleset: Ruleset, text: str) -> tuple[int, int, int]:
    """Return source, target and count of a move text; three zeros for an undo."""
    return (0, 0, 0) if text == core.UNDONE else ruleset.numbers_of(parse_move(ruleset, text))


def result(found: ranking.Result) -> Result:
    """Return an attempt's result, final or so far, as a message."""
    return Result(**structs.asdict(found))
