"""The beam, compared with the engine and an exhaustive search.

The tests run the search as plain Python. Only deep tests compile it, which takes a minute and much
memory.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import islice
from random import Random
from types import ModuleType
from typing import Any

import pytest

from engine import solver
from engine.board import Board
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.play import apply, play
from engine.position import parse_position
from engine.ruleset import Ruleset
from engine.solver import beam, compiled
from engine.solver.beam import indices as idx
from engine.solver.beam.indices import NEVER, P_HOME, SAFELY, SCALE, WEIGHTS
from engine.solver.beam.layout import Layout
from engine.solver.beam.plans import WASTE, first_weights, plan_of, style_of, whole_plan
from engine.solver.beam.random_numbers import Xorshift
from engine.solver.solution import Verdict
from tests.engine.positions import ALL, SEED
from tests.engine.solver import rare_rules
from tests.engine.solver.exhaustive import GAMES, check, most_home, numbered, searched_whole
from tests.engine.solver.whole_deals import solved
from tests.engine.starts import STARTS
from tests.relatives import find_ruleset
from tests.sizes import SAMPLED, cases
from tests.vectors.solver import beam as vectors

SMALL = 1 << 11
"""Rows that suffice for small searches."""

EXHAUSTED = 150
"""Limit of positions for exhaustive searches, as plain Python is slow."""

TELLING = (85, 166, 177, 569, 919)
"""Numbers of the few boards that unsound prunings lose."""


SOLVABLE = [each for each in ALL if beam.applies(find_ruleset(*each))]
_EVERY_NTH = cases(4, 1)
SOLVED = SOLVABLE[::_EVERY_NTH]
RULESETS = [*(find_ruleset(*each) for each in SOLVED), *rare_rules.RULES[::_EVERY_NTH]]
NAMES = [
    *map("-".join, SOLVED),
    *(f"rare-{number}" for number in range(len(RULESETS) - len(SOLVED))),
]
"""The rules of all games, and some rare ones."""

CARRIED = ("run-by-spaces", "run-by-places")
"""Moves of runs that can also be made card by card."""

WON = [
    ("spider", "standard", 500_000),
    ("spider", "two-suits", 100_000),
    ("spider", "one-suit", 50_000),
    ("forty-thieves", "sequences", 200_000),
]
"""(game, variant, budget) with budgets that win most or some of the first deals."""

EVERY = pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.deep)])
"""The boards to test: the last one of each walk, or all."""

ENTRIES = json.loads(vectors.FILE.read_text(encoding="utf-8"))


def load_plain() -> ModuleType:
    """Return another copy of the package with uncompiled functions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "njit", None)
        patch.setattr(solver, "beam", beam)
        for name in [name for name in sys.modules if name.startswith(beam.__name__)]:
            patch.delitem(sys.modules, name)
        return import_module(beam.__name__)


PLAIN = load_plain()


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the beam in plain Python with little memory."""
    monkeypatch.setattr(beam, "search", PLAIN.search)
    monkeypatch.setattr(beam, "ROWS", SMALL)


def boards(rules: Ruleset, every: int) -> Iterator[Board]:
    """Yield every n-th board of all kinds, including some after random moves."""
    return islice(all_boards(rules), every - 1, None, every)


def all_boards(rules: Ruleset) -> Iterator[Board]:
    """Yield three boards of each kind: its start, and two after random moves."""
    chance = Random(5)
    for start in STARTS:
        board = start(rules, chance)
        for _ in range(3):
            yield board
            for _ in range(chance.randrange(25)):
                moves = legal_moves(board)
                board = apply(board, chance.choice(moves)) if moves else board


class Rows:
    """The memory of a search, with one board in its first row."""

    def __init__(self, board: Board) -> None:
        self.layout = layout = Layout(board, SMALL)
        self.t = layout.tables
        self.s = array("b", [0]) * (SMALL * self.t[idx.WIDTH])
        self.m = array("q", [0]) * layout.size
        self.s[: len(layout.row)] = layout.row

    def cards(self, row: int = 0) -> list[list[int]]:
        """Return a row's piles, followed by its face-down counts, tops and redeals."""
        t = self.t
        base = row * t[idx.WIDTH]
        values = list(self.s[base : base + t[idx.WIDTH]])
        piles = []
        at = 0
        for size in values[t[idx.ROOM] : t[idx.ROOM] + t[idx.COLUMNS] + 2]:
            piles.append(values[at : at + size])
            at += size
        return [*piles, values[t[idx.ROOM] + t[idx.COLUMNS] + 2 :]]

    def record(self, row: int) -> array[int]:
        """Return the record of a row."""
        at = self.t[idx.RECORDS] + row * self.t[idx.RECORD]
        return self.m[at : at + self.t[idx.RECORD]]

    def pools(self) -> range:
        """Return the rows in use."""
        return range(self.m[idx.ROWS])


