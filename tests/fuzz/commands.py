"""Random commands for the stateful fuzzer, generated from message definitions, then broken."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import inspect

from engine.catalog import games
from server.accounts.messages import ConfirmCode, DeleteAccount, KeepRecoveryCode, SignIn
from server.base.core.ids import ALPHABET
from server.base.wire.codec import MAX_FRAME_SIZE
from server.base.wire.messages import Command, kind_of
from server.base.wire.session_messages import Hello
from server.challenges.messages import CreateChallenge, PlayChallenge, WatchChallenge
from server.circles.messages import CreateCircle, DeleteCircle, JoinCircle
from server.lobby.messages import QuickMatch
from server.notifications.messages import AddPush
from server.play.messages import FIRST_NUMBER, LAST_NUMBER, Hint, OpenAttempt, Resign, Undo
from server.practice.messages import AddPractice
from server.protocol import COMMANDS
from server.rooms.messages import CreateRoom, JoinRoom, SetReady, StartRound

Row = list[Any]
"""A message before msgpack encoding: its kind or number, and its fields."""

WEIGHTS: dict[type[Command], int] = {
    Hello: 0,
    # The checker would report the removed data as lost.
    DeleteAccount: 0,
    CreateRoom: 2,
    QuickMatch: 1,
    JoinRoom: 12,
    StartRound: 10,
    SetReady: 6,
    OpenAttempt: 12,
    CreateChallenge: 3,
    WatchChallenge: 4,
    PlayChallenge: 8,
    JoinCircle: 4,
    # A deleted circle would leave the other players nothing to do.
    DeleteCircle: 1,
    Resign: 1,
    Hint: 2,
    Undo: 4,
}
"""Weights of the commands, 2 by default. Moves come in addition."""

STRANGE: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 31, 32, 95, 96, 2**31, 2**31 + 1, 2**53, 2**63, 2**64 - 1),
    *(0.5, "", "x" * 41, "x" * 65, "x" * 3_000, "\u0000\u202e", b"", b"\xff" * 9, [], [[]], {}),
    *({"type": "hello"}, [0] * 65, [[[[[[[[]]]]]]]]),
)
"""Values of wrong types, and edge values of the right types."""


KNOWN: dict[str, list[Any]] = {
    "game": list(games()),
    "variant": [variant for game in games().values() for variant in game.variants],
    "name": ["Anna", "B\u00f6rge", "\u0430\u0434", "Admin", "a" * 20, "", "1", "a\u0301b"],
    # Divided by `SHARE`, so that all rounds end before the run does.
    "limit": [60, 61],
    "day": [None, 0, 10**6],
}
"""Field values that need not be seen first."""


PRACTICE: dict[str, list[Any]] = {
    "game": KNOWN["game"],
    "variant": KNOWN["variant"],
    "device": [f"device{nth:>010}" for nth in range(3)],
    "figures": [
        [1, 1, 1, 1, 9, 60_000, 120, [[True, 9, 60_000, 120]]],
        [2, 0, 0, 0, 9, None, None, [[False, 9, 60_000, 120]]],
        [1, 2, 0, 0, 9, None, None, []],
    ],
}
"""Values of fields of `AddPractice`; random figures would contradict themselves."""


ALIASES = {"one": "player", "other": "player"}
"""Names of fields whose values have another name."""


class Seen:
    """Values seen by any player of the run, the latest of each kind."""

    def __init__(self) -> None:
        self.of = defaultdict[str, deque[str]](lambda: deque(maxlen=40))

    def take(self, event: dict[str, Any]) -> None:
        """Remember the values named in an event."""
        match event["type"]:
            case "welcome":
                self._add("player", event["player"]["id"])
                self._add("tokens", event["token"])
            case "room":
                self._add("code", event["code"])
                if event["round"]:
                    self._add("deal", event["round"]["deal"])
                    for runner in event["round"]["runners"]:
                        self._add("attempt", runner["attempt"])
            case "attempt":
                self._add("attempt", event["attempt"])
                self._add("deal", event["deal"])
            case "WatchKey":
                self._add("key", event["key"])
            case "Challenge":
                self._add("challenge", event["challenge"])
                self._add("deal", event["deal"])
                for row in event["players"]:
                    self._add("attempt", f"{event['deal']}.{row['player']['id']}")
            case "Circle":
                self._add("circle", event["circle"])
                self._add("link", event["link"])
            case "CircleFeed":
                for item in event["items"]:
                    self._add("item", item["item"])
            case "RecoveryCode" | "DeviceCode":
                self._add("sign-in", event["code"])

    def _add(self, kind: str, value: str) -> None:
        if value not in self.of[kind]:
            self.of[kind].append(value)

    def choices(self, struct: type[Command], name: str) -> list[Any]:
        """Return candidate values for a command's field, unless its type provides them."""
        if struct in {SignIn, KeepRecoveryCode, ConfirmCode}:
            return list(self.of["sign-in"])
        if struct is CreateRoom and name == "key":
            return [f"a key of a room {number}" for number in range(30)]
        if struct is CreateChallenge and name in {"key", "players"}:
            keys = [f"a key of a challenge {number}" for number in range(30)]
            return keys if name == "key" else [[], [], list(self.of["player"])[-2:]]
        if struct is CreateCircle and name == "key":
            return [f"a key of a circle {number}" for number in range(5)]
        if struct in {AddPractice, AddPush}:
            # The `key` of `AddPush` is a push key, not a watch key.
            return PRACTICE.get(name, [])
        seen = list(self.of[ALIASES.get(name, name)])
        return [None, *seen] if name == "key" else seen or KNOWN.get(name, [])


