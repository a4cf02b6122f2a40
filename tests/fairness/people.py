"""Players who play like people, and some who cheat.

What people do is set by hand: they mostly see the obvious move, and sometimes make another one, by
likings of their own; they think for a lognormal time, longer at the start and now and then, and
less where they turn the stock; connections are lost, and some moves arrive at once; they give up.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import move_text
from engine.ruleset import ROW, Move
from server.base.core.ids import DealId, PlayerId
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Started
from server.play.core.run import Run

MOST_MOVES = 300
"""Moves after which everybody gives up."""

SCOUT_MOVES = 120
"""Moves that a scout makes at most."""

DAY = 7
STARTED = 1_800_000_000_000
"""When the first run on a deal starts, in Unix milliseconds."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a person plays.

    Attributes:
        obvious: how often they make the move that a good simple player would make.
        pace: the median time for a move, in milliseconds.
        spread: the standard deviation of its logarithm.
        gives_up: how often they give up before the end, after any number of moves.
        bursts: how often, at a move, a connection is lost, after which some moves come at once.
    """

    name: str
    obvious: float
    pace: float
    spread: float = 0.7
    gives_up: float = 0.2
    bursts: float = 0.005


CAREFUL, CASUAL, *_ = STYLES = (
    Style("careful", 0.97, 2_600),
    Style("casual", 0.85, 1_800),
    Style("quick", 0.9, 900, 0.55),
    Style("racer", 0.95, 550, 0.45),
    Style("own mind", 0.6, 2_000),
    Style("beginner", 0.5, 3_500, 0.9),
)

TIRELESS = replace(CASUAL, gives_up=0.0)
PROGRAM = replace(CAREFUL, gives_up=0.0, bursts=0.0)


@dataclass(frozen=True, slots=True)
class Sitting:
    """Somebody who begins a deal.

    Attributes:
        deal: the deal's id.
        board: its first board.
        player: who plays.
        at: when, in Unix milliseconds.
        rng: decides all that is random.
    """

    deal: DealId
    board: Board
    player: PlayerId
    at: int
    rng: random.Random

    def attempt(self) -> Attempt:
        """Return the attempt as it begins."""
        rules = self.board.ruleset
        names = self.player, self.deal, rules.game, rules.variant
        times = self.at, self.at + 10**9
        return core.begin(Started(*names, None, DAY, *times, rules.digest), self.board)


def sitting(game: str, number: int, player: int, minutes: float) -> Sitting:
    """Return a player at a game's deal of a number, some minutes after the first one."""
    rng = random.Random(f"{game} {number} {player}")
    board = deal_seed(ruleset(game), random.Random(f"{game} {number}").randbytes(32))
    at = STARTED + round(minutes * 60_000)
    return Sitting(DealId(f"{number:016}"), board, PlayerId(f"{player:016}"), at, rng)


Choose = Callable[[Attempt], Move | None]
"""Returns the next move; `None` if the player gives up."""

Pace = Callable[[Attempt, Move], float]
"""Returns the milliseconds before a move."""


def play(who: Sitting, choose: Choose, pace: Pace, style: Style) -> tuple[Run, Attempt]:
    """Play to the end; return the run, and the attempt after its last move."""
    rng, attempt, start = who.rng, who.attempt(), who.at
    stop = rng.randrange(10, MOST_MOVES) if rng.random() < style.gives_up else MOST_MOVES
    moves: list[tuple[str, int]] = []
    at, held = start, 0
    while attempt.end is None and len(moves) < stop and (move := choose(attempt)) is not None:
        at += max(1, round(pace(attempt, move)))
        held = max(0, held - 1)
        if not held and rng.random() < style.bursts:
            held = rng.randint(2, 8)
        arrives = attempt.at + 4 if held else max(at, attempt.at)
        text = move_text(attempt.board.ruleset, move)
        attempt = core.play(attempt, move, arrives).after
        moves.append((text, attempt.at - start))
    ended = max(at, attempt.at) - start + (0 if attempt.end else 3_000)
    return Run(attempt.start, tuple(moves), ended, attempt.end or "resigned"), attempt


def person(who: Sitting, style: Style) -> tuple[Choose, Pace]:
    """Return how a person plays: each has likings of their own."""
    rng = who.rng
    likes = {kind: rng.gauss(0, 1) for kind in ("home", "between", "stock", "waste")}
    visits: dict[object, int] = {}

    def choose(attempt: Attempt) -> Move | None:
        board = attempt.board
        visits[board.piles] = visits.get(board.piles, 0) + 1
        obvious, moves = hint(board), legal_moves(board)
        again = visits[board.piles] > 2
        if not moves or again or (obvious is not None and rng.random() < style.obvious):
            return obvious
        return max(moves, key=lambda move: likes[_kind(board, move)] + rng.gauss(0, 1))

    def pace(attempt: Attempt, move: Move) -> float:
        kind = _kind(attempt.board, move)
        middle = style.pace * {"home": 0.5, "stock": 0.4}.get(kind, 1.0)
        if rng.random() < 0.03:
            middle *= 6
        if attempt.seq == 1:
            middle = max(middle, 2_500)
        # Who taps through the stock does so evenly.
        spread = style.spread * (0.4 if kind == "stock" else 1.0)
        return max(130.0, rng.lognormvariate(0, spread) * middle)

    return choose, pace


def _kind(board: Board, move: Move) -> str:
    rules = board.ruleset
    if move.target in rules.foundations:
        return "home"
    if move.source == rules.stock or move.target in {rules.stock, ROW}:
        return "stock"
    return "waste" if move.source == rules.waste else "between"


def played_by(who: Sitting, style: Style) -> tuple[Run, Attempt]:
    """Return the run of a person of a style."""
    return play(who, *person(who, style), style)


# Those who cheat


def copied(who: Sitting, run: Run, own: float) -> Run:
    """Return a run of somebody who plays another one's moves at a person's pace.

    Args:
        who: who cheats.
        run: the other one.
        own: how much of the end is played without it.
    """
    choose, pace = person(who, TIRELESS)
    left = iter([text for text, _ in run.moves][: round(len(run.moves) * (1 - own))])

    def follow(attempt: Attempt) -> Move | None:
        text, board = next(left, None), attempt.board
        if text is None:
            return choose(attempt)
        return next(m for m in legal_moves(board) if move_text(board.ruleset, m) == text)

    return play(who, follow, pace, TIRELESS)[0]


def script(who: Sitting, every: float, jitter: float) -> Run:
    """Return the run of a program that plays by hints.

    Args:
        who: whose program it is.
        every: the mean time of a move, in milliseconds.
        jitter: its standard deviation, as a share of the mean.
    """

    def pace(_: Attempt, __: Move) -> float:
        return who.rng.gauss(every, jitter * every)

    return play(who, lambda attempt: hint(attempt.board), pace, PROGRAM)[0]


def scout(who: Sitting, every: float) -> Attempt:
    """Return the attempt of somebody who turns up cards, and puts none to use.

    Args:
        who: who looks.
        every: the median time of a move, in milliseconds.
    """

    def turn(attempt: Attempt) -> Move | None:
        board, moves = attempt.board, legal_moves(attempt.board)
        turning = [
            move
            for move in moves
            if _kind(board, move) == "stock" and move.target != board.ruleset.stock
        ]
        if not moves or attempt.seq >= SCOUT_MOVES:
            return None
        return who.rng.choice(turning or moves)

    def pace(_: Attempt, __: Move) -> float:
        return who.rng.lognormvariate(0, 0.3) * every

    return play(who, turn, pace, PROGRAM)[1]