@EVERY
@pytest.mark.parametrize(("game", "variant"), SOLVED)
def test_rows_play_moves_like_the_engine(game: str, variant: str, every: int) -> None:
    rules = find_ruleset(game, variant)
    chance = Random(1)
    for board in boards(rules, every):
        moves = legal_moves(board)
        for move in chance.sample(moves, min(len(moves), 8)):
            rows = Rows(board)
            PLAIN.rows.play(rows.t, rows.s, rows.m, 0, rows.layout.encoded(move))
            after = Rows(apply(board, move))
            assert rows.cards() == after.cards()
            assert rows.layout.move(rows.layout.encoded(move)) == rules.move(
                move.source, move.target, move.count
            )


def essence(rows: Rows, row: int) -> tuple[object, ...]:
    """Return everything that a position's future depends on, by the rules alone.

    Tableau piles are interchangeable unless rows remain to be dealt. So are foundations of one
    group with the same next cards.
    """
    t, ruleset = rows.t, rows.layout.ruleset
    *piles, rest = rows.cards(row)
    columns = list(zip(piles, rest, strict=False))[1:-1]
    tops = rest[len(piles) : -1]
    if "row" not in ruleset.rules.stock.plays or not (piles[0] or rest[-1] < ruleset.redeals):
        columns.sort()
    foundations = []
    for f, top in enumerate(tops):
        group = t[t[idx.GROUP] + f]
        at = t[idx.HOMES] + (group * (t[idx.KINDS] + 1) + top + 1) * t[idx.KINDS]
        is_empty = ruleset.groups[f].takes == "run" and top == idx.NONE
        foundations.append((group, list(t[at : at + t[idx.KINDS]]), is_empty))
    return piles[0], columns, piles[-1], sorted(foundations), rest[-1]


@EVERY
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("rules", RULESETS, ids=NAMES)
def test_only_redundant_moves_are_left_out(rules: Ruleset, every: int, *, single: bool) -> None:
    settings = whole_plan(first_weights(style_of(rules)), SMALL, regular=False)
    settings[idx.P_SINGLE] = single
    tableau = rules.rules.tableau
    carried = single and tableau is not None and tableau.moves in CARRIED
    for board in boards(rules, every):
        rows = Rows(board)
        rows.t[: len(settings)] = settings
        PLAIN.stages.begin(rows.t, rows.s, rows.m)
        PLAIN.move_generator.expand(rows.t, rows.s, rows.m, 0)
        PLAIN.move_generator.deal(rows.t, rows.s, rows.m, 0)
        here = essence(rows, 0)
        offered = [essence(rows, row) for row in rows.pools()]
        after = [
            essence(Rows(apply(board, move)), 0)
            for move in legal_moves(board)
            if not (carried and move.count > 1 and move.target in rules.tableau)
        ]
        assert all(each in offered for each in after if each != here)
        assert all(each in after for each in offered[1:] if each != here)


def relatives(rows: Rows) -> Iterator[array[int]]:
    """Yield a position as a row, and variations that only some rules distinguish from it.

    One reverses the tableau piles; two reverse foundations, within each group and across groups. In
    the others a card was turned up, or the waste was turned over.
    """
    groups = rows.layout.ruleset.groups
    *piles, rest = rows.cards()
    hidden, tops, redeals = rest[: len(piles)], rest[len(piles) : -1], rest[-1]

    def row(**changed: list[Any]) -> array[int]:
        own = changed.get("piles", piles)
        cards = [card for pile in own for card in pile]
        cards += [0] * (rows.t[idx.ROOM] - len(cards))
        down, tops_ = changed.get("hidden", hidden), changed.get("tops", tops)
        return array(
            "b", [*cards, *map(len, own), *down, *tops_, *changed.get("redeals", [redeals])]
        )

    yield row()
    stock, *columns, waste = piles
    yield row(
        piles=[stock, *reversed(columns), waste],
        hidden=[hidden[0], *reversed(hidden[1:-1]), hidden[-1]],
    )
    order = [[f for f, each in enumerate(groups) if each == group] for group in groups]
    yield row(tops=[tops[own[-1 - own.index(f)]] for f, own in enumerate(order)])
    yield row(tops=tops[::-1])
    yield row(hidden=[max(0, down - 1) for down in hidden])
    yield row(redeals=[redeals + 1])


