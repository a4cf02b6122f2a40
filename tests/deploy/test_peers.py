"""The comparison of the solver with other programs: their formats and answers, and the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from deploy.peers.comparison import Comparison, Row, Side, compare, numbered, page
from deploy.peers.programs import (
    Deals,
    Unpackaged,
    Verdicts,
    black_hole_verdict,
    freecell_text,
    freecell_verdict,
    golf_text,
    klondike_text,
    range_verdicts,
)
from deploy.peers.rows import ROWS
from engine.board import Board
from engine.cards import parse_pile
from engine.catalog import ruleset
from engine.deal import lay_out
from engine.solver import Verdict
from tests.processes import ROOT

WON, LOST, UNKNOWN = Verdict.WINNABLE, Verdict.IMPOSSIBLE, Verdict.UNKNOWN


@dataclass(frozen=True, slots=True)
class Answering:
    """A program with given answers."""

    answers: tuple[Verdict, ...]
    name: str = "a program"

    @staticmethod
    def version() -> str:
        """Return any version."""
        return "1.2.3"

    def solve(self, deals: Deals) -> Verdicts:
        """Return the answers."""
        return dict(zip(deals, self.answers, strict=True))


ROW = Row(
    "three",
    "FreeCell, three deals",
    ("freecell", "standard"),
    numbered,
    range(1, 4),
    Answering((WON, WON, LOST)),
    ratio=0.5,
    unknown=1,
)


@pytest.mark.parametrize(
    ("program", "game", "write"),
    [
        ("pyksolve 0.0.15, get_pysol", "klondike", klondike_text),
        ("pysol-cards 0.24.0, golf", "golf", golf_text),
    ],
)
def test_deals_are_written_as_other_programs_write_them(
    program: str, game: str, write: Callable[[Board], str]
) -> None:
    entries = json.loads((ROOT / "tests/vectors/pasted.json").read_text(encoding="utf-8"))
    found = [each for each in entries if each.get("program") == program and "deck" in each]
    assert found
    for each in found:
        board = lay_out(ruleset(game), parse_pile(each["deck"].split()))
        assert write(board).strip() == each["text"].strip()


def test_a_deal_of_freecell_is_a_line_for_each_column() -> None:
    columns = freecell_text(numbered(ruleset("freecell"), 1)).splitlines()
    assert (columns[0], columns[-1]) == ("JD KD 2S 4C 3S 6D 6S", "5H 3H 3C 7S 7D TC")


def test_the_verdict_is_a_line_of_the_output() -> None:
    """As Freecell Solver 5.0.0 and Black Hole Solitaire Solver 1.14.0 print it."""
    assert freecell_verdict("\n====\n\nThis game is solveable.\nTotal number of\n") is WON
    assert freecell_verdict("I could not solve this game.\nTotal\n") is LOST
    assert freecell_verdict("Iterations count exceeded.\nTotal\n") is UNKNOWN
    assert black_hole_verdict("Solved!\n\nMove a card\n") is WON
    assert black_hole_verdict("Unsolved!\n") is LOST
    assert black_hole_verdict("Exceeded max iterations!\n") is UNKNOWN
    with pytest.raises(ValueError, match="stopped: Wrong"):
        black_hole_verdict("Wrong game!")


def test_a_range_of_deals_is_won_but_for_the_named_ones() -> None:
    """As Freecell Solver 5.0.0 prints it."""
    output = (
        "Started at 1796066190.530182\n"
        "Unsolved Board No. 2 at 1796066190.540182\n"
        "Intractable Board No. 3 at 1796066190.550182\n"
        "Reached Board No. 4 at 1796066191.035794 (total_num_iters=379881)\n"
    )
    assert range_verdicts(output, range(1, 5)) == {1: WON, 2: LOST, 3: UNKNOWN, 4: WON}
    with pytest.raises(ValueError, match="stopped"):
        range_verdicts(output.partition("Reached")[0], range(1, 5))


def test_both_sides_get_the_same_deals() -> None:
    found = compare(ROW)
    assert found.ours.verdicts == {1: WON, 2: WON, 3: WON}
    assert found.ours.seconds > 0
    assert found.theirs is not None
    assert found.theirs.verdicts == {1: WON, 2: WON, 3: LOST}
    assert found.contradictions(WON) == [3]
    assert found.contradictions(LOST) == []


def compared(ours: str, theirs: str, ratio: float) -> Comparison:
    """Return a comparison of deals 1, 2, …: `W` won, `L` lost, `?` unknown."""
    sides = [
        Side({number: READ[each] for number, each in enumerate(text, 1)}, seconds)
        for text, seconds in ((ours, 10 * ratio), (theirs, 10.0))
    ]
    return Comparison(ROW, sides[0], sides[1], "1.2.3")


READ = {"W": WON, "L": LOST, "?": UNKNOWN}


def test_the_table_states_verdicts_times_and_targets() -> None:
    text = page([compared("WL?", "WW?", 0.4), compared("W??", "L??", 0.51)])
    first, second = text.splitlines()[-2:]
    assert first == (
        "| FreeCell, three deals | a program, 1.2.3 | 1 won, 1 lost, 1 unknown (3) "
        "| 2 won, 0 lost, 1 unknown (3) | **lost only here:** 2 | 4.0 s : 10.0 s = 0.40 "
        "| at most 0.5 : 1: met; at most 1 unknown: met |"
    )
    assert "| won only here, with a verified line: 1 | 5.1 s : 10.0 s = 0.51 |" in second
    assert second.endswith("| at most 0.5 : 1: **missed**; at most 1 unknown: **missed** |")


def test_the_row_of_a_missing_program_says_so() -> None:
    missing = replace(ROW, program=Unpackaged("a program"))
    text = page([Comparison(missing, Side({1: WON}, 1.0), None, "")])
    assert text.splitlines()[-1] == (
        "| FreeCell, three deals | a program | 1 won, 0 lost, 0 unknown | not installed | - "
        "| 1.0 s : - | at most 0.5 : 1: not measured; at most 1 unknown: met |"
    )


def test_rows_have_distinct_names_and_playable_deals() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
    for row in ROWS:
        board = row.dealer(ruleset(*row.rules), row.numbers[0])
        assert not board.won
