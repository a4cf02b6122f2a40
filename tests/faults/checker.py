"""The checker: what Redis kept, held against what players said and were told. Pure.

A standing or a leaderboard is recomputed from the journals, and a journal is played again from its
deal's seed. Whatever does not agree becomes a complaint.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from server.core.daily import DailyId
from server.core.ids import split_attempt_id
from server.core.ranking import Result, packed, unpack
from tests.faults import room_story
from tests.faults.asked import Asked
from tests.faults.attempt_story import Story, check_told, fold, told_of
from tests.faults.complaint import SLACK, Complaint
from tests.faults.kept import Kept
from tests.faults.ledger import Ledger, Message
from tests.faults.room_story import RoomStory


@dataclass
class Verdict:
    """What a check found, and how much it looked at."""

    complaints: list[Complaint] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Ran:
    """What is left of an attempt once its journal has been checked.

    Attributes:
        results: as they were after each entry.
        day: of its daily, or `None`.
    """

    game: str
    day: int | None
    room: str | None
    results: tuple[Result, ...]

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self.results) and self.results[-1].end is not None


def check(kept: Kept, ledgers: Sequence[Ledger], now: int) -> Verdict:
    """Hold everything kept against everything said and told, once all is over.

    Args:
        kept: what Redis holds.
        ledgers: one for each player who ever was.
        now: the time in Unix milliseconds.
    """
    verdict = Verdict()
    asked = {ledger.player: Asked(ledger) for ledger in ledgers}
    ran = _check_attempts(kept, ledgers, asked, verdict)
    rooms = {
        code: room_story.fold(code, entries, kept.deals, asked, verdict.complaints)
        for code, entries in kept.rooms.items()
    }
    _check_results(rooms, ran, verdict.complaints)
    for ledger in ledgers:
        _check_news(ledger, rooms, ran, kept, verdict)
    _check_leaderboards(kept, ran, verdict.complaints)
    _check_leftovers(kept, now, verdict.complaints)
    verdict.counts["rooms checked"] = len(rooms)
    verdict.counts["rounds"] = sum(len(story.rounds) for story in rooms.values())
    verdict.counts["races"] = sum(
        len(round_.players) > 1 for story in rooms.values() for round_ in story.rounds
    )
    return verdict


def _check_attempts(
    kept: Kept, ledgers: Iterable[Ledger], asked: Mapping[str, Asked], verdict: Verdict
) -> dict[str, Ran]:
    """Play every journal again, and hold each player's against what that player was told."""
    ran: dict[str, Ran] = {}
    mine: defaultdict[str, list[str]] = defaultdict(list)
    for attempt in kept.attempts:
        parts = split_attempt_id(attempt)  # type: ignore[arg-type]
        if parts is None or parts[1] not in asked:
            verdict.complaints.append(
                Complaint("invented", attempt, "nobody of this name has ever played")
            )
        else:
            mine[parts[1]].append(attempt)
    for ledger in ledgers:
        told = told_of(ledger)
        for attempt in mine[ledger.player]:
            complaints: list[Complaint] = []
            entries = kept.attempts[attempt]
            story = fold(attempt, entries, kept.deals, asked[ledger.player], complaints)
            if story is not None:
                check_told(story, told.pop(attempt, []), asked[ledger.player], complaints)
                ran[attempt] = _ran(story)
            verdict.counts["entries checked"] += len(entries)
            verdict.complaints += complaints
        for attempt in told:
            verdict.complaints.append(Complaint("lost", attempt, "its journal does not exist"))
        verdict.counts["events checked"] += sum(map(len, told.values()))
    verdict.counts["attempts checked"] = len(kept.attempts)
    verdict.counts["dailies"] = sum(each.day is not None for each in ran.values())
    verdict.counts["moves kept"] = sum(
        each.results[-1].moves for each in ran.values() if each.results
    )
    for each in ran.values():
        verdict.counts[f"attempts: {each.results[-1].end or 'left open'}"] += 1
    return ran


def _ran(story: Story) -> Ran:
    start = story.start
    results = tuple(state.result for state in story.states)
    return Ran(start.game, start.day, start.room, results)


def _check_results(
    rooms: Mapping[str, RoomStory], ran: Mapping[str, Ran], complaints: list[Complaint]
) -> None:
    """Hold each round's results against the attempts they came from."""
    known = {
        round_.attempt(player) for room in rooms.values() for round_ in room.rounds
        for player in round_.players
    }  # fmt: skip
    for attempt, run in ran.items():
        if run.room is not None and attempt not in known:
            complaints.append(Complaint("invented", attempt, "it belongs to no round"))
        elif run.room is not None and not run.over:
            complaints.append(Complaint("unfinished", attempt, "it has no end"))
    for code, room in rooms.items():
        for round_ in room.rounds:
            about = f"room {code} round {round_.number}"
            complaints += [
                Complaint("unfinished", about, f"{player} never finished")
                for player in round_.unfinished()
            ]
            for player, result in round_.results.items():
                found = ran.get(round_.attempt(player))
                if found is None:
                    complaints.append(
                        Complaint("lost", round_.attempt(player), f"{about} has its result")
                    )
                elif not found.over or found.results[-1] != result:
                    complaints.append(
                        Complaint("misranked", about, f"{player}: {result}, {found.results[-1]}")
                    )


