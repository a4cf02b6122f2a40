"""Indices into the three flat arrays of the search.

The search is integer arithmetic on these arrays, so that it generates the same positions in the
same order when compiled, interpreted or ported. Only hashes may differ: they identify equal
positions, and no decision depends on their values.

- `t`, the tables: a ruleset, the cards of a position, weights and a plan. It also stores the
  offsets of tables in `t` and of parts of the memory in `m`.
- `s`, the positions, in small integers; a row has `t[WIDTH]` of them.
- `m`, the memory of the search: its counters, then the parts that `Layout` places there.

Piles are numbered: the stock is 0, the tableau 1 to `t[COLUMNS]`, then comes the waste. A row
contains

- the cards of all piles, pile after pile, each from bottom to top, with room for `t[ROOM]`;
- the number of cards of each pile;
- the number of face-down cards of each pile;
- the top card of each foundation, or `NONE`;
- the number of redeals.

A card is stored as its kind: cards that no rule distinguishes have the same kind.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Ints: TypeAlias = "array[int]"  # a part of the state: `t`, `s` or `m`

NONE = -1  # the top card of an empty foundation; also no pile
RUN = 13  # the length of a run that moves to a foundation
SCALE = 1024  # the number 1 in the fixed-point weights, points and shares

# How runs move, `t[RUNS]`: not at all, whole, or limited by empty piles. An empty target takes one
# card by spaces, and as many as the other empty piles allow by places.
SINGLE, WHOLE, BY_SPACES, BY_PLACES = range(4)

# The foundations for the stock's top card, `t[STOCK_HOME]`.
NOWHERE, FITTING, STARTING, ANYWHERE = range(4)

# When cards go home automatically, `t[P_HOME]`; see `going_home.may_go_home`.
NEVER, SAFELY, LATER, EARLY = range(4)

# The indices of `t`. First the weights of the evaluation, in points.
(W_HOME, W_RUN_HOME, W_SPACE, W_JOINED, W_BROKEN, W_HIDDEN, W_LATE, W_LATE_LINE) = range(8)
(W_LATENESS, W_LATE_JOINED, W_ORPHAN_BASE, W_ORPHAN_BURIED, W_BASE, W_WASTE_LATE) = range(8, 14)
(W_WASTE_LINE, W_WASTE_LATENESS, W_WASTE_CARD, W_FIRST_COPY, W_TURN, W_TIME) = range(14, 20)
(W_MIXED, W_LONG) = range(20, 22)
WEIGHTS = 22

# The plan of a beam: its width; the expanded positions per kept one between two deals, times SCALE,
# and after the last deal; the positions to deal to; the maximum per signature; when cards go home
# automatically; whether only sound prunings are used; and whether runs limited by empty piles move
# card by card. Then each kind's delay in points.
(P_WIDTH, P_EFFORT, P_LAST, P_DEALT, P_CAP, P_HOME, P_WHOLE) = range(WEIGHTS, WEIGHTS + 7)
P_SINGLE = WEIGHTS + 7
DELAYS = WEIGHTS + 8
MOST_KINDS = 52

# The rules; `layout.Layout` explains them.
(KINDS, COLUMNS, FOUNDATIONS, ROOM, TOTAL, WIDTH, REDEALS, RUNS) = range(90, 98)
(COLUMN_HOME, COLUMN_SPREAD, WASTE_HOME, WASTE_SPREAD) = range(98, 102)
(STOCK_WASTE, STOCK_ROW, STOCK_SPREAD, STOCK_HOME, FILLS) = range(102, 107)
(TIMED, LINES, DEALS, STOCK, MOST_ROWS, MOST_NODES, CAPPED_MASK) = range(107, 114)
(CACHE_MASK, RUN_GROUPS, DEFERS, RECORD, AUTOMATIC_RUNS, ROWS_NEED_CARDS) = range(114, 120)
ROWS_ALONE = 120

# The offsets of the tables.
(BUILDS, GROUP, HOMES, ALIKE, HEADS, FILL, LINE, TURN, SLOTS, BY_LINE, ORPHAN) = range(121, 132)
(KIDS_AT, KIDS, FIRST_DRAW, LAST_DRAW, RANDOM, ACCEPTS, TAKES, CARRIES) = range(132, 140)

# The offsets of the parts of the memory.
(RECORDS, HEAP, SEEN, FILLED, PARENT, MOVE, MARKS, HAND, CHANGED, TIMES) = range(140, 150)
(LOWEST, COUNTS, CAPPED, KEPT, CACHE, ENDS, ACCEPTED) = range(150, 157)
TABLES = 160

# The parts of a row's record: its points; its node; its digest; its phase, which determines the
# times of its cards; and whether the next deal may follow, see `stages.deal_all`. Then the hashes
# of its piles, and their points.
(KEY, NODE, DIGEST, PHASE, FRESH, PILE_HASHES) = range(6)

# The counters, the first numbers of the memory.
(STEPS, BUDGET, ROWS, NODES, BEST, BEST_NODE, WON_NODE, QUEUED, ENTERED, AUTOMATIC, CUT) = range(11)
(SALT, TIMES_OF, ALL_PILES, SEEN_MASK, SENT) = range(11, 16)
COUNTERS = 16
