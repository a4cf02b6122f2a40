"""Commands whose prices are measured by tests."""

from __future__ import annotations

from server.protocol import COMMANDS
from tests.prices import EXEMPT, MEASURED


def test_the_price_of_each_command_is_measured_or_exempt() -> None:
    names = {command.__name__ for command in COMMANDS}
    measured = frozenset[str]().union(*MEASURED.values())
    assert measured - {"PlayMove"} | EXEMPT.keys() == names
    assert not measured & EXEMPT.keys()
