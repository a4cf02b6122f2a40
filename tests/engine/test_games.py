"""Rules of games that no example in `rules` can state, such as layouts, wins and ends.

Comments quote the rule pages and rulings.
"""

from __future__ import annotations

from collections import Counter

import pytest

from engine.board import delta_between
from engine.cards import RANKS, SUITS
from engine.catalog import games, ruleset
from engine.errors import PositionError
from engine.moves import is_stuck
from engine.notation import parse_move
from engine.play import play
from engine.search import cards_never_seen
from tests.engine.positions import after, board, dealt, easy_board, legal, run_down, shown, sizes
from tests.engine.test_deuces import TOPS
from tests.relatives import RELATIVES, find_ruleset

RUNS = {
    f"f{4 + i}": run_down(f"K{a}", b) for i, (a, b) in enumerate(zip("SHDC", "HSCD", strict=True))
}
COLOURS = {f"f{i}": f"K{suit}" for i, suit in enumerate("HDSC")}

LAYOUTS: dict[str, dict[str, list[str]]] = {
    "canfield": {
        "f": [".", "", "", ""],
        "t": ["."] * 4,
        "r": ["?" * 12 + "."],
        "s": ["?" * 34],
        "w": [""],
    },
    # '104 cards less eight Twos less ten is 86, and 86 it is'; 'deal one card face-up to each of
    # ten tableau piles'; the stock is 'placed face-down'.
    "deuces": {"f": ["."] * 8, "t": ["."] * 10, "s": ["?" * 86], "w": [""]},
    "forty-thieves": {"f": [""] * 8, "t": ["...."] * 10, "s": ["?" * 64], "w": [""]},
    "freecell": {"f": [""] * 4, "t": ["." * 7] * 4 + ["." * 6] * 4, "s": [""]},
    "golf": {"f": ["."], "t": ["....."] * 7, "s": ["?" * 16]},
    "gypsy": {"f": [""] * 8, "t": ["??."] * 8, "s": ["?" * 80]},
    "klondike": {
        "f": [""] * 4,
        "t": ["?" * nth + "." for nth in range(7)],
        "s": ["?" * 24],
        "w": [""],
    },
    # 'All 52 cards in the stock ...; six piles, four foundations'; 'its top card face up'.
    "lady-betty": {"f": [""] * 4, "t": [""] * 6, "s": ["?" * 51 + "."]},
    "pyramid": {"f": [""], "t": ["."] * 28, "s": ["?" * 24], "w": [""]},
    # 'One card on the foundation, 51 in the stock'; the waste starts empty.
    "robert": {"f": ["."], "s": ["?" * 51], "w": [""]},
    # Two packs; "seven tableau piles ... four cards, all face up"; 'the remaining cards ... form
    # the stock pile, placed face down'.
    "roosevelt": {"f": [""] * 8, "t": ["...."] * 7, "s": ["?" * 76], "w": [""]},
    # 'Columns of 9, 8, ... 1, 0 cards, 59 in the stock'; 'only the top card of each is face-up'.
    "rouge-et-noir": {
        "f": [""] * 8,
        "t": [*("?" * nth + "." for nth in range(8, -1, -1)), ""],
        "s": ["?" * 59],
    },
    "sir-tommy": {"f": [""] * 4, "t": [""] * 4, "s": ["?" * 51 + "."]},
    "spider": {"f": [""] * 8, "t": ["?????."] * 4 + ["????."] * 6, "s": ["?" * 50]},
    "streets": {"f": [""] * 8, "t": ["...."] * 10, "s": ["?" * 64], "w": [""]},
    "tripeaks": {"f": ["."], "t": ["?"] * 18 + ["."] * 10, "s": ["?" * 23]},
    "yukon": {
        "f": [""] * 4,
        "t": [".", *("?" * nth + "....." for nth in range(1, 7))],
        "s": [""],
    },
}


