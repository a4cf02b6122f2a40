"""Indices into the arrays of the search.

The search is integer arithmetic on these arrays, so that it generates the same positions in the
same order when compiled and interpreted.

- `t`, the tables, which are constant during a search. They include the offsets of parts of `m`.
- `m`, the memory: counters, then one position, then the parts that `Layout` places there.
- `s`, positions waiting for expansion, in small integers; a row has `t[WIDTH]` of them.

A card is 0 to 51 as in `cards`, and a set of cards is an integer with a bit for each. Piles are
numbered from 0: tableau piles, cells, reserve piles. `TALON` is the stock and the waste together,
and foundations start at `HOME`.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Ints: TypeAlias = "array[int]"  # a part of the state: `t`, `s` or `m`

NONE = -1  # the top card of an empty foundation; also no move
TALON = 32  # the stock and the waste, as the source of a move
HOME = 40  # the first foundation, as the source or the target of a move

# How cards move between tableau piles, `t[MOVES_BY]`.
SINGLE, RUN, BY_SPACES, BY_PLACES, WHOLE, ANY = range(6)

BOUND_HOME = 64  # a flag of the bound pile's number: its top card must go home with the next move

# The targets of the stock's cards, `t[STOCK_TO]`: the last is any foundation, unseen.
NO_STOCK, TO_WASTE, TO_FOUNDATION, TO_ANY = range(4)

# The indices of `t`. First the weights of the evaluation, in points.
(W_HOME, W_SPACE, W_CELL, W_JOINED, W_BROKEN, W_HIDDEN, W_LATE, W_LATENESS) = range(8)
(W_LATE_LINE, W_TALON, W_RESERVE) = range(8, 11)
WEIGHTS = 11

# The rules; `tables.Tables` explains them.
(COLUMNS, CELLS, RESERVES, PILES, FOUNDATIONS, TOTAL, WIDTH) = range(20, 27)
(MOVES_BY, COLUMN_HOME, COLUMN_SPREAD, COLUMN_CELL, CELL_HOME, CELL_SPREAD) = range(30, 36)
(RESERVE_HOME, RESERVE_SPREAD, RESERVE_CELL, WASTE_HOME, WASTE_SPREAD, WASTE_CELL) = range(36, 42)
(STOCK_TO, TURNS, REDEALS_MOST, HOME_SPREAD, FILLS, REGULAR, WHOLE_RUNS) = range(42, 49)
STOCK_SIZE = 49

# The offsets of the tables.
(BUILDS, RUNS, HOMES, GROUP, KIDS, GRANDKIDS, UNDER, TURN, LINE, BEFORE, DRAWN) = range(60, 71)
(RANDOM, SALT, ALIKE, PARENTS) = range(71, 75)
LAZY_SPACES, NOISE, THROUGH_SPACES, THROUGH_CELLS = range(50, 54)

# The offsets of the parts of the memory, and some sizes.
(LIST, UNDO, STACK, SEEN, PARENT, MOVE, RECORDS, HEAP) = range(80, 88)
(LIST_SIZE, UNDO_SIZE, STACK_SIZE, MOST_ROWS, MOST_NODES) = range(90, 95)
TABLES = 100

# The counters, the first numbers of the memory.
(STEPS, LIMIT, ROWS, NODES, BEST, BEST_NODE, WON, QUEUED, ENTERED, CUT, PLAYED) = range(11)
(LISTED, COUNT_HOME, SEEN_MASK) = range(12, 15)
LOWEST = 16
SALT_OF_NOISE, DEEPEST, WANTED, OFFERED = 24, 25, 26, 27

# The position, the next numbers of the memory: the size of each pile, its number of face-down
# cards, and the hash of its cards; the top card of each foundation; the remaining cards of stock
# and waste, as a set of places in the deal; how many of them are in the waste; the number of
# redeals; the bound pile; the cards at home; the cards that foundations take; and each pile's
# cards, in `STRIDE` numbers.
SIZE, HIDDEN, HASH, TOPS = 32, 64, 96, 128
(ALIVE, WASTE, REDEALS, BOUND, AT_HOME, NEXT) = range(144, 150)
CARDS = 256
STRIDE = 64
MEMORY = CARDS + STRIDE * 32

# The parts of a row's record.
(NODE, R_ALIVE, R_TALON, R_HOME) = range(4)
RECORD = 4

# The parts of an undo record.
(U_MOVE, U_ALIVE, U_TALON, U_TOP, U_FLAGS) = range(5)
UNDO_RECORD = 5
