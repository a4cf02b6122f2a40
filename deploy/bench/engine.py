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
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Lap:
    """One replay of all recorded games of a contestant: positions, and processor seconds."""

    positions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Contestant:
    """An engine with a game.

    Attributes:
        games: how many recorded games it replays.
        lap: replays them once.
    """

    name: str
    games: int
    lap: Callable[[], Lap]


def timed(name: str, games: int, replay: Callable[[], int]) -> Contestant:
    """Return a contestant whose recorded games are replayed by a function that counts positions."""

    def lap() -> Lap:
        began = process_time()
        return Lap(replay(), process_time() - began)

    return Contestant(name, games, lap)


def solitaire(game: str, recorded: list[tuple[Board, list[Move]]]) -> Contestant:
    """Return our engine with recorded games: the boards they start from, and their moves."""

    def replay() -> int:
        for board, moves in recorded:
            for move in moves:
                legal_moves(board)
                after = apply(board, move)
                delta_between(board, after)
                board = after  # noqa: PLW2901 - the board of the next position
        return sum(len(moves) for _, moves in recorded)

    return timed(game, len(recorded), replay)


def python_chess(recorded: list[list[chess.Move]]) -> Contestant:
    """Return python-chess with the moves of recorded games."""

    def replay() -> int:
        for moves in recorded:
            board = chess.Board()
            for move in moves:
                list(board.legal_moves)
                board.push(move)
        return sum(map(len, recorded))

    return timed("python-chess", len(recorded), replay)


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


def measure(contestants: list[Contestant], rounds: int) -> dict[str, list[Lap]]:
    """Return each contestant's laps, by name. They take turns; each round another one starts."""
    laps: dict[str, list[Lap]] = {contestant.name: [] for contestant in contestants}
    for contestant in contestants:
        contestant.lap()
    for round_ in range(rounds):
        first = round_ % len(contestants)
        for contestant in contestants[first:] + contestants[:first]:
            gc.collect()
            laps[contestant.name].append(contestant.lap())
    return laps


def rate(lap: Lap) -> float:
    """Return the positions a second of a lap."""
    return lap.positions / lap.seconds


def ratios(laps: list[Lap], others: list[Lap]) -> float:
    """Return the median over the rounds of the ratio of two contestants' rates."""
    return median(rate(one) / rate(other) for one, other in zip(laps, others, strict=True))


def report(contestants: list[Contestant], laps: dict[str, list[Lap]]) -> tuple[str, list[str]]:
    """Return the results in Markdown, and a sentence for each goal that was missed."""
    chess_name = contestants[-1].name
    times = {
        contestant.name: ratios(laps[contestant.name], laps[chess_name])
        for contestant in contestants[:-1]
    }
    whole = harmonic_mean(times.values())
    missed = [
        f"{name}: {value:.2f} times python-chess, less than {MIN_GOAL}"
        for name, value in times.items()
        if value < MIN_GOAL
    ]
    if whole < MEAN_GOAL:
        missed.append(f"the mean: {whole:.2f} times python-chess, less than {MEAN_GOAL}")
    rounds = len(laps[chess_name])
    lines = [
        "# The engine's speed",
        "",
        "Written by `make bench-engine`. At each position of recorded games, the engine lists all",
        "legal moves, plays one, and makes the delta; python-chess lists all legal moves and",
        f"pushes one, in famous games. In turns; medians of {rounds} rounds, in processor time.",
        "",
        f"The goal: {MEAN_GOAL} times python-chess on the harmonic mean of the games,"
        f" and {MIN_GOAL} times on each.",
        "",
        f"- commit: {commit()}",
        f"- date: {datetime.now(UTC):%Y-%m-%d}",
        f"- machine: {machine()}",
        f"- Python: {platform.python_implementation()} {platform.python_version()},"
        f" python-chess {chess.__version__}",
        f"- the goal is {'missed' if missed else 'met'}",
        "",
        "| game | records | positions | positions a second | times python-chess |",
        "|---|--:|--:|--:|--:|",
    ]
    for contestant in contestants:
        name = contestant.name
        positions = laps[name][0].positions
        against = f"{times[name]:.2f}" if name in times else "1"
        speed = median(map(rate, laps[name]))
        lines.append(f"| {name} | {contestant.games} | {positions} | {speed:,.0f} | {against} |")
    lines.append(f"| harmonic mean of the {len(times)} games | | | | {whole:.2f} |")
    return "\n".join(lines) + "\n", missed


def commit() -> str:
    """Return the measured commit, marked if the working tree differs in what is measured."""
    head = git("rev-parse", "--short=12", "HEAD")
    return f"{head} with changes" if git("status", "--porcelain", "--", *MEASURED) else head


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
    contestants = [solitaire(game, records) for game, records in recorded_solitaire().items()]
    contestants.append(python_chess(recorded_chess()))
    page, missed = report(contestants, measure(contestants, options.rounds))
    options.output.write_text(page, encoding="utf-8")
    sys.stdout.write(page)
    for sentence in missed:
        sys.stderr.write(f"goal missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
