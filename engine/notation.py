"""The text of moves and piles, in journals, vectors, logs, the driver and the wire protocol.

A move is `source>target`, followed by `xN` if it moves N > 1 cards: `t3>f0`, `t3>t5x4`, `s>w`;
`s>t` deals a row and `w>s` turns the waste over. A pile of a view is written as two characters per
card, bottom to top, with `??` for an unseen card: `??THKS`.
"""

from __future__ import annotations

import re

from engine.cards import Pile, card_name
from engine.errors import NotationError
from engine.ruleset import Move, Ruleset

_MOVE = re.compile(r"([a-z]\d{0,2})>([a-z]\d{0,2})(?:x([2-9]|[1-9]\d{1,2}))?", re.ASCII)


def move_text(ruleset: Ruleset, move: Move) -> str:
    """Return a move's text."""
    return ruleset.written(move)


def parse_move(ruleset: Ruleset, text: str) -> Move:
    """Return the move that a text names, whether legal or not.

    Raises:
        NotationError: the text is malformed, or names a pile that the game does not have.
    """
    found = _MOVE.fullmatch(text)
    if found is None:
        raise NotationError("A move is written as in t3>f0, t3>t5x4, s>w, s>t or w>s.")
    source, target, count = found.groups()
    move = ruleset.named(source, target, int(count or 1))
    if move is None:
        missing = next(name for name in (source, target) if name not in ruleset.pile_numbers)
        raise NotationError(f"{ruleset.game} has no pile {missing}.")
    return move


def seen_text(pile: Pile) -> str:
    """Return the text of a view's pile, whose face-down cards are all `UNSEEN`."""
    return "".join(map(card_name, pile))
