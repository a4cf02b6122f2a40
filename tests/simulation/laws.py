"""Laws of conduct towards others: a checker for the trace of a race with hostile players.

- Only a race's players decide its rated results.
- No player learns whether a room exists without its code, or watches with an expired key.
- No player is kept out by others for more than ten seconds.
- No address stores more than its quota, or more than it was charged for.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import isclose

from server.accounts.core import charges as accounts_charges
from server.base.core import keys as store_keys
from server.base.core import quota
from server.base.core.ids import DealId, PlayerId
from server.base.core.refusal import BaseRefusals
from server.base.net import limits
from server.base.quotas import quotas
from server.base.quotas.quotas import Scope
from server.base.wire.scopes import scopes_of
from server.players.core import charges as players_charges
from server.results.core import contests
from server.results.core.history_fields import whole_of
from server.rooms.core import charges as rooms_charges
from tests.conftest import secret_keys
from tests.faults.complaint import SLACK, Complaint
from tests.faults.ledger import Line
from tests.faults.stored import Stored
from tests.simulation.bytes_stored import Bytes, Kept
from tests.simulation.hostile import Hostile, Key
from tests.simulation.memory import Key as Held
from tests.simulation.player import Player
from tests.simulation.rated import Run, contests_of, expected
from tests.simulation.rooms import RoomStory, RoundStory, stories

KEPT_OUT = 10_000
"""Maximum time that others may keep a player out, in milliseconds."""

NOTHING = {"WatchRound": "not_invited"}
"""Refusals to callers without seat or key, where it is not `unknown_room`."""

NO_ANSWERS = {None, "too_fast", "unavailable", "overloaded"}
"""Answers that reveal nothing about a guess."""

SEATS = {"room.create", "room.join", "room.quick"}
"""Commands that take a seat."""

FREE_TRIES = 2
"""Guesses that every player has; with fewer wrong ones, a player never waits for others."""

PACED = 10
"""A player with more room changes than this may be limited by its own rate."""

STOPPED = 10_000
"""Milliseconds within which a spectator whose key has ended is stopped while messages are lost."""

MISSES = {"unknown_room", "not_invited", "bad_code"}
"""Refusals of wrong guesses."""


@dataclass(slots=True)
class Trial:
    """A finished race with hostile players.

    Attributes:
        journals: all entries that were ever appended, by key.
        began: when it started, in Unix milliseconds.
        skewed: whether the clock of a node was wrong by a minute or more. Until it reads the time
            again, such a node counts stored items as if they had expired.
        forgotten: addresses with charges that a node had not written when it ended.
        noted: charges that nodes have not written yet: bytes by expiry, by address.
        counts: how much was checked.
    """

    stored: Stored
    journals: Mapping[str, Sequence[str]]
    honest: Sequence[Player]
    hostile: Sequence[Hostile]
    keys: Sequence[Key]
    began: int
    ended: int
    skewed: bool = False
    forgotten: Set[str] = frozenset()
    held: Sequence[Held] = ()
    noted: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    complaints: list[Complaint] = field(default_factory=list)
    rooms: list[RoomStory] = field(default_factory=list)
    commands: dict[str, list[Line]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.rooms = list(stories(self.journals))
        self.commands = {each.id: list(each.ledger.commands()) for each in self.players}

    @property
    def players(self) -> Sequence[Player]:
        """All players."""
        return [*self.honest, *self.hostile]

    def check(self) -> list[Complaint]:
        """Check all laws and return the violations."""
        self._check_rounds()
        self._check_ratings()
        self._check_guesses()
        self._check_watching()
        self._check_kept_out()
        self._check_quotas()
        return self.complaints

    # Only players decide their rated results

    def _check_rounds(self) -> None:
        for room in self.rooms:
            if room.quick:
                self._check_quick(room)
            for round_ in room.rounds:
                about = f"room {room.code} round {round_.number}"
                for player in round_.players:
                    if not self._agreed(room, round_, player):
                        self._complain("decided", about, f"{player} has not agreed to it")
                    self._check_end(room, round_, player, about)

    def _check_quick(self, room: RoomStory) -> None:
        """Check that no member acts as the host of a quick match."""
        about = f"quick match {room.code}"
        for entry in room.entries:
            removes = entry["type"] == "left" and "by" in entry
            if removes or entry["type"] in {"terms", "lock", "public", "host"}:
                self._complain("decided", about, f"a player runs it: {entry}")

    def _agreed(self, room: RoomStory, round_: RoundStory, player: str) -> bool:
        """Return whether a player has agreed to a round by a command."""
        first, last = round_.since - SLACK, round_.at + SLACK
        for at, command in ((line.at, line.message) for line in self.commands[player]):
            mine = command.get("code") == room.code
            if round_.number == 1 and at <= last:
                if command["type"] in SEATS and (mine or "code" not in command):
                    return True
            elif first <= at <= last and mine:
                if command["type"] == "room.start":
                    return True
                if command["type"] == "room.ready" and command["ready"]:
                    return True
        return False

    def _check_end(self, room: RoomStory, round_: RoundStory, player: str, about: str) -> None:
        result = round_.results.get(player)
        for entry in room.entries:
            gone = entry["type"] == "left" and entry["player"] == player and "by" in entry
            if gone and round_.at <= entry["at"] and not 0 < round_.over <= entry["at"]:
                self._complain("decided", about, f"{player} was removed: {entry}")
        if result is None or result["end"] != "resigned":
            return
        attempt = f"{round_.deal}.{player}"
        if not any(
            (line.message["type"] == "resign" and line.message["attempt"] == attempt)
            or (line.message["type"] == "room.leave" and line.message["code"] == room.code)
            for line in self.commands[player]
        ):
            self._complain("decided", about, f"{player} has not resigned")

    def _check_ratings(self) -> None:
        """Recompute which races count for whom, and their effect on ratings."""
        addresses = {each.id: each.address for each in self.players}
        found = {
            player: whole_of(fields).history.rounds
            for player, fields in self.stored.histories.items()
        }
        for round_ in (each for room in self.rooms for each in room.rounds):
            record = self.stored.races.get(round_.deal)
            if record is None or any(name.startswith("void:") for name in record):
                continue
            decided = json.loads(record["decided"])
            runs = {player: Run.of(round_.results[player]) for player in round_.players}
            pairs = {frozenset(pair[:2]): pair for pair in decided.get("pairs", ())}
            counting = contests_of(
                runs,
                round_.home,
                ranked=self._kept_before(round_),
                together={
                    frozenset((one, other))
                    for one in runs
                    for other in runs
                    if one != other and addresses[one] == addresses[other]
                },
                earlier={pair: each[2] for pair, each in pairs.items()},
                played_moves=contests.PLAYED_MOVES,
            )
            before = {player: (mean, left) for player, (mean, left) in decided["before"].items()}
            is_rated = round_.terms["help"] == "none"
            changes = expected(runs, round_.home, before, counting) if is_rated else {}
            self.counts["races computed"] += 1
            for player in runs:
                mine = found.get(PlayerId(player), {})
                result = mine.get((round_.terms["game"], DealId(round_.deal)))
                if result is None:
                    continue
                is_record = player in counting and result.time > 0 and not result.help
                compared = (result.ranked_wins, result.record is not None)
                if compared != (int(player in counting and result.won), is_record):
                    text = f"{player}: leaderboards compare {compared} of it"
                    self._complain("decided", f"race {round_.deal}", text)
                wanted = changes.get(player, (0.0, 1.0))
                self.counts["ratings computed"] += player in changes
                given = (result.shift, result.factor)
                if not all(isclose(a, b, abs_tol=1e-6) for a, b in zip(given, wanted, strict=True)):
                    text = f"{player}: the rating moved by {given}, not {wanted}"
                    self._complain("decided", f"race {round_.deal}", text)

    def _kept_before(self, round_: RoundStory) -> set[str]:
        """Return the players who had kept an identity when a round started."""
        kept = {
            player: int(fields["kept"])
            for player, fields in self.stored.players.items()
            if "kept" in fields
        }
        return {
            player for player in round_.players if kept.get(player, self.ended) <= round_.starts
        }

    # Rooms cannot be found without their codes

    def _check_guesses(self) -> None:
        wrong: defaultdict[tuple[str, str], int] = defaultdict(int)
        guessers: defaultdict[str, set[str]] = defaultdict(set)
        for player in self.hostile:
            for tried in player.tries:
                if tried.answer in NO_ANSWERS:
                    continue
                guessers[player.address].add(player.id)
                wrong[tried.node, player.address] += 1
                wanted = NOTHING.get(tried.type, "unknown_room")
                if tried.answer != wanted:
                    of = "that exists" if tried.exists else "that does not exist"
                    text = f"{tried.type} with the code of a room {of}: {tried.answer}"
                    self._complain("told", f"player {player.id}", text)
        seconds = (self.ended - self.began) / 1000
        for (node, address), count in wrong.items():
            rate = limits.ADDRESS_MISSES.times(limits.ADDRESS_PLAYERS).at_least(
                limits.PLAYER_MISSES
            )
            most = rate.at_once + FREE_TRIES * len(guessers[address]) + rate.second * seconds
            if count > most:
                self._complain(
                    "told", f"{address} on {node}", f"{count} guesses, {most:.0f} at most"
                )

    def _check_watching(self) -> None:
        """Check that keys end, and that strangers' boards stay hidden until a round is over."""
        rooms = {room.code: room for room in self.rooms}
        for player in self.players:
            asked = {
                line.message["id"]: line
                for line in self.commands[player.id]
                if line.message["type"] == "WatchRound" and line.message.get("key")
            }
            accepted: Line | None = None
            for line in player.ledger.events():
                event = line.message
                if event["type"] in {"Watched", "WatchedMove"} and "code" in event:
                    accepted = asked.get(event.get("re", 0), accepted)
                    room = rooms.get(event["code"])
                    if room is not None:
                        self._check_seen(player, room, line)
                        self._check_key(player, room, accepted, line)

    def _check_seen(self, player: Player, room: RoomStory, line: Line) -> None:
        event = line.message
        round_ = next((each for each in room.rounds if each.number == event["round"]), None)
        shown = event["type"] == "WatchedMove" or any(b["seq"] for b in event["boards"])
        if round_ is None or not shown or not round_.strangers:
            return
        if not 0 < round_.over <= line.at + SLACK:
            about = f"room {room.code} round {round_.number}"
            self._complain("told", about, f"{player.id} saw the boards of strangers at {line.at}")

    def _check_key(
        self, player: Player, room: RoomStory, accepted: Line | None, line: Line
    ) -> None:
        """Check that a spectator without a seat uses a key that is still valid."""
        event, about = line.message, f"room {room.code}"
        if player.id in room.seats or event.get("sight") == "ended":
            return
        key = accepted.message["key"] if accepted is not None else None
        given = next((each for each in self.keys if each.key == key), None)
        if accepted is None or given is None:
            self._complain("told", about, f"{player.id} watches without a key")
            return
        last = accepted.at - SLACK if "re" in event else line.at - STOPPED
        if any(given.at + SLACK < at < last for at in room.breaks):
            self._complain("told", about, f"{player.id} watches with a key issued at {given.at}")

    # Players do not keep others out

    def _check_kept_out(self) -> None:
        quota_bytes = quota.quota_of(limits.ADDRESS_PLAYERS, 0, wide=False)
        for player in self.honest:
            text = next(_kept_out(player, quota_bytes), None)
            if text is not None:
                self._complain("kept out", f"player {player.id}", text)

    # No address stores more than its quota

    def _check_quotas(self) -> None:
        found = Bytes(self.held, self.rooms, self.began)
        for key in found.unknown:
            self._complain("overfull", f"key {key}", "no owner is known")
        if self.skewed:
            return
        unsure = {player.id: _unsure(player) for player in self.players}
        scopes = {player.id: scopes_of(player.address) for player in self.players}
        for scope in dict.fromkeys(scope for each in scopes.values() for scope in each):
            here = [player for player, each in scopes.items() if scope in each]
            kept = [each for each in found.kept if each.player in here]
            spare = sum(unsure[player].size for player in here)
            self._check_full(scope, kept, spare)
            if scope.name not in self.forgotten:
                sure = [each for each in kept if each.attempt not in unsure[each.player].attempts]
                self._check_charged(scope, sure, spare)

    def _check_full(self, scope: Scope, kept: Sequence[Kept], spare: int) -> None:
        """Check that an address stores at most its quota, apart from games in progress."""
        most = quota.quota_of(limits.ADDRESS_PLAYERS, 0, wide=scope.wide)
        rooms = sum(each.size for each in kept if each.need == "room")
        other = sum(each.size for each in kept if each.need != "begun")
        for what, size, part in (
            ("empty rooms", rooms, quota.PARTS["room"]),
            ("items refused at the quota", other, quota.PARTS["any"]),
        ):
            if size > part * most + spare:
                text = f"{size} bytes of {what}, {part * most:.0f} bytes at most"
                self._complain("overfull", f"address {scope.name}", text)

    def _check_charged(self, scope: Scope, kept: Sequence[Kept], spare: int) -> None:
        """Check that all stored bytes are charged until they expire."""
        charged = self._charges(scope)
        self.counts["addresses compared with their charges"] += 1
        self.counts["bytes compared with charges"] += sum(each.size for each in kept)
        sum_stored = 0
        for each in sorted(kept, key=lambda each: -each.until):
            sum_stored += each.size
            counted = sum(size for until, size in charged.items() if until >= each.until)
            if sum_stored > counted + spare:
                days = (each.until - self.ended) / quota.DAY
                text = f"{sum_stored} bytes are stored for {days:.2f} days, {counted} are charged"
                self._complain("overfull", f"address {scope.name}", text)
                return

    def _charges(self, scope: Scope) -> dict[int, int]:
        """Return the charges of an address: bytes by expiry."""
        held = {key.name: key.value for key in self.held}
        signing = secret_keys().signing_key(json.loads(held[store_keys.KEYRING])["signing"])
        assert signing is not None, "all nodes have the same keys"
        mac = hmac.digest(signing, quotas._LABEL + scope.name.encode(), "sha256")
        place = urlsafe_b64encode(mac[: quotas._BYTES]).decode()
        charged = Counter(self.noted[scope.name])
        for until, size in held.get(store_keys.quota(place), {}).items():
            charged[int(until)] += int(size)
        return charged

    def _complain(self, kind: str, about: str, text: str) -> None:
        self.complaints.append(Complaint(kind, about, text))  # type: ignore[arg-type]


