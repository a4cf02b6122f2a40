"""Headway: what a race counts besides cards home, as a game's `listing.headway` says.

It changes from the first moves on, also in games that bring no card home for minutes.

It is the same for a board and for its view: it depends only on cards that the player has seen, and
on the number of face-down cards.
"""

from __future__ import annotations

from itertools import pairwise

from engine.board import Board, View
from engine.cards import DOWN
from engine.ruleset import Ruleset
from engine.schema import Headway

_FACE_UP = bytes(byte for byte in range(256) if not byte & DOWN)


def headway(seen: Board | View, counted: Headway) -> int:
    """Return a player's headway, from 0 to `most_headway`.

    `turned-up` counts the cards that were dealt face down to tableau and reserve and no longer lie
    there face down; `in-order` the cards that lie in building order on another card of the tableau,
    and those that play has brought home.
    """
    ruleset, piles = seen.ruleset, seen.piles
    if counted == "turned-up":
        covered = b"".join([piles[pile] for pile in (*ruleset.tableau, *ruleset.reserve)])
        # Three times as fast as a loop over the cards: each player's progress needs it.
        down = len(covered.translate(None, _FACE_UP))
        return most_headway(ruleset, counted) - down
    if counted == "in-order":
        builds = ruleset.builds
        ordered = sum(
            bool(builds[below][card])
            for pile in ruleset.tableau
            for below, card in pairwise(piles[pile])
        )
        home = sum(len(piles[pile]) for pile in ruleset.foundations)
        return ordered + home - ruleset.home_at_start
    return 0


def most_headway(ruleset: Ruleset, counted: Headway) -> int:
    """Return the largest headway in a game, which a won game has if it is not 0."""
    if counted == "turned-up":
        return ruleset.down_at_start
    return ruleset.total - ruleset.home_at_start if counted == "in-order" else 0
