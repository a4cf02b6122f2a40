"""Memory measured by tracemalloc."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def traced() -> Iterator[Callable[[], int]]:
    """Yield a function that returns the bytes allocated in the block and still in use.

    Garbage is collected first. Otherwise the result would depend on when the collector last ran,
    and thus on other tests.
    """

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    gc.collect()
    tracemalloc.start()
    try:
        yield held
    finally:
        tracemalloc.stop()
