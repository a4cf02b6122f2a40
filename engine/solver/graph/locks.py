"""Detection of boards that are lost because face-down cards block each other."""

from __future__ import annotations

from engine.board import Board
from engine.cards import DOWN, PACK_SIZE, turned_up
from engine.fits import EMPTY
from engine.solver.graph.suits import base_of, is_by_suit, turns_home


def is_locked(board: Board) -> bool:
    """Return whether a face-down card of the tableau can never be turned up.

    This refutes some deals of Yukon with millions of positions.
    """
    ruleset = board.ruleset
    columns = [board.piles[pile] for pile in ruleset.tableau]
    down = [sum(card & DOWN != 0 for card in pile) for pile in columns]
    if not any(down) or ruleset.cells or not is_by_suit(ruleset):
        return False
    hidden = b"".join(turned_up(pile[:n]) for pile, n in zip(columns, down, strict=True))
    seen = set(range(PACK_SIZE)) - set(hidden)
    space = not all(columns)
    waiting = {number: n for number, n in enumerate(down) if columns[number]}
    turns = turns_home(ruleset, base_of(board))
    earlier = [
        {other for other in range(PACK_SIZE) if other // 13 == card // 13 and turns[other] < turn}
        for card, turn in enumerate(turns)
    ]
    # The weakest relaxation: a card stays available once it was face up, and all cards of stock and
    # waste are. The lowest face-up card of a pile can leave once a card on which it builds was face
    # up, or all cards that go home before it; or for an empty pile, if that takes the card and some
    # pile was ever emptied. Then the card below is turned up.
    again = True
    while again:
        again = False
        for number, first in list(waiting.items()):
            card = columns[number][first] & ~DOWN
            onto = {top for top in seen if ruleset.builds[top][card]}
            if onto or earlier[card] <= seen or (space and ruleset.builds[EMPTY][card]):
                again = True
                if first:
                    seen.add(columns[number][first - 1] & ~DOWN)
                    waiting[number] = first - 1
                else:
                    space = True
                    del waiting[number]
    return len(seen) < PACK_SIZE
