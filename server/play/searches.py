"""Searches: ending attempts that cannot bring another card home.

They run in the background, after the move has been answered. If a node dies, only its pending
searches are lost, and the attempt's next move or opening enqueues a new one.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog

from engine.board import Board
from engine.cards import DOWN
from engine.moves import has_few_moves
from engine.notation import move_text, parse_move
from engine.ruleset import ENDLESS, Move
from engine.search import MAX_POSITIONS, Outcome, cards_never_seen, leads_home, search
from server.base.core.ids import AttemptId
from server.base.core.refusal import UnavailableError
from server.base.work.background import Background
from server.base.work.line_process import LineProcessError
from server.base.work.worker_pool import WorkerPool
from server.play.attempts import Attempts
from server.play.core import pace_bot
from server.play.core.attempt import Attempt, Moved
from server.play.journal import decode
from server.play.mirrors import Mirrors
from server.play.searcher import Search

MAX_WAITING = 1_000  # maximum queued attempts; others are searched after a later move or opening

# Maximum legal moves on a board to search, in games that deal all cards face up, and with unseen
# cards that the stock does not bring.
FEW_MOVES = 6

# The most positions to examine if cards are unseen. That takes 13 ms on average at most, and 57 ms
# in Spider; more positions find no more dead ends.
MAX_UNSEEN_POSITIONS = 300

# Seconds after a move until its board is tested for few moves, if cards are unseen. The test takes
# 6 µs, a sixth of a move, so several moves in quick succession are tested once.
TEST_AFTER = 1.0

TEST_TURN = 0.0005  # how long boards are tested without yielding to the event loop, in seconds

# Maximum legal moves on a board whose first position is searched in this process, in half a
# millisecond; other boards go to the searcher.
MAX_LOCAL_MOVES = 40

# The approximate maximum size of the kept lines; the oldest is dropped first. Nearly all lines have
# fewer than ten moves, so this suffices for about ten thousand attempts.
MAX_LINE_BYTES = 4 << 20

LINE_BYTES = 350  # the approximate size of a kept line besides 8 bytes per move

log = structlog.get_logger()


class _Line(NamedTuple):
    """A line of moves that brings a card home unless other moves are played."""

    line: tuple[Move, ...]
    played: int  # how many of them have been played
    moves: int  # `Board.moves` after the last of these


class Searches:
    """Searches the latest states of this node's attempts."""

    def __init__(
        self, attempts: Attempts, mirrors: Mirrors, searcher: Search, background: Background
    ) -> None:
        self._attempts = attempts
        self._mirrors = mirrors
        self._pending: dict[AttemptId, Attempt] = {}
        self._untested: dict[AttemptId, Attempt] = {}
        self._lines: dict[AttemptId, _Line] = {}
        self._line_bytes = 0
        self._searcher = searcher
        self._background = background
        # One at a time: the searcher is one process.
        self._searches: WorkerPool[AttemptId] = WorkerPool(
            background, "searches", self._search, size=1
        )
        self._tests: WorkerPool[AttemptId] = WorkerPool(
            background, "dead_end_tests", self._test, size=1, turn=TEST_TURN
        )
        attempts.appended.subscribe(self._appended)
        attempts.opened.subscribe(self._enqueue)

    def _appended(self, _: Attempt | None, attempt: Attempt, entry: str) -> None:
        # Most moves need no search. This cheap test precedes all others.
        if attempt.end is not None or attempt.past or _may_have_seen_all(attempt.board):
            self._enqueue(attempt, entry)

    def _enqueue(self, attempt: Attempt, entry: str = "") -> None:
        """Enqueue a changed attempt if its cards have been seen, a pass began, or it may be stuck.

        A queued attempt's latest state replaces the earlier one.
        """
        if pace_bot.owns(attempt):
            return  # The pace bot resigns by itself.
        # Going back may lead out of any dead end.
        if attempt.end is not None or attempt.undoable:
            self._pending.pop(attempt.id, None)
            self._untested.pop(attempt.id, None)
            if attempt.end is not None:
                self._drop_line(attempt.id)
        # The cheapest test first, since this runs for each move.
        elif _may_have_seen_all(attempt.board) and not self._follows_line(attempt, entry):
            # If no line turns up another card in a pass, the attempt is over, without another pass
            # by its player.
            if _starts_pass(attempt.board) or not cards_never_seen(attempt.board):
                self._untested.pop(attempt.id, None)
                if _is_searchable(attempt.board):
                    self._add(attempt)
            elif _has_dealt_all(attempt.board):
                if attempt.id not in self._untested:
                    self._tests.schedule(attempt.id, TEST_AFTER)
                self._untested[attempt.id] = attempt

    async def _test(self, attempt_id: AttemptId) -> None:
        attempt = self._untested.pop(attempt_id, None)
        if attempt is not None and has_few_moves(attempt.board, FEW_MOVES):
            self._add(attempt)

    def _add(self, attempt: Attempt) -> None:
        if len(self._pending) >= MAX_WAITING and attempt.id not in self._pending:
            log.warning("searches_full", attempt=attempt.id)
            return
        self._pending[attempt.id] = attempt
        self._searches.add(attempt.id)

    async def close(self) -> None:
        """End the searcher, after the last search."""
        await self._searcher.close()

    async def _search(self, attempt_id: AttemptId) -> None:
        attempt = self._pending.pop(attempt_id, None)
        if attempt is None:
            return
        try:
            if await self._find_outcome(attempt) is Outcome.UNREACHABLE:
                await self._end(attempt)
        except LineProcessError as error:
            # The attempt's next move or opening enqueues a new search.
            log.debug("search_failed", attempt=attempt.id, error=str(error))
        except UnavailableError:
            # Retry, with a newer state if one was enqueued meanwhile.
            self._pending.setdefault(attempt.id, attempt)
            raise

    async def _find_outcome(self, attempt: Attempt) -> Outcome:
        """Return whether a line of moves brings another card home, by the cheapest means."""
        board = attempt.board
        no_moves: tuple[Move, ...] = ()
        if self._line_leads_home(attempt):
            return Outcome.REACHABLE
        outcome, line = Outcome.UNKNOWN, no_moves
        if has_few_moves(board, MAX_LOCAL_MOVES):
            found = search(board, positions=1)
            outcome, line = found.outcome, found.line
        if outcome is Outcome.UNKNOWN:
            cut_off = cards_never_seen(board) > 0 and not _starts_pass(board)
            most = MAX_UNSEEN_POSITIONS if cut_off else MAX_POSITIONS
            answer = await self._background.stop.or_wait(self._searcher.ask(board, most))
            if answer is None:
                return outcome
            outcome = answer.outcome
            # Still useful if moves were played meanwhile: they may have followed the line.
            line = tuple(parse_move(board.ruleset, move) for move in answer.line)
        if line:
            self._keep_line(attempt, line)
        return outcome

    def _follows_line(self, attempt: Attempt, entry: str) -> bool:
        """Return whether an attempt still follows its line after an entry (JSON), in 2 µs."""
        kept = self._lines.get(attempt.id)
        if kept is None:
            return False
        line, played, moves = kept
        if attempt.board.moves == moves:
            return True
        if not entry or attempt.board.moves != moves + 1 or played + 1 == len(line):
            return False
        event, due = decode(entry), move_text(attempt.board.ruleset, line[played])
        if not isinstance(event, Moved) or event.move != due:
            return False
        self._lines[attempt.id] = _Line(line, played + 1, moves + 1)
        return True

    def _line_leads_home(self, attempt: Attempt) -> bool:
        """Return whether the kept line leads home after other moves; drop it if not."""
        line, played, moves = self._lines.get(attempt.id, _Line((), 0, 0))
        # The rest of the line may lead home after unrelated moves, and a shorter rest if moves were
        # played that follow it while it was searched.
        for rest in (line[played:], line[played + attempt.board.moves - moves :]):
            if leads_home(attempt.board, rest):
                self._keep_line(attempt, rest)
                return True
        self._drop_line(attempt.id)
        return False

    def _keep_line(self, attempt: Attempt, line: tuple[Move, ...]) -> None:
        """Keep the line that leads home from an attempt's current state."""
        self._drop_line(attempt.id)
        self._lines[attempt.id] = _Line(line, 0, attempt.board.moves)
        self._line_bytes += _size(line)
        while self._line_bytes > MAX_LINE_BYTES:
            self._drop_line(next(iter(self._lines)))

    def _drop_line(self, attempt: AttemptId) -> None:
        kept = self._lines.pop(attempt, None)
        if kept is not None:
            self._line_bytes -= _size(kept.line)

    async def _end(self, attempt: Attempt) -> None:
        ended = await self._attempts.end_stuck(attempt.id, attempt.seq)
        if ended is not None:
            self._mirrors.notify_ended(ended)


