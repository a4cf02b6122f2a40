"""Compilation of hot functions with Numba if it is installed; otherwise they run interpreted.

A compiled function only uses 64-bit integers and arrays of them, so results are the same either
way.
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

# Compiled functions allocate nothing, so Numba need not count references to their arrays. Counting
# took a quarter of the beam search's time.
_OPTIONS = {"_nrt": False}


def _take_indices_as_they_are() -> None:
    """Remove Numba's test for negative indices, which the search never uses."""
    # Numba has no option for this. The test took a third of the time of the beam search. The patch
    # replaces an internal of Numba; versions without it keep the test.
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
    """Give each version of the sources a cache directory; return whether it is writable."""
    # Numba notices changes in a cached function's own file, but not in the functions that it calls.
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
    """Return a function that is compiled at its first call and cached on disk."""
    if njit is None:
        return function
    # Without a writable directory, each process compiles it again.
    wrapped: Function = njit(cache=_keeps, **_OPTIONS)(function)
    return wrapped
