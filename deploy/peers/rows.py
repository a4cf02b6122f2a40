"""The rows of the table: deals, programs and targets."""

from __future__ import annotations

from typing import Final

from deploy.peers.comparison import Row, numbered, seeded
from deploy.peers.programs import (
    BlackHoleSolver,
    FreecellRangeSolver,
    FreecellSolver,
    KlondikeSolver,
    Unpackaged,
)

SOLVITAIRE: Final = Unpackaged("Solvitaire 0.10.1")

ROWS: Final = (
    Row(
        "freecell",
        "FreeCell, 1 to 2,000",
        ("freecell", "standard"),
        numbered,
        range(1, 2_001),
        FreecellSolver(("-l", "lg")),
        ratio=0.8,
        unknown=0,
    ),
    Row(
        "freecell-range",
        "FreeCell, 1 to 2,000, in one process without lines",
        ("freecell", "standard"),
        numbered,
        range(1, 2_001),
        FreecellRangeSolver(("-l", "lg")),
    ),
    Row(
        "two-cells",
        "FreeCell, two cells, 1 to 300",
        ("freecell", "two-cells"),
        numbered,
        range(1, 301),
        FreecellSolver(("--freecells-num", "2", "--max-stored-states", "5000000")),
        unknown=0,
    ),
    Row(
        "golf",
        "Golf, 200",
        ("golf", "standard"),
        seeded,
        range(200),
        BlackHoleSolver(("--queens-on-kings",)),
        ratio=0.7,
        unknown=0,
    ),
    Row(
        "klondike",
        "Klondike, draw three, 100",
        ("klondike", "draw-three"),
        seeded,
        range(100),
        KlondikeSolver(3, 5_000_000),
        unknown=3,
    ),
    Row(
        "spider",
        "Spider, four suits, 50",
        ("spider", "standard"),
        seeded,
        range(50),
        SOLVITAIRE,
        unknown=0,
    ),
    Row(
        "forty-thieves",
        "Forty Thieves, 25",
        ("forty-thieves", "standard"),
        seeded,
        range(25),
        SOLVITAIRE,
        unknown=5,
    ),
    Row(
        "roosevelt",
        "Roosevelt, 200",
        ("roosevelt", "standard"),
        seeded,
        range(200),
        Unpackaged("none exists"),
        unknown=100,
    ),
)
