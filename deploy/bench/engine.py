"""Benchmark of the engine, compared with python-chess.

It writes `ENGINE.md`, and fails if the engine is too slow.

A position costs what a move costs a server: list all legal moves, play the recorded one, and make
the delta. python-chess does the same: list all legal moves, and push the recorded one. Both replay
recorded games, in turns and in one process, so that other load on the machine slows both; each
figure is a median over the rounds, in processor time.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from statistics import harmonic_mean, median
from time import process_time

import chess.pgn

from engine.board import Board, delta_between
from engine.cards import parse_pile
from engine.catalog import games, ruleset
from engine.deal import deal_seed, lay_out, parse_seed
from engine.moves import legal_moves
from engine.notation import parse_move
from engine.play import apply
from engine.ruleset import Move
from engine.schema import STANDARD

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULTS = HERE / "ENGINE.md"
CHESS_GAMES = HERE / "chess.pgn"
REPLAYS = ROOT / "tests/vectors/replays.json"
MEASURED = (
    "engine",
    "deploy/bench/engine.py",
    "deploy/bench/chess.pgn",
    "tests/vectors/replays.json",
)

ROUNDS = 40
MEAN_GOAL = 2.5
"""The goal for the harmonic mean of the games, as a multiple of python-chess's rate. In a harmonic
mean, a fast game does not make up for a slow one."""
MIN_GOAL = 1.5
"""The goal for each game, as a multiple of python-chess's rate."""


Replay = Callable[[], int]
"""Replays all recorded games of a contestant once, and returns the number of their positions."""


def solitaire(recorded: Sequence[tuple[Board, Sequence[Move]]]) -> Replay:
    """Return the replay of our engine, given the boards that games start from, and their moves."""

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
    """Return the replay of python-chess, given the moves of games."""

    def replay() -> int:
        for moves in recorded:
            board = chess.Board()
            for move in moves:
                list(board.legal_moves)
                board.push(move)
        return sum(map(len, recorded))

    return replay


def recorded_solitaire() -> dict[str, list[tuple[Board, list[Move]]]]:
    """Return, by game, the recorded games of the standard variants: the deals and their moves."""
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
    """Return the moves of the games in `chess.pgn`."""
    found = []
    with CHESS_GAMES.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            if game.errors:
                raise game.errors[0]
            found.append(list(game.mainline_moves()))
    return found


def measure(contestants: Mapping[str, Replay], rounds: int) -> dict[str, list[float]]:
    """Return each contestant's positions a second, by round.

    They take turns; each round another one starts. A first one, which is not counted, warms up.
    """
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for name in names:
        contestants[name]()
    for round_ in range(rounds):
        first = round_ % len(names)
        for name in names[first:] + names[:first]:
            gc.collect()
            began = process_time()
            positions = contestants[name]()
            rates[name].append(positions / (process_time() - began))
    return rates


def report(
    rates: Mapping[str, Sequence[float]], games: Mapping[str, Sequence[int]]
) -> tuple[str, list[str]]:
    """Return the results in Markdown, and a sentence for each goal that was missed.

    Args:
        rates: positions a second by contestant, python-chess as the last one.
        games: the moves of each recorded game, by contestant.
    """
    *names, chess_name = rates
    times = {
        name: median(one / other for one, other in zip(rates[name], rates[chess_name], strict=True))
        for name in names
    }
    whole = harmonic_mean(times.values())
    judged = [(name, value, MIN_GOAL) for name, value in times.items()]
    missed = [
        f"{name}: {value:.2f} times python-chess, less than {goal}"
        for name, value, goal in [*judged, ("the mean", whole, MEAN_GOAL)]
        if value < goal
    ]
    rounds = len(rates[chess_name])
    goals = f"{MEAN_GOAL} times python-chess on the harmonic mean of the games, and {MIN_GOAL}"
    page = f"""# The engine's speed

Written by `make bench-engine`. At each position of recorded games, the engine lists all
legal moves, plays one, and makes the delta; python-chess lists all legal moves and
pushes one, in famous games. In turns; medians of {rounds} rounds, in processor time.

The goal: {goals} times on each.

- commit: {commit(*MEASURED)}
- date: {datetime.now(UTC):%Y-%m-%d}
- machine: {machine()}
- Python: {python()}, python-chess {chess.__version__}
- the goal is {"missed" if missed else "met"}

| game | records | positions | positions a second | times python-chess |
|---|--:|--:|--:|--:|
"""
    for name, found in rates.items():
        against = f"{times[name]:.2f}" if name in times else "1"
        counts = f"{len(games[name])} | {sum(games[name])}"
        page += f"| {name} | {counts} | {median(found):,.0f} | {against} |\n"
    return f"{page}| harmonic mean of the {len(times)} games | | | | {whole:.2f} |\n", missed


def commit(*measured: str) -> str:
    """Return the commit, marked if the working tree differs in what is measured: these paths."""
    head = git("rev-parse", "--short=12", "HEAD")
    return f"{head} with changes" if git("status", "--porcelain", "--", *measured) else head


def python() -> str:
    """Return the name and version of the Python that runs this."""
    return f"{platform.python_implementation()} {platform.python_version()}"


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
    name = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {cpu_count()} cores, {platform.system()} {platform.machine()}"


def main() -> int:
    """Measure, write the results, and return 1 if a goal is missed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench.engine", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="laps of each contestant")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where to write the results")
    options = parser.parse_args()
    ours, theirs = recorded_solitaire(), recorded_chess()
    contestants = {game: solitaire(recorded) for game, recorded in ours.items()}
    contestants["python-chess"] = python_chess(theirs)
    games = {game: [len(moves) for _, moves in recorded] for game, recorded in ours.items()}
    games["python-chess"] = [len(moves) for moves in theirs]
    page, missed = report(measure(contestants, options.rounds), games)
    options.output.write_text(page, encoding="utf-8")
    sys.stdout.write(page)
    for sentence in missed:
        sys.stderr.write(f"goal missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
