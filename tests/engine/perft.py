"""Perft: path counts of move trees, and their files (`tests/vectors/perft/README.md`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.board import Board
from engine.cards import parse_pile
from engine.deal import deal_seed, lay_out, parse_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.ruleset import Ruleset
from tests.engine.positions import after

FOLDER = Path(__file__).parents[1] / "vectors" / "perft"

COMMAND = "`make vectors`"
"""Writes these files and the other golden vectors; run it for an added game."""

MAX_LISTED = 4_000
"""Most positions whose moves are listed to count one tree; this limits its depth."""

MAX_DEPTH = 30
"""Greatest depth; a tree with a single move per position never exceeds the budget."""


@dataclass(frozen=True, slots=True)
class Start:
    """The root of a tree: a deal, `seed HEX` or `deck CARDS`, and the moves played from it."""

    deal: str
    opening: tuple[str, ...] = ()

    def board(self, rules: Ruleset) -> Board:
        """Return the board at the root of the tree."""
        kind, _, text = self.deal.partition(" ")
        if kind == "seed":
            board = deal_seed(rules, parse_seed(text))
        else:
            board = lay_out(rules, parse_pile(text.split()))
        return after(board, *self.opening)


@dataclass(frozen=True, slots=True)
class Tree:
    """The counts of a tree.

    Attributes:
        counts: the number of paths of each length, from 0.
        first: the number of paths of the greatest length, by the text of their first move.
    """

    counts: tuple[int, ...]
    first: Mapping[str, int]

    @property
    def depth(self) -> int:
        """The greatest length."""
        return len(self.counts) - 1

    @property
    def listed(self) -> int:
        """The number of positions whose moves are listed to count the tree."""
        return sum(self.counts[:-1])


def count(board: Board, depth: int) -> Tree:
    """Count the paths of up to `depth` moves, at least one."""
    counts = [1]
    first = Counter({move_text(board.ruleset, move): 0 for move in legal_moves(board)})
    level = [("", board)]
    while len(counts) < depth:
        level = [
            (name or move_text(at.ruleset, move), apply(at, move))
            for name, at in level
            for move in legal_moves(at)
        ]
        counts.append(len(level))
    for name, at in level:
        for move in legal_moves(at):
            first[name or move_text(at.ruleset, move)] += 1
    return Tree((*counts, first.total()), dict(first))


def count_within_budget(board: Board) -> Tree:
    """Count a tree as deep as its moves, `MAX_LISTED` and `MAX_DEPTH` allow."""
    tree = count(board, 1)
    while tree.depth < MAX_DEPTH and sum(tree.counts) <= MAX_LISTED:
        deeper = count(board, tree.depth + 1)
        if deeper.counts[-1] == 0:
            break
        tree = deeper
    return tree


def differences(expected: Tree, found: Tree) -> list[str]:
    """Return the differences, one per line: by depth, then by first move."""
    lengths = enumerate(zip(expected.counts, found.counts, strict=True))
    lines = [f"depth {n}: {one} expected, {two} found" for n, (one, two) in lengths if one != two]
    for move in sorted(expected.first.keys() | found.first.keys()):
        one, two = expected.first.get(move, "no move"), found.first.get(move, "no move")
        if one != two:
            lines.append(f"{move}: {one} expected, {two} found")
    return lines


def path_of(game: str, variant: str) -> Path:
    return FOLDER / f"{game}.{variant}.txt"


def format_trees(title: str, trees: Sequence[tuple[Start, Tree]]) -> str:
    lines = [f"# {title}. README.md says how to read this."]
    for start, tree in trees:
        lines += ["", start.deal]
        lines += [" ".join(["opening", *start.opening])] if start.opening else []
        lines += [" ".join(["counts", *map(str, tree.counts)])]
        lines += [f"first {move} {paths}" for move, paths in sorted(tree.first.items())]
    return "\n".join(lines) + "\n"


def parse_trees(text: str) -> Iterator[tuple[Start, Tree]]:
    for block in text.split("\n\n")[1:]:
        deal, *lines = block.strip().split("\n")
        opening: tuple[str, ...] = ()
        counts: tuple[int, ...] = ()
        first: dict[str, int] = {}
        for line in lines:
            word, *rest = line.split(" ")
            if word == "opening":
                opening = tuple(rest)
            elif word == "counts":
                counts = tuple(map(int, rest))
            else:
                assert word == "first", line
                first[rest[0]] = int(rest[1])
        yield Start(deal, opening), Tree(counts, first)