@pytest.mark.parametrize("game", LAYOUTS)
def test_a_game_is_dealt_as_on_its_rule_page(game: str) -> None:
    """A letter stands for a kind of pile, a dot for a card that lies face up."""
    for variant in {**games(), **RELATIVES}[game].variants:
        start = dealt(game, variant)
        found: dict[str, list[str]] = {}
        for name in start.ruleset.pile_names:
            cards = shown(start, name).split()
            faces = "".join("?" if card.startswith("?") else "." for card in cards)
            found.setdefault(name[0], []).append(faces)
        found.pop("c", None)
        assert found == LAYOUTS[game], variant


def kings(packs: int) -> dict[str, str]:
    """Return all foundations with their Kings on top."""
    return {f"f{nth}": f"K{suit}" for nth, suit in enumerate(SUITS * packs)}


ACES = {f"f{nth}": f"A{suit}" for nth, suit in enumerate(SUITS * 2)}
ROUGE = COLOURS | RUNS
TWOS = {f"t{nth}": f"2{SUITS[nth % 4]} {card}" for nth, card in enumerate(
    ["4S", "6S", "8S", "TS", "QS", "4C", "6C", "8C"])}  # fmt: skip
SPADES = {f"t{nth}": f"{rank}S" for nth, rank in enumerate("468TQ36")}
FULL_CELLS = {f"c{nth}": card for nth, card in enumerate(["5S", "5C", "3S", "3C"])} | {
    f"t{nth}": card for nth, card in enumerate(["KS", "KC", "JS", "JC", "9S", "9C", "7S", "7C"])
}


@pytest.mark.parametrize(
    ("names", "piles", "move"),
    [
        ("deuces-standard", ACES | {"f7": "KC", "t3": "AC"}, "t3>f7"),
        ("deuces-strict", ACES | {"f7": "KC", "t3": "AC"}, "t3>f7"),
        ("deuces-fill", ACES | {"f7": "KC", "t3": "AC"}, "t3>f7"),
        ("klondike-standard", kings(1) | {"f3": "QC", "t0": "KC"}, "t0>f3"),
        ("lady-betty-standard", kings(1) | {"f3": "QC", "t4": "KC"}, "t4>f3"),
        ("roosevelt-standard", kings(2) | {"f7": "QC", "w": "KC"}, "w>f7"),
        # '52 on the colour foundations and 52 in four removed runs'.
        ("rouge-et-noir-standard", ROUGE | {"f7": "", "t3": RUNS["f7"]}, "t3>f7x13"),
        ("rouge-et-noir-standard", ROUGE | {"f3": "QC", "t3": "KC"}, "t3>f3"),
    ],
)
def test_a_game_is_won_when_all_cards_are_on_the_foundations(
    names: str, piles: dict[str, str], move: str
) -> None:
    almost = board(*names.rsplit("-", 1), **piles)
    assert not almost.won
    won = after(almost, move)
    assert (won.won, won.home) == (True, won.ruleset.total)
    assert legal(won) == []
    assert not is_stuck(won)


@pytest.mark.parametrize(
    ("game", "piles", "freed"),
    [
        ("deuces", TOPS | {"t9": "7C", "w": "9C", "rest": "t0"}, {"rest": ""}),
        ("freecell", FULL_CELLS | {"rest": "t0"}, {"c0": ""}),
        ("lady-betty", {"t0": "AS KS", "t1": "QH", "rest": "t1"}, {"s": "JC", "rest": ""}),
        ("roosevelt", SPADES | {"w": "8S", "rest": "t0"}, {"rest": ""}),
        ("rouge-et-noir", TWOS | {"t8": "TC", "t9": "QC", "rest": "t0"}, {"rest": ""}),
        ("sir-tommy", {"t0": "AS AH AD AC KS", "rest": "t0"}, {"rest": ""}),
    ],
)
def test_a_player_is_stuck_when_no_move_is_left_and_the_stock_is_exhausted(
    game: str, piles: dict[str, str], freed: dict[str, str]
) -> None:
    blocked = board(game, **piles)
    assert legal(blocked) == []
    assert is_stuck(blocked)
    assert not blocked.won
    assert not is_stuck(board(game, **piles | freed))


