"""Blocks of cards that passes through the stock can clear; `passes` says what they are for.

The cards that are not home have positions 0 to n - 1, in the order in which every pass deals them.
A *block* of a pass is a stretch of positions, `start` up to but not including `end`, that is
cleared when this pass plays the card at `start`: all other cards of the stretch have been played by
then, in this pass or earlier ones, so that this card is the waste's top card once the pass has
dealt up to `end`.

A *state* has the foundation's top in each pass, as the digits of one number: that of pass p counts
`base ** p`. A block of pass p depends on the tops of passes 0 to p, changes them, and leaves those
of later passes as they are. So its states are numbers of p + 1 digits; what is said of them holds
whatever the higher digits are. The lower digits, those of earlier passes, are its *lower* state.
"""

from __future__ import annotations

from dataclasses import dataclass

Found = dict[int, list[int]]
"""The ways to play a block: by the lower state after it, the states before it.

Its pass has the card at the block's start on top after it.
"""

Blocks = list[list[dict[int, Found]]]
"""`blocks[p][start][end]`: the blocks of pass p that exist."""

Ways = dict[int, int]
"""The ways to clear a stretch: by state before it, the bit set of the states after it."""


@dataclass(frozen=True, slots=True)
class Passes:
    """The cards that are not home, and the passes that are left to play them.

    Attributes:
        kinds: the kind of each card, by position. Cards of one kind take and follow the same cards.
        before: for each kind, the tops that take a card of this kind, in ascending order.
        base: the number of tops: the kinds, and the present one if it is none of them.
        count: the number of passes that are left, with the present one.
        dealt: how many cards the present pass has dealt, which are all in the waste.
        top: the present top.
    """

    kinds: tuple[int, ...]
    before: tuple[tuple[int, ...], ...]
    base: int
    count: int
    dealt: int
    top: int


def find_blocks(passes: Passes) -> Blocks:
    """Return all blocks of all passes.

    For each end in turn, those that end there are found from the shortest to the longest: the rest
    of a block is cleared by blocks that are shorter, or of earlier passes.
    """
    blocks: Blocks = [[{} for _ in passes.kinds] for _ in range(passes.count)]
    for end in range(len(passes.kinds) + 1):
        # By no pass at all, only the empty stretch is cleared.
        earlier: list[Ways] = [*({} for _ in range(end)), {0: 1}]
        for nth in range(passes.count):
            own = _add_blocks(passes, blocks, nth, end, earlier)
            if nth + 1 < passes.count:
                weight = passes.base**nth
                tops = range(0, passes.base * weight, weight)
                earlier = [_united(*ways, tops) for ways in zip(own, earlier, strict=True)]
    return blocks


def _add_blocks(
    passes: Passes, blocks: Blocks, nth: int, end: int, earlier: list[Ways]
) -> list[Ways]:
    """Add the blocks of a pass that end at `end`.

    Args:
        passes: the cards and passes.
        blocks: all blocks of earlier passes that end here, and all blocks that end before.
        nth: the number of the pass.
        end: where the blocks end.
        earlier: by start, the ways to clear the cards up to `end` by earlier passes alone.

    Returns:
        By start, the ways to clear the cards up to `end` by this pass and earlier ones, where at
        least one block that lies within no other is of this pass.
    """
    weight = passes.base**nth
    states = passes.base * weight
    own: list[Ways] = [{} for _ in range(end + 1)]
    # The present pass plays no card before the time that it has come to.
    possible = nth > 0 or end >= passes.dealt
    for start in reversed(range(end)):
        kind, ways = passes.kinds[start], own[start]
        if possible:
            tops = [top * weight for top in passes.before[kind]]
            found = _block_around(own[start + 1], earlier[start + 1], tops, weight)
            if found:
                blocks[nth][start][end] = found
        for middle, found in blocks[nth][start].items():
            for lower, afters in earlier[middle].items():
                for state in found.get(lower, ()):
                    ways[state] = ways.get(state, 0) | afters << kind * weight
        for other in range(nth + 1):
            step = passes.base**other
            above = range(0, states, passes.base * step)
            for middle, found in blocks[other][start].items():
                if own[middle]:
                    _begin(ways, found, own[middle], kind * step, above)
    return own


def _block_around(own: Ways, earlier: Ways, tops: list[int], weight: int) -> Found:
    """Return the ways to play a block.

    Args:
        own: the ways to clear its cards but the first where its pass plays some.
        earlier: the ways to clear them by earlier passes alone.
        tops: the tops that take its first card, times `weight`.
        weight: what the pass's top counts in a state.
    """
    found: Found = {}
    mask = (1 << weight) - 1
    taking = sum(mask << top for top in tops)
    for state, afters in own.items():
        fitting = afters & taking
        if fitting:
            lowers = 0
            for top in tops:
                lowers |= fitting >> top
            _note(found, lowers & mask, [state])
    for lower, lowers in earlier.items():
        _note(found, lowers, [top + lower for top in tops])
    return found


def _note(found: Found, lowers: int, states: list[int]) -> None:
    """Add ways from each of the states to each of a bit set of lower states."""
    while lowers:
        lower = lowers.bit_length() - 1
        lowers ^= 1 << lower
        if lower in found:
            found[lower] += states
        else:
            found[lower] = states.copy()


def _begin(ways: Ways, found: Found, rest: Ways, at: int, above: range) -> None:
    """Add the ways that begin with a block.

    Args:
        ways: the ways to add to.
        found: the block.
        rest: the ways to clear the rest.
        at: the top of the block's pass after it, times what it counts in a state.
        above: the tops of later passes up to that of `rest`, as parts of a state.
    """
    # Of the rest's ways and the block's, go through the fewer.
    if len(rest) < len(found) * len(above):
        for state, afters in rest.items():
            lower = state % above.step - at
            for before in found.get(lower, ()):
                changed = state - at - lower + before
                ways[changed] = ways.get(changed, 0) | afters
        return
    for lower, befores in found.items():
        for higher in above:
            afters = rest.get(higher + at + lower, 0)
            if afters:
                for before in befores:
                    ways[higher + before] = ways.get(higher + before, 0) | afters


def _united(own: Ways, earlier: Ways, tops: range) -> Ways:
    """Return all ways to clear a stretch by a pass and earlier ones.

    Args:
        own: those where the pass takes part; the others are added to them.
        earlier: those where it does not, in the states of earlier passes.
        tops: the tops of the pass, which then stay as they are, times what they count in a state.
    """
    for lower, afters in earlier.items():
        for top in tops:
            own[top + lower] = own.get(top + lower, 0) | afters << top
    return own
