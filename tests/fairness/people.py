"""Simulated players, honest ones and cheats.

The parameters are set by hand. Players mostly make the obvious move and sometimes another one, by
personal preference. Thinking times are lognormal, longer at the start and occasionally, and shorter
when turning the stock. Connections drop, some moves arrive together, and players give up.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.moves import brings_home, legal_moves
from engine.notation import move_text
from engine.ruleset import ROW, Move
from server.base.core.ids import DealId, PlayerId
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Started
from server.play.core.run import Run

MOST_MOVES = 300
"""The most moves of any player."""

SCOUT_MOVES = 120
"""The most moves that a scout makes."""

DAY = 7
STARTED = 1_800_000_000_000
"""Start of the first run on a deal, in Unix milliseconds."""


@dataclass(frozen=True, slots=True)
class Style:
    """A playing style.

    Attributes:
        obvious: share of moves that a good simple player would make.
        pace: median time per move, in milliseconds.
        spread: standard deviation of its logarithm.
        gives_up: probability of giving up before the end, after any number of moves.
        bursts: probability per move of a lost connection; later moves then arrive together.
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
    """A player at the start of a deal.

    Attributes:
        deal: the deal's id.
        board: its first board.
        player: the player.
        at: start time in Unix milliseconds.
        rng: source of all randomness.
    """

    deal: DealId
    board: Board
    player: PlayerId
    at: int
    rng: random.Random

    def attempt(self) -> Attempt:
        """Return the attempt at its start."""
        rules = self.board.ruleset
        names = self.player, self.deal, rules.game, rules.variant
        times = self.at, self.at + 10**9
        return core.begin(Started(*names, None, DAY, *times, rules.digest), self.board)


def sitting(game: str, number: int, player: int, minutes: float) -> Sitting:
    """Return a player at a game's deal `number`, `minutes` after the first player."""
    rng = random.Random(f"{game} {number} {player}")
    board = deal_seed(ruleset(game), random.Random(f"{game} {number}").randbytes(32))
    at = STARTED + round(minutes * 60_000)
    return Sitting(DealId(f"{number:016}"), board, PlayerId(f"{player:016}"), at, rng)


Choose = Callable[[Attempt], Move | None]
"""Return the next move, or `None` to give up."""

Pace = Callable[[Attempt, Move], float]
"""Return the milliseconds before a move."""


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
    """Return the choices and the pace of a new person, with individual preferences."""
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
        # Players tap through the stock evenly.
        spread = style.spread * (0.4 if kind == "stock" else 1.0)
        return max(130.0, rng.lognormvariate(0, spread) * middle)

    return choose, pace


def _kind(board: Board, move: Move) -> str:
    rules = board.ruleset
    if brings_home(rules, move):
        return "home"
    if move.source == rules.stock or move.target in {rules.stock, ROW}:
        return "stock"
    return "waste" if move.source == rules.waste else "between"


def played_by(who: Sitting, style: Style) -> tuple[Run, Attempt]:
    return play(who, *person(who, style), style)


# Cheats


def copied(who: Sitting, run: Run, own: float) -> Run:
    """Return a run that copies another player's moves at a person's pace.

    Args:
        who: the cheat.
        run: the copied run.
        own: share of the run, at its end, played without copying.
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
        who: the program's owner.
        every: mean time per move, in milliseconds.
        jitter: its standard deviation, as a share of the mean.
    """

    def pace(_: Attempt, __: Move) -> float:
        return who.rng.gauss(every, jitter * every)

    return play(who, lambda attempt: hint(attempt.board), pace, PROGRAM)[0]


def scout(who: Sitting, every: float) -> Attempt:
    """Return the attempt of a scout, who turns up cards without using them.

    Args:
        who: the scout.
        every: median time per move, in milliseconds.
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
