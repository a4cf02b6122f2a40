"""Exact solution of games whose piles only take from the stock and only give to foundations.

Every foundation takes its cards in one fixed order, a chain, in which each card occurs once. Then:

1. Sending a card home as soon as possible loses nothing. Take any line, send the card home first,
   and play the line without the move that sends it home. Each move is still legal: the stock's card
   may always go on any pile; the top card of a pile still is its top card, since piles only lost a
   card; and a predecessor that was home still is. The final cards home are the same, or one more.
   The same holds for a card of the stock that can go home directly: no pile needs it.
2. A play is therefore just a choice of a pile for each card of the stock. It does not matter which
   of these cards may go home directly: one that must go to a pile first leaves it immediately.
3. Let a time be the number of dealt cards. Card x goes home by a time if its predecessor in the
   chain is home by then, and so is every card y that was put on its pile while x lay there. The
   clauses of `burial` state that `home(x, t)` implies both. Cards that go home at the same time may
   wait for each other, by `over(y, x)` and the chains; since `before` is a total order that agrees
   with both, they can go home one by one. So a model yields a play that brings home at least the
   model's cards. Conversely, a play yields a model: `home` and `over` as they happen, `before` in
   the order in which cards go home, followed by the remaining cards by their chains.
4. Empty piles are interchangeable, so using them from left to right is enough.

Hence some play brings more than n cards home if and only if the clauses, with the one that demands
it, are satisfiable. A SAT solver finds the play, or a checkable proof that there is none. If not
all cards can come home, bisection finds the maximum.

Verdict and number of cards home do not depend on the SAT solver unless the budget runs out. The
line does, so the test vectors for other implementations contain none.
"""

from __future__ import annotations

from engine.board import Board
from engine.cards import PACK_SIZE, Card, turned_up
from engine.fits import EMPTY
from engine.moves import top_of
from engine.ruleset import Move, Ruleset
from engine.solver import sat
from engine.solver.burial import encode
from engine.solver.solution import Solution, Verdict
from engine.solver.stacks import Places, Stacks, Table, brought_home, chains_of, settled, stacks_of
from engine.solver.trials import trials

# The default budget. The hardest of 10,000 deals of Lady Betty took a third of it.
BUDGET = 100_000_000

# The budget's price of a SAT solver's conflict. A page has 1,000 to 3,000 conflicts a second.
STEPS_PER_CONFLICT = 500


def applies(ruleset: Ruleset) -> bool:
    """Return whether this method decides the games of a ruleset.

    It needs one pack; foundations that take single cards in a fixed order each, and enough of them
    for all starting cards; piles that take any card of the stock at any time, are not filled
    otherwise, and only give to foundations; and a stock whose cards go to piles, and possibly to
    foundations that take them. The initial contents of the piles do not matter.
    """
    rules, tableau = ruleset.rules, ruleset.rules.tableau
    return (
        rules.packs == 1
        and tableau is not None
        and (tableau.order, tableau.empty) == ("any", "any")
        and tableau.plays == ("foundation",)
        and not ruleset.clears
        and not tableau.fill
        and "tableau" in rules.stock.plays
        and not ruleset.stock_moves
        and not (rules.cells or rules.reserve or ruleset.same_rank or ruleset.gives_back)
        and len(set(ruleset.pack)) == PACK_SIZE
        and chains_of(ruleset) is not None
    )


def solve(board: Board, budget: int) -> Solution:
    """Decide any position of a game to which this method applies.

    A position with less than a pack is won with its own cards home. If it cannot be won, the line
    brings the maximum number of cards home, unless the budget is too small to prove it. The effort
    is the number of cards that a sensible player leaves out, summed over all plays of `trials`.
    """
    stacks = settled(stacks_of(board))
    tried = trials(stacks)
    places, low = tried.places, tried.home
    high = sum(map(len, stacks.chains)) if stacks.stock else 0
    conflicts = budget // STEPS_PER_CONFLICT
    used = 0
    if low < high:
        encoding = encode(stacks)
        target = high
        while low < high and used < conflicts:
            clauses = [*encoding.clauses, [encoding.at_least[target - 1]]]
            answer = sat.solve(encoding.variables, clauses, conflicts - used)
            used += answer.conflicts
            if answer.satisfiable is None:
                break
            if answer.satisfiable:
                places = encoding.places(answer.model)
                low = brought_home(stacks, places)
                assert low >= target
            else:
                high = target - 1
            target = (low + high + 1) // 2
    verdict = Verdict.UNKNOWN
    if low == stacks.left:
        verdict = Verdict.WINNABLE
    elif high < stacks.left:
        verdict = Verdict.IMPOSSIBLE
    return Solution(
        verdict,
        tuple(_line(board, places)),
        home=sum(map(len, board.piles)) - stacks.left + low,
        most=low == high,
        proof=_proof(stacks, used) if verdict is Verdict.IMPOSSIBLE else "",
        effort=tried.left,
        steps=used * STEPS_PER_CONFLICT,
    )


def _line(board: Board, places: Places) -> list[Move]:
    """Return the moves for these places, ending with the last card that goes home."""
    ruleset = board.ruleset
    table = Table(stacks_of(board))
    tops = [top_of(board.piles[foundation]) for foundation in ruleset.foundations]
    moves: list[Move] = []

    def send_home(source: int, card: Card) -> None:
        target = next(f for f in ruleset.foundations if ruleset.homes[f][tops[f]][card])
        tops[target] = card
        moves.append(ruleset.move(source, target))

    def settle() -> None:
        for pile, card in table.settle():
            send_home(ruleset.tableau[pile], card)

    settle()
    for card in turned_up(board.piles[ruleset.stock])[::-1]:
        if card in table.wanted and _goes_directly(ruleset, tops, card):
            table.take(card)
            send_home(ruleset.stock, card)
        else:
            pile = places.get(card, 0)
            table.place(card, pile)
            moves.append(ruleset.move(ruleset.stock, ruleset.tableau[pile]))
        settle()
    while moves and moves[-1].target not in ruleset.foundations:
        moves.pop()
    return moves


def _goes_directly(ruleset: Ruleset, tops: list[int], card: Card) -> bool:
    """Return whether a card that fits a foundation can go there directly from the stock."""
    stock = ruleset.rules.stock
    if "foundation" not in stock.plays:
        return False
    return stock.to_foundation == "fitting" or any(
        tops[f] == EMPTY and ruleset.homes[f][EMPTY][card] for f in ruleset.foundations
    )


def _proof(stacks: Stacks, conflicts: int) -> str:
    if not stacks.stock:
        return "The stock is empty, and no pile's last card fits a foundation."
    if sum(map(len, stacks.chains)) < stacks.left:
        return "No foundation can ever take some of the cards."
    return (
        "Every way to put the stock's cards on piles, with cards sent home as soon as they fit, "
        f"was refuted by a SAT solver, in {conflicts} conflicts."
    )
