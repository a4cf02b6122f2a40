"""What the simulated store holds: the same things as Redis, as Python's own.

Every method is one command or script, applied at one instant.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from server.store import journal, keys
from server.store.journal import Append, ConflictError, MistimedError
from server.store.outbox import MOST_AT_ONCE, Left
from tests.faults.kept import Kept

T = TypeVar("T")


@dataclass
class Held:
    """All keys of the store, by kind.

    Attributes:
        streams: texts of entries from `0-1` on.
        values: strings.
        hashes: fields.
        scores: sorted sets.
        effects: what is in each partition's outbox.
        due: what falls due in each partition.
        ends: when keys are forgotten, in Unix milliseconds.
    """

    streams: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, dict[str, str]] = field(default_factory=dict)
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    effects: dict[int, dict[str, str]] = field(default_factory=dict)
    due: dict[int, dict[str, int]] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)


class Memory:
    """Everything that is kept; `now` returns Redis's time in Unix milliseconds, with a fraction."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._held = Held()

    def copied(self) -> Held:
        """Return everything as it is, for `restore`."""
        return copy.deepcopy(self._held)

    def restore(self, held: Held) -> None:
        """Let everything be as it was."""
        self._held = held

    # Journals

    def append(self, entry: Append, previous: str, now: int) -> None:
        """Do what the append script does.

        Raises:
            ConflictError: the journal ends with another entry.
            MistimedError: this is not the time.
        """
        stream = self.stream(entry.key)
        if len(stream) != entry.number - 1 or (stream and stream[-1] != previous):
            raise ConflictError(entry.key)
        if abs(self.now() - now) > journal.CLOCK_TOLERANCE:
            raise MistimedError(entry.key)
        stream.append(entry.payload)
        self._held.streams[entry.key] = stream
        if entry.expires is not None:
            self._held.ends[entry.key] = entry.expires
        if entry.effect is not None:
            effect, text = entry.effect
            self._held.effects.setdefault(entry.partition, {})[effect] = text
        if entry.due is not None:
            member, time = entry.due
            due = self._held.due.setdefault(entry.partition, {})
            if time is None:
                due.pop(member, None)
            else:
                due[member] = time

    def stream(self, key: str) -> list[str]:
        """Return the texts of a journal; none if there is no such journal."""
        return self._living(self._held.streams, key) or []

    # Plain keys

    def keep_first(self, key: str, value: str, seconds: int | None) -> str:
        """Keep a string unless there is one, and return the one that is kept."""
        kept = self.value(key) or value
        self.set(key, kept, seconds)
        return kept

    def value(self, key: str) -> str | None:
        """Return a string, or `None`."""
        return self._living(self._held.values, key)

    def set(self, key: str, value: str, seconds: int | None) -> None:
        """Keep a string."""
        self._held.values[key] = value
        self._live(key, seconds)

    def delete(self, key: str) -> None:
        """Forget a string."""
        self._held.values.pop(key, None)

    def hash(self, key: str) -> dict[str, str]:
        """Return the fields of a hash; none if there is no such key."""
        found = self._living(self._held.hashes, key)
        return {} if found is None else dict(found)

    def set_fields(self, key: str, fields: dict[str, str], seconds: float) -> None:
        """Set fields of a hash."""
        self._held.hashes[key] = self.hash(key) | fields
        self._live(key, seconds)

    def scores(self, key: str) -> dict[str, int]:
        """Return a sorted set as scores by member, in its order."""
        found = self._living(self._held.scores, key) or {}
        return {m: s for s, m in sorted((s, m) for m, s in found.items())}

    def score(self, key: str, member: str, score: int, seconds: int) -> None:
        """Give a member a score, unless it has one."""
        scores = self._living(self._held.scores, key) or {}
        self._held.scores[key] = {member: score} | scores
        self._live(key, seconds)

    def replace_scores(self, key: str, scores: dict[str, int], seconds: int | None = None) -> None:
        """Let a sorted set be this one."""
        self._held.scores[key] = scores
        if seconds is not None:
            self._live(key, seconds)

    # Outboxes

    def effects(self) -> list[tuple[str, str]]:
        """Return (field, text) of all outboxes."""
        return [item for number in sorted(self._held.effects)
                for item in self._held.effects[number].items()]  # fmt: skip

    def drop_effect(self, name: str) -> None:
        """Forget an effect."""
        self._held.effects.get(keys.partition(name), {}).pop(name, None)

    def due(self, now: float) -> list[tuple[str, int]]:
        """Return (member, time) of what has fallen due, partition by partition."""
        return [item for number in sorted(self._held.due) for item in self.left(number, now).due]

    def left(self, number: int, until: float) -> Left:
        """Return what falls due in a partition up to a time, and its effects."""
        times = self._held.due.get(number, {}).items()
        members = sorted((time, member) for member, time in times if time <= until)
        effects = self._held.effects.get(number, {})
        due = [(member, time) for time, member in members[:MOST_AT_ONCE]]
        return Left(due, list(effects.items()))

    def set_aside(self, number: int, name: str, text: str) -> None:
        """Keep something of a partition among what was set aside."""
        self._held.hashes[keys.SET_ASIDE] = self.hash(keys.SET_ASIDE) | {name: text}
        self._held.effects.get(number, {}).pop(name, None)
        self._held.due.get(number, {}).pop(name, None)

    def drop_due(self, name: str, member: str, time: int) -> None:
        """Forget a due time, unless there is a later one."""
        due = self._held.due.get(keys.partition(name), {})
        if member in due and due[member] <= time:
            del due[member]

    # All of it

    def kept(self) -> Kept:
        """Return what the checker reads."""
        kept = Kept()
        for key, stream in self._held.streams.items():
            _, kind, name = key.split(":")
            journals = kept.attempts if kind == "attempt" else kept.rooms
            journals[name] = [(f"0-{number}", text) for number, text in enumerate(stream, 1)]
        for key, fields in self._held.hashes.items():
            if key.startswith("deal:"):
                kept.deals[key[len("deal:{") : -1]] = fields
        for key, scores in self._held.scores.items():
            if key.startswith("leaderboard:"):
                game, day = key[len("leaderboard:{") : -1].split(":")
                kept.leaderboards[game, int(day)] = dict(scores)
        kept.effects.update(self.effects())
        kept.due.update(self.due(float("inf")))
        return kept

    def _living(self, kind: dict[str, T], key: str) -> T | None:
        """Return what is under a key unless its time is up."""
        end = self._held.ends.get(key)
        if end is not None and end <= self.now():
            kind.pop(key, None)
            del self._held.ends[key]
        return kind.get(key)

    def _live(self, key: str, seconds: float | None) -> None:
        """Let a key live so long from now on; without end if that is `None`."""
        if seconds is None:
            self._held.ends.pop(key, None)
        else:
            self._held.ends[key] = int(self.now() + seconds * 1000)
