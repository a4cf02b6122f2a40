"""The indices of the numbers in the arrays that the search works on.

The search is integer arithmetic on these arrays, so that compiled and interpreted it generates the
same positions in the same order.

- `t`, the tables: what does not change during a search. It also keeps where a part of the memory
  begins in `m`.
- `m`, the memory: counters, then one position, then what `Layout` places there.
- `s`, positions that wait to be expanded, in small integers; `t[WIDTH]` of them are a row.

A card is 0 to 51 as in `cards`, and a set of cards is an integer with a bit for each. Piles are
numbered from 0: tableau piles, cells, reserve piles. After those come the stock and the waste as
one, `TALON`, and the foundations from `HOME` on.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Ints: TypeAlias = "array[int]"
"""One of the arrays."""

NONE = -1
"""Stands for the top card of an empty foundation, and for no move."""

TALON = 32
"""The stock and the waste, as the source of a move."""

HOME = 40
"""The first foundation, as the source or the target of a move."""

SINGLE, RUN, BY_SPACES, BY_PLACES, WHOLE, ANY = range(6)
"""How cards move between tableau piles, `t[MOVES_BY]`."""

BOUND_HOME = 64
"""Added to the number of a pile, to which the next move is bound: its top card must go home."""

NO_STOCK, TO_WASTE, TO_FOUNDATION, TO_ANY = range(4)
"""Where the cards of the stock go, `t[STOCK_TO]`: the last is any foundation, unseen."""

# The indices of `t`. First the weights of the evaluation, in points.
(W_HOME, W_SPACE, W_CELL, W_JOINED, W_BROKEN, W_HIDDEN, W_LATE, W_LATENESS) = range(8)
(W_LATE_LINE, W_TALON, W_RESERVE) = range(8, 11)
WEIGHTS = 11

# The rules; `layout.Layout` explains them.
(COLUMNS, CELLS, RESERVES, PILES, FOUNDATIONS, TOTAL, WIDTH) = range(20, 27)
(MOVES_BY, COLUMN_HOME, COLUMN_SPREAD, COLUMN_CELL, CELL_HOME, CELL_SPREAD) = range(30, 36)
(RESERVE_HOME, RESERVE_SPREAD, RESERVE_CELL, WASTE_HOME, WASTE_SPREAD, WASTE_CELL) = range(36, 42)
(STOCK_TO, TURNS, REDEALS_MOST, HOME_SPREAD, FILLS, REGULAR, WHOLE_RUNS) = range(42, 49)
STOCK_SIZE = 49

# Where the tables begin.
(BUILDS, RUNS, HOMES, GROUP, KIDS, GRANDKIDS, UNDER, TURN, LINE, BEFORE, DRAWN) = range(60, 71)
(RANDOM, SALT, ALIKE, PARENTS) = range(71, 75)
LAZY_SPACES, NOISE = 50, 51

# Where the parts of the memory begin, and how large some are.
(LIST, UNDO, STACK, SEEN, PARENT, MOVE, RECORDS, HEAP) = range(80, 88)
(LIST_SIZE, UNDO_SIZE, STACK_SIZE, MOST_ROWS, MOST_NODES) = range(90, 95)
TABLES = 100

# The counters, the first numbers of the memory.
(STEPS, LIMIT, ROWS, NODES, BEST, BEST_NODE, WON, QUEUED, ENTERED, CUT, PLAYED, DEPTH) = range(12)
(LISTED, COUNT_HOME, SEEN_MASK) = range(12, 15)
LOWEST = 16
SALT_OF_NOISE, DEEPEST, WANTED, OFFERED = 24, 25, 26, 27

# The position, the next numbers of the memory: the size of each pile, how many of its cards lie
# face down, and the hash of its cards; the top card of each foundation; the cards that stock and
# waste still have, as a set of the places of the deal; how many of them are in the waste; how often
# it was turned over; the pile to which the next move is bound; the cards at home; those that some
# foundation takes; the cards of each pile, in `STRIDE` numbers each.
SIZE, HIDDEN, HASH, TOPS = 32, 64, 96, 128
(ALIVE, WASTE, REDEALS, BOUND, AT_HOME, NEXT) = range(144, 150)
CARDS = 256
STRIDE = 64
MEMORY = CARDS + STRIDE * 32

# The parts of a record, which is what is kept of a row.
(NODE, R_ALIVE, R_TALON, R_HOME) = range(4)
RECORD = 4

# The parts of an undo record.
(U_MOVE, U_ALIVE, U_TALON, U_TOP, U_FLAGS) = range(5)
UNDO_RECORD = 5
