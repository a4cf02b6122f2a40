"""Checks of any kind of journal: its entries have no gap, can be folded, and were requested."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from server.base.core.refusal import UnreadableError
from tests.faults.commands import NEVER_SENT, CommandIndex
from tests.faults.complaint import SLACK, Complaint, Kind

S = TypeVar("S")
E = TypeVar("E")


class JournalChecks(Generic[S, E]):
    """Compares the journals of a kind with the players' ledgers."""

    def __init__(
        self,
        kind: str,
        decode: Callable[[str], E],
        fold: Callable[[S | None, E], S],
        commands: Mapping[str, CommandIndex],
        complaints: list[Complaint],
    ) -> None:
        self._kind, self._decode, self._fold = kind, decode, fold
        self._commands = commands
        self._complaints = complaints

    def _complain(self, kind: Kind, about: str, text: str) -> None:
        self._complaints.append(Complaint(kind, f"{self._kind} {about}", text))

    def _check_entry(self, name: str, before: S | None, event: E) -> None:
        raise NotImplementedError

    def _replayed(self, name: str, entries: Sequence[tuple[str, str]]) -> dict[int, tuple[E, S]]:
        """Return each entry and the state after it; complain about unrequested entries."""
        found: dict[int, tuple[E, S]] = {}
        state: S | None = None
        first = int(entries[0][0][2:]) if entries else 1
        for number, (entry, text) in enumerate(entries, first):
            if entry != f"0-{number}":
                self._complain("gap", name, f"{entry} is in the place of {number}")
                return {}
            try:
                event = self._decode(text)
                after = self._fold(state, event)
            except (UnreadableError, AssertionError, KeyError) as error:
                self._complain("invented", name, f"{text} cannot be folded: {error!r}")
                return {}
            self._check_entry(name, state, event)
            state, found[number] = after, (event, after)
        return found

    def _check_asked(self, name: str, player: str, type_: str, about: str, at: int) -> None:
        commands = self._commands.get(player)
        first = commands.first(type_, about) if commands is not None else NEVER_SENT
        if first == NEVER_SENT:
            self._complain("invented", name, f"{player} never sent {type_}")
        elif at < first - SLACK:
            self._complain("mistimed", name, f"{first - at} ms before {player} sent {type_}")
