"""Searches of whole deals in a separate process, whose exit frees their memory."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context

from engine.board import Board
from engine.deal import deal_seed
from engine.solver import beam
from engine.solver.solution import Solution
from tests.relatives import find_ruleset


def deal(game: str, variant: str, number: int) -> Board:
    seed = sha256(f"samedeal deal {number}".encode()).digest()
    return deal_seed(find_ruleset(game, variant), seed)


def solve(game: str, variant: str, number: int, budget: int) -> Solution:
    return beam.solve(deal(game, variant, number), budget)


def solved(game: str, variant: str, count: int, budget: int) -> Iterator[tuple[Board, Solution]]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        for number in range(count):
            found = pool.submit(solve, game, variant, number, budget).result()
            yield deal(game, variant, number), found
