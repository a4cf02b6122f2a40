"""Frames: encode commands as msgpack arrays, decode events by their fields' types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import msgpack

from samedeal_client.messages import EVENTS, FIRST_NUMBER, LAST_NUMBER, NEWS, PROGRESS, Moved
from samedeal_client.protocol import Command, Event, Re


@dataclass(frozen=True, slots=True)
class Counter:
    """A runner's progress: the index among the runners, cards home, moves, and headway."""

    runner: int
    home: int
    moves: int
    headway: int


@dataclass(frozen=True, slots=True)
class Progress(Event):
    """Progress of runners of the room's round. It has no `re`, since it answers nothing."""

    counters: tuple[Counter, ...]


def encode(command: Command[Any], number: int) -> bytes:
    """Return a command's frame; `number` is its id, which a move omits."""
    row = _row_of(command)
    frame: bytes = msgpack.packb([command.kind, number, *row] if command.kind else row)
    return frame


def decode(frame: bytes) -> tuple[Re, Event] | None:
    """Return a frame's event and its reference to a command; `None` for an unknown kind."""
    try:
        row = msgpack.unpackb(frame)
        first, *rest = row
        if FIRST_NUMBER <= first <= LAST_NUMBER:
            return (first, row[1]), _read(Moved, row)
        if first == PROGRESS:
            counters = zip(*(rest[at::4] for at in range(4)), strict=True)
            return NEWS, Progress(tuple(Counter(*each) for each in counters))
        if first not in EVENTS:
            return None
        re, *values = rest
        return (tuple(re) if isinstance(re, list) else re), _read(EVENTS[first], values)
    except (ValueError, TypeError, IndexError, msgpack.UnpackException):
        return None


def _row_of(value: Any) -> list[Any]:
    """Return a dataclass's fields, without trailing ones that have their defaults."""
    row = [(getattr(value, field.name), field.default) for field in fields(value)]
    while row and row[-1][0] == row[-1][1]:
        row.pop()
    return [_plain(each) for each, _ in row]


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _row_of(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _read(cls: Any, row: Sequence[Any]) -> Any:
    """Create a dataclass from its fields; missing trailing fields have their defaults."""
    readers = _readers(cls)
    return cls(*(read(value) for read, value in zip(readers, row, strict=False)))


@cache
def _readers(cls: Any) -> list[Callable[[Any], Any]]:
    hints = get_type_hints(cls)
    return [_reader(hints[field.name]) for field in fields(cls)]


def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return a field's converter from msgpack, which turns arrays into tuples or dataclasses."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is UnionType:
        inner = next(map(_reader, (arg for arg in args if arg is not type(None))))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        read = _reader(args[0])
        return lambda values: tuple(map(read, values))
    if is_dataclass(kind):
        assert isinstance(kind, type)
        return lambda row: _read(kind, row)
    return _same


def _same(value: Any) -> Any:
    return value
