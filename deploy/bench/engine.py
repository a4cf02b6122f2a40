"""The engine's speed compared with python-chess, and details of machine and commit.

The work per position is a server's work per move: list all legal moves, play the recorded one, and
compute the delta. python-chess lists all legal moves and pushes the recorded one.
"""

from __future__ import annotations

import gc
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from os import cpu_count
from pathlib import Path
from statistics import harmonic_mean, median
from time import process_time

import chess.pgn

from deploy.bench.processes import ROOT, Figures, Server
from engine.board import Board, delta_between
from engine.cards import parse_pile
from engine.catalog import games, ruleset
from engine.deal import deal_seed, lay_out, parse_seed
from engine.moves import legal_moves
from engine.notation import parse_move
from engine.play import apply
from engine.ruleset import Move
from engine.schema import STANDARD

CHESS_GAMES = Path(__file__).with_name("chess.pgn")
REPLAYS = ROOT / "tests/vectors/replays.json"

# Replays all recorded games of a contestant, and returns the number of positions.
Replay = Callable[[], int]


async def engine(_: Server, laps: int) -> Figures:
    """Measure the processor time of replaying recorded games, alternating with python-chess.

    Returns:
        Each game's positions per second relative to python-chess, as medians over the laps, and
        their harmonic `mean`, so that fast games do not make up for slow ones.
    """
    contestants = {game: solitaire(recorded) for game, recorded in recorded_solitaire().items()}
    contestants["chess"] = python_chess(recorded_chess())
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _lap in range(laps):
        for name, replay in contestants.items():
            gc.collect()
            began = process_time()
            positions = replay()
            rates[name].append(positions / (process_time() - began))
    theirs = rates.pop("chess")
    found = {
        game: median(one / other for one, other in zip(ours, theirs, strict=True))
        for game, ours in rates.items()
    }
    return {**found, "mean": harmonic_mean(found.values())}


def solitaire(recorded: Sequence[tuple[Board, Sequence[Move]]]) -> Replay:
    """Return our engine's replay of games, given as initial boards and moves."""

    def replay() -> int:
        for board, moves in recorded:
            for move in moves:
                legal_moves(board)
                after = apply(board, move)
                delta_between(board, after)
                board = after  # noqa: PLW2901 - the board of the next position
        return sum(len(moves) for _, moves in recorded)

    return replay


def python_chess(recorded: Sequence[Sequence[chess.Move]]) -> Replay:
    """Return python-chess's replay of games, given as moves."""

    def replay() -> int:
        for moves in recorded:
            board = chess.Board()
            for move in moves:
                list(board.legal_moves)
                board.push(move)
        return sum(map(len, recorded))

    return replay


def recorded_solitaire() -> dict[str, list[tuple[Board, list[Move]]]]:
    """Return the recorded games of the standard variants: deals and moves, by game."""
    found: dict[str, list[tuple[Board, list[Move]]]] = {game: [] for game in games()}
    for replay in json.loads(REPLAYS.read_text(encoding="utf-8")):
        if replay["variant"] == STANDARD:
            rules = ruleset(replay["game"])
            start = (
                deal_seed(rules, parse_seed(replay["seed"]))
                if "seed" in replay
                else lay_out(rules, parse_pile(replay["deck"]))
            )
            moves = [parse_move(rules, text) for text in replay["moves"]]
            found[rules.game].append((start, moves))
    return found


def recorded_chess() -> list[list[chess.Move]]:
    """Return the moves of the famous games in `chess.pgn`."""
    found = []
    with CHESS_GAMES.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            if game.errors:
                raise game.errors[0]
            found.append(list(game.mainline_moves()))
    return found


def commit(*measured: str) -> str:
    """Return the commit, marked if the measured paths of the working tree differ from it."""
    head = git("rev-parse", "--short=12", "HEAD")
    return f"{head} with changes" if git("status", "--porcelain", "--", *measured) else head


def git(*arguments: str) -> str:
    """Return the output of a git command, or "unknown" without git."""
    program = shutil.which("git")
    if program is None:
        return "unknown"
    ran = subprocess.run(  # noqa: S603 - our own arguments
        [program, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def machine() -> str:
    """Return the processor's name, the number of cores, and the operating system."""
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    model = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{name}, {cpu_count()} cores, {platform.system()} {platform.machine()}"