@pytest.mark.parametrize(
    ("names", "piles"),
    [
        ("deuces-standard", TOPS | {"f0": "5S", "t0": "6S", "t9": "7C"}),
        ("deuces-strict", TOPS | {"f0": "5S", "t0": "6S", "t9": "7C"}),
        ("deuces-fill", TOPS | {"f0": "5S", "t0": "6S", "t9": "7C"}),
        ("freecell-standard", {"f0": "5S", "t0": "6H", "rest": "t1", "t1": "2C"}),
        ("lady-betty-standard", {"f0": "4S", "s": "JH"}),
        ("robert-standard", {"f0": "7S", "w": "8D"}),
        ("roosevelt-standard", {"f0": "4S", "t0": "5H", "t1": "9C", "rest": "t1"}),
        ("rouge-et-noir-standard",
         {"f0": "4H", "f4": RUNS["f4"], "t0": "5C", "t1": "7C", "rest": "t1"}),
        ("yukon-standard", {"f0": "5S", "t0": "6H", "t1": "2C", "rest": "t1"}),
    ],
)  # fmt: skip
def test_nothing_leaves_a_foundation(names: str, piles: dict[str, str]) -> None:
    assert not [move for move in legal(board(*names.rsplit("-", 1), **piles)) if move[0] == "f"]


def test_the_stock_of_lady_betty_starts_with_the_first_of_the_deck() -> None:
    assert shown(easy_board(find_ruleset("lady-betty")), "s").endswith("?3S ?2S AS")


def test_canfield_a_card_of_the_reserve_is_seen_when_it_is_the_last() -> None:
    place = board(
        "canfield", f0="5S", t0="6S", t1="TC", t2="8C", t3="9D", r0="?2D ?3D 4D", w="2C", rest="w"
    )
    assert cards_never_seen(after(place, "t0>f0")) == cards_never_seen(place) - 1


@pytest.mark.parametrize(
    "piles",
    [{"r0": "2D"}, {"f1": "6H"}, {"t0": "2H", "r0": "?2D ?3D"}],
    ids=["gap", "rank", "down"],
)
def test_canfield_unreachable_positions_are_refused(piles: dict[str, str]) -> None:
    with pytest.raises(PositionError):
        board(
            "canfield",
            **{"f0": "5S", "t1": "TC", "t2": "8C", "t3": "9D", "w": "2C"} | piles,
            rest="w",
        )


@pytest.mark.parametrize(
    ("cells", "empty", "most"), [(0, 0, 1), (2, 0, 3), (4, 0, 5), (1, 1, 4), (2, 1, 6), (3, 1, 8)]
)
def test_freecell_free_places_limit_the_length_of_a_moved_run(
    cells: int, empty: int, most: int
) -> None:
    """(C + 1) · 2^E with C empty cells and E empty columns."""
    full = {f"c{cell}": card for cell, card in enumerate(["AH", "3H", "5H", "7H"][cells:])}
    others = ["t2", "t3", "t4", "t5", "t6", "t7"][empty:]
    tops = dict(zip(others, ["KC", "KD", "QC", "QH", "JC", "JH"], strict=False))
    run = ["9D", "8S", "7D", "6S", "5D", "4S", "3D", "2S"]
    for count in range(2, 9):
        onto = {"S": "D", "D": "C"}[run[-count][1]]
        higher = "23456789T"["23456789T".index(run[-count][0]) + 1] + onto
        below = [card for card in run[:-count] if card != higher]
        piles = {"t0": " ".join([*below, "2C", *run[-count:]]), "t1": f"KS {higher}"}
        place = board("freecell", **piles, **tops, **full, rest=others[0])
        assert (f"t0>t1x{count}" in legal(place)) == (count <= most)


