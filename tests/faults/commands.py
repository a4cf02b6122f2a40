"""The commands of a player, indexed by their subject."""

from __future__ import annotations

from collections import defaultdict

from server.play.core.attempt import UNDONE
from tests.faults.ledger import Ledger, Message

RESIGN = "resign"
"""Stands for a resignation in place of a move's text."""

HINT = "hint"
"""Stands for a hint in place of a move's text."""

_TEXTS = {"resign": RESIGN, "Undo": UNDONE, "Hint": HINT}

NEVER_SENT = 1 << 62
"""The time of a command that was never sent, later than any other time."""


class CommandIndex:
    """An index of a ledger's commands."""

    def __init__(self, ledger: Ledger) -> None:
        self.player = ledger.player
        self._entries: dict[tuple[str, int, str], int] = {}
        self._others: defaultdict[tuple[str, str], list[tuple[int, Message]]] = defaultdict(list)
        self._when: dict[int, int] = {}
        self._claims: dict[int, Message] = {}
        self._undos: dict[int, Message] = {}
        self.removals: list[tuple[str, str, int]] = []
        """Player, room and time of each `room.remove`."""
        for at, command in ledger.commands():
            self._when[command["id"]] = at
            match command["type"]:
                case "move":
                    key = (command["attempt"], command["seq"], command["move"])
                    self._entries.setdefault(key, at)
                case "resign" | "Undo" | "Hint" as type_:
                    key = (command["attempt"], command["seq"], _TEXTS[type_])
                    self._entries.setdefault(key, at)
                    if type_ == "Undo":
                        self._undos[command["id"]] = command
                case "attempt.open" if command.get("have") is not None:
                    self._claims[command["id"]] = command
                case type_:
                    if type_ == "room.remove":
                        self.removals.append((command["player"], command["code"], at))
                    named = (command.get(each) for each in ("code", "challenge", "game", "circle"))
                    about = next((each for each in named if each), "")
                    self._others[type_, about].append((at, command))

    def entry(self, attempt: str, seq: int, move: str) -> int:
        """Return when a command was first sent as entry `seq`, or `NEVER_SENT`.

        Args:
            move: the text of a move, or `RESIGN`, `UNDONE` or `HINT`.
        """
        return self._entries.get((attempt, seq, move), NEVER_SENT)

    def first(self, type_: str, about: str) -> int:
        """Return when a command about a room or game was first sent, or `NEVER_SENT`."""
        return min((at for at, _ in self._others.get((type_, about), ())), default=NEVER_SENT)

    def add_removal(self, room: str, at: int) -> None:
        """Note another player's command to remove this player from a room."""
        self._others["removed", room].append((at, {}))

    def claim(self, command: int) -> Message | None:
        """Return the `attempt.open` with this id if it had a `have`, or `None`."""
        return self._claims.get(command)

    def undo(self, command: int) -> Message | None:
        """Return the `Undo` with this id, or `None`."""
        return self._undos.get(command)

    def silent(self, since: int, until: int) -> bool:
        """Return whether the player sent no command between two times."""
        return not any(since <= at <= until for at in self._when.values())

    def when(self, command: int) -> int:
        """Return when the command with this id was sent, or `NEVER_SENT`."""
        return self._when.get(command, NEVER_SENT)
