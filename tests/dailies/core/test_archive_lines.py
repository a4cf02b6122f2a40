"""Lines of the archive: their content."""

from __future__ import annotations

from engine.catalog import ruleset
from server.dailies.core.archive_lines import run_line
from server.play.core.attempt import Started
from server.play.core.result import Row, pack
from server.play.core.run import FileResult, Run
from tests.builders import ADA, DEAL, LIMIT, START


def test_a_line_counts_the_moves_of_a_run_without_a_card_home() -> None:
    rules = ruleset("robert")
    start = Started(
        ADA, DEAL, "robert", "standard", None, 20_000, START, START + LIMIT, rules.digest, "none"
    )
    run = Run(start, (("s>t0", 5), ("s>t1", 9)), 20, "resigned")
    line = run_line("robert", "guests", Row(1, ADA, pack(rules.total, 0, 0)), run)
    assert line.result == FileResult(0, rules.total, 0, 2, "resigned")
