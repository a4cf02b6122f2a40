"""Compiling hot functions with Numba where it is installed; elsewhere they run as they are.

A compiled function uses integers that fit in 64 bits and arrays of them, so that it has the same
result either way.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

njit: Any
config: Any
try:
    from numba import config, njit, types
except ImportError:
    njit = None

_OPTIONS = {"_nrt": False}
"""Compiled functions allocate nothing, so Numba need not count references to their arrays: that
took a quarter of the time of the beam search."""


def _take_indices_as_they_are() -> None:
    """Let functions compiled with these options use an index without a test for its sign.

    Numba lets a negative index count from the end, and has no option against it. The test took a
    third of the time of the beam search, which has no negative indices. What is replaced is no part
    of Numba's interface: a version without it keeps the test.
    """
    arrayobj: Any = import_module("numba.np.arrayobj")
    usual = getattr(arrayobj, "fix_integer_index", None)
    if usual is None:
        return

    def fix(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if context.enable_nrt:
            return usual(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    arrayobj.fix_integer_index = fix


def _can_keep() -> bool:
    """Let Numba keep what it compiles of each version of the sources in a directory of its own.

    Of a function that it has kept, Numba notices a change of its own file alone, and not of those
    that it calls.

    Returns:
        Whether that directory can be written.
    """
    sources = Path(__file__).parent
    digest = sha256()
    for path in sorted(sources.rglob("*.py")):
        digest.update(path.read_bytes())
    parent = Path(config.CACHE_DIR or sources / "__pycache__")
    folder = parent / f"compiled-{digest.hexdigest()[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
    except OSError:
        return False
    config.CACHE_DIR = str(folder)
    return True


_keeps = False
if njit is not None:
    _take_indices_as_they_are()
    _keeps = _can_keep()

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Return a function compiled at its first call, and kept on disk for the next process.

    Where no directory for that can be written, it is compiled anew in each process.
    """
    if njit is None:
        return function
    wrapped: Function = njit(cache=_keeps, **_OPTIONS)(function)
    return wrapped
