"""What a player has asked for, by what it was about."""

from __future__ import annotations

from collections import defaultdict

from tests.faults.ledger import Ledger, Message

RESIGN = "resign"
"""Stands for a resignation where a move's text would be."""

EVER = 1 << 62
"""A time that never comes."""


class Asked:
    """An index of a ledger's commands."""

    def __init__(self, ledger: Ledger) -> None:
        self.player = ledger.player
        self._entries: dict[tuple[str, int, str], int] = {}
        self._others: defaultdict[tuple[str, str], list[tuple[int, Message]]] = defaultdict(list)
        self._when: dict[int, int] = {}
        self._claims: dict[int, Message] = {}
        for at, command in ledger.said():
            self._when[command["id"]] = at
            match command["type"]:
                case "move":
                    key = (command["attempt"], command["seq"], command["move"])
                    self._entries.setdefault(key, at)
                case "resign":
                    key = (command["attempt"], command["seq"], RESIGN)
                    self._entries.setdefault(key, at)
                case "attempt.open" if command.get("have") is not None:
                    self._claims[command["id"]] = command
                case type_:
                    about = command.get("code") or command.get("game") or ""
                    self._others[type_, about].append((at, command))

    def entry(self, attempt: str, seq: int, what: str) -> int:
        """Return when it was first asked that this become entry `seq`, or `EVER`."""
        return self._entries.get((attempt, seq, what), EVER)

    def first(self, type_: str, about: str) -> int:
        """Return when such a command about a room or game was first sent, or `EVER`."""
        return min((at for at, _ in self._others.get((type_, about), ())), default=EVER)

    def claim(self, command: int) -> Message | None:
        """Return the `attempt.open` of this number that said what its player had, or `None`."""
        return self._claims.get(command)

    def when(self, command: int) -> int:
        """Return when the command of this number was sent, or `EVER`."""
        return self._when.get(command, EVER)
