"""The solver, compared with an exhaustive search without pruning."""

from __future__ import annotations

from collections import Counter, deque
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.board import Board
from engine.cards import DOWN, PACK_SIZE, parse_card, parse_pile, rank_of, turned_down, turned_up
from engine.catalog import games, ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.moves import legal_moves, top_of
from engine.notation import move_text
from engine.play import apply
from engine.position import parse_position, position_of
from engine.ruleset import ENDLESS, Ruleset
from engine.schema import read_rules
from engine.search import MAX_POSITIONS, Outcome, cards_never_seen, leads_home, search
from tests.engine.positions import ALL, VARIANTS, dealt, face_down, run_down
from tests.engine.solver.passes_boards import RULES, wandered
from tests.engine.starts import built_start
from tests.relatives import find_ruleset
from tests.sizes import SAMPLED, cases

MAX_SEARCHED = 1_000
"""Limit of boards visited by the exhaustive search."""

LATE = [
    (game, variant)
    for game, variant in ALL
    if not (find_ruleset(game, variant).automatic or find_ruleset(game, variant).peaks)
]
"""The games with late boards: columns, and no runs that leave automatically."""

MAX_LEFT = 60
"""Approximate limit of a late board's cards outside the foundations."""


def bare(game: str, variant: str = "standard", *, redeals: int = 0, **piles: str) -> Board:
    rules = find_ruleset(game, variant)
    cards = {name: parse_pile(text.split()) for name, text in piles.items()}
    return Board(rules, tuple(cards.pop(name, b"") for name in rules.pile_names), redeals)


def outcome_of(board: Board, positions: int = MAX_POSITIONS) -> str:
    return search(board, positions).outcome.value


def brings_home(before: Board, after: Board) -> bool:
    return after.home > before.home


def search_exhaustively(board: Board) -> tuple[bool, int] | None:
    """Search all reachable boards without pruning.

    Returns:
        Whether a line of moves brings a card home, and the number of visited boards; `None` if
            there are more than `MAX_SEARCHED`.
    """
    ends = board.ruleset.redeals < ENDLESS
    seen = {(board.piles, board.redeals)}
    left = deque([board])
    while left:
        at = left.popleft()
        for move in legal_moves(at):
            after = apply(at, move)
            if brings_home(board, after):
                return True, len(seen)
            key = after.piles, after.redeals if ends else board.redeals
            if key not in seen:
                seen.add(key)
                left.append(after)
        if len(seen) > MAX_SEARCHED:
            return None
    return False, len(seen)


def late_board(rules: Ruleset, left: int, chance: Random) -> Board:
    spare = Counter(rules.pack)
    piles = [b""] * len(rules.pile_names)
    for pile, rank, suit in rules.laid_out_suits():
        piles[pile] = bytes((parse_card(rank + suit),))
    runs = [("S", "H"), ("H", "S"), ("D", "C"), ("C", "D")] * 2
    chance.shuffle(runs)
    for pile, group in enumerate(rules.groups):
        if group.setup == "dealt":
            piles[pile] = bytes((chance.randrange(52),))
        elif group.takes == "run" and chance.random() < 0.5:
            head, other = runs.pop()
            piles[pile] = parse_pile(run_down(f"K{head}", other).split())
    spare -= Counter(b"".join(piles))
    open_ = list(rules.foundations)
    while open_ and spare.total() > left:
        pile = chance.choice(open_)
        fits = rules.homes[pile][top_of(piles[pile])]
        fitting = [card for card in spare if fits[card]]
        if pile in rules.same_rank and not piles[pile]:
            fitting = [card for card in fitting if rank_of(card) == rank_of(piles[0][0])]
        if fitting:
            card = chance.choice(fitting)
            piles[pile] += bytes((card,))
            spare -= Counter([card])
        else:
            open_.remove(pile)
    # The lower ranks, which are needed first, tend to lie deeper.
    mixing = chance.choice([2, 8, 30])
    rest = sorted(spare.elements(), key=lambda card: card % 13 + mixing * chance.random())
    board = spread(rules, piles, rest, chance)
    # Most boards have no card that can go home immediately.
    while chance.random() < 0.9:
        moves = [move for move in legal_moves(board) if move.target in rules.foundations]
        if not moves:
            break
        board = apply(board, chance.choice(moves))
    return board


