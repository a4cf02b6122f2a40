"""How much tests examine: a sample in `make test`, and everything in `make deep`."""

from __future__ import annotations

import pytest

_is_deep = False

SAMPLED = pytest.mark.sampled
"""Marks tests that examine a sample in `make test`, and everything in `make deep`.

Those of Hypothesis are, without a mark.
"""


def begin(*, deep: bool) -> None:
    """Say which suite runs; called before tests are collected."""
    global _is_deep  # noqa: PLW0603 - pytest knows it only when it is configured
    _is_deep = deep


def is_deep() -> bool:
    """Return whether `make deep` runs."""
    return _is_deep


def cases(few: int, many: int) -> int:
    """Return how many cases to examine, or every how many-th: `many` in `make deep`."""
    return many if _is_deep else few
