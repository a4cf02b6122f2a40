"""Indices into the arrays of the search.

The search is integer arithmetic on these arrays, so that it generates the same positions in the
same order when compiled and interpreted.

- `t`, the tables, which are constant during a search.
- `m`, the memory: counters, then one frame for each move of the current line, then the positions
  seen.

Cards are numbered by place: first those of the peaks, from the top row on, then those of stock and
waste, if they can pair, in the order of dealing. A set of cards is an integer with a bit for each.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Ints: TypeAlias = "array[int]"  # `t` or `m`

MAX_CARDS = 52  # all of them in one pack, which is the most in which each card has a bit

# The tables.
PLACES = 0  # of the peaks
CARDS = 1  # that have a bit
PEAKS = 2  # the set of the cards of the peaks
GOAL = 3  # the set of cards that must go home
PAIRS = 4  # 1 if cards go home in pairs
ALONE = 5  # the set of cards that go home alone, in pairs
TURNS = 6  # cards dealt to the waste at once
ENDLESS = 7  # 1 if the waste can be turned over without limit
STEPS_LIMIT = 8
MASK = 9  # of the table of positions: its size minus 1
DEEPEST = 10  # the most moves of a line
ACROSS = 11  # for each place, the set of cards that cover it
PARTNERS = ACROSS + MAX_CARDS  # for each card, the cards that may pair with it
KINDS = PARTNERS + MAX_CARDS  # for each card of the peaks, its kind
STOCK = KINDS + MAX_CARDS  # without pairs: the kind of the card dealt with so many in the stock
TAKES = STOCK + 2 * MAX_CARDS + 1  # for each kind, the set of kinds that go on it
TABLES = TAKES + MAX_CARDS + 1

# The memory.
STEPS = 0  # positions generated
WON = 1
CUT = 2  # 1 if positions were discarded
DEPTH = 3  # of the current line
BEST = 4  # the most cards of the peaks home, or of all cards with pairs
BEST_DEPTH = 5  # the length of the line that brought them home
ENTERED = 6  # positions in the table
FRAMES = 8

# A frame: the position, the number of moves left to try, and the moves.
ALIVE = 0  # the set of cards not home
# Without pairs: the kind on the foundation, and the cards in the stock. With pairs: the number of
# dealt cards of those with a bit, home or not, and the redeals left.
FIRST = 1
SECOND = 2
LEFT = 3
PLAYED = 4  # the move that led to it
MOVES = 5
MOST_MOVES = 43  # at most 30 pairs of the at most 11 cards available at once
FRAME = MOVES + MOST_MOVES

# A move: a card, or two of them as `card + (partner << 6)`, or one of these.
NO_PARTNER = 63
DEAL = 1 << 12
REDEAL = 1 << 13