STORING = {
    "hello": players_charges.GUEST,
    "room.create": rooms_charges.ROOM,
    "room.quick": rooms_charges.MATCH,
    "room.start": rooms_charges.round_of(),
    "NewRecoveryCode": accounts_charges.OFFER,
    "KeepRecoveryCode": accounts_charges.CODE,
    "LinkDevice": accounts_charges.DEVICE,
}
"""Items stored by the commands that are charged in advance."""

UNCOUNTED = quotas.MOVES * quotas.ENTRY_BYTES
"""Bytes of an attempt's last entries, which are charged when it ends."""


@dataclass(slots=True)
class Unsure:
    """Bytes that unanswered commands may have stored without a charge.

    If the store does not answer, a command's charge is refunded although it may have stored
    something. A killed node loses the charges that it has not written.

    Attributes:
        attempts: attempts whose entries, or first move, may not be charged.
    """

    size: int = 0
    attempts: set[str] = field(default_factory=set)


def _unsure(player: Player) -> Unsure:
    found = Unsure()
    answered: defaultdict[int, set[str | None]] = defaultdict(set)
    for line in player.ledger.events():
        answered[line.message.get("re", 0)].add(line.message.get("code"))
    for line in player.ledger.commands():
        command, answers = line.message, answered[line.message["id"]]
        if answers and "unavailable" not in answers:
            continue
        type_ = command["type"]
        if type_ in {"move", "Undo", "Hint"}:
            found.attempts.add(command["attempt"])
        elif type_ in {"resign", "room.leave"}:
            found.size += UNCOUNTED
        elif type_ in STORING or type_.startswith("room."):
            items = (*STORING.get(type_, ()), rooms_charges.ENTRY)
            found.size += sum(item.size for item in items)
    return found