def test_rouge_et_noir_the_columns_are_dealt_row_by_row() -> None:
    """'The first one card to each of columns 0 to 8, ... the ninth to column 0 alone'."""
    start = easy_board(ruleset("rouge-et-noir"))
    deck = [rank + suit for suit in SUITS for rank in RANKS][:45][::-1]
    at = 0
    columns: list[list[str]] = [[] for _ in range(9)]
    for columns_left in range(9, 0, -1):
        for column in range(columns_left):
            columns[column].append(deck[at])
            at += 1
    for column, cards in enumerate(columns):
        assert shown(start, f"t{column}").replace("?", "").split() == cards


def test_rouge_et_noir_a_deal_puts_one_card_on_each_column_from_left_to_right() -> None:
    start = dealt("rouge-et-noir")
    stock = shown(start, "s").replace("?", "").split()
    row = after(start, "s>t")
    assert [shown(row, f"t{i}").split()[-1] for i in range(10)] == stock[:-11:-1]
    assert sizes(row, "t") == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert sizes(row, "s") == [49]


def test_rouge_et_noir_the_sixth_and_last_deal_has_nine_cards() -> None:
    five = after(dealt("rouge-et-noir"), *["s>t"] * 5)
    assert sizes(five, "s") == [9]
    last = after(five, "s>t")
    assert sizes(last, "s") == [0]
    grown = [b - a for a, b in zip(sizes(five, "t"), sizes(last, "t"), strict=True)]
    assert grown == [1] * 9 + [0]


@pytest.mark.parametrize(
    ("variant", "suits"), [("standard", "SHDC"), ("two-suits", "SH"), ("one-suit", "S")]
)
def test_spider_a_variant_has_104_cards_of_its_suits(variant: str, suits: str) -> None:
    found = Counter(
        card.removeprefix("?")
        for pile in dealt("spider", variant).ruleset.pile_names
        for card in shown(dealt("spider", variant), pile).split()
    )
    assert {card[1] for card in found} == set(suits)
    assert set(found.values()) == {8 // len(suits)}


@pytest.mark.parametrize(
    ("game", "piles", "message"),
    [
        ("pyramid", {"t0": "5S 6S"}, "t0 must hold one card"),
        ("pyramid", {"t1": "5S"}, "t0 must hold one card"),
        ("pyramid", {"t0": "?5S"}, "The card of t0 lies the wrong way up."),
        ("pyramid", {"t0": "?5S", "t1": "6S"}, "The card of t0 lies the wrong way up."),
        ("pyramid", {"t0": "5S", "f0": "KS 6S 7C 8S"}, "f0 holds cards that it cannot take."),
        ("pyramid", {"t0": "5S", "f0": "6S KS 7C"}, "f0 holds cards that it cannot take."),
        ("pyramid", {"w": "5S"}, "The tableau is empty, but"),
        ("tripeaks", {"t0": "?5S"}, "The card of t0 lies the wrong way up."),
        ("tripeaks", {"t0": "5S", "t3": "6S"}, "The card of t0 lies the wrong way up."),
    ],
)
def test_impossible_peaks_are_refused(game: str, piles: dict[str, str], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        board(game, **piles, rest="w" if game == "pyramid" else "f0")


def test_a_pair_that_clears_the_peaks_brings_all_cards_home_in_one_delta() -> None:
    place = board("pyramid", t0="QS", s="KH KD", w="AH", rest="w")
    won, delta = play(place, parse_move(place.ruleset, "w>t0"))
    assert (won.won, won.home, sizes(won, "w")) == (True, 52, [0])
    assert delta == delta_between(place, won)
    assert [pile for pile, _, _ in delta.changes] == [0, 1, 29, 30]
    # The moved card first, then the one it was moved onto, then stock and waste from the top.
    stock, waste = shown(place, "s").replace("?", "").split(), shown(place, "w").split()
    expected = ["AH", "QS", *reversed(stock), *reversed(waste[:-1])]
    assert shown(won, "f0").split() == expected


def test_spider_a_position_with_a_complete_run_is_refused() -> None:
    with pytest.raises(PositionError):
        board("spider", t0=run_down("KS", "S"), t1="2H", rest="t1")