def _size(line: tuple[Move, ...]) -> int:
    """Return the approximate size of a kept line in bytes."""
    return LINE_BYTES + 8 * len(line)


def _is_searchable(board: Board) -> bool:
    """Return whether a search of a board that never had an unseen card can be exhaustive."""
    tableau = board.ruleset.rules.tableau
    # Such a game would be searched from its first move on, in vain until few moves are left.
    shows_all = board.ruleset.in_stock == 0 and tableau is not None and tableau.face_up == "all"
    return not shows_all or has_few_moves(board, FEW_MOVES)


def _starts_pass(board: Board) -> bool:
    """Return whether a waste that can be turned over without limit has just been turned over."""
    ruleset = board.ruleset
    if ruleset.redeals < ENDLESS or ruleset.waste is None:
        return False
    return board.redeals > 0 and not board.piles[ruleset.waste]


def _has_dealt_all(board: Board) -> bool:
    """Return whether the stock brings no further card, so that unseen cards may be out of reach."""
    ruleset, waste = board.ruleset, board.ruleset.waste
    if board.piles[ruleset.stock]:
        return False
    return waste is None or not board.piles[waste] or board.redeals >= ruleset.redeals


def _may_have_seen_all(board: Board) -> bool:
    """Return, by a cheap test, whether all cards of a board may have been seen."""
    stock = board.piles[board.ruleset.stock]
    # They have not while the last card of a stock that was never redealt lies face down.
    return not stock or board.redeals > 0 or not stock[0] & DOWN
