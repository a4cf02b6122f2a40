"""What browser tests wait for on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# The names of constants hold functions too; an expression that is not one is evaluated again and
# again, which the page's own policy forbids after the first time. The promise of an asynchronous
# one is true at once, so it may return only an object, which is true, too.
FUNCTION = re.compile(r"""(?:\(\)|\w+) =>|async \w+ => \(\{|_?[A-Z][A-Z_]*\b""")
WAITED = re.compile(r"""wait_for_function\(\s*f?(?:"{1,3}|'{1,3})?([^"']+)""")


@pytest.mark.parametrize(
    "module", sorted(Path(__file__).parent.glob("*.py")), ids=lambda path: path.name
)
def test_conditions_are_functions(module: Path) -> None:
    waited = WAITED.findall(module.read_text())
    assert [condition for condition in waited if not FUNCTION.match(condition)] == []