class Commands:
    """Generates rows.

    Args:
        seen: values that commands can name.
    """

    def __init__(self, rng: random.Random, seen: Seen) -> None:
        self._rng = rng
        self._seen = seen

    def any(self, command_id: int, numbers: list[int]) -> Row:
        """Return a valid command of any type."""
        weights = [WEIGHTS.get(struct, 2) for struct in COMMANDS]
        struct = self._rng.choices(COMMANDS, weights)[0]
        return self.of(struct, command_id, numbers)

    def of(self, struct: type[Command], command_id: int, numbers: list[int]) -> Row:
        """Return a valid command of the given type; see `any`."""
        row: Row = [kind_of(struct), command_id]
        for each in _FIELDS[struct][1:]:
            if not each.required and self._rng.random() < 0.3:
                break
            row.append(self._value(struct, each, numbers))
        return row

    def move(self, numbers: list[int]) -> Row:
        """Return a random move, which is rarely legal."""
        number = self._rng.choice(numbers) if numbers else FIRST_NUMBER
        return [number, self._rng.randint(1, 40), *(self._rng.randint(0, 20) for _ in range(2))]

    def _value(self, struct: type[Command], each: inspect.Field, numbers: list[int]) -> Any:
        if each.name == "number":
            return self._rng.choice(numbers or [FIRST_NUMBER])
        if each.name == "seq":
            return self._rng.randint(1, 40)
        if choices := self._seen.choices(struct, each.name):
            return self._rng.choice(choices)
        return self._of_type(each.type)

    def _of_type(self, kind: inspect.Type) -> Any:
        rng = self._rng
        made: Any = None
        match kind:
            case inspect.UnionType(types=types):
                made = self._of_type(rng.choice(types))
            case inspect.IntType(ge=least, le=most):
                made = rng.randint(least or 0, min(most or 99, (least or 0) + 99))
            case inspect.BoolType():
                made = rng.random() < 0.7
            case inspect.LiteralType(values=values):
                made = rng.choice(values)
            case inspect.StrType(min_length=least):
                length = (least or 0) + rng.randrange(20)
                made = "".join(rng.choices(ALPHABET, k=length))
            case inspect.ListType(item_type=item, max_length=most):
                made = [self._of_type(item) for _ in range(rng.randrange(min(most or 4, 4)))]
            case inspect.StructType(fields=fields):
                made = [self._of_type(each.type) for each in fields]
        return made

    def broken(self, row: Row) -> bytes | str:
        """Encode a row after a few mutations. A `str` is sent as a text frame."""
        rng, row = self._rng, list(row)
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(row)) if row else 0
            rng.choice(_CHANGES)(rng, row, at)
        frame = msgspec.msgpack.encode(row)[:MAX_FRAME_SIZE]
        match rng.randrange(12):
            case 0:
                frame = frame[: rng.randrange(len(frame) + 1)]
            case 1:
                at = rng.randrange(len(frame))
                frame = frame[:at] + bytes([rng.randrange(256)]) + frame[at + 1 :]
            case 2:
                return repr(row)[: MAX_FRAME_SIZE // 4]
        # The mutation may have made it `DeleteAccount`, which must not be sent.
        return frame[:1] if frame[1:2] == bytes([kind_of(DeleteAccount)]) else frame


def _off_by_one(rng: random.Random, row: Row, at: int) -> None:
    if row and type(row[at]) is int:
        row[at] = max(-(2**63), min(2**64 - 1, row[at] + rng.choice((-1, 1, 2**31))))


def _strange(rng: random.Random, row: Row, at: int) -> None:
    row[at : at + 1] = [rng.choice(STRANGE)]


def _longer(rng: random.Random, row: Row, _at: int) -> None:
    row.append(rng.choice(STRANGE))


def _shorter(_rng: random.Random, row: Row, at: int) -> None:
    del row[at:]


def _other_kind(rng: random.Random, row: Row, _at: int) -> None:
    row[:1] = [rng.choice((rng.randrange(110), FIRST_NUMBER, LAST_NUMBER))]


_CHANGES: tuple[Callable[[random.Random, Row, int], None], ...] = (
    *(_off_by_one, _off_by_one, _strange, _strange),
    *(_longer, _shorter, _other_kind),
)


def _fields(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    found = inspect.type_info(struct)
    assert isinstance(found, inspect.StructType)
    return found.fields


_FIELDS = {struct: _fields(struct) for struct in COMMANDS}
