"""Room histories from all entries that were ever appended to their journals.

They are read without the server's fold, so that a defect of the fold is not repeated here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.base.core.ids import PACE_BOT
from server.base.core.keys import kind_of

Entry = dict[str, Any]


@dataclass(slots=True)
class RoundStory:
    """A round.

    Attributes:
        everybody: its players, including the pace bot.
        at: when it was started, in Unix milliseconds.
        starts: when play began, after the countdown.
        since: when the round before it was over, or the room was opened.
        over: when it was over; 0 if it is not.
        strangers: whether one of its seats was taken while the room was public, or the room was
            public at its start or later.
        home: how many cards the deal itself brings home.
    """

    number: int
    deal: str
    terms: Entry
    everybody: tuple[str, ...]
    at: int
    starts: int
    since: int
    home: int
    strangers: bool
    results: dict[str, Entry] = field(default_factory=dict)
    over: int = 0

    @property
    def players(self) -> tuple[str, ...]:
        """Its players, without the pace bot."""
        return tuple(each for each in self.everybody if each != PACE_BOT)


@dataclass(slots=True)
class RoomStory:
    """A room."""

    code: str
    opened: Entry
    entries: list[Entry]
    rounds: list[RoundStory] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    seats: dict[str, int] = field(default_factory=dict)

    @property
    def quick(self) -> bool:
        """Whether it is a quick match."""
        return bool(self.opened.get("quick"))


def stories(journals: Mapping[str, Sequence[str]]) -> Iterator[RoomStory]:
    """Yield the rooms among journals by key, with all entries ever appended."""
    for key, texts in journals.items():
        kind, code = kind_of(key)
        if kind == "room":
            yield _story(code, [json.loads(text) for text in texts])


def _story(code: str, entries: list[Entry]) -> RoomStory:
    opened = entries[0]
    room = RoomStory(code, opened, entries)
    public, since, host = room.quick, opened["at"], opened["host"]
    terms = {name: opened[name] for name in ("game", "variant", "limit")}
    terms["help"] = opened.get("help", "none")
    seats: dict[str, bool] = {}
    for entry in entries[1:]:
        round_ = room.rounds[-1] if room.rounds else None
        before = host
        runs = round_ is not None and not round_.over
        match entry["type"]:
            case "taken":
                host = host if host in seats else entry["player"]
                seats[entry["player"]] = public
                room.seats.setdefault(entry["player"], entry["at"])
            case "left":
                seats.pop(entry["player"], None)
                if entry["player"] == host:
                    host = next((each for each in seats if each != PACE_BOT), host)
            case "host":
                host = entry["player"]
            case "public":
                public = entry["public"]
                if round_ is not None and runs:
                    round_.strangers |= public
            case "terms":
                terms = {"help": "none", **entry["terms"]}
            case "round":
                room.rounds.append(
                    RoundStory(
                        entry["number"],
                        entry["deal"],
                        terms,
                        tuple(entry["players"]),
                        entry["at"],
                        entry["starts"],
                        since,
                        entry.get("home", -1),
                        public or any(seats.get(each) for each in entry["players"]),
                    )
                )
            case "finished" if round_ is not None:
                round_.results[entry["player"]] = entry["result"]
                if len(round_.results) == len(round_.everybody):
                    round_.over = since = entry["at"]
        if before != host or ("by" in entry and entry["type"] == "left") or entry.get("locked"):
            room.breaks.append(entry["at"])
    return room
