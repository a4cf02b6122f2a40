"""Errors in recordings, for tests of the checker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

Errors = Mapping[str, Mapping[str, Callable[[T], object]]]
"""Functions that spoil a correct recording, by the kind of complaint and a description."""


def each_of(errors: Errors[T]) -> list[Any]:
    """Return the parameters of a test: the kind of each error, and its function."""
    return [
        pytest.param(kind, spoil, id=f"{kind}: {what}")
        for kind, group in errors.items()
        for what, spoil in group.items()
    ]