def spread(rules: Ruleset, piles: list[bytes], rest: list[int], chance: Random) -> Board:
    redeals = chance.randrange(min(rules.redeals, 2) + 1) if rules.rules.waste else 0
    places = [*rules.tableau, *rules.cells]
    if rules.waste is not None:
        places.append(rules.waste)
    if redeals:
        places.append(rules.stock)
    crowded = chance.sample(places, chance.randint(1, len(places)))
    for at, card in enumerate(rest):
        place = places[at] if at < len(places) else chance.choice(crowded)
        full = rules.in_stock if place == rules.stock else 1 if place in rules.cells else len(rest)
        if len(piles[place]) == full:
            place = places[0]
        piles[place] += bytes((card,))
    stock = piles[rules.stock]
    piles[rules.stock] = stock if rules.rules.stock.top == "up" else turned_down(stock)
    return Board(rules, tuple(piles), redeals)


@st.composite
def late_boards(draw: st.DrawFn) -> Board:
    rules = find_ruleset(*draw(st.sampled_from(LATE)))
    chance = Random(draw(st.integers(0, 2**32 - 1)))
    return late_board(rules, draw(st.integers(1, MAX_LEFT)), chance)


@given(late_boards())
def test_the_search_matches_an_exhaustive_one_within_its_bound(board: Board) -> None:
    tried = search_exhaustively(board)
    assume(tried is not None)
    assert tried is not None
    reachable, boards = tried
    found = search(board, boards)
    assert found.outcome is (Outcome.REACHABLE if reachable else Outcome.UNREACHABLE)
    assert leads_home(board, found.line) == reachable
    for positions in {1, 2, 3, boards // 2 or 1}:
        assert search(board, positions).outcome in {found.outcome, Outcome.UNKNOWN}


def test_the_search_matches_an_exhaustive_one_where_cards_cover_each_other() -> None:
    rules = find_ruleset("pyramid")
    outcomes = Counter[str]()
    for number in range(cases(200, 1_000)):
        board = built_start(rules, Random(number))
        tried = None if cards_never_seen(board) else search_exhaustively(board)
        if tried is not None:
            found = search(board, tried[1])
            assert found.outcome.value == ("reachable" if tried[0] else "unreachable")
            assert leads_home(board, found.line) == tried[0]
            outcomes[found.outcome.value] += len(found.line) != 1
    assert min(outcomes["reachable"], outcomes["unreachable"]) > 3


@pytest.mark.parametrize(
    ("game", "variant"),
    [
        *(each for each in VARIANTS if games()[each[0]].listing.crown == "rarities"),
        ("klondike", "draw-three"),
        ("freecell", "standard"),
        ("canfield", "standard"),
        ("yukon", "standard"),
    ][:: cases(3, 1)],
)
@SAMPLED
def test_both_outcomes_occur_on_boards_that_need_more_than_one_position(
    game: str, variant: str
) -> None:
    rules = find_ruleset(game, variant)
    checked: Counter[str] = Counter()
    for number in range(120):
        board = late_board(rules, 1 + number % MAX_LEFT, Random(number))
        tried = None if board.won else search_exhaustively(board)
        if tried is not None:
            outcome = outcome_of(board, tried[1])
            assert outcome == ("reachable" if tried[0] else "unreachable")
            # Without its stock, Lady Betty has only moves home. In Robert, moves only deal, so one
            # position decides.
            decided = game in {"lady-betty", "robert"}
            checked[outcome] += decided or outcome_of(board, 1) == "unknown"
    assert checked.keys() == {"reachable", "unreachable"}
    assert min(checked.values()) > 0


@given(late_boards(), st.randoms())
def test_no_walk_from_a_dead_end_brings_a_card_home(board: Board, chance: Random) -> None:
    """This also covers boards that are too large for the exhaustive search."""
    start, unreachable = board, outcome_of(board) == "unreachable"
    for _ in range(40):
        moves = legal_moves(board)
        if not unreachable or not moves:
            break
        after = apply(board, chance.choice(moves))
        assert not brings_home(start, after)
        board = after


@given(late_boards(), st.randoms())
def test_the_order_of_tableau_piles_does_not_change_the_outcome(
    board: Board, chance: Random
) -> None:
    first, last = board.ruleset.tableau.start, board.ruleset.tableau.stop
    tableau = list(board.piles[first:last])
    chance.shuffle(tableau)
    piles = (*board.piles[:first], *tableau, *board.piles[last:])
    answers = {outcome_of(board, 200), outcome_of(Board(board.ruleset, piles, board.redeals), 200)}
    assert len(answers) == 1 or "unknown" in answers


@given(late_boards())
def test_late_boards_are_valid_positions(board: Board) -> None:
    assert cards_never_seen(board) == 0
    assert Counter(b"".join(map(turned_up, board.piles))) == Counter(board.ruleset.pack)
    assert parse_position(position_of(board), find_ruleset) == board


def columns(card: str, numbers: range) -> dict[str, Any]:
    return {f"t{number}": card for number in numbers}


KINGS_HOME: dict[str, Any] = {"f0": "KH", "f1": "KD", "f2": "KS", "f3": "KC"}
FULL: dict[str, Any] = columns("KD", range(2, 10))
TENS: dict[str, Any] = {"t0": "TC", "t1": "TS"}
CROWDED: dict[str, Any] = columns("KD", range(1, 8))
FILLED: dict[str, Any] = {"f0": "2S", "t0": "9H", "t1": "TH"} | columns("KD", range(2, 10))

CASES: list[tuple[str, Board]] = [
    # The needed card lies under two others in the waste, which need two empty columns, not one.
    ("unreachable", bare("roosevelt", f0="AS", w="2S 9H 9D", **columns("KD", range(6)))),
    ("reachable", bare("roosevelt", f0="AS", w="2S 9H 9D", **columns("KD", range(5)))),
    ("reachable", bare("roosevelt", f0="AS", w="2S 9H TC", **columns("KD", range(6)))),
    ("unreachable", bare("roosevelt", f0="AS", t6="2S 9H", **columns("KD", range(6)))),
    ("reachable", bare("roosevelt", f0="AS", t6="2S 9H", **columns("KD", range(5)), t5="TC")),
    ("unreachable", bare("roosevelt", f0="AS", t0="3S")),
    ("unreachable", bare("deuces", f0="2S", w="3S 9H 9D", **columns("KD", range(9)))),
    ("reachable", bare("deuces", f0="2S", w="3S 9H 9D", **columns("KD", range(8)))),
    ("reachable", bare("deuces", f0="2S", t0="3S 9H 8H", t1="TH", **columns("KD", range(2, 9)))),
    ("reachable", bare("deuces", "strict", f0="2S", t0="3S 9H 8H", t1="TH", t2="KD")),
    ("unreachable", bare("deuces", "strict", f0="2S", w="3S 9H 9D", **columns("KD", range(9)))),
    # The column that the 9 leaves is filled from the waste.
    ("reachable", bare("deuces", "fill", w="3S 5D", **FILLED)),
    ("reachable", bare("deuces", "fill", w="3S 5D 6D", **FILLED)),
    ("unreachable", bare("deuces", "fill", w="3S 5D 7D", **FILLED)),
    # The waste can be turned over; the player knows the cards.
    ("reachable", bare("robert", f0="7S", w="8S 2H", redeals=1)),
    ("unreachable", bare("robert", f0="7S", w="8S 2H", redeals=2)),
    ("unreachable", bare("robert", f0="7S", w="3H 2H")),
    ("reachable", bare("robert", f0="KS", w="4H 9H AH 2D", redeals=0)),
    ("reachable", bare("robert", f0="7S", s="?8S ?2H", redeals=1)),
    ("unreachable", bare("robert", f0="7S", s="?3S ?2H", w="4H", redeals=1)),
    ("unknown", bare("robert", f0="7S", s="?3S ?2H", w="4H")),
    ("reachable", bare("robert", f0="7S", s="?3S ?2H", w="6H")),
    ("reachable", bare("rouge-et-noir", f0="AH", t0="2D 9S 8H", t1="TH")),
    ("unreachable", bare("rouge-et-noir", f0="AH", t0="2D 9S", t1="TS", t2="KS")),
    ("unreachable", bare("rouge-et-noir", f0="AH", t0="?2D 9S", t1="TS", t2="KS")),
    ("unknown", bare("rouge-et-noir", f0="AH", t0="?2D 9S", t1="TH", t2="KS")),
    ("unknown", bare("rouge-et-noir", f0="AH", t0="2D 9S", s="?TH")),
    ("reachable", bare("rouge-et-noir", **KINGS_HOME, t0=run_down("KS", "H", 12), t1="3D AS")),
    ("reachable", bare("rouge-et-noir", **KINGS_HOME, t0="8C KS QH", t3=run_down("JS", "H", 11))),
    ("unreachable", bare("rouge-et-noir", **KINGS_HOME, t0=run_down("KS", "H", 12), t1="3D AH")),
    ("reachable", bare("lady-betty", f0="AS", t0="3H", s="2S")),
    ("unreachable", bare("lady-betty", f0="AS", t0="3H", s="9S")),
    ("unknown", bare("lady-betty", f0="AS", t0="3H", s="?2S 9S")),
    ("unreachable", bare("lady-betty", f0="AS", t0="2S 3H")),
    # The waste recycles endlessly, and every third card comes up.
    ("reachable", bare("klondike", f0="AS", w="2S 9H 9D", redeals=7)),
    ("unreachable", bare("klondike", "draw-three", f0="AS", w="2S 9H 9D", redeals=7)),
    ("reachable", bare("klondike", "draw-three", f0="AS", w="2S 9H 9D", **TENS, redeals=7)),
    # The face-down tableau card cannot be reached, whatever it is.
    ("unreachable", bare("klondike", f0="AS", w="9H", t0="?2S KD", **columns("KC", range(1, 7)))),
    ("unknown", bare("klondike", f0="AS", w="9H", t0="?2S KD", **columns("KC", range(1, 6)))),
    # A card moved back from a foundation counts only where it lets others home.
    ("unreachable", bare("klondike", f0="AS 2S 3S", t0="4H", t1="9C 2H")),
    ("reachable", bare("klondike", f0="AS 2S 3S", f1="AH", t0="4H", t1="4S 3D", t2="2H 2C")),
    ("reachable", bare("freecell", "two-cells", f0="AS", t0="2S 9H 9D", **CROWDED)),
    ("unreachable", bare("freecell", "one-cell", f0="AS", t0="2S 9H 9D", **CROWDED)),
    # A covered card does not pair, and the waste is turned over while redeals are left.
    ("unreachable", bare("pyramid", t0="5S", t1="8S", t2="2D", redeals=2)),
    ("reachable", bare("pyramid", t0="5S", w="8D 9H", redeals=1)),
    ("unreachable", bare("pyramid", t0="5S", w="8D 9H", redeals=2)),
    # A complete run leaves automatically.
    ("reachable", bare("spider", t0=run_down("KS", "S", 5), t1=run_down("8S", "S", 8))),
    ("unreachable", bare("spider", t0=run_down("KS", "S", 5), t1=run_down("8H", "H", 8), **FULL)),
]  # fmt: skip


@pytest.mark.parametrize(("outcome", "board"), CASES)
def test_the_outcome_of_a_board_by_hand(outcome: str, board: Board) -> None:
    found = search(board)
    assert found.outcome.value == outcome
    assert leads_home(board, found.line) == (outcome == "reachable")


def test_most_of_the_dead_ends_still_have_moves() -> None:
    """Otherwise no search would be needed."""
    unreachable = [board for outcome, board in CASES if outcome == "unreachable"]
    assert sum(bool(legal_moves(board)) for board in unreachable) > len(unreachable) / 2


def test_the_line_is_a_shortest_one() -> None:
    board = bare("roosevelt", f0="AS", w="2S 9H 9D", **columns("KD", range(5)))
    line = [move_text(board.ruleset, move) for move in search(board).line]
    assert line == ["w>t5", "w>t6", "w>f0"]
    assert not leads_home(board, search(board).line[:-1])
    assert not leads_home(board, search(board).line[1:])
    assert not leads_home(board, ())


@pytest.mark.parametrize(
    ("positions", "outcome"), [(1, "unknown"), (2, "unknown"), (500, "reachable")]
)
def test_a_search_that_reaches_its_bound_is_undecided(positions: int, outcome: str) -> None:
    board = bare("roosevelt", f0="AS", w="2S 9H 9D 8C", **columns("KD", range(4)))
    assert outcome_of(board, positions) == outcome


def test_a_search_uses_its_whole_bound() -> None:
    board = bare("roosevelt", f0="AS", t6="2S 9H", **columns("KD", range(4)))
    assert [outcome_of(board, positions) for positions in (1, 2)] == ["unknown", "reachable"]


@pytest.mark.parametrize(
    "board",
    [
        bare("roosevelt", f0="AS", t0="KD", t1="3S"),
        bare("rouge-et-noir", f0="AH", t0="KS", t1="4D", t2="5D"),
    ],
)
def test_permutations_of_tableau_piles_count_as_one_position(board: Board) -> None:
    assert len(legal_moves(board)) > 1
    assert outcome_of(board, positions=1) == "unreachable"


ROWS: dict[str, Any] = {
    "name": "Rows",
    "packs": 1,
    "foundations": [{"piles": 4, "first": "A"}],
    "tableau": {
        "deal": [1, 1, 1],
        "order": "down",
        "match": "suit",
        "empty": "T",
        "plays": ["tableau", "foundation"],
    },
    "stock": {"plays": ["waste", "row"]},
    "waste": {"plays": [], "redeals": 1},
}


def test_the_order_of_tableau_piles_matters_while_rows_are_dealt() -> None:
    """A row of one card is dealt to the first pile, so TH has to leave it first."""
    rules = Ruleset("rows", "standard", read_rules("rows", ROWS))
    piles = {"f0": "AS", "t0": "TH", "t2": "2S 9H 5C", "s": "?6C"}
    cards = tuple(parse_pile(piles.get(name, "").split()) for name in rules.pile_names)
    line = search(Board(rules, cards, redeals=1)).line
    assert [move_text(rules, move) for move in line] == ["t0>t1", "s>t", "t2>t0", "t2>t1", "t2>f0"]


LAID: dict[str, Any] = {
    "name": "Laid",
    "packs": 1,
    "foundations": [{"piles": 2, "first": "A", "suits": "SH"}, {"piles": 2, "first": "3"}],
    "tableau": {
        "deal": [3, 3],
        "order": "any",
        "match": "any",
        "empty": "none",
        "plays": ["foundation"],
    },
    "stock": {"plays": ["waste"]},
    "waste": {"plays": ["foundation"], "redeals": 2},
}
"""A game with tableau piles whose cards only go home."""

COVERED = {**LAID, "waste": {"plays": [], "redeals": 2}}
"""`LAID`, but cards of the waste never go home."""

DEALT = [
    *RULES,
    ruleset("robert"),
    *(Ruleset("laid", "test", read_rules("laid", rules)) for rules in (LAID, COVERED)),
]
"""Rules whose only other moves deal to the waste or turn it over."""


def dealt_board(rules: Ruleset, chance: Random) -> Board:
    """Return a board with a few cards in each pile, after some moves; no tableau card is hidden."""
    deck = list(range(PACK_SIZE))
    chance.shuffle(deck)
    piles = []
    for pile in range(len(rules.pile_names)):
        most = 1 if pile in rules.foundations else chance.choice([0, 3, 12])
        cards = bytes(deck.pop() for _ in range(chance.randint(0, most)))
        piles.append(turned_down(cards) if pile == rules.stock else cards)
    board = Board(rules, tuple(piles), redeals=chance.randint(0, rules.redeals))
    return wandered(board, chance, chance.choice([0, 5, 30]))


@pytest.mark.parametrize("rules", DEALT, ids=range(len(DEALT)))
@SAMPLED
def test_boards_with_only_deals_match_a_search_of_every_position(
    rules: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(DEALT.index(rules))
    checked: Counter[tuple[Outcome, bool]] = Counter()
    for _ in range(cases(250, 1_000)):
        board = dealt_board(rules, chance)
        found = search(board, positions=1)
        with monkeypatch.context() as patch:
            patch.setattr("engine.search._only_deals", lambda _: False)
            assert found == search(board)
        checked[found.outcome, len(found.line) > 2] += 1
    assert checked[Outcome.UNREACHABLE, False] > 2
    # Without redeals and play from the waste, there are no such lines.
    playable = rules.redeals > 0 and bool(rules.rules.waste and rules.rules.waste.plays)
    assert (checked[Outcome.REACHABLE, True] > 2) == playable


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_face_down_cards_are_initially_unseen(game: str, variant: str) -> None:
    board = dealt(game, variant)
    assert cards_never_seen(board) == face_down(board)
    assert bool(face_down(board)) == (game != "freecell")


def test_a_stock_that_was_turned_over_has_been_seen() -> None:
    board = dealt("robert")
    stock, waste = board.ruleset.stock, board.ruleset.waste
    assert waste is not None
    for left in range(50, -1, -1):
        board = apply(board, board.ruleset.move(stock, waste))
        assert cards_never_seen(board) == left
    board = apply(board, board.ruleset.move(waste, stock))
    assert (face_down(board), cards_never_seen(board)) == (51, 0)


def test_no_card_is_reachable_on_a_won_board() -> None:
    rules = ruleset("lady-betty")
    suits = [bytes(range(suit * 13, suit * 13 + 13)) for suit in range(4)]
    assert outcome_of(Board(rules, (*suits, *[b""] * (len(rules.pile_names) - 4)))) == "unreachable"


@pytest.mark.parametrize("game", ["klondike", "yukon", "spider", "rouge-et-noir", "canfield"])
def test_a_search_uses_no_card_that_was_never_seen(game: str) -> None:
    chance = Random(game)
    outcomes: Counter[Outcome] = Counter()
    for _ in range(8):
        board = deal_seed(ruleset(game), chance.randbytes(SEED_BYTES))
        for _ in range(60):
            found = search(board, 50)
            assert search(with_others_unseen(board, chance), 50) == found
            outcomes[found.outcome] += 1
            moves = legal_moves(board)
            if not moves or found.outcome is Outcome.UNREACHABLE:
                break
            board = apply(board, chance.choice(moves))
    assert outcomes[Outcome.UNKNOWN] > 0


def with_others_unseen(board: Board, chance: Random) -> Board:
    """Return a board with its unseen cards exchanged among each other."""
    # A stock made from the waste has been seen.
    seen = {board.ruleset.stock} if board.redeals else set()
    unseen = [
        (pile, place)
        for pile, cards in enumerate(board.piles)
        for place, card in enumerate(cards)
        if card & DOWN and pile not in seen
    ]
    piles = [bytearray(cards) for cards in board.piles]
    others = chance.sample(unseen, len(unseen))
    for (pile, place), (other, at) in zip(unseen, others, strict=True):
        piles[pile][place] = board.piles[other][at]
    return Board(board.ruleset, tuple(map(bytes, piles)), board.redeals, board.moves)