def _kept_out(player: Player, quota_bytes: int) -> Iterator[str]:
    """Yield the refusals that kept a player out for too long.

    Players who are alone at an address and store much there can only blame themselves.
    """
    types = {line.message["id"]: line.message for line in player.ledger.commands()}
    stored = sum(
        item.size
        for message in types.values()
        for item in (*STORING.get(message["type"], ()), rooms_charges.ENTRY)
    )
    changes = sum(message["type"].startswith("room.") for message in types.values())
    since: dict[str, int] = {}
    misses = 0
    for line in player.ledger.events():
        event = line.message
        if "re" not in event or event["re"] not in types:
            continue
        type_ = types[event["re"]]["type"]
        misses += event.get("code") in MISSES
        paced = event.get("text") == BaseRefusals.too_fast.value and changes > PACED
        if misses >= FREE_TRIES or (paced and type_.startswith("room.")):
            # The player's own doing.
            continue
        if event["type"] != "refused" or event["code"] not in {"too_fast", "address_full"}:
            since.pop(type_, None)
            continue
        if event["code"] == "address_full":
            if stored > quota_bytes / 2:
                continue
            yield f"{type_}: too much is stored at {player.address}"
        if event["wait"] > KEPT_OUT:
            yield f"{type_}: has to wait {event['wait']} ms"
        elif line.at - since.setdefault(type_, line.at) > KEPT_OUT:
            yield f"{type_}: refused since {since[type_]}, at {line.at} still"
