"""The indices of the numbers in the three flat arrays that the search works on.

The search is integer arithmetic on these arrays, so that compiled, interpreted and ported to
another language it generates the same positions in the same order. Only the hashes may differ
elsewhere: they serve to recognise equal positions, and no decision depends on their values.

- `t`, the tables: a ruleset, the cards of one position, weights and a plan. It also keeps where a
  table begins in `t`, and where a part of the memory begins in `m`.
- `s`, the positions, in small integers; `t[WIDTH]` of them are a row.
- `m`, the memory of the search: first its counters, then what `Layout` places there.

Piles are numbered from the stock, 0, over the tableau, 1 to `t[COLUMNS]`, to the waste. A row has

- the cards of all piles, pile after pile, each from bottom to top; room for `t[ROOM]`;
- the number of cards of each pile;
- the number of cards of each pile that lie face down;
- the top card of each foundation, or `NONE`;
- how often the waste has been turned over.

A card is stored as its kind: cards that no rule tells apart have the same kind.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Ints: TypeAlias = "array[int]"
"""One of the arrays."""

NONE = -1
"""Stands for the top card of an empty foundation, and for no pile."""

RUN = 13
"""The length of a run that goes to a foundation."""

SCALE = 1024
"""Weights, points and shares are fixed-point numbers: this is 1."""

SINGLE, WHOLE, BY_SPACES, BY_PLACES = range(4)
"""How runs move, `t[RUNS]`: not, whole, or as far as empty piles carry them: by spaces, one card
onto an empty pile; by places, as many as the other empty piles carry."""

NOWHERE, FITTING, STARTING, ANYWHERE = range(4)
"""To which foundations the stock's top card goes, `t[STOCK_HOME]`."""

NEVER, SAFELY, LATER, EARLY = range(4)
"""How cards go home by themselves, `t[P_HOME]`; see `going_home.may_go_home`."""

# The indices of `t`. First the weights of the evaluation, in points.
(W_HOME, W_RUN_HOME, W_SPACE, W_JOINED, W_BROKEN, W_HIDDEN, W_LATE, W_LATE_LINE) = range(8)
(W_LATENESS, W_LATE_JOINED, W_ORPHAN_BASE, W_ORPHAN_BURIED, W_BASE, W_WASTE_LATE) = range(8, 14)
(W_WASTE_LINE, W_WASTE_LATENESS, W_WASTE_CARD, W_FIRST_COPY, W_TURN, W_TIME) = range(14, 20)
(W_MIXED, W_LONG) = range(20, 22)
WEIGHTS = 22

# The plan of one beam: how wide it is, how many positions are expanded between two deals for each
# one kept, times SCALE, and after the last deal; how many are dealt to; how many may share a
# signature; how cards go home by themselves; whether only sound prunings are used; and whether
# runs that empty piles carry are moved card by card. Then, for each kind, how many points later
# than computed it is needed.
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

# Where the tables begin.
(BUILDS, GROUP, HOMES, ALIKE, HEADS, FILL, LINE, TURN, SLOTS, BY_LINE, ORPHAN) = range(121, 132)
(KIDS_AT, KIDS, FIRST_DRAW, LAST_DRAW, RANDOM, ACCEPTS, TAKES, CARRIES) = range(132, 140)

# Where the parts of the memory begin.
(RECORDS, HEAP, SEEN, FILLED, PARENT, MOVE, MARKS, HAND, CHANGED, TIMES) = range(140, 150)
(LOWEST, COUNTS, CAPPED, KEPT, CACHE, ENDS, ACCEPTED) = range(150, 157)
TABLES = 160

# The parts of a record, which is what is kept of a row: its points; its node; its digest; what the
# times of its cards depend on; and whether the next deal may follow, see `stages.deal_all`. Then
# the hashes of its piles, and after those the points of its piles.
(KEY, NODE, DIGEST, PHASE, FRESH, PILE_HASHES) = range(6)

# The counters, the first numbers of the memory.
(STEPS, BUDGET, ROWS, NODES, BEST, BEST_NODE, WON_NODE, QUEUED, ENTERED, AUTOMATIC, CUT) = range(11)
(SALT, TIMES_OF, ALL_PILES, SEEN_MASK, SENT) = range(11, 16)
COUNTERS = 16
