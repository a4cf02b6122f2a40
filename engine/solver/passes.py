"""Solving games without a tableau exactly: all passes through the stock are decided together.

Such a game has one foundation, a stock that is dealt to a waste card by card, and a waste whose top
card goes to the foundation; it is turned over a few times. So the order of the cards that are not
home never changes, and a play is given by the pass and the time at which each card goes home. A
time is a number of positions: d + 1 as long as the card at position d is the last that was dealt.

**Plays are nested blocks.** Let the card at `start` go home in pass p at the time `end`. It is the
top of the waste then, so all cards from `start + 1` to `end - 1` have gone home before: in this
pass, at times up to `end`, or in an earlier one. There they had times below `end` too: the card at
`end - 1` was still dealt in pass p, so it covered them from its position on in all earlier passes.
Hence the stretches from `start` up to `end` of any two cards that go home are apart, or the one
lies in the other and is of the same pass or an earlier one. These are the blocks of `blocks`.

**Nested blocks are plays.** Walk through such blocks in the order of their ends, inner before
outer. Those of one pass come in the order in which the pass plays their cards. So one walk over the
positions follows the foundation in all passes at once: its state has the foundation's top in each
pass, and a block of pass p changes the top of pass p alone, from one that takes the card to that
card. What lies within a block is walked through before its card, and needs nothing but the state
there. Cards that never go home lie within no block; the walk steps over them.

**Passes are joined.** Each pass but the first begins with the top at which the pass before it ends.
The walk begins with a guess of these tops, and counts only if it ends with them. All guesses are
walked at once; so are all ways through the positions, since they differ by the state and the number
of cards that go home alone. The most cards that any of them brings home is exact.

**In the middle of a pass** the waste's cards come first, from bottom to top, then those of the
stock. The present pass plays no card before the time that it has come to, and all later passes
deal everything that is left. Nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.board import Board
from engine.cards import PACK_SIZE, turned_up
from engine.fits import EMPTY
from engine.ruleset import Move, Ruleset
from engine.solver.blocks import Blocks, Passes, find_blocks
from engine.solver.solution import Solution, Verdict

MAX_KINDS = 13
"""The most kinds of cards: their number to the power of the passes counts states."""

MAX_REDEALS = 2

PROOF = "All passes through the stock were decided together."


def applies(ruleset: Ruleset) -> bool:
    """Return whether this method solves a game, by its rules alone.

    The game has no tableau and one foundation; the stock is dealt to the waste, and the waste is
    played to the foundation and turned over at most twice. What the foundation takes depends on
    ranks alone, in whatever order.
    """
    rules = ruleset.rules
    return (
        rules.tableau is None
        and len(ruleset.foundations) == 1
        and rules.stock.plays == ("waste",)
        and rules.stock.turns == 1
        and rules.reserve is None
        and rules.cells is None
        and rules.waste is not None
        and rules.waste.plays == ("foundation",)
        and ruleset.redeals <= MAX_REDEALS
        and max(_kinds(ruleset)) < MAX_KINDS
    )


def solve(board: Board, budget: int = 0) -> Solution:
    """Return the most cards that can come home, and a line that brings them home.

    The effort is the number of cards that stay out even so. Where it is high, play by hints brings
    fewer cards home as well (in 600 deals, the correlation of the two numbers home is 0.55).

    Args:
        board: any position of a game to which the method applies.
        budget: is not used, as the answer is always exact.
    """
    passes = _passes_of(board)
    blocks = find_blocks(passes)
    plays = _best_plays(passes, blocks, _walk(passes, blocks))
    out = len(passes.kinds) - len(plays)
    return Solution(
        Verdict.IMPOSSIBLE if out else Verdict.WINNABLE,
        _line(board, passes, plays),
        board.home + len(plays),
        most=True,
        proof=PROOF if out else "",
        effort=out,
    )


def _kinds(ruleset: Ruleset) -> list[int]:
    """Return the kind of each card: those of one kind take and follow the same cards."""
    fits = ruleset.homes[0]
    cards = range(PACK_SIZE)
    uses = [(fits[c], tuple(fits[top][c] for top in (*cards, EMPTY))) for c in cards]
    numbers = {use: number for number, use in enumerate(dict.fromkeys(uses))}
    return [numbers[use] for use in uses]


def _passes_of(board: Board) -> Passes:
    """Return the cards of a board that are not home, and the passes that are left."""
    ruleset = board.ruleset
    assert ruleset.waste is not None
    kinds, fits = _kinds(ruleset), ruleset.homes[0]
    foundation, waste = board.piles[0], board.piles[ruleset.waste]
    cards = waste + turned_up(board.piles[ruleset.stock][::-1])
    # Kinds of which no card is left are left out, so that there are fewer states.
    numbers = {kind: number for number, kind in enumerate(sorted({kinds[c] for c in cards}))}
    samples = [kinds.index(kind) for kind in numbers]
    tops = samples.copy()
    top = numbers.get(kinds[foundation[-1]]) if foundation else None
    if top is None:
        top = len(tops)
        tops.append(foundation[-1] if foundation else EMPTY)
    return Passes(
        kinds=tuple(numbers[kinds[card]] for card in cards),
        before=tuple(tuple(t for t, on in enumerate(tops) if fits[on][card]) for card in samples),
        base=len(tops),
        count=ruleset.redeals - board.redeals + 1,
        dealt=len(waste),
        top=top,
    )


Reached = list[int]
"""By state, the bit set of what a walk may have there: see `_walk`."""


def _walk(passes: Passes, blocks: Blocks) -> list[Reached]:
    """Walk over all positions in all ways.

    Returns:
        For each position, and after the last: what is reached before the block that starts there.
        Bit `home * guesses + guess` of a state is set if a walk that began with this guess has
        brought so many cards home. A guess has the tops at which all passes but the last end, as
        the digits of a number.
    """
    base, count = passes.base, len(passes.kinds)
    states, guesses = base**passes.count, base ** (passes.count - 1)
    reached = [0] * states
    for guess in range(guesses):
        reached[passes.top + base * guess] = 1 << guess
    # By position, what blocks that end there add. Stepping over a card changes nothing.
    layers = [dict[int, int]() for _ in range(count + 1)]
    walked = [reached]
    for start in range(count):
        kind = passes.kinds[start]
        for nth in range(passes.count):
            step = base**nth
            for end, found in blocks[nth][start].items():
                added, shift = layers[end], (end - start) * guesses
                for lower, befores in found.items():
                    for higher in range(0, states, base * step):
                        ways = 0
                        for before in befores:
                            ways |= reached[higher + before]
                        if ways:
                            state = higher + kind * step + lower
                            added[state] = added.get(state, 0) | ways << shift
        reached = reached.copy()
        for state, ways in layers[start + 1].items():
            reached[state] |= ways
        walked.append(reached)
    return walked


@dataclass(frozen=True, slots=True)
class _Play:
    """That the card at a position goes home in a pass at a time."""

    start: int
    nth: int
    end: int


def _best_plays(passes: Passes, blocks: Blocks, walked: list[Reached]) -> list[_Play]:
    """Return a play that brings the most cards home, in no particular order.

    Of equally good walks it is that which ends in the lowest state, and then, traced back from its
    end, steps over a card if it can, else comes by the shortest block, of the earliest pass, from
    the lowest state.
    """
    guesses = passes.base ** (passes.count - 1)
    at = len(passes.kinds)
    every_home = sum(1 << home * guesses for home in range(at + 1))
    home, state = -1, 0
    for end, ways in enumerate(walked[-1]):
        # The walk's guess was right if the tops of all passes but the last are those at its end.
        homes = ways >> end % guesses & every_home
        most = (homes.bit_length() - 1) // guesses
        if most > home:
            home, state = most, end
    guess = state % guesses
    plays: list[_Play] = []
    while at:
        if walked[at - 1][state] >> home * guesses + guess & 1:
            at -= 1
            continue
        play, before = next(
            (play, before)
            for play, before in _arrivals(passes, blocks, at, state)
            if walked[play.start][before] >> (home - at + play.start) * guesses + guess & 1
        )
        plays += [play, *_plays_within(passes, blocks, play, before, state)]
        home -= at - play.start
        at, state = play.start, before
    return plays


def _arrivals(
    passes: Passes, blocks: Blocks, end: int, state: int, last: int | None = None
) -> Iterator[tuple[_Play, int]]:
    """Yield the blocks by which a state is reached, each with the state before it.

    The shortest come first, then those of the earliest pass, then the lowest states.

    Args:
        passes: the cards and passes.
        blocks: all blocks.
        end: where the blocks end.
        state: the state after them.
        last: the last pass whose blocks are yielded; any if left out.
    """
    count = passes.count if last is None else last + 1
    for start in reversed(range(end)):
        for nth in range(count):
            found = blocks[nth][start].get(end)
            step = passes.base**nth
            if found and state // step % passes.base == passes.kinds[start]:
                higher = state - state % (step * passes.base)
                for before in sorted(set(found.get(state % step, ()))):
                    yield _Play(start, nth, end), higher + before


def _plays_within(
    passes: Passes, blocks: Blocks, play: _Play, before: int, after: int
) -> list[_Play]:
    """Return plays that clear the cards of a block but its first.

    They are searched depth first from the end, in the order of `_arrivals`.

    Args:
        passes: the cards and passes.
        blocks: all blocks.
        play: the block.
        before: the state before it.
        after: the state after it.
    """
    step = passes.base**play.nth
    rest = after - passes.kinds[play.start] * step
    goals = [(play.end, rest + top * step) for top in passes.before[passes.kinds[play.start]]]
    first = (play.start + 1, before)
    came: dict[tuple[int, int], tuple[_Play, int] | None] = dict.fromkeys(goals)
    left = goals[::-1]
    while first not in came:
        end, state = left.pop()
        found = []
        for one, earlier in _arrivals(passes, blocks, end, state, play.nth):
            place = (one.start, earlier)
            if one.start > play.start and place not in came:
                came[place] = one, state
                found.append(place)
        left += found[::-1]
    plays: list[_Play] = []
    at, state = first
    while (arrival := came[at, state]) is not None:
        one, later = arrival
        plays += [one, *_plays_within(passes, blocks, one, state, later)]
        at, state = one.end, later
    return plays


def _line(board: Board, passes: Passes, plays: list[_Play]) -> tuple[Move, ...]:
    """Return the moves of a play, up to the last card that goes home."""
    ruleset = board.ruleset
    assert ruleset.waste is not None
    deal = ruleset.move(ruleset.stock, ruleset.waste)
    home = ruleset.move(ruleset.waste, ruleset.foundations[0])
    turn_over = ruleset.move(ruleset.waste, ruleset.stock)
    due = {play.start: play for play in plays}
    waste, stock = list(range(passes.dealt)), list(range(passes.dealt, len(passes.kinds)))[::-1]
    line: list[Move] = []
    for nth in range(passes.count):
        if nth and due:
            line.append(turn_over)
            waste, stock = [], waste[::-1]
        while due:
            time = stock[-1] if stock else len(passes.kinds)
            while waste and waste[-1] in due:
                play = due[waste[-1]]
                if (play.nth, play.end) > (nth, time):
                    break
                del due[waste.pop()]
                line.append(home)
            if not due or not stock:
                break
            waste.append(stock.pop())
            line.append(deal)
    return tuple(line)
