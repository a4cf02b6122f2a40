"""Which moves are legal. The same code serves boards and views: it never reads a hidden card."""

from __future__ import annotations

from engine.board import Board, View
from engine.cards import DOWN, Pile
from engine.ruleset import EMPTY, ROW, RUN_LENGTH, Fits, Move, Ruleset

Layout = Board | View


def legal_moves(layout: Layout) -> list[Move]:
    """Return every legal move, each once."""
    rules = layout.ruleset.rules
    moves: list[Move] = []
    if rules.tableau is not None:
        for source in layout.ruleset.tableau:
            if layout.piles[source]:
                _from_tableau(layout, source, moves)
    if rules.waste is not None:
        _from_waste(layout, moves)
    if layout.piles[layout.ruleset.stock]:
        _from_stock(layout, moves)
    return moves


def is_won(layout: Layout) -> bool:
    """Return whether every card is on a foundation."""
    home = layout.piles[: len(layout.ruleset.foundations)]
    return sum(map(len, home)) == layout.ruleset.total


def is_stuck(layout: Layout) -> bool:
    """Return whether no move is legal on a board that is not won."""
    return not is_won(layout) and not legal_moves(layout)


def top_of(pile: Pile) -> int:
    """Return the top card, or `EMPTY`."""
    return pile[-1] if pile else EMPTY


def run_length(pile: Pile, builds: Fits) -> int:
    """Return how many cards at the end of a pile build on one another, face up."""
    length = 0
    upper = -1
    for card in reversed(pile):
        if card & DOWN or (length and not builds[card][upper]):
            break
        length += 1
        upper = card
    return length


def _from_tableau(layout: Layout, source: int, moves: list[Move]) -> None:
    """Add the moves of a tableau pile that has cards."""
    ruleset = layout.ruleset
    tableau = ruleset.rules.tableau
    assert tableau is not None
    pile = layout.piles[source]
    if "foundation" in tableau.plays:
        _to_foundations(layout, source, pile[-1], ruleset.homes, moves)
        _runs_home(layout, source, moves)
    if "tableau" in tableau.plays:
        if ruleset.moves_runs:
            _runs_to_tableau(layout, source, moves)
        else:
            _to_tableau(layout, source, pile[-1], moves)


def _from_waste(layout: Layout, moves: list[Move]) -> None:
    """Add the moves of the waste: its top card's, and turning it over."""
    ruleset = layout.ruleset
    waste, rules = ruleset.waste, ruleset.rules.waste
    assert waste is not None
    assert rules is not None
    pile = layout.piles[waste]
    if not pile:
        return
    if "foundation" in rules.plays:
        _to_foundations(layout, waste, pile[-1], ruleset.homes, moves)
    if "tableau" in rules.plays:
        _to_tableau(layout, waste, pile[-1], moves)
    if layout.redeals < rules.redeals and not layout.piles[ruleset.stock]:
        moves.append(ruleset.move(waste, ruleset.stock))


def _from_stock(layout: Layout, moves: list[Move]) -> None:
    """Add the moves of a stock that has cards."""
    ruleset = layout.ruleset
    source, rules = ruleset.stock, ruleset.rules.stock
    for place in rules.plays:
        if place == "waste":
            assert ruleset.waste is not None
            moves.append(ruleset.move(source, ruleset.waste))
        elif place == "row":
            moves.append(ruleset.move(source, ROW))
        elif place == "tableau":
            _to_tableau(layout, source, layout.piles[source][-1], moves)
        elif rules.to_foundation == "any":
            moves.extend(ruleset.move(source, target) for target in ruleset.foundations)
        elif rules.to_foundation == "fitting":
            _to_foundations(layout, source, layout.piles[source][-1], ruleset.homes, moves)
        else:
            card = layout.piles[source][-1]
            moves.extend(
                ruleset.move(source, target)
                for target in ruleset.foundations
                if not layout.piles[target] and ruleset.firsts[target][card]
            )


def _to_foundations(
    layout: Layout, source: int, card: int, homes: tuple[Fits, ...], moves: list[Move]
) -> None:
    for target in layout.ruleset.foundations:
        pile = layout.piles[target]
        if homes[target][pile[-1] if pile else EMPTY][card]:
            moves.append(layout.ruleset.move(source, target))


def _to_tableau(layout: Layout, source: int, card: int, moves: list[Move]) -> None:
    builds = layout.ruleset.builds
    for target in layout.ruleset.tableau:
        pile = layout.piles[target]
        if target != source and builds[pile[-1] if pile else EMPTY][card]:
            moves.append(layout.ruleset.move(source, target))


def _runs_to_tableau(layout: Layout, source: int, moves: list[Move]) -> None:
    """Add the moves of runs, each from any of its cards."""
    ruleset = layout.ruleset
    builds = ruleset.builds
    pile = layout.piles[source]
    run = run_length(pile, builds)
    longest = _longest_carried(layout, run)
    for target in ruleset.tableau:
        if target == source:
            continue
        onto = layout.piles[target]
        fits = builds[onto[-1] if onto else EMPTY]
        most = longest if onto or not ruleset.by_spaces else 1
        moves.extend(
            ruleset.move(source, target, count)
            for count in range(1, most + 1)
            if fits[pile[-count]]
        )


def _longest_carried(layout: Layout, run: int) -> int:
    """Return how many cards of a run may move onto a pile that has cards."""
    ruleset = layout.ruleset
    if not ruleset.by_spaces:
        return run
    piles = layout.piles
    spaces = sum(1 for pile in ruleset.tableau if not piles[pile])
    return min(run, 1 << spaces)


def _runs_home(layout: Layout, source: int, moves: list[Move]) -> None:
    """Add the moves of a whole run from the end of a pile to the foundations that take one."""
    ruleset = layout.ruleset
    pile = layout.piles[source]
    if len(pile) < RUN_LENGTH:
        return
    head = pile[-RUN_LENGTH]
    free = [f for f in ruleset.foundations if ruleset.run_heads[f][head] and not layout.piles[f]]
    if free and run_length(pile, ruleset.builds) >= RUN_LENGTH:
        moves.extend(ruleset.move(source, target, RUN_LENGTH) for target in free)


def fits_foundation(ruleset: Ruleset, target: int, pile: Pile, card: int) -> bool:
    """Return whether foundation `target` with the cards `pile` takes the single card."""
    return bool(ruleset.homes[target][top_of(pile)][card])
