"""Boards that random walks start from: shuffled, easily won, rarely reached, or built at random."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from engine.board import Board
from engine.cards import DOWN, Card, card_of, rank_of, suit_of, turned_down
from engine.deal import SEED_BYTES, deal_seed, lay_out
from engine.fits import EMPTY, RUN_LENGTH, Fits, pair_fits
from engine.moves import leaving_to
from engine.position import parse_position
from engine.ruleset import Ruleset
from engine.schema import dealt_down
from tests.engine.positions import easy_deck, position, run_down
from tests.relatives import find_ruleset


def swapped(deck: bytes, swaps: int, chance: Random) -> bytes:
    order = bytearray(deck)
    for _ in range(swaps):
        one, other = chance.randrange(len(order)), chance.randrange(len(order))
        order[one], order[other] = order[other], order[one]
    return bytes(order)


def shuffled_start(rules: Ruleset, chance: Random) -> Board:
    return deal_seed(rules, chance.randbytes(SEED_BYTES))


def easy_start(rules: Ruleset, chance: Random) -> Board:
    """Return the easy board with a few cards swapped."""
    return lay_out(rules, swapped(easy_deck(rules), chance.randrange(6), chance))


def late_start(rules: Ruleset, chance: Random) -> Board:
    """Return a board that play rarely reaches, with whole runs on the tableau if rules use them."""
    if rules.automatic:
        return last_run_start(rules, chance)
    if not any(group.takes == "run" for group in rules.groups):
        return easy_start(rules, chance)
    homes = {f"f{i}": f"K{suit}" for i, suit in enumerate("HDSC")}
    runs = [run_down(f"K{a}", b) for a, b in zip("SHDC", "HSCD", strict=True)]
    columns = chance.sample([f"t{i}" for i in range(10)], 4)
    piles: dict[str, Any] = homes | dict(zip(columns, runs, strict=True))
    return parse_position(position(rules.game, **piles), find_ruleset)


def last_run_start(rules: Ruleset, chance: Random) -> Board:
    """Return a board with all but one or two runs home, and those in parts."""
    suits = [suit_of(card) for card in rules.pack[::13]]
    left = chance.randint(1, 2)
    piles: dict[str, Any] = {
        f"f{i}": run_down(f"K{suit}", suit) for i, suit in enumerate(suits[left:])
    }
    columns = chance.sample([f"t{i}" for i in range(len(rules.tableau))], 2 * left)
    for suit in suits[:left]:
        run, at = run_down(f"K{suit}", suit).split(), chance.randint(1, 12)
        piles |= {columns.pop(): " ".join(run[:at]), columns.pop(): " ".join(run[at:])}
    return parse_position(position(rules.game, rules.variant, **piles), find_ruleset)


def built_start(rules: Ruleset, chance: Random) -> Board:
    while True:
        board = _Builder(rules, chance).board()
        runs = rules.tableau if rules.automatic else ()
        if all(leaving_to(rules, board.piles, pile) is None for pile in runs):
            return board


STARTS = [shuffled_start, easy_start, late_start, built_start]


class _Builder:
    """Draws cards from the packs and places them as a valid position allows."""

    def __init__(self, rules: Ruleset, chance: Random) -> None:
        self._rules = rules
        self._chance = chance
        self._left = Counter(rules.pack)
        self._piles = [b""] * len(rules.pile_names)

    def board(self) -> Board:
        if self._rules.peaks:
            return self._board_of_peaks()
        for pile in self._rules.foundations:
            self._lay_foundation(pile)
        stock = self._stock_size()
        self._lay_reserve_and_cells(stock)
        self._lay_tableau(self._left.total() - stock, self._rules.in_stock - stock)
        rest = list(self._left.elements())
        self._chance.shuffle(rest)
        up = 1 if self._rules.rules.stock.top == "up" and stock else 0
        hidden = turned_down(bytes(rest[: stock - up]))
        self._piles[self._rules.stock] = hidden + bytes(rest[stock - up : stock])
        if self._rules.waste is not None:
            self._piles[self._rules.waste] = bytes(rest[stock:])
        redeals = self._chance.randint(0, min(self._rules.redeals, 3))
        return Board(self._rules, tuple(self._piles), redeals)

    def _board_of_peaks(self) -> Board:
        """Return a board with some cards of the peaks gone home, as any order of play allows."""
        rules, piles, chance = self._rules, self._piles, self._chance
        tableau = rules.rules.tableau
        assert tableau is not None
        places = set(rules.tableau)
        for _ in range(chance.randrange(len(places))):
            places.remove(chance.choice([p for p in places if not places & {*rules.covered_by[p]}]))
        if rules.pairs:
            self._lay_pairs(chance.randrange(11))
        for pile, down in zip(rules.tableau, dealt_down(tableau), strict=True):
            if pile in places:
                card = self._take()
                is_down = down and places & {*rules.covered_by[pile]}
                piles[pile] = turned_down(card) if is_down else card
        most = min(rules.in_stock, self._left.total() - rules.home_at_start)
        stock = 0 if chance.random() < 0.2 else chance.randint(0, most)
        rest = b"".join(self._take() for _ in range(self._left.total()))
        piles[rules.stock] = turned_down(rest[:stock])
        piles[rules.foundations.start if rules.waste is None else rules.waste] = rest[stock:]
        return Board(rules, tuple(piles), chance.randint(0, min(rules.redeals, 3)))

    def _lay_pairs(self, pairs: int) -> None:
        """Bring Kings and pairs home, up to a number of each together."""
        home = self._rules.foundations.start
        alone, together = self._rules.homes[home][EMPTY], pair_fits()
        for _ in range(pairs):
            card = self._take()
            partner = b"" if alone[card[0]] else self._take(together[card[0]])
            if alone[card[0]] or partner:
                self._piles[home] += card + partner
            else:
                self._left.update(card)

    def _take(self, fits: bytes | None = None) -> bytes:
        """Take a random remaining card that fits; return no bytes if there is none."""
        found = [c for c in self._left.elements() if fits is None or fits[c]]
        if not found:
            return b""
        card: Card = self._chance.choice(found)
        self._left[card] -= 1
        return bytes((card,))

    def _grow(self, start: bytes, fits: Fits, most: int) -> bytes:
        """Return up to `most` cards that start with one of `start` and build by `fits`."""
        pile = self._take(start)
        while pile and len(pile) < most and (card := self._take(fits[pile[-1]])):
            pile += card
        return pile

    def _lay_foundation(self, pile: int) -> None:
        group, fits = self._rules.groups[pile], self._rules.homes[pile]
        if group.takes == "run":
            if self._chance.random() < 0.3:
                run = self._grow(self._rules.run_heads[pile], self._rules.carries, RUN_LENGTH)
                if len(run) == RUN_LENGTH:
                    self._piles[pile] = run
                else:
                    self._left.update(run)
            return
        start = fits[EMPTY]
        for laid_out, rank, suit in self._rules.laid_out_suits():
            if laid_out == pile:
                start = bytes(card == card_of(rank, suit) for card in range(len(start)))
        if pile in self._rules.same_rank:
            base = rank_of(self._piles[0][0])
            start = bytes(fits and rank_of(card) == base for card, fits in enumerate(start))
        least = 0 if group.setup == "empty" else 1
        if (most := self._chance.randint(least, RUN_LENGTH)) > 0:
            self._piles[pile] = self._grow(start, fits, most)

    def _lay_reserve_and_cells(self, stock: int) -> None:
        """Fill the reserve and the cells as far as the remaining cards suffice."""
        rules = self._rules
        reserve, tableau = rules.rules.reserve, rules.rules.tableau
        spare = self._left.total() - stock - (len(rules.tableau) if tableau and tableau.fill else 0)
        for pile, dealt in zip(rules.reserve, reserve.deal if reserve else (), strict=True):
            size = self._chance.randint(0, max(0, min(dealt, spare)))
            cards = b"".join(self._take() for _ in range(size))
            up = size if reserve is None or reserve.face_up == "all" else reserve.face_up
            self._piles[pile] = turned_down(cards[: max(0, size - up)]) + cards[max(0, size - up) :]
            spare -= size
        for pile in rules.cells:
            if spare > 0 and self._chance.random() < 0.5:
                self._piles[pile] = self._take()
                spare -= 1

    def _stock_size(self) -> int:
        """Return a valid stock size: rows are dealt whole, and piles are filled."""
        rules = self._rules
        tableau = rules.rules.tableau
        full = rules.in_stock
        row = len(rules.tableau) if "row" in rules.rules.stock.plays else rules.turns_to_waste
        free = self._left.total() - (len(rules.tableau) if tableau and tableau.fill else 0)
        sizes = [size for size in range(full, -1, -row) if size <= free]
        return 0 if self._chance.random() < 0.2 else self._chance.choice(sizes or [0])

    def _lay_tableau(self, spare: int, room: int) -> None:
        """Put the spare cards on the tableau, keeping up to `room` of them for a waste."""
        tableau = self._rules.rules.tableau
        if tableau is None:
            return
        columns = list(self._rules.tableau)
        kept = 0 if self._rules.waste is None else self._chance.randint(0, min(spare, room))
        empty = 0 if tableau.fill else self._chance.randint(0, len(columns) - 1)
        used = self._chance.sample(columns, len(columns) - empty)
        for pile in used:
            most = (
                0 if tableau.face_up == "all" else tableau.deal[pile - columns[0]] - tableau.face_up
            )
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
