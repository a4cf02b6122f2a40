"""The conditions that browser tests wait for on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# Constants, in upper case, hold functions too. A condition that is only an expression is evaluated
# repeatedly, which the page's own policy forbids after the first time. The promise of an
# asynchronous condition is truthy immediately, so its result must be an object, which is truthy
# too.
FUNCTION = re.compile(r"""(?:\(\)|\w+) =>|async \w+ => \(\{|_?[A-Z][A-Z_]*\b""")
WAITED = re.compile(r"""wait_for_function\(\s*f?(?:"{1,3}|'{1,3})?([^"']+)""")


@pytest.mark.parametrize(
    "module", sorted(Path(__file__).parent.glob("*.py")), ids=lambda path: path.name
)
def test_conditions_are_functions(module: Path) -> None:
    waited = WAITED.findall(module.read_text())
    assert [condition for condition in waited if not FUNCTION.match(condition)] == []
