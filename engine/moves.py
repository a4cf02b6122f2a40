"""Legal moves. The same code serves boards and views: it never depends on a hidden card.

The ruleset's tables map a pile's top card to the bit set of cards that it takes. `is_legal` checks
one move against that set. `legal_moves` tests each card against the union of all piles' sets first,
since most cards fit nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from engine.board import Board, Piles, View, count_home
from engine.cards import DOWN, UNSEEN, Pile, rank_of
from engine.fits import BITS, EMPTY, RUN_LENGTH, Fits, same_rank_cards
from engine.ruleset import ROW, Move, MoveRow, Ruleset

Layout = Board | View


def is_legal(layout: Layout, move: Move) -> bool:
    """Return whether a move is legal, without listing the others.

    Any move may be passed; pile numbers out of range make it illegal.
    """
    ruleset, piles = layout.ruleset, layout.piles
    source, target = move.source, move.target
    if move.count != 1:
        return _is_legal_run(layout, move)
    takes = ruleset.single(source, target)
    if takes is not None:
        pile, onto = piles[source], piles[target]
        card = BITS[pile[-1] if pile else EMPTY]
        fits = takes[onto[-1] if onto else EMPTY] & card != 0
        return fits and (not ruleset.depends or _is_allowed(layout, move))
    if source == ruleset.stock:
        return target in ruleset.stock_targets and move in stock_moves(layout)
    return (
        source == ruleset.waste
        and target == ruleset.stock
        and not piles[target]
        and _turns_over(layout)
    )


def _is_allowed(layout: Layout, move: Move) -> bool:
    """Return whether the other piles also permit a move of a fitting card."""
    ruleset, piles = layout.ruleset, layout.piles
    source, target = move.source, move.target
    if source in ruleset.foundations:
        return not is_won(layout)
    if ruleset.peaks and any(is_covered(ruleset, piles, pile) for pile in (source, target)):
        return False
    if target in ruleset.same_rank and not piles[target]:
        return rank_of(piles[source][-1]) == rank_of(piles[0][0])
    return True


def is_covered(ruleset: Ruleset, piles: Sequence[Pile], pile: int) -> bool:
    """Return whether a card of the peaks is covered by another."""
    return any(piles[other] for other in ruleset.covered_by[pile])


def brings_home(ruleset: Ruleset, move: Move) -> bool:
    """Return whether a legal move brings its cards to a foundation, alone or as a pair."""
    return move.target in ruleset.foundations or (
        ruleset.pairs and ruleset.stock not in (move.source, move.target)
    )


def _is_legal_run(layout: Layout, move: Move) -> bool:
    ruleset, piles = layout.ruleset, layout.piles
    source, target, count = move.source, move.target, move.count
    takes = ruleset.run(source, target)
    if takes is None or not 1 < count <= len(piles[source]):
        return False
    run, onto = piles[source][-count:], piles[target]
    if not takes[onto[-1] if onto else EMPTY] & BITS[run[0]]:
        return False
    if target in ruleset.foundations:
        allowed = count == RUN_LENGTH
    elif ruleset.whole_runs:
        allowed = count == len(piles[source])
    else:
        allowed = count <= _longest_runs(ruleset, piles)[not onto]
    loose = ruleset.moves_any and target in ruleset.tableau
    return allowed and (loose or run_length(run, ruleset.carries) == count)


def _longest_runs(ruleset: Ruleset, piles: Piles) -> tuple[int, int]:
    """Return the most cards that may move at once onto an occupied and onto an empty pile."""
    if not (ruleset.by_spaces or ruleset.by_places):
        return ruleset.total, ruleset.total
    columns, cells = ruleset.carrying_columns, ruleset.carrying_cells
    spaces = piles[columns.start : columns.stop].count(b"")
    if ruleset.by_spaces:
        return 1 << spaces, 1
    hands = 1 + piles[cells.start : cells.stop].count(b"")
    return hands << spaces, hands << max(0, spaces - 1)


def stock_moves(layout: Layout) -> tuple[Move, ...]:
    """Return the legal moves of the stock that do not depend on its top card."""
    ruleset, piles = layout.ruleset, layout.piles
    if not piles[ruleset.stock]:
        return ()
    if ruleset.rows_need_cards and not _may_deal_row(ruleset, piles):
        return tuple(move for move in ruleset.stock_moves if move.target != ROW)
    return ruleset.stock_moves


def _may_deal_row(ruleset: Ruleset, piles: Piles) -> bool:
    """Return whether no tableau pile is empty, or too few cards are left to fill all."""
    columns = piles[ruleset.tableau.start : ruleset.tableau.stop]
    return all(columns) or sum(map(len, columns)) < len(columns)


def legal_moves(layout: Layout) -> list[Move]:
    """Return all legal moves, each once, in no particular order."""
    ruleset, piles = layout.ruleset, layout.piles
    tops = [pile[-1] if pile else EMPTY for pile in piles]
    if ruleset.peaks:
        tops = [
            UNSEEN if is_covered(ruleset, piles, pile) else top for pile, top in enumerate(tops)
        ]
    moves: list[Move] = []
    taken = [takes[top] for takes, top in zip(ruleset.takes, tops, strict=False)]
    first = ruleset.tableau.start
    if ruleset.same_rank:
        start = same_rank_cards(rank_of(piles[0][0]))
        taken = [
            cards & start if tops[pile] == EMPTY and pile in ruleset.same_rank else cards
            for pile, cards in enumerate(taken)
        ]
    _add_singles(ruleset.homeward, 0, taken[:first], tops, moves)
    if ruleset.spreading and not (ruleset.gives_back and is_won(layout)):
        columns = taken[first:]
        _add_singles(ruleset.spreading, first, columns, tops, moves)
        if ruleset.spreads_runs:
            _add_runs(ruleset, piles, columns, tops, moves)
    if ruleset.runs_home:
        _add_runs_home(ruleset, piles, moves)
    if ruleset.storing:
        _add_stored(ruleset, tops, moves)
    if piles[ruleset.stock]:
        moves += stock_moves(layout)
        if ruleset.stock_starts:
            _add_starts(ruleset, tops, taken, moves)
    elif _turns_over(layout):
        assert ruleset.waste is not None
        moves.append(ruleset.move(ruleset.waste, ruleset.stock))
    return moves


def moves_of(layout: Layout, source: int) -> list[Move]:
    """Return the legal moves of one card from the top of a pile that is not the stock."""
    ruleset = layout.ruleset
    moves = (ruleset.move(source, target) for target in range(len(ruleset.pile_names)))
    return [
        move
        for move in moves
        if ruleset.single(source, move.target) is not None and is_legal(layout, move)
    ]


def goes_home(layout: Layout) -> bool:
    """Return whether a legal move leads to a foundation, without listing all moves."""
    ruleset, piles = layout.ruleset, layout.piles
    if ruleset.pairs or ruleset.peaks:
        return any(brings_home(ruleset, move) for move in legal_moves(layout))
    wanted = 0
    for target in ruleset.foundations:
        pile = piles[target]
        takes = ruleset.takes[target][pile[-1] if pile else EMPTY]
        if not pile and target in ruleset.same_rank:
            takes &= same_rank_cards(rank_of(piles[0][0]))
        wanted |= takes
    for source, _ in ruleset.homeward:
        pile = piles[source]
        if pile and BITS[pile[-1]] & wanted:
            return True
    if ruleset.runs_home:
        runs: list[Move] = []
        _add_runs_home(ruleset, piles, runs)
        if runs:
            return True
    if not piles[ruleset.stock]:
        return False
    if any(move.target in ruleset.foundations for move in stock_moves(layout)):
        return True
    starts = ruleset.foundations if ruleset.stock_starts else ()
    return any(is_legal(layout, ruleset.move(ruleset.stock, target)) for target in starts)


def has_few_moves(layout: Layout, most: int) -> bool:
    """Return whether at most `most` moves are legal on a board that is not won."""
    # Boards with very many moves have many of single cards, which are counted faster.
    if layout.ruleset.spreads_runs and _count_singles(layout) > most:
        return False
    return len(legal_moves(layout)) <= most


def _count_singles(layout: Layout) -> int:
    """Return the number of legal moves of one card between tableau piles."""
    ruleset, piles = layout.ruleset, layout.piles
    columns = ruleset.tableau
    tops = [top_of(piles[pile]) for pile in columns]
    return sum(
        ruleset.takes[target][top] & BITS[card] != 0
        for target, top in zip(columns, tops, strict=True)
        for source, card in zip(columns, tops, strict=True)
        if source != target
    )


def is_won(layout: Layout) -> bool:
    """Return whether every card is on a foundation."""
    return count_home(layout.ruleset, layout.piles) == layout.ruleset.total


def is_stuck(layout: Layout) -> bool:
    """Return whether the board is not won and no move is legal."""
    ruleset = layout.ruleset
    if layout.piles[ruleset.stock]:
        if stock_moves(layout):
            return False
    elif _turns_over(layout):
        return False
    return not _some_single(layout) and not legal_moves(layout) and not is_won(layout)


def _some_single(layout: Layout) -> bool:
    """Return `True` only if some top card fits on another pile; `False` proves nothing."""
    piles, takes = layout.piles, layout.ruleset.takes
    # `ways` omits kinds of moves if a pile may take its own top card, since the intersection
    # would prove nothing.
    for sources, targets in layout.ruleset.ways:
        offered = wanted = 0
        for source in sources:
            if pile := piles[source]:
                offered |= BITS[pile[-1]]
        for target in targets:
            pile = piles[target]
            wanted |= takes[target][pile[-1] if pile else EMPTY]
        if offered & wanted:
            return True
    return False


def _turns_over(layout: Layout) -> bool:
    """Return whether the waste may be turned over, given that the stock is empty."""
    ruleset = layout.ruleset
    return (
        layout.redeals < ruleset.redeals
        and ruleset.waste is not None
        and bool(layout.piles[ruleset.waste])
    )


def top_of(pile: Pile) -> int:
    """Return the top card of a pile, or `EMPTY`."""
    return pile[-1] if pile else EMPTY


def run_length(pile: Pile, builds: Fits) -> int:
    """Return the length of the face-up sequence at the end of a pile."""
    length = 0
    for card in reversed(pile):
        if card & DOWN or (length and not builds[card][pile[-length]]):
            break
        length += 1
    return length


def _add_singles(
    sources: tuple[MoveRow, ...], first: int, taken: list[int], tops: list[int], moves: list[Move]
) -> None:
    """Append the legal moves of the sources' top cards onto the piles from `first` on.

    `taken` has the bit set that each of these piles takes.
    """
    wanted = reduce(or_, taken, 0)
    for source, row in sources:
        card = BITS[tops[source]]
        if card & wanted:
            for target, takes in enumerate(taken, first):
                if takes & card and target != source:
                    moves.append(row[target])


def _add_runs(
    ruleset: Ruleset, piles: Piles, taken: list[int], tops: list[int], moves: list[Move]
) -> None:
    """Append the legal moves of two or more cards between tableau piles that take `taken`."""
    columns, carries = ruleset.tableau, ruleset.carries
    longest, onto_empty = _longest_runs(ruleset, piles)
    if longest == 1:
        return
    wanted = reduce(or_, taken, 0)
    for source in columns:
        pile = piles[source]
        upper = tops[source]
        for count, card in enumerate(pile[-2 : -longest - 1 : -1], 2):
            if card & DOWN or not (ruleset.moves_any or carries[card][upper]):
                break
            upper = card
            head = BITS[card]
            if head & wanted:
                if ruleset.whole_runs and count != len(pile):
                    continue
                for target, takes in enumerate(taken, columns.start):
                    fits = takes & head and target != source
                    if fits and (count <= onto_empty or tops[target] != EMPTY):
                        moves.append(ruleset.move(source, target, count))


def leaving_to(ruleset: Ruleset, piles: Sequence[Pile], source: int) -> int | None:
    """Return the foundation that a complete run at a pile's end moves to by itself, if any."""
    pile = piles[source]
    if len(pile) < RUN_LENGTH or run_length(pile, ruleset.carries) < RUN_LENGTH:
        return None
    head = BITS[pile[-RUN_LENGTH]]
    return next(
        (
            f
            for f, group in enumerate(ruleset.groups)
            if group.automatic and ruleset.run_takes[f] & head and not piles[f]
        ),
        None,
    )


