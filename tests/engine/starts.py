"""Boards that random walks start from: shuffled, easily won, rarely reached, or built at random."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from engine.board import Board
from engine.cards import DOWN, Card, card_of, pack, turned_down
from engine.deal import SEED_BYTES, deal_seed, lay_out
from engine.fits import EMPTY, RUN_LENGTH, Fits
from engine.position import parse_position
from engine.ruleset import Ruleset
from tests.engine.positions import easy_deck, position, run_down
from tests.relatives import find_ruleset


def swapped(deck: bytes, swaps: int, chance: Random) -> bytes:
    """Return the deck after some swaps of two cards."""
    order = bytearray(deck)
    for _ in range(swaps):
        one, other = chance.randrange(len(order)), chance.randrange(len(order))
        order[one], order[other] = order[other], order[one]
    return bytes(order)


def shuffled_start(rules: Ruleset, chance: Random) -> Board:
    """Return the board of some seed."""
    return deal_seed(rules, chance.randbytes(SEED_BYTES))


def easy_start(rules: Ruleset, chance: Random) -> Board:
    """Return the easy board with a few cards swapped."""
    return lay_out(rules, swapped(easy_deck(rules), chance.randrange(6), chance))


def late_start(rules: Ruleset, chance: Random) -> Board:
    """Return a board that play rarely reaches: with whole runs on the tableau, if they count."""
    if not any(group.takes == "run" for group in rules.groups):
        return easy_start(rules, chance)
    homes = {f"f{i}": f"K{suit}" for i, suit in enumerate("HDSC")}
    runs = [run_down(f"K{a}", b) for a, b in zip("SHDC", "HSCD", strict=True)]
    columns = chance.sample([f"t{i}" for i in range(10)], 4)
    piles: dict[str, Any] = homes | dict(zip(columns, runs, strict=True))
    return parse_position(position(rules.game, **piles), find_ruleset)


def built_start(rules: Ruleset, chance: Random) -> Board:
    """Return a valid board whose piles are built at random."""
    return _Builder(rules, chance).board()


STARTS = [shuffled_start, easy_start, late_start, built_start]


class _Builder:
    """Takes cards out of the packs, and puts them where a valid position may have them."""

    def __init__(self, rules: Ruleset, chance: Random) -> None:
        self._rules = rules
        self._chance = chance
        self._left = Counter(pack(rules.rules.packs))
        self._piles = [b""] * len(rules.pile_names)

    def board(self) -> Board:
        for pile in self._rules.foundations:
            self._lay_foundation(pile)
        stock = self._stock_size()
        self._lay_tableau(self._left.total() - stock, self._dealt_to_stock() - stock)
        rest = list(self._left.elements())
        self._chance.shuffle(rest)
        up = 1 if self._rules.rules.stock.top == "up" and stock else 0
        hidden = turned_down(bytes(rest[: stock - up]))
        self._piles[self._rules.stock] = hidden + bytes(rest[stock - up : stock])
        waste = self._rules.rules.waste
        if self._rules.waste is not None:
            self._piles[self._rules.waste] = bytes(rest[stock:])
        redeals = self._chance.randint(0, waste.redeals) if waste else 0
        return Board(self._rules, tuple(self._piles), redeals)

    def _take(self, fits: bytes | None = None) -> bytes:
        """Take a random card that is left and fits; return no bytes if there is none."""
        found = [c for c in self._left.elements() if fits is None or fits[c]]
        if not found:
            return b""
        card: Card = self._chance.choice(found)
        self._left[card] -= 1
        return bytes((card,))

    def _grow(self, start: bytes, fits: Fits, most: int) -> bytes:
        """Return up to `most` cards that begin with one of `start` and build by `fits`."""
        pile = self._take(start)
        while pile and len(pile) < most and (card := self._take(fits[pile[-1]])):
            pile += card
        return pile

    def _lay_foundation(self, pile: int) -> None:
        group, fits = self._rules.groups[pile], self._rules.homes[pile]
        if group.takes == "run":
            if self._chance.random() < 0.3:
                run = self._grow(self._rules.run_heads[pile], self._rules.builds, RUN_LENGTH)
                if len(run) == RUN_LENGTH:
                    self._piles[pile] = run
                else:
                    self._left.update(run)
            return
        start = fits[EMPTY]
        for laid_out, rank, suit in self._rules.laid_out_suits():
            if laid_out == pile:
                start = bytes(card == card_of(rank, suit) for card in range(len(start)))
        least = 0 if group.setup == "empty" else 1
        if (most := self._chance.randint(least, RUN_LENGTH)) > 0:
            self._piles[pile] = self._grow(start, fits, most)

    def _dealt_to_stock(self) -> int:
        """Return how many cards the stock has when dealt; stock and waste never have more."""
        tableau = self._rules.rules.tableau
        dealt = sum(tableau.deal) if tableau else 0
        return self._rules.total - self._rules.home_at_start - dealt

    def _stock_size(self) -> int:
        """Return a size that the stock may have: rows are dealt whole, and piles are filled."""
        rules = self._rules
        tableau = rules.rules.tableau
        full = self._dealt_to_stock()
        row = len(rules.tableau) if "row" in rules.rules.stock.plays else 1
        free = self._left.total() - (len(rules.tableau) if tableau and tableau.fill else 0)
        sizes = [size for size in range(full, -1, -row) if size <= free]
        return 0 if self._chance.random() < 0.2 else self._chance.choice(sizes or [0])

    def _lay_tableau(self, spare: int, room: int) -> None:
        """Put the spare cards on the tableau, but keep up to `room` of them for a waste."""
        tableau = self._rules.rules.tableau
        if tableau is None:
            return
        columns = list(self._rules.tableau)
        kept = 0 if self._rules.waste is None else self._chance.randint(0, min(spare, room))
        empty = 0 if tableau.fill else self._chance.randint(0, len(columns) - 1)
        used = self._chance.sample(columns, len(columns) - empty)
        for pile in used:
            most = 0 if tableau.face_up == "all" else tableau.deal[pile - columns[0]] - 1
            down = min(self._chance.randint(0, max(0, most)), max(0, spare - kept - 1))
            hidden = b"".join(self._take() for _ in range(down))
            self._piles[pile] = turned_down(hidden)
            spare -= down
            if spare:
                self._piles[pile] += self._take()
                spare -= 1
        while spare > kept:
            pile = self._chance.choice(used)
            builds = self._rules.builds[self._piles[pile][-1] & ~DOWN]
            fitting = self._take(builds) if self._chance.random() < 0.8 else b""
            self._piles[pile] += fitting or self._take()
            spare -= 1
