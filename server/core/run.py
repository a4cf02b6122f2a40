"""A run: an attempt that is over, with its moves and their times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from server.core.attempt import Ended, Event, Moved, Started
from server.core.ranking import End


@dataclass(frozen=True, slots=True)
class Run:
    """An attempt that is over.

    Attributes:
        start: the first entry of its journal.
        moves: each move's text, and its milliseconds since the start.
        ended: milliseconds from the start to the end.
        end: why it ended.
    """

    start: Started
    moves: tuple[tuple[str, int], ...]
    ended: int
    end: End


def run_of(events: Iterable[Event]) -> Run | None:
    """Return the run that a whole journal holds, or `None` if its attempt goes on."""
    start: Started | None = None
    moves: list[tuple[str, int]] = []
    for event in events:
        match event:
            case Started():
                start = event
                continue
            case Moved(move=move):
                assert start is not None, "a journal begins with the start"
                moves.append((move, event.at - start.at))
        if isinstance(event, Ended) or event.end is not None:
            assert start is not None, "a journal begins with the start"
            assert event.end is not None, "only a move has an end that may be missing"
            return Run(start, tuple(moves), event.at - start.at, event.end)
    return None
