"""Write the golden deals, games and move trees: `python -m tests.vectors.generate`.

The files are frozen: published deals must not change, and other implementations are tested with
them. Running this again writes the same bytes; a test asserts that. Append new entries to the old
ones, and change an old one only together with the number in the labels of DEALS.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.board import Board
from engine.cards import PACK_SIZE, pack, parse_pile, pile_names
from engine.catalog import games, ruleset
from engine.deal import commitment, deal_seed, lay_out, shuffled
from engine.headway import headway, most_headway
from engine.hints import hint
from engine.known import numbered_deck
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import play
from engine.position import position_of
from engine.schema import STANDARD, Headway
from engine.search import Outcome, search
from server.base.core.ids import DealId, PlayerId
from server.play.core import attempt
from server.play.core.attempt import Started
from tests.engine.perft import Start, count_within_budget, format_trees, path_of
from tests.engine.positions import ALL, easy_deck, run_down
from tests.relatives import find_ruleset
from tests.vectors import changes
from tests.vectors.solver import clearing, passes, piles

FOLDER = Path(__file__).parent
SEEDS = [bytes(32), bytes(range(32)), bytes([255]) * 32, sha256(b"samedeal vectors").digest()]
NUMBERS = [1, 617, 11982]
"""Numbered deals of the classic FreeCell program."""
MAX_GAME = 250
HEADWAY_EVERY = 10
DEAD_END_EVERY = 10
HIDING = [
    *(("klondike", "standard"), ("klondike", "vegas"), ("yukon", "standard")),
    *(("spider", "one-suit"), ("rouge-et-noir", "standard"), ("canfield", "standard")),
]
"""Games that can end with cards which nobody has seen."""
CUSTOM = [
    *(("freecell", "tableau.empty=K"), ("freecell", "tableau.empty=none")),
    *(("freecell", "cells.plays=foundation"), ("deuces", "tableau.empty=9")),
    *(("freecell", "tableau.match=any;tableau.empty=K"), ("spider", "tableau.moves=card")),
    ("spider", "suits=S;tableau.moves=card"),
]
"""Games with limited moves through places that carry no cards, and with runs of single moves."""
RUN_OPENING = ["s>t"] * 6 + ["t9>t8x5", "t0>t8", "t8>f6x13"]
"""The moves that bring the run of `run_deck` home."""


def variants() -> Iterator[tuple[str, str]]:
    for game in sorted(games()):
        for variant in games()[game].variants:
            yield game, variant


def deals() -> Iterator[dict[str, Any]]:
    """Yield the pack's order and the dealt position, for each seed, game and variant.

    The last entries are numbered deals, with their decks in place of seeds.
    """
    for game, variant in variants():
        rules = ruleset(game, variant)
        for seed in SEEDS:
            yield {
                "seed": seed.hex(),
                "game": game,
                "variant": variant,
                "deck": pile_names(shuffled(rules.pack, seed)),
                "position": position_of(deal_seed(rules, seed)),
            }
    rules = ruleset("freecell", STANDARD)
    for number in NUMBERS:
        deck = numbered_deck(number)
        yield {
            "seed": deck.hex(),
            "game": rules.game,
            "variant": rules.variant,
            "deck": pile_names(deck),
            "position": position_of(deal_seed(rules, deck)),
        }


def replays() -> Iterator[dict[str, Any]]:
    """Yield played games: the seed or deck, the moves, and the last position.

    `choices` has the number of legal moves before each move.
    """
    for game, variant in variants():
        rules = ruleset(game, variant)
        for seed in SEEDS:
            yield {"seed": seed.hex()} | played(deal_seed(rules, seed), seed)
        decks: list[tuple[bytes, list[str]]] = [(easy_deck(rules), [])]
        if rules.runs_home:
            decks.append((run_deck(), RUN_OPENING))
        for deck, opening in decks:
            yield {"deck": pile_names(deck)} | played(
                lay_out(rules, deck), SEEDS[0], opening, eager=True
            )


def custom() -> Iterator[dict[str, Any]]:
    """Yield played games, as in `replays`, by custom rules that no listed variant has."""
    for game, variant in CUSTOM:
        rules = ruleset(game, variant)
        for seed in SEEDS[1:3]:
            yield {"seed": seed.hex()} | played(deal_seed(rules, seed), seed)


def hints() -> Iterator[dict[str, Any]]:
    """Yield games played only by hints: the seed, the moves, and the last position."""
    for game, variant in variants():
        for seed in SEEDS:
            board = deal_seed(ruleset(game, variant), seed)
            moves: list[str] = []
            while move := hint(board):
                moves.append(move_text(board.ruleset, move))
                board, _ = play(board, move)
            names = {"seed": seed.hex(), "game": game, "variant": variant}
            yield names | {"moves": moves, "position": position_of(board)}


def headways() -> Iterator[dict[str, Any]]:
    """Yield the headway of both kinds after every `HEADWAY_EVERY` moves of the games of hints."""
    for entry in hints():
        rules = ruleset(entry["game"], entry["variant"])
        board = deal_seed(rules, bytes.fromhex(entry["seed"]))
        counts: dict[Headway, list[int]] = {"turned-up": [], "in-order": []}
        for number, move in enumerate([*entry["moves"], None]):
            if number % HEADWAY_EVERY == 0:
                for counted, found in counts.items():
                    found.append(headway(board, counted))
            if move is not None:
                board, _ = play(board, parse_move(rules, move))
        most = {counted: most_headway(rules, counted) for counted in counts}
        names = {name: entry[name] for name in ("seed", "game", "variant")}
        yield names | {"most": most, "counts": counts}


def dead_ends() -> Iterator[dict[str, Any]]:
    """Yield games with the numbers of moves after which the board is a dead end.

    Every `DEAD_END_EVERY`th board is searched, with the player's knowledge only.
    """
    for game, variant in HIDING:
        rules = ruleset(game, variant)
        for seed in SEEDS[1:3]:
            board = deal_seed(rules, seed)
            moves = played(board, seed)["moves"]
            dead = []
            for number, move in enumerate(moves, 1):
                board, _ = play(board, parse_move(rules, move))
                if number % DEAD_END_EVERY == 0 and is_dead_end(board):
                    dead.append(number)
            names = {"seed": seed.hex(), "game": game, "variant": variant}
            yield names | {"moves": moves, "dead": dead}


def is_dead_end(board: Board) -> bool:
    return search(board, 300).outcome is Outcome.UNREACHABLE


def played(
    board: Board, seed: bytes, opening: Sequence[str] = (), *, eager: bool = False
) -> dict[str, Any]:
    """Play from a board: the opening, then moves chosen by the seed."""
    start = board
    moves: list[str] = []
    choices: list[int] = []
    while len(moves) < MAX_GAME and (texts := options(board)):
        turn = len(moves)
        pairs = [text for text in texts if board.ruleset.pairs and "s" not in text]
        move = choose(texts, seed, turn, pairs, eager=eager)
        moves.append(opening[turn] if turn < len(opening) else move)
        choices.append(len(texts))
        board, _ = play(board, parse_move(board.ruleset, moves[-1]))
    names = {"game": start.ruleset.game, "variant": start.ruleset.variant}
    return names | {"moves": moves, "choices": choices, "position": position_of(board)}


def tree_title(game: str, variant: str) -> str:
    return f"{find_ruleset(game, variant).rules.name}, {variant}"


def tree_starts(game: str, variant: str) -> Iterator[Start]:
    """Yield the roots of the move trees: deals, and positions in the middle and late in games."""
    rules = find_ruleset(game, variant)
    seeds = [Start(f"seed {seed.hex()}") for seed in SEEDS]
    kind = Start(" ".join(["deck", *pile_names(easy_deck(rules))]))
    yield from seeds[:2]
    for start, most, eager in ((seeds[2], 30, False), (seeds[3], 70, False), (kind, 70, True)):
        moves = played(start.board(rules), SEEDS[0], eager=eager)["moves"]
        yield Start(start.deal, tuple(moves[: min(most, 2 * len(moves) // 3)]))
    if rules.rules.waste and rules.rules.waste.redeals:
        moves = played(seeds[3].board(rules), SEEDS[0])["moves"]
        yield Start(seeds[3].deal, tuple(moves[:-6]))
    if rules.runs_home:
        yield Start(" ".join(["deck", *pile_names(run_deck())]), tuple(RUN_OPENING[:-1]))
    if rules.automatic:
        yield Start(seeds[3].deal, tuple(until_home(seeds[3].board(rules))[:-1]))


def until_home(board: Board) -> list[str]:
    start, moves = board, []
    while board.home == start.home and (move := hint(board)):
        moves.append(move_text(board.ruleset, move))
        board, _ = play(board, move)
    return moves


def run_deck() -> bytes:
    """Return a deck of two packs that deals a King-to-Ace run into the last columns and t0."""
    run = parse_pile(run_down("KS", "H").split())
    places = [8, *range(53, 113, 10)[:6], *range(54, 104, 10), 95]
    others = bytearray(pack(2))
    for card in run:
        others.remove(card)
    deck = dict(zip(places, run, strict=True))
    rest = iter(others)
    return bytes(deck[place] if place in deck else next(rest) for place in range(2 * PACK_SIZE))


def options(board: Board) -> list[str]:
    return sorted(move_text(board.ruleset, move) for move in legal_moves(board))


def choose(
    texts: list[str], seed: bytes, turn: int, pairs: Sequence[str] = (), *, eager: bool
) -> str:
    """Choose a move by a hash of seed and turn, often one home, sometimes one from the stock."""
    digest = sha256(b"samedeal vectors" + seed + turn.to_bytes(8, "big")).digest()
    home = [text for text in texts if ">f" in text or text in pairs]
    fresh = [text for text in texts if text.startswith("s")]
    best = ((eager or digest[0] < 200) and home) or ((eager or digest[1] < 100) and fresh) or texts
    return best[int.from_bytes(digest[2:6], "big") % len(best)]


def format_entries(entries: Iterator[dict[str, Any]]) -> str:
    """Format a file: a JSON list, one entry a line."""
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    return f"[\n{lines}\n]\n"


def run() -> str:
    """Return the file of a run: a deal and its moves, with times."""
    entry = next(one for one in replays() if one["game"] == "rouge-et-noir" and "seed" in one)
    rules = ruleset(entry["game"], entry["variant"])
    seed = bytes.fromhex(entry["seed"])
    deal, started, limit = "rw4kq8d2n6vx1zt7", 1_795_219_205_000, 900_000
    state = attempt.begin(
        Started(
            *(PlayerId("k3mq7w2r5t9xkz4b"), DealId(deal), rules.game, rules.variant, None, None),
            *(started, started + limit, rules.digest),
        ),
        deal_seed(rules, seed),
    )
    moves = []
    for number, text in enumerate(entry["moves"], 1):
        at = started + 2_345 * number
        moves.append([text, at - started])
        state = attempt.play(state, parse_move(rules, text), at).after
    result = state.result
    counters = {name: getattr(result, name) for name in ("home", "left", "time", "moves")}
    ended = moves[-1][1] if result.end else moves[-1][1] + 5_000
    file = {
        "samedeal": "run",
        "format": 1,
        "deal": deal,
        "game": rules.game,
        "variant": rules.variant,
        "rules": rules.digest,
        "commitment": commitment(deal, seed),
        "seed": seed.hex(),
        "player": {"id": "k3mq7w2r5t9xkz4b", "name": "Ada", "tag": "4F2A"},
        "started": started,
        "deadline": started + limit,
        "moves": moves,
        "ended": ended,
        "result": {**counters, "end": result.end or "resigned"},
    }
    return json.dumps(file, separators=(",", ":")) + "\n"


FILES = {
    "deals.json": deals,
    "replays.json": replays,
    "hints.json": hints,
    "headway.json": headways,
}
CUSTOM_FILES = {"custom.json": custom}
SEARCH_FILES = {"dead-ends.json": dead_ends}
SOLVER_FILES = {
    "passes.json": passes.entries,
    "piles.json": piles.entries,
    "clearing.json": clearing.entries,
}


def main() -> None:
    for name, entries in (FILES | CUSTOM_FILES | SEARCH_FILES).items():
        (FOLDER / name).write_text(format_entries(entries()), encoding="utf-8")
    for name, entries in SOLVER_FILES.items():
        (FOLDER / "solver" / name).write_text(format_entries(entries()), encoding="utf-8")
    (FOLDER / "run.json").write_text(run(), encoding="utf-8")
    changes.FILE.write_text(changes.text(), encoding="utf-8")
    for game, variant in ALL:
        rules = find_ruleset(game, variant)
        trees = [
            (start, count_within_budget(start.board(rules))) for start in tree_starts(game, variant)
        ]
        text = format_trees(tree_title(game, variant), trees)
        path_of(game, variant).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