@EVERY
@pytest.mark.parametrize("rules", RULESETS, ids=NAMES)
def test_digests_are_equal_only_for_equivalent_positions(rules: Ruleset, every: int) -> None:
    digests: dict[str, set[int]] = {}
    for board in boards(rules, every):
        for after in (board, *(apply(board, move) for move in legal_moves(board)[:3])):
            rows = Rows(after)
            for row in relatives(rows):
                rows.s[: len(row)] = row
                PLAIN.stages.begin(rows.t, rows.s, rows.m)
                digest = rows.record(0)[idx.DIGEST]
                digests.setdefault(repr(essence(rows, 0)), set()).add(digest)
    assert all(len(same) == 1 for same in digests.values())
    assert len(set().union(*digests.values())) == len(digests) > 20 // every


def test_columns_are_not_interchangeable_while_the_waste_may_be_dealt_in_rows() -> None:
    rules = rare_rules.rules_of(
        packs=1,
        stock={"plays": ["waste", "row"]},
        waste={"plays": ["tableau", "foundation"], "redeals": 1},
    )

    def digest(redeals: int, *columns: str) -> int:
        piles = {f"t{nth}": cards for nth, cards in enumerate(columns)}
        board = rare_rules.board_of(rules, w="9S 8D", **piles)
        rows = Rows(replace(board, redeals=redeals))
        PLAIN.stages.begin(rows.t, rows.s, rows.m)
        return rows.record(0)[idx.DIGEST]

    assert digest(0, "2H", "5C") != digest(0, "5C", "2H")
    assert digest(1, "2H", "5C") == digest(1, "5C", "2H")


