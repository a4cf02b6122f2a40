"""Blocks of cards that passes through the stock can clear, for the method of `passes`.

The cards not yet home have positions 0 to n - 1, in the order of dealing. A *block* of a pass is a
range of positions, `start` to `end` exclusive, that is cleared when this pass plays the card at
`start`: all other cards of the range have been played by then, in this pass or earlier ones, so
that this card tops the waste once the pass has dealt up to `end`.

A *state* holds the foundation's top in each pass as the digits of a number: that of pass p has the
weight `base ** p`. A block of pass p depends on the tops of passes 0 to p and changes only those.
Its states are thus numbers of p + 1 digits, valid for any higher digits. The lower digits, those of
earlier passes, are its *lower* state.
"""

from __future__ import annotations

from dataclasses import dataclass

# The ways to play a block: the states before it, by the lower state after it. After the block, the
# card at its start is the top of its pass.
Found = dict[int, list[int]]

Blocks = list[list[dict[int, Found]]]  # `blocks[p][start][end]`: the existing blocks of pass p

# The ways to clear a range: the bit set of the states after it, by the state before it.
Ways = dict[int, int]


@dataclass(frozen=True, slots=True)
class Passes:
    """The cards not yet home, and the remaining passes."""

    # The kind of each card, by position. Cards of a kind take and follow the same cards.
    kinds: tuple[int, ...]
    # For each kind, the tops that take its cards, in ascending order.
    before: tuple[tuple[int, ...], ...]
    base: int  # the number of tops: kinds, plus the current top if it has another kind
    count: int  # remaining passes, including the current one
    dealt: int  # cards dealt in the current pass, all of them in the waste
    top: int


def find_blocks(passes: Passes) -> Blocks:
    """Return all blocks of all passes."""
    blocks: Blocks = [[{} for _ in passes.kinds] for _ in range(passes.count)]
    for end in range(len(passes.kinds) + 1):
        # Without any pass, only the empty range is cleared.
        earlier: list[Ways] = [*({} for _ in range(end)), {0: 1}]
        # The rest of a block is cleared by shorter blocks, or by blocks of earlier passes.
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
    """Add the blocks of pass `nth` that end at `end`.

    `blocks` must have all earlier passes' blocks with this end, and all blocks with lower ends.
    `earlier` has, by start, the ways to clear the cards up to `end` in earlier passes only.

    Returns:
        By start, the ways to clear the cards up to `end` in this pass and earlier ones, with at
        least one outermost block of this pass.
    """
    weight = passes.base**nth
    states = passes.base * weight
    own: list[Ways] = [{} for _ in range(end + 1)]
    # The current pass cannot play a card at a time that has passed.
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
        own: the ways to clear all cards but the first, with at least one played by its pass.
        earlier: the ways to clear them in earlier passes only.
        tops: the tops that take its first card, times `weight`.
        weight: the weight of the pass's top in a state.
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
    while lowers:
        lower = lowers.bit_length() - 1
        lowers ^= 1 << lower
        if lower in found:
            found[lower] += states
        else:
            found[lower] = states.copy()


def _begin(ways: Ways, found: Found, rest: Ways, at: int, above: range) -> None:
    """Add the ways that start with the block `found`, and clear the rest in the ways `rest`.

    Args:
        at: the top of the block's pass after it, times its weight in a state.
        above: the tops of later passes up to that of `rest`, as parts of a state.
    """
    # Iterate over the smaller of the two sets of ways.
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
    """Return all ways to clear a range in a pass (`own`, which grows) and earlier ones.

    Args:
        earlier: the ways without the pass, in the states of earlier passes.
        tops: the tops of the pass, unchanged without it, times their weight in a state.
    """
    for lower, afters in earlier.items():
        for top in tops:
            own[top + lower] = own.get(top + lower, 0) | afters << top
    return own
