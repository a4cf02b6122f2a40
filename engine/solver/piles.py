"""Games whose piles take cards from the stock only, and give to foundations only: decided exactly.

Every foundation takes its cards in one fixed order, a chain, in which each card occurs once. Then

1. Sending a card home as soon as it can go loses nothing. Take any line from here, and play it
   after the card has gone home, without the move that sends it home in the line. Each move is
   still legal: the stock's card may go on any pile at any time; a card that was the top of its pile
   still is, since a card was taken out of the piles and none was added; and a card whose
   predecessor was home still has it there. In the end the same cards are home, or one more. The
   same holds for a card of the stock that may go home from there: no pile needs to have it.
2. So a play is nothing but a choice of a pile for each card of the stock. Which cards of the stock
   may go home directly makes no difference: one that must go to a pile first leaves it at once.
3. Card x goes home at a certain time, the time being which card of the stock was dealt last, if
   its predecessor in the chain is home by then, and so is every card y that was put on its pile
   while x lay there. The clauses of `burial` say that `home(x, t)` implies both. Of the cards that
   go home at one time, some wait for others, as `over(y, x)` and the chains say; since `before` is
   a total order that agrees with that, they can go home one by one. So from a model follows a play
   that brings home what is home in the model, or more. And from a play follows a model: `home` and
   `over` as it happens, `before` as the cards go home, then those that do not, by their chains.
4. Empty piles are alike until a card lies on them, so it is enough to use them from left to right.

So more than n cards come home in some play if and only if the clauses, with the one that says
that, are satisfiable. A SAT solver finds the play, or refutes it with a proof that can be checked.
If not all cards can come home, bisection finds how many can.

The verdict and the number of cards home do not depend on the SAT solver, unless the budget is used
up. The line does, so the vectors that other implementations are tested with have none.
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
from engine.solver.stacks import (
    Places,
    Stacks,
    Table,
    brought_home,
    chains_of,
    settled,
    stacks_of,
)
from engine.solver.trials import trials

BUDGET = 100_000_000
"""The default budget; of 10,000 deals of Lady Betty, the hardest took a third of it."""

STEPS_PER_CONFLICT = 500
"""The cost of a conflict of the SAT solver, of the budget: a page has 1,000 to 3,000 a second."""


def applies(ruleset: Ruleset) -> bool:
    """Return whether this method decides the games of a ruleset.

    It needs one pack; foundations that take single cards, each in a fixed order, and of which there
    are enough to start all; piles that take any card of the stock at any time, are not filled
    otherwise, and give to foundations only; and a stock whose cards go to piles, and at most to
    foundations that take them. What the piles hold at first is all one.
    """
    rules, tableau = ruleset.rules, ruleset.rules.tableau
    return (
        rules.packs == 1
        and tableau is not None
        and (tableau.order, tableau.empty) == ("any", "any")
        and tableau.plays == ("foundation",)
        and not tableau.fill
        and "tableau" in rules.stock.plays
        and not ruleset.stock_moves
        and not (rules.cells or rules.reserve or ruleset.same_rank or ruleset.gives_back)
        and len(set(ruleset.pack)) == PACK_SIZE
        and chains_of(ruleset) is not None
    )


def solve(board: Board, budget: int) -> Solution:
    """Decide a board of a ruleset to which this method applies.

    Args:
        board: any position of the game. It may have less than a pack, where what is in play is
            what has to come home.
        budget: how many steps to take at most, `STEPS_PER_CONFLICT` for each conflict.

    Returns:
        The solution. If the board cannot be won, the line brings home the most cards that can be,
        unless the budget does not suffice to prove that. The effort is the number of cards, of all
        plays of `trials` together, that a sensible player does not bring home.
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
    """Return the moves that put the stock's cards on these piles, up to the last that goes home."""
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
    """Return whether a card of the stock that fits a foundation goes there from the stock."""
    stock = ruleset.rules.stock
    if "foundation" not in stock.plays:
        return False
    return stock.to_foundation == "fitting" or any(
        tops[f] == EMPTY and ruleset.homes[f][EMPTY][card] for f in ruleset.foundations
    )


def _proof(stacks: Stacks, conflicts: int) -> str:
    """Return why not all cards come home."""
    if not stacks.stock:
        return "The stock is empty, and no pile's last card fits a foundation."
    if sum(map(len, stacks.chains)) < stacks.left:
        return "No foundation can ever take some of the cards."
    return (
        "Every way to put the stock's cards on piles, with cards sent home as soon as they fit, "
        f"was refuted by a SAT solver, in {conflicts} conflicts."
    )