def _check_news(
    ledger: Ledger,
    rooms: Mapping[str, RoomStory],
    ran: Mapping[str, Ran],
    kept: Kept,
    verdict: Verdict,
) -> None:
    """Hold what a player was told of rooms and leaderboards against what stands."""
    for line in ledger.heard():
        message = line.message
        verdict.counts["events checked"] += 1
        match message["type"]:
            case "room":
                story = rooms.get(message["code"])
                if story is None:
                    text = f"{ledger.player} was told of it at {line.at}"
                    verdict.complaints.append(Complaint("lost", f"room {message['code']}", text))
                else:
                    story.check_told(line, kept.deals, verdict.complaints)
                    _check_progress(story, message, ran, verdict.complaints)
            case "progress":
                _check_so_far(message, rooms, ran, verdict.complaints)
            case "leaderboard":
                _check_page(message, kept, verdict.complaints)


def _check_progress(
    story: RoomStory, message: Message, ran: Mapping[str, Ran], complaints: list[Complaint]
) -> None:
    """Hold the results of a round's runners, as they were told, against their attempts."""
    for runner in (message["round"] or {"runners": []})["runners"]:
        if not _was(runner["attempt"], runner["result"], ran):
            about = f"room {story.code} version {message['version']}"
            complaints.append(
                Complaint("misreported", about, f"{runner['attempt']} never stood so: {runner}")
            )


def _check_so_far(
    message: Message,
    rooms: Mapping[str, RoomStory],
    ran: Mapping[str, Ran],
    complaints: list[Complaint],
) -> None:
    """Hold the counters of a round, as they were told, against its attempts."""
    story = rooms.get(message["code"])
    rounds = story.rounds if story is not None else []
    round_ = next((each for each in rounds if each.number == message["number"]), None)
    about = f"room {message['code']} round {message['number']}"
    if round_ is None:
        complaints.append(Complaint("lost", about, "its progress was told"))
        return
    complaints += [
        Complaint("misreported", about, f"it never stood so: {runner}")
        for runner in message["runners"]
        if not _was(f"{round_.deal}.{runner['player']}", runner["result"], ran)
    ]


def _was(attempt: str, told: Message, ran: Mapping[str, Ran]) -> bool:
    """Return whether an attempt ever stood as was told; one not begun stands as it will begin.

    Of one that goes on, only the counters are told to others.
    """
    found, result = ran.get(attempt), Result(**told)
    if found is None:
        return False
    if result.end is not None:
        return result in found.results
    counters = (result.home, result.left, result.moves)
    return counters in {(each.home, each.left, each.moves) for each in found.results}


def _check_page(message: Message, kept: Kept, complaints: list[Complaint]) -> None:
    """Hold a leaderboard as it was told against the one that stands: rows never change."""
    daily = DailyId(message["game"], message["day"])
    about = f"leaderboard {daily.game} {daily.day}"
    stands = kept.leaderboards.get(daily, {})
    for row in (*message["top"], *message["around"]):
        score = stands.get(row["player"]["id"])
        if score is None:
            complaints.append(Complaint("lost", about, f"{row} was told"))
        elif unpack(score) != (row["left"], row["time"], row["moves"]):
            complaints.append(Complaint("misreported", about, f"{row} stands as {unpack(score)}"))
    top = [(row["left"], row["time"], row["moves"]) for row in message["top"]]
    if [row["rank"] for row in message["top"]] != [top.index(each) + 1 for each in sorted(top)]:
        complaints.append(Complaint("misranked", about, f"{message['top']}"))
    if message["size"] > len(stands):
        complaints.append(Complaint("lost", about, f"{message['size']} rows were told"))


def _check_leaderboards(kept: Kept, ran: Mapping[str, Ran], complaints: list[Complaint]) -> None:
    """Hold the leaderboards against those that the journals make."""
    wanted: defaultdict[DailyId, dict[str, int]] = defaultdict(dict)
    for attempt, run in ran.items():
        if run.day is not None and run.over:
            wanted[DailyId(run.game, run.day)][attempt.partition(".")[2]] = packed(run.results[-1])
    for daily in wanted.keys() | kept.leaderboards.keys():
        stands, made = kept.leaderboards.get(daily, {}), wanted[daily]
        about = f"leaderboard {daily.game} {daily.day}"
        complaints += [
            Complaint("lost", about, f"{player} is not on it")
            for player in made.keys() - stands.keys()
        ]
        complaints += [
            Complaint("invented", about, f"{player} finished nothing")
            for player in stands.keys() - made.keys()
        ]
        for player in made.keys() & stands.keys():
            if made[player] != stands[player]:
                text = f"{player}: {unpack(stands[player])}, made {unpack(made[player])}"
                complaints.append(Complaint("misranked", about, text))


def _check_leftovers(kept: Kept, now: int, complaints: list[Complaint]) -> None:
    complaints += [
        Complaint("unfinished", attempt, "its end has had no effect") for attempt in kept.effects
    ]
    complaints += [
        Complaint("unfinished", member, f"it fell due {now - time} ms ago")
        for member, time in kept.due.items()
        if time < now - SLACK
    ]
