"""Targets for the engine's parsers. `tests/engine/reading.py` has their invariants."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files

from engine.board import Board
from engine.cards import card_name, parse_card
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import play
from engine.position import position_of
from tests.engine.positions import SEED, VARIANTS
from tests.engine.reading import read_file, read_move, read_position, send_lines

MAX_LINES = 20


def start(number: int) -> Board:
    return deal_seed(ruleset(*VARIANTS[number % len(VARIANTS)]), SEED)


def rules(data: bytes) -> None:
    read_file(data.decode(errors="replace"))


def moves(data: bytes) -> None:
    variant = VARIANTS[(data[0] if data else 0) % len(VARIANTS)]
    read_move(ruleset(*variant), data[1:].decode(errors="replace"))


def driver(data: bytes) -> None:
    """Send the driver a deal of a game (one byte), and the rest of the input as lines."""
    game, variant = VARIANTS[(data[0] if data else 0) % len(VARIANTS)]
    new = json.dumps({"op": "new", "game": game, "variant": variant, "seed": SEED.hex()})
    send_lines([new, *data[1:].decode(errors="surrogateescape").split("\n")[:MAX_LINES]])


def positions(data: bytes) -> None:
    """Read a position encoded in the input: a game, a number of moves, one byte each, and changes.

    A change has four bytes: a pile, a card's place in it, the destination pile, and an action (turn
    over, remove, duplicate or replace).
    """
    numbers = iter(data)
    board = start(next(numbers, 0))
    for _ in range(next(numbers, 0) % 60):
        choices = list(legal_moves(board))
        if not choices:
            break
        board, _ = play(board, choices[next(numbers, 0) % len(choices)])
    position = position_of(board)
    piles = list(position["piles"].values())
    for source in numbers:
        place, target, how = next(numbers, 0), next(numbers, 0), next(numbers, 0)
        pile = piles[source % len(piles)]
        if not pile:
            continue
        card = pile[place % len(pile)] if how % 5 == 0 else pile.pop(place % len(pile))
        if how % 5 == 1:
            card = card[1:] if card.startswith("?") else f"?{card}"
        elif how % 5 == 2:
            other = card_name((parse_card(card.strip("?")) + how) % 52)
            card = f"?{other}" if card.startswith("?") else other
        if how % 5 < 4:
            piles[target % len(piles)].append(card)
    position["redeals"] += len(data) % 2
    del position["won"], position["stuck"]
    read_position(position)


def seeds(target: Callable[[bytes], object]) -> list[bytes]:
    if target is rules:
        games = (files("engine") / "games").iterdir()
        return [entry.read_bytes() for entry in games if entry.name.endswith(".toml")]
    boards = [start(number) for number in range(len(VARIANTS))]
    texts = [[move_text(b.ruleset, move) for move in legal_moves(b)] for b in boards]
    if target is moves:
        return [bytes([at]) + move.encode() for at, some in enumerate(texts) for move in some]
    if target is driver:
        requests = ([{"op": "move", "move": some[0]}, {"op": "legal"}] for some in texts)
        loads = [[{"op": "load", "position": position_of(board)}] for board in boards]
        return [
            bytes([at]) + "\n".join(map(json.dumps, [*played, *loaded])).encode()
            for at, (played, loaded) in enumerate(zip(requests, loads, strict=True))
        ]
    return [bytes([at, 30, *range(30)]) for at in range(len(VARIANTS))]
