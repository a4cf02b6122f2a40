"""A beam's weights, derived from the ruleset's properties and varied at each restart."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace

from engine.ruleset import Ruleset
from engine.solver.beam import indices as idx
from engine.solver.beam.indices import MOST_KINDS, SCALE, WEIGHTS
from engine.solver.beam.random_numbers import Xorshift, numbers

# round(SCALE * exp(z / 2)) for 64 quantiles z of the normal distribution.
LOG_NORMAL = (
    306, 379, 424, 460, 490, 517, 542, 565, 587, 608, 628, 648, 667, 685, 704, 722,
    740, 758, 775, 793, 811, 829, 846, 864, 882, 900, 919, 937, 956, 975, 994, 1014,
    1034, 1055, 1075, 1097, 1119, 1141, 1165, 1189, 1213, 1239, 1266, 1293, 1322, 1352, 1384, 1417,
    1453, 1490, 1530, 1573, 1619, 1670, 1725, 1787, 1856, 1935, 2028, 2139, 2280, 2471, 2766, 3430,
)  # fmt: skip

# round(SCALE * exp(x)) for 16 numbers x from -0.7 to 0.7.
EFFORTS = (531, 580, 633, 691, 754, 823, 898, 980, 1070, 1168, 1274, 1391, 1518, 1657, 1808, 1974)


# When cards go home automatically, drawn for each beam; the heuristics lose some wins.
WAYS_HOME = (idx.LATER, idx.EARLY, idx.EARLY, idx.SAFELY)


@dataclass(frozen=True, slots=True)
class Track:
    """A sequence of growing beams."""

    width: int
    growth: int  # per beam, in thousandths
    # The maximum share of a signature in the width, times SCALE, but at least one position.
    cap: int
    effort: int  # the expanded positions per kept one between two deals, times SCALE
    single: bool = False  # whether runs limited by empty piles move card by card

    def width_of(self, number: int) -> int:
        """Return the width of the beam with a number, from 0."""
        width = self.width
        for _ in range(number):
            width = width * self.growth // 1000
        return width


@dataclass(frozen=True, slots=True)
class Style:
    """The beams for a family of games."""

    weights: dict[int, int]  # times SCALE; the others are 0
    widths: tuple[int, ...]  # of the first beams
    # The later beams alternate between these, with varied weights except in the first of each: wins
    # missed by a narrow beam may be found by another one, or by a wide one.
    tracks: tuple[Track, ...]
    last: int  # the factor of expanded positions after the last deal
    dealt: int  # the positions to deal to, per kept one
    varied: bool  # whether effort, the first copy's share and the way home are drawn, too
    # The maximum shift of a kind's time in points, drawn for each kind, since it is unknown which
    # of its copies goes home when.
    delay: int


ROWS = Style(
    weights={
        idx.W_HOME: 1024,
        idx.W_RUN_HOME: 20 * 1024,
        idx.W_SPACE: 4 * 1024,
        idx.W_JOINED: 1024,
        idx.W_BROKEN: 2048,
        idx.W_HIDDEN: 3072,
        idx.W_LATE: 512,
        idx.W_LATE_LINE: 512,
        idx.W_ORPHAN_BASE: 3072,
        idx.W_ORPHAN_BURIED: 1024,
        idx.W_TURN: 1024,
    },
    widths=(10, 30),
    tracks=(Track(100, 1040, 51, 8 * 1024), Track(250, 1100, 102, 8 * 1024)),
    last=3,
    dealt=4,
    varied=False,
    delay=0,
)

# For games in which only part of a sequence moves together, such as Spider. The weights were found
# by the cross-entropy method on 400 deals of four suits.
SUITS = replace(
    ROWS,
    weights={
        **ROWS.weights,
        idx.W_RUN_HOME: 40 * 1024,
        idx.W_SPACE: 1024,
        idx.W_JOINED: 1024,
        idx.W_LONG: 240,
        idx.W_MIXED: 1640,
        idx.W_BROKEN: 512,
        idx.W_HIDDEN: 1640,
        idx.W_ORPHAN_BASE: 0,
        idx.W_ORPHAN_BURIED: 400,
    },
    tracks=(Track(60, 1030, 51, 16 * 1024), Track(150, 1060, 102, 16 * 1024)),
)

WASTE = Style(
    weights={
        idx.W_HOME: 1024,
        idx.W_SPACE: 2974,
        idx.W_JOINED: 427,
        idx.W_BROKEN: 76,
        idx.W_LATE: 919,
        idx.W_LATE_LINE: 919,
        idx.W_LATENESS: 32,
        idx.W_LATE_JOINED: 89,
        idx.W_BASE: 31,
        idx.W_WASTE_LATE: 7205,
        idx.W_WASTE_LINE: 7205,
        idx.W_WASTE_LATENESS: 32,
        idx.W_WASTE_CARD: 233,
        idx.W_FIRST_COPY: 265,
        idx.W_TURN: 1065,
        idx.W_TIME: 1024,
    },
    widths=(10, 30, 100),
    tracks=(Track(200, 1040, 0, 16 * 1024), Track(200, 1040, 0, 12 * 1024, single=True)),
    last=4,
    dealt=3,
    varied=True,
    delay=3 * 1024,
)


def style_of(ruleset: Ruleset) -> Style:
    """Return the style for a ruleset."""
    if ruleset.rules.waste is not None:
        return WASTE
    return ROWS if ruleset.carries == ruleset.builds else SUITS


def first_weights(style: Style) -> array[int]:
    """Return the weights without variation."""
    return numbers(style.weights.get(weight, 0) for weight in range(WEIGHTS))


def varied(weights: array[int], chance: Xorshift) -> array[int]:
    """Return weights multiplied by random factors near 1, except the weight of cards at home."""
    out = numbers(weights)
    for weight in range(WEIGHTS):
        # Rare weights draw a number only in the styles that use them.
        left_out = weight in (idx.W_MIXED, idx.W_LONG) and weights[weight] == 0
        if weight not in (idx.W_HOME, idx.W_TIME) and not left_out:
            out[weight] = weights[weight] * LOG_NORMAL[chance.next() >> 8 & 63] // SCALE
    return out


def plan_of(style: Style, number: int, chance: Xorshift, *, regular: bool) -> array[int]:
    """Return weights, plan and delays of the beam with a number, from 0."""
    weights = first_weights(style)
    delays = [0] * MOST_KINDS
    home = idx.EARLY
    later = number - len(style.widths)
    track = style.tracks[max(later, 0) % len(style.tracks)]
    effort = track.effort
    single = False
    if later < 0:
        width = style.widths[number]
    else:
        width = track.width_of(later // len(style.tracks))
        single = track.single
        if later >= len(style.tracks):
            weights = varied(weights, chance)
            if style.varied:
                weights[idx.W_FIRST_COPY] = 102 + chance.next() % 615
                effort = effort * EFFORTS[chance.next() >> 8 & 15] // SCALE
                home = WAYS_HOME[chance.next() >> 8 & 3]
            if style.delay:
                delays = [delay_of(style, chance) for _ in range(MOST_KINDS)]
    cap = max(1, track.cap * width // SCALE)
    if not regular:
        home = idx.NEVER
    plan = [width, effort, effort * style.last, style.dealt, cap, home, False, single]
    return weights + numbers([*plan, *delays])


def delay_of(style: Style, chance: Xorshift) -> int:
    """Draw the delay of a kind."""
    return style.delay * (chance.next() % (2 * SCALE + 1) - SCALE) // SCALE


def whole_plan(settings: array[int], rows: int, *, regular: bool) -> array[int]:
    """Return settings for a search that discards nothing while memory suffices."""
    home = idx.SAFELY if regular else idx.NEVER
    effort = rows * SCALE
    plan = [rows, effort, effort, rows, rows, home, True, False]
    return settings[:WEIGHTS] + numbers([*plan, *[0] * MOST_KINDS])
