"""All targets of the coverage-guided fuzzer, by name. They do not need Atheris."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.fuzz import games, listener, parsers

CORPUS = Path(__file__).with_name("corpus")
"""For some targets, the shortest inputs that reach all lines: a literal of `bytes` a line."""


@dataclass(frozen=True, slots=True)
class Target:
    """A reader of untrusted bytes.

    Attributes:
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


def kept(name: str) -> list[bytes]:
    file = CORPUS / f"{name}.txt"
    return list(map(literal_eval, file.read_text().splitlines())) if file.exists() else []


def keep(name: str, *files: Path) -> None:
    inputs = {*kept(name), *(file.read_bytes() for file in files)}
    lines = (f"{each!r}\n" for each in sorted(inputs, key=lambda each: (len(each), each)))
    (CORPUS / f"{name}.txt").write_text("".join(lines))
