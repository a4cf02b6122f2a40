"""Compiling hot functions with Numba where it is installed; elsewhere they run as they are.

A compiled function uses integers that fit in 64 bits and arrays of them, so that it has the same
result either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

njit: Any
try:
    from numba import njit
except ImportError:
    njit = None

_OPTIONS = {"_nrt": False}
"""Compiled functions allocate nothing, so Numba need not count references to their arrays: that
took a quarter of the time of the beam search."""

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Return a function compiled at its first call, and kept on disk for the next process.

    Where no directory for that can be written, it is compiled anew in each process.
    """
    if njit is None:
        return function
    try:
        wrapped: Function = njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        wrapped = njit(**_OPTIONS)(function)
    return wrapped
