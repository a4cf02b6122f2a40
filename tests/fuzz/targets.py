"""All targets of the coverage-guided fuzzer, by name. They do not need Atheris."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tests.fuzz import games, listener, parsers


@dataclass(frozen=True, slots=True)
class Target:
    """A reader of untrusted bytes.

    Attributes:
        run: takes an input, and raises an exception if it breaks an invariant.
        seeds: returns the initial inputs.
        words: words for mutations, in addition to single bytes.
    """

    run: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]
    words: Sequence[bytes] = ()


TARGETS = {
    target.__name__: Target(target, partial(games.seeds, target))
    for target in (games.rules, games.moves, games.driver, games.positions)
} | {
    "codec": Target(parsers.codec, parsers.codec_seeds),
    "texts": Target(parsers.texts, parsers.text_seeds, parsers.WORDS),
    "listener": Target(listener.listener, listener.seeds, listener.WORDS),
}
