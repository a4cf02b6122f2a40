"""Text of moves and of piles, the same everywhere: journals, vectors, logs, the driver, the wire.

A move is `source>target`, with `xN` behind it where N > 1: `t3>f0`, `t3>t5x4`, `s>w`; `s>t` deals
a row and `w>s` turns the waste over. What is seen of a pile is two letters a card, bottom to top,
`??` for an unseen one: `??THKS`.
"""

from __future__ import annotations

import re

from engine.cards import Pile, card_name
from engine.errors import NotationError
from engine.ruleset import Move, Ruleset

_MOVE = re.compile(r"([a-z]\d{0,2})>([a-z]\d{0,2})(?:x([2-9]|[1-9]\d))?", re.ASCII)
_LONGEST = 16


def move_text(ruleset: Ruleset, move: Move) -> str:
    """Return a move's text."""
    return ruleset.texts.get((move.source, move.target, move.count)) or ruleset.written(move)


def parse_move(ruleset: Ruleset, text: str) -> Move:
    """Return the move that a text names, legal or not.

    Raises:
        NotationError: it names no move between piles of this game.
    """
    known = ruleset.moves_by_text.get(text)
    return _parse_impossible(ruleset, text) if known is None else known


def _parse_impossible(ruleset: Ruleset, text: str) -> Move:
    """Return the move that a text names which names no possible one, or say what is wrong."""
    found = _MOVE.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise NotationError("A move is written as in t3>f0, t3>t5x4, s>w, s>t or w>s.")
    source, target, count = found.groups()
    for name in (source, target):
        if name not in ruleset.pile_numbers:
            raise NotationError(f"{ruleset.game} has no pile {name}.")
    numbers = ruleset.pile_numbers
    return ruleset.move(numbers[source], numbers[target], int(count or 1))


def seen_text(pile: Pile) -> str:
    """Return what is seen of a pile that holds no card face down but `UNSEEN` ones."""
    return "".join(map(card_name, pile))