def _add_runs_home(ruleset: Ruleset, piles: Piles, moves: list[Move]) -> None:
    for source in ruleset.tableau:
        pile = piles[source]
        head = BITS[pile[-RUN_LENGTH]] if len(pile) >= RUN_LENGTH else 0
        if not head & ruleset.runs_home:
            continue
        free = [
            f
            for f, group in enumerate(ruleset.groups)
            if ruleset.run_takes[f] & head and not piles[f] and not group.automatic
        ]
        if free and run_length(pile, ruleset.carries) >= RUN_LENGTH:
            moves.extend(ruleset.move(source, target, RUN_LENGTH) for target in free)


def _add_stored(ruleset: Ruleset, tops: list[int], moves: list[Move]) -> None:
    free = [cell for cell in ruleset.cells if tops[cell] == EMPTY]
    for source, row in ruleset.storing if free else ():
        if BITS[tops[source]]:
            moves.extend(row[cell] for cell in free)


def _add_starts(ruleset: Ruleset, tops: list[int], taken: list[int], moves: list[Move]) -> None:
    """Append the legal moves of the stock's top card to empty foundations that it may start."""
    stock = ruleset.stock
    card = BITS[tops[stock]]
    moves.extend(
        ruleset.move(stock, target)
        for target in ruleset.foundations
        if tops[target] == EMPTY and taken[target] & card
    )


def fits_foundation(ruleset: Ruleset, target: int, pile: Pile, card: int) -> bool:
    """Return whether foundation `target`, holding `pile`, takes the single card `card`."""
    # The rank of the first foundation's first card is not compared.
    return bool(ruleset.homes[target][top_of(pile)][card])