@pytest.mark.parametrize(("game", "variant"), SOLVED)
def test_incremental_digests_and_points_match_recomputed_ones(
    game: str, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = find_ruleset(game, variant)
    rows = Rows(deal_seed(rules, SEED))
    t, s, m = rows.t, rows.s, rows.m
    checked = []

    def check(*arguments: int) -> None:
        for row in rows.pools():
            carried = rows.record(row)[idx.DIGEST], rows.record(row)[idx.KEY]
            for pile in range(t[idx.COLUMNS] + 2):
                m[t[idx.CHANGED] + pile] = 1
            salt, m[idx.SALT] = m[idx.SALT], row + 1
            PLAIN.evaluation.evaluate(t, s, m, row)
            anew = PLAIN.digests.digest_of(t, s, m, row), rows.record(row)[idx.KEY]
            m[idx.SALT], m[idx.TIMES_OF] = salt, idx.NONE
            assert anew == carried
            checked.append(row)
        select(*arguments)

    select = PLAIN.stages.select
    monkeypatch.setattr(PLAIN.stages, "select", check)
    settings = plan_of(style_of(rules), 0, Xorshift(1), regular=rows.layout.regular)
    settings[idx.P_EFFORT] = SCALE
    t[: len(settings)] = settings
    m[idx.BUDGET] = 600
    PLAIN.search(t, s, m)
    assert len(checked) > 50


@pytest.mark.deep
@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_whole_searches_match_an_exhaustive_one(game: str, variant: str) -> None:
    """No pruning of a whole search may lose a card, since it proves losses."""
    rules = find_ruleset(game, variant)
    boards = [numbered(rules, number) for number in (*range(60), *TELLING)]
    counts = Counter(check(board, EXHAUSTED, SMALL, PLAIN.search) for board in boards)
    won, lost = counts[Verdict.WINNABLE], counts[Verdict.IMPOSSIBLE]
    assert won + lost > 32
    assert min(won, lost) > (won + lost) // 12


@pytest.mark.parametrize("start", rare_rules.BOARDS)
def test_whole_searches_of_losable_boards_match_an_exhaustive_one(
    start: Callable[[], Board],
) -> None:
    assert check(start(), 2_000, SMALL, PLAIN.search) is not None


@pytest.mark.deep
@pytest.mark.parametrize("rules", [*rare_rules.RULES, *rare_rules.RULES_OF_RUNS])
def test_whole_searches_by_rare_rules_match_an_exhaustive_one(rules: Ruleset) -> None:
    boards = [numbered(rules, number) for number in range(40)]
    counts = Counter(check(board, EXHAUSTED, SMALL, PLAIN.search) for board in boards)
    assert counts[Verdict.WINNABLE] + counts[Verdict.IMPOSSIBLE] > 20


def test_a_whole_search_cut_short_proves_nothing() -> None:
    """The board can be won, so any answer other than a win or `None` would be a wrong proof."""
    board = numbered(find_ruleset("gypsy"), 3)
    total = board.ruleset.total
    assert searched_whole(board, SMALL, PLAIN.search) == total
    least = 64 * (len(board.ruleset.tableau) + 1)
    by_room = [
        searched_whole(board, SMALL, PLAIN.search, room=least + n) for n in range(1, 300, 11)
    ]
    by_budget = [searched_whole(board, SMALL, PLAIN.search, budget=n) for n in range(1, 600, 23)]
    for found in (by_room, by_budget):
        assert {*found} == {None, total}


class Unsigned(array):  # type: ignore[type-arg]
    """An array that rejects negative indices."""

    def __getitem__(self, at: Any) -> Any:
        assert at >= 0
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        assert at >= 0
        super().__setitem__(at, value)


@pytest.mark.parametrize("budget", [200, pytest.param(1_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(("game", "variant"), SOLVED)
def test_no_index_is_negative(game: str, variant: str, budget: int) -> None:
    """Compiled code does not check for negative indices."""
    rules = find_ruleset(game, variant)
    steps = 0
    for board in (deal_seed(rules, SEED), vectors.late(rules, 20, Random(1))):
        rows = Rows(board)
        settings = plan_of(style_of(rules), 0, Xorshift(1), regular=rows.layout.regular)
        rows.t[: len(settings)] = settings
        rows.m[idx.BUDGET] = budget
        m = Unsigned("q", rows.m)
        PLAIN.search(Unsigned("q", rows.t), Unsigned("b", rows.s), m)
        steps += m[idx.STEPS]
    assert steps > 100


@pytest.mark.usefixtures("_plain")
@SAMPLED
@pytest.mark.parametrize(("game", "variant"), GAMES[:: cases(3, 1)])
def test_the_beam_matches_an_exhaustive_search_on_small_positions(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    verdicts = set()
    for board in (numbered(rules, number) for number in range(16)):
        home = most_home(board, EXHAUSTED)
        if home is None:
            continue
        found = beam.solve(board, 4_000)
        assert found.verdict is (Verdict.WINNABLE if home == rules.total else Verdict.IMPOSSIBLE)
        assert (found.home, found.most) == (home, True)
        verdicts.add(found.verdict)
    assert verdicts == {Verdict.WINNABLE, Verdict.IMPOSSIBLE}


@pytest.mark.parametrize(("game", "variant"), SOLVED)
def test_automatic_moves_home_change_no_outcome(game: str, variant: str) -> None:
    """The dominance alone: the same whole search with and without it."""
    rules = find_ruleset(game, variant)
    for number in range(12):
        board = vectors.late(rules, 2 + number % 8, Random(number))
        results = []
        for how in (NEVER, SAFELY):
            rows = Rows(board)
            if not rows.layout.regular:
                return
            settings = whole_plan(first_weights(style_of(rules)), SMALL, regular=True)
            settings[P_HOME] = how
            rows.t[: len(settings)] = settings
            rows.m[idx.BUDGET] = 2_000
            PLAIN.search(rows.t, rows.s, rows.m)
            results.append((rows.m[idx.BEST], rows.m[idx.CUT]))
        if (without := results[0])[1] == 0:
            assert results[1] == without


@pytest.mark.usefixtures("_plain")
@pytest.mark.parametrize(("game", "variant"), SOLVED)
def test_a_budget_is_kept_and_the_best_line_reaches_its_count(game: str, variant: str) -> None:
    board = deal_seed(find_ruleset(game, variant), SEED)
    found = beam.solve(board, 400)
    assert found.steps < 400 + 200
    after = board
    for move in found.line:
        after = apply(after, move)
    assert after.home == found.home


def test_either_all_runs_go_home_automatically_or_none() -> None:
    def rules(*automatic: bool) -> Ruleset:
        group = {"piles": 4, "takes": "run", "first": "K", "order": "down"}
        tableau = {**rare_rules.WIDE, "match": "any", "run_match": "suit", "moves": "run"}
        groups = [group | {"automatic": each} for each in automatic]
        return rare_rules.rules_of(foundations=groups, tableau=tableau)

    assert beam.applies(rules(True, True))
    assert beam.applies(rules(False, False))
    assert not beam.applies(rules(True, False))
    assert {(game, variant) for game, variant, _ in WON} <= set(SOLVABLE)


@pytest.mark.deep
@pytest.mark.parametrize(("game", "variant", "budget"), WON)
def test_lines_that_win_whole_deals_are_legal(game: str, variant: str, budget: int) -> None:
    won = 0
    for dealt, found in solved(game, variant, 6, budget):
        board = dealt
        for move in found.line:
            board, _ = play(board, move)
        assert (board.won, board.home) == (found.verdict is Verdict.WINNABLE, found.home)
        won += board.won
    assert won > 1


@pytest.mark.deep
def test_answers_are_true_and_decide_nearly_as_much_as_the_vectors() -> None:
    check_answers(ENTRIES)


@pytest.mark.usefixtures("_plain")
def test_answers_of_small_searches_are_true_and_decide_nearly_as_much() -> None:
    small = [entry for entry in ENTRIES if entry["budget"] == vectors.SMALL]
    assert len({(entry["position"]["game"], entry["position"]["variant"]) for entry in small}) > 9
    check_answers(small)


def check_answers(entries: list[dict[str, Any]]) -> None:
    pairs = [(entry, vectors.answer(entry)) for entry in entries]
    assert [lies for pair in pairs if (lies := vectors.lies(*pair))] == []
    assert vectors.fall_short(pairs) == []


def test_wrong_and_insufficient_answers_are_detected() -> None:
    won = next(entry for entry in ENTRIES if entry["verdict"] == "winnable")
    lost = next(entry for entry in ENTRIES if entry["verdict"] == "impossible")
    for entry, changes in (
        (won, {"line": won["line"][:-1]}),
        (won, {"verdict": "impossible"}),
        (lost, {"verdict": "winnable"}),
        (lost, {"line": [], "home": 0}),
    ):
        assert vectors.lies(entry, entry) == []
        assert vectors.lies(entry, entry | changes) != []
    assert vectors.fall_short([(entry, entry) for entry in ENTRIES]) == []
    undecided = [(entry, entry | {"verdict": "unknown"}) for entry in ENTRIES]
    assert vectors.fall_short(undecided) == ["decided: 0"]
    assert len(vectors.fall_short([(entry, entry | {"home": 0}) for entry in ENTRIES])) == 1


@pytest.mark.deep
def test_the_compiled_search_matches_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [
        parse_position(entry["position"], find_ruleset)
        for entry in ENTRIES
        if entry["budget"] == vectors.SMALL
    ]
    found = [beam.solve(board, vectors.SMALL) for board in boards]
    monkeypatch.setattr(beam, "search", PLAIN.search)
    assert [beam.solve(board, vectors.SMALL) for board in boards] == found


@pytest.mark.parametrize(("game", "variant"), SOLVED)
def test_most_beams_have_different_weights(game: str, variant: str) -> None:
    chance, beams = Xorshift(1), 16
    style = style_of(find_ruleset(game, variant))
    plans = [plan_of(style, number, chance, regular=True) for number in range(beams)]
    assert len({tuple(plan[:WEIGHTS]) for plan in plans}) > beams // 2


def test_the_vectors_include_wins_and_undecided_boards() -> None:
    verdicts = Counter(entry["verdict"] for entry in ENTRIES)
    assert verdicts["winnable"] > 5
    assert verdicts["unknown"] > 5
    assert verdicts["impossible"] > 3
    boards = {(each["position"]["game"], each["position"]["variant"]) for each in ENTRIES}
    assert boards == set(SOLVABLE)


def test_whole_plans_differ_from_beams_only_in_their_omissions() -> None:
    style = style_of(find_ruleset("streets"))
    settings = plan_of(style, 0, Xorshift(1), regular=True)
    assert whole_plan(settings, SMALL, regular=True)[:WEIGHTS] == settings[:WEIGHTS]
    assert style.widths[0] == settings[idx.P_WIDTH]
    whole = whole_plan(settings, SMALL, regular=True)
    assert whole[idx.P_WHOLE]
    assert not whole[idx.P_SINGLE]


def lost_by_beams() -> Board:
    """Once 7S leaves, 5H and 4S could go home. But then no pile takes 3D, which is on 2D."""
    runs = {suit: [rank + suit for rank in "A23456789TJQK"] for suit in "SHDC"}
    home = [runs["C"], runs["C"], runs["S"], runs["S"][:3]]
    home += [runs["H"], runs["H"][:4], runs["D"], runs["D"][:1]]
    columns = (
        "5S 2D 3D QS",
        "6S 5H 7S",
        "KH 4S",
        "KD QD JD TD 9D 8D 7D 6D 5D 4D KS",
        "QH JH TH 9H 7H 6H JS",
        "TS 9S",
        "8S 8H",
    )
    piles = {f"f{f}": run for f, run in enumerate(home)}
    piles |= {f"t{pile}": cards.split() for pile, cards in enumerate(columns)}
    return parse_position(
        {"game": "roosevelt", "variant": "standard", "piles": piles | {"s": [], "w": []}}
        | {"redeals": 0, "moves": 100, "won": False, "stuck": False},
        find_ruleset,
    )


def test_a_card_stays_while_a_needed_card_may_have_to_lie_on_it() -> None:
    board = lost_by_beams()
    rules = board.ruleset

    def search(how: int) -> tuple[bool, bool]:
        """Return whether the search won, and whether it saw all reachable positions."""
        rows = Rows(board)
        settings = whole_plan(first_weights(style_of(rules)), SMALL, regular=True)
        settings[P_HOME] = how
        rows.t[: len(settings)] = settings
        rows.m[idx.BUDGET] = 20_000
        PLAIN.search(rows.t, rows.s, rows.m)
        return rows.m[idx.BEST] == rules.total, rows.m[idx.CUT] == 0

    assert search(SAFELY)[0]
    assert search(idx.EARLY) == (False, True)


@pytest.mark.parametrize("part", [idx.ROWS, idx.NODES, idx.ENTERED])
def test_a_position_with_too_many_moves_is_cut_short(part: int) -> None:
    rows = Rows(deal_seed(find_ruleset("roosevelt"), SEED))
    settings = whole_plan(first_weights(WASTE), SMALL, regular=True)
    rows.t[: len(settings)] = settings
    PLAIN.stages.begin(rows.t, rows.s, rows.m)
    PLAIN.move_generator.expand(rows.t, rows.s, rows.m, 0)
    assert rows.m[idx.CUT] == 0
    made = rows.m[part]
    limit = {
        idx.ROWS: (idx.MOST_ROWS, made - 1),
        idx.NODES: (idx.MOST_NODES, made - 1 + rows.t[idx.TOTAL]),
        idx.ENTERED: (idx.CAPPED_MASK, made - 1 + 2),
    }[part]
    PLAIN.stages.begin(rows.t, rows.s, rows.m)
    PLAIN.hashes.forget_seen(rows.t, rows.m)
    rows.t[limit[0]] = limit[1]
    PLAIN.move_generator.expand(rows.t, rows.s, rows.m, 0)
    assert rows.m[idx.CUT] == 1
    assert rows.m[part] == made - 1


@pytest.mark.usefixtures("_plain")
def test_searches_cut_short_prove_no_loss() -> None:
    board = lost_by_beams()
    verdicts = [beam.solve(board, budget).verdict for budget in range(1, 60)]
    assert verdicts[0] is Verdict.UNKNOWN
    assert verdicts[-1] is Verdict.WINNABLE
    assert Verdict.IMPOSSIBLE not in verdicts
