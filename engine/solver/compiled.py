"""Compiling hot functions with Numba where it is installed; elsewhere they run as they are.

A compiled function uses integers that fit in 64 bits and arrays of them, so that it has the same
result either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

njit: Any
try:
    from numba import njit, types
    from numba.np import arrayobj
except ImportError:
    njit = None

_OPTIONS = {"_nrt": False}
"""Compiled functions allocate nothing, so Numba need not count references to their arrays: that
took a quarter of the time of the beam search."""


def _take_indices_as_they_are() -> None:
    """Let functions compiled with these options use an index without a test for its sign.

    Numba lets a negative index count from the end, and has no option against it. The test took a
    third of the time of the beam search, which has no negative indices.
    """
    usual: Any = arrayobj.fix_integer_index

    def fix(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if context.enable_nrt:
            return usual(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = fix


if njit is not None:
    _take_indices_as_they_are()

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
