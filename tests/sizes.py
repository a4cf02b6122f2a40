"""The number of examined cases: a sample in `make test`, all in `make deep`."""

from __future__ import annotations

import pytest

_is_deep = False

SAMPLED = pytest.mark.sampled
"""Marks tests that examine a sample in `make test`, and everything in `make deep`.

Hypothesis tests do so without the marker.
"""


def begin(*, deep: bool) -> None:
    """Set the suite; called before tests are collected."""
    global _is_deep  # noqa: PLW0603 - pytest knows it only when it is configured
    _is_deep = deep


def is_deep() -> bool:
    """Return whether `make deep` is running."""
    return _is_deep


def cases(few: int, many: int) -> int:
    """Return the number of cases to examine, or the stride: `many` in `make deep`, else `few`."""
    return many if _is_deep else few
