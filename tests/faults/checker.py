"""The checker: compares Redis's contents with the players' ledgers, without I/O.

Standings and leaderboards are recomputed from the journals, and journals are replayed from their
deals' seeds. Every difference becomes a complaint.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from server.base.core import days as daily
from server.base.core.days import DailyId
from server.base.core.ids import PACE_BOT, DealId, Occasion, PlayerId, split_attempt_id
from server.base.core.quota import DAY, KEPT_DAYS
from server.play.core import keys
from server.play.core.result import Help, Result, unpack
from server.results.core.boards import Group, of_daily
from server.results.core.history_fields import whole_of
from server.rooms import journal as rooms_journal
from server.rooms.core import keys as rooms_keys
from tests.faults import room_history
from tests.faults.attempt_history import AttemptHistory, check_received, events_by_attempt, fold
from tests.faults.challenges import ChallengeChecks
from tests.faults.circles import CircleChecks
from tests.faults.commands import CommandIndex
from tests.faults.complaint import SLACK, Complaint, Kind
from tests.faults.histories import HistoryChecks
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.room_history import Nodes, RoomHistory
from tests.faults.stored import Stored
from tests.faults.watched import WatchedChecks


@dataclass
class Verdict:
    """The complaints of a check, and the number of items checked."""

    complaints: list[Complaint] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class AttemptSummary:
    """Facts about an attempt with a checked journal, for later checks.

    Attributes:
        times: milliseconds from the start to each entry.
        deadline: when the attempt ends by itself, in Unix milliseconds.
        played: whether its player did more than open it or give up.
        day: the day of a daily, or `None`.
        ranked: whether the player had a kept identity at its start.
        days: its lifetime in days if it is played; shorter when much is stored.
        stopped: whether this is a pace bot's attempt that stopped while moves were left.
    """

    game: str
    day: int | None
    room: str | None
    results: tuple[Result, ...]
    times: tuple[int, ...]
    deadline: int
    played: bool
    help: Help
    ranked: bool = False
    days: int = KEPT_DAYS
    stopped: bool = False
    occasion: Occasion | None = None

    @property
    def over(self) -> bool:
        """Whether the attempt has ended."""
        return bool(self.results) and self.results[-1].end is not None


def check(
    stored: Stored, ledgers: Sequence[Ledger], now: int, nodes: Nodes | None = None
) -> Verdict:
    """Compare everything stored with everything sent and received, at the end of a run.

    Args:
        nodes: the nodes' settings; this process's defaults if `None`.
    """
    nodes = nodes or Nodes()
    verdict = Verdict()
    # The pace bot sends and receives nothing.
    everybody = (*ledgers, Ledger(PACE_BOT))
    commands = {ledger.player: CommandIndex(ledger) for ledger in everybody}
    for index in commands.values():
        for player, room, at in index.removals:
            # The command may name an unknown player.
            if player in commands:
                commands[player].add_removal(room, at)
    summaries = _check_attempts(stored, everybody, commands, now, verdict)
    rooms = {
        code: room_history.fold(
            RoomHistory(code, nodes), entries, stored.deals, commands, verdict.complaints
        )
        for code, entries in stored.rooms.items()
    }
    _check_results(rooms, summaries, verdict.complaints)
    _check_rounds(rooms, stored, now, verdict)
    watched = WatchedChecks(stored, rooms, nodes.watch_delay, verdict.complaints)
    for ledger in ledgers:
        _check_events(ledger, rooms, summaries, stored, verdict)
        _check_watched(ledger, watched, verdict)
    for history in rooms.values():
        history.check_followers(commands, verdict.complaints)
    over = {
        (PlayerId(attempt.partition(".")[2]), run.game, run.day): run
        for attempt, run in summaries.items()
        if run.day is not None and run.over
    }
    days = {
        which: list(zip(run.times, run.results, strict=True))
        for which, run in over.items()
        if run.played
    }
    HistoryChecks(
        stored,
        days,
        rooms.values(),
        verdict.complaints,
        ranked={which for which, run in over.items() if run.ranked},
    ).run()
    challenges = ChallengeChecks(stored, summaries, commands, verdict.complaints, now=now)
    verdict.counts += challenges.run(ledgers)
    verdict.counts += CircleChecks(stored, commands, verdict.complaints).run(ledgers)
    for ledger in ledgers:
        _check_kept(ledger, stored, verdict)
    _check_leftovers(stored, now, verdict.complaints)
    _check_lives(stored, summaries, verdict.complaints)
    verdict.counts["rooms checked"] = len(rooms)
    verdict.counts["rounds"] = sum(len(history.rounds) for history in rooms.values())
    _count_kinds(stored, verdict)
    verdict.counts["ratings moved"] = sum(
        result.is_rated
        for fields in stored.histories.values()
        for result in whole_of(fields).history.rounds.values()
    )
    verdict.counts["races"] = sum(
        len(round_.players) > 1 for history in rooms.values() for round_ in history.rounds
    )
    return verdict


def _count_kinds(stored: Stored, verdict: Verdict) -> None:
    for entries in stored.rooms.values():
        for _, text in entries:
            verdict.counts[f"room entries: {json.loads(text)['type']}"] += 1


def _check_attempts(
    stored: Stored,
    ledgers: Iterable[Ledger],
    commands: Mapping[str, CommandIndex],
    now: int,
    verdict: Verdict,
) -> dict[str, AttemptSummary]:
    """Replay every attempt's journal and compare it with the events received by its player."""
    summaries: dict[str, AttemptSummary] = {}
    mine: defaultdict[str, list[str]] = defaultdict(list)
    for attempt in stored.attempts:
        parts = split_attempt_id(attempt)  # type: ignore[arg-type]
        if parts is None or parts[1] not in commands:
            verdict.complaints.append(Complaint("invented", attempt, "no such player exists"))
        else:
            mine[parts[1]].append(attempt)
    for ledger in ledgers:
        received = events_by_attempt(ledger)
        for attempt in mine[ledger.player]:
            complaints: list[Complaint] = []
            entries = stored.attempts[attempt]
            history = fold(attempt, entries, stored.deals, commands[ledger.player], complaints)
            if history is not None:
                check_received(
                    history, received.pop(attempt, []), commands[ledger.player], complaints
                )
                summaries[attempt] = _summary(history)
            verdict.counts["entries checked"] += len(entries)
            verdict.complaints += complaints
        for attempt, events in received.items():
            if not _has_expired(attempt, events, stored, now):
                verdict.complaints.append(Complaint("lost", attempt, "its journal does not exist"))
        verdict.counts["events checked"] += sum(map(len, received.values()))
    verdict.counts["attempts checked"] = len(stored.attempts)
    verdict.counts["pace bots"] = len(mine[PACE_BOT])
    verdict.counts["pace bots stopped"] = sum(each.stopped for each in summaries.values())
    verdict.counts["dailies"] = sum(each.day is not None for each in summaries.values())
    verdict.counts["moves stored"] = sum(
        each.results[-1].moves for each in summaries.values() if each.results
    )
    for each in summaries.values():
        verdict.counts[f"attempts: {each.results[-1].end or 'left open'}"] += 1
    return summaries


def _has_expired(attempt: str, events: Sequence[Line], stored: Stored, now: int) -> bool:
    """Return whether an unplayed attempt outside of rooms has expired.

    Simulated races leap by days. The deal outlives the attempt.
    """
    deal = stored.deals.get(attempt.partition(".")[0], {})
    day = deal.get("day")
    told_of = [line.message["deadline"] for line in events if line.message["type"] == "attempt"]
    deadline = daily.closes(int(day)) if day is not None else max(told_of, default=now)
    is_in_none = day is not None or "occasion" in deal
    if not is_in_none or now < deadline + keys.UNPLAYED_LIFE_MS:
        return False
    # Other events report a move or a hint.
    told = {"attempt", "missed", "ended"}
    if not all(line.message["type"] in told for line in events):
        return False
    results = [line.message["result"] for line in events]
    is_given_up = day is not None and any(each["end"] == "resigned" for each in results)
    return not is_given_up and all(each["moves"] == each["hints"] == 0 for each in results)


def _summary(history: AttemptHistory) -> AttemptSummary:
    start = history.start
    results = tuple(state.result for state in history.states)
    times = tuple(state.at - start.at for state in history.states)
    played = history.states[-1].counts
    return AttemptSummary(
        start.game,
        start.day,
        start.room,
        results,
        times,
        start.deadline,
        played,
        start.help,
        start.ranked,
        start.days,
        history.stopped,
        start.occasion,
    )


def _check_results(
    rooms: Mapping[str, RoomHistory],
    summaries: Mapping[str, AttemptSummary],
    complaints: list[Complaint],
) -> None:
    known = {
        round_.attempt(player) for room in rooms.values() for round_ in room.rounds
        for player in round_.players
    }  # fmt: skip
    for attempt, run in summaries.items():
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
                found = summaries.get(round_.attempt(player))
                if found is not None and found.help != round_.terms.help:
                    text = f"{player}: played with {found.help}, but the terms are {round_.terms}"
                    complaints.append(Complaint("invented", about, text))
                if found is not None and found.stopped and player != [*round_.results][-1]:
                    text = f"{player} stopped before the others were done: {round_.results}"
                    complaints.append(Complaint("invented", about, text))
                if found is None:
                    complaints.append(
                        Complaint("lost", round_.attempt(player), f"{about} has its result")
                    )
                elif not found.over or found.results[-1] != result:
                    complaints.append(
                        Complaint("misranked", about, f"{player}: {result}, {found.results[-1]}")
                    )


def _check_rounds(
    rooms: Mapping[str, RoomHistory], stored: Stored, now: int, verdict: Verdict
) -> None:
    played = {
        round_.deal: (round_, history.ended[round_.number])
        for history in rooms.values()
        for round_ in history.rounds
        if round_.over
        and any(each.moves for player, each in round_.results.items() if player != PACE_BOT)
    }
    for deal, text in stored.rounds.items():
        found = played.get(DealId(deal))
        if found is None or rooms_journal.decode_round(text) != found[0]:
            about = f"round on {deal}"
            verdict.complaints.append(Complaint("invented", about, f"{text}, not {found}"))
    for deal, (_, ended) in played.items():
        if deal not in stored.rounds and now < ended + rooms_keys.ROUND_LIFE_MS - SLACK:
            verdict.complaints.append(Complaint("lost", f"round on {deal}", "it is not kept"))
    verdict.counts["rounds kept"] += len(stored.rounds)


def _check_events(
    ledger: Ledger,
    rooms: Mapping[str, RoomHistory],
    summaries: Mapping[str, AttemptSummary],
    stored: Stored,
    verdict: Verdict,
) -> None:
    """Compare a player's events about rooms and leaderboards with the stored state."""
    for line in ledger.events():
        message = line.message
        verdict.counts["events checked"] += 1
        match message["type"]:
            case "room":
                history = rooms.get(message["code"])
                if history is None:
                    text = f"{ledger.player} received it at {line.at}"
                    verdict.complaints.append(Complaint("lost", f"room {message['code']}", text))
                else:
                    history.check_received(ledger.player, line, stored.deals, verdict.complaints)
                    _check_progress(history, message, summaries, verdict.complaints)
            case "progress":
                _check_counters(message, rooms, summaries, verdict.complaints)
            # Longer periods' scores are checked against the histories.
            case "leaderboard" if message["scope"] == "day":
                _check_page(message, stored, verdict.complaints)


def _check_watched(ledger: Ledger, watched: WatchedChecks, verdict: Verdict) -> None:
    for line in ledger.events():
        if line.message["type"] in {"Watched", "WatchedMove"}:
            verdict.counts["boards watched"] += watched.check(ledger.player, line)


def _check_progress(
    history: RoomHistory,
    message: Message,
    summaries: Mapping[str, AttemptSummary],
    complaints: list[Complaint],
) -> None:
    """Compare the runners' results in a room event with their attempts."""
    for runner in (message["round"] or {"runners": []})["runners"]:
        if not _existed(runner["attempt"], runner["result"], summaries):
            about = f"room {history.code} version {message['version']}"
            complaints.append(
                Complaint(
                    "misreported", about, f"{runner['attempt']} never had this result: {runner}"
                )
            )


def _check_counters(
    message: Message,
    rooms: Mapping[str, RoomHistory],
    summaries: Mapping[str, AttemptSummary],
    complaints: list[Complaint],
) -> None:
    history = rooms.get(message["code"])
    rounds = history.rounds if history is not None else []
    round_ = next((each for each in rounds if each.number == message["number"]), None)
    about = f"room {message['code']} round {message['number']}"
    if round_ is None:
        complaints.append(Complaint("lost", about, "its progress was sent"))
        return
    complaints += [
        Complaint("misreported", about, f"it never had this result: {runner}")
        for runner in message["runners"]
        if not _existed(f"{round_.deal}.{runner['player']}", runner["result"], summaries)
    ]


def _existed(attempt: str, received: Message, summaries: Mapping[str, AttemptSummary]) -> bool:
    """Return whether an attempt ever had a result, counting the one at its start.

    Before the end only the counters are compared, because other players receive nothing else.
    """
    found, result = summaries.get(attempt), Result(**received)
    if found is None:
        return False
    if result.end is not None:
        return result in found.results
    counters = (result.home, result.left, result.moves)
    return counters in {(each.home, each.left, each.moves) for each in found.results}


def _check_page(message: Message, stored: Stored, complaints: list[Complaint]) -> None:
    daily = DailyId(message["game"], message["day"])
    about = f"leaderboard {daily.game} {daily.day}"
    entered = {
        player: score
        for group in get_args(Group)
        for player, score in stored.leaderboards.get(of_daily(daily, group), {}).items()
    }
    acts = (json.loads(text) for _, text in stored.acts)
    # Moderation removed their results at some time and may have restored them.
    moderated = {
        act["player"]
        for act in acts
        if act["type"] == "void" and (act["game"], act["day"]) == (daily.game, daily.day)
    }
    for row in (*message["top"], *message["around"]):
        player = row["player"]["id"]
        score = entered.get(player)
        if score is None and player in moderated:
            continue
        if score is None:
            complaints.append(Complaint("lost", about, f"{row} was sent"))
        elif unpack(score) != (row["left"], row["time"], row["moves"]):
            complaints.append(
                Complaint("misreported", about, f"{row} is stored as {unpack(score)}")
            )
    top = [(row["left"], row["time"], row["moves"]) for row in message["top"]]
    if [row["rank"] for row in message["top"]] != [top.index(each) + 1 for each in sorted(top)]:
        complaints.append(Complaint("misranked", about, f"{message['top']}"))
    if message["size"] > len(entered.keys() | moderated):
        complaints.append(Complaint("lost", about, f"{message['size']} rows were sent"))


def _check_kept(ledger: Ledger, stored: Stored, verdict: Verdict) -> None:
    about = f"player {ledger.player}"
    commands = (line.message for line in ledger.commands())
    asked = {each["id"] for each in commands if each["type"] == "KeepRecoveryCode"}
    events = (line.message for line in ledger.events())
    told = any(each["type"] == "done" and each["re"] in asked for each in events)
    kept = "kept" in stored.players.get(ledger.player, {})
    verdict.counts["identities kept"] += kept
    if told and not kept:
        verdict.complaints.append(Complaint("lost", about, "its recovery code"))
    if kept and not asked:
        verdict.complaints.append(Complaint("invented", about, "no player requested a code"))


def _check_leftovers(stored: Stored, now: int, complaints: list[Complaint]) -> None:
    complaints += [
        Complaint("unfinished", field, "it has had no effect") for field in stored.effects
    ]
    complaints += [
        Complaint("unfinished", member, f"it fell due {now - time} ms ago")
        for member, time in stored.due.items()
        if time < now - SLACK
    ]


def _check_lives(
    stored: Stored, summaries: Mapping[str, AttemptSummary], complaints: list[Complaint]
) -> None:
    """Check that played attempts are kept and end, and that other attempts expire soon.

    A pace bot's runs are kept if a player tried to challenge them, which is not stored.
    """
    for attempt, run in summaries.items():
        if attempt.endswith(PACE_BOT):
            continue
        life = run.days * DAY if run.played else keys.UNPLAYED_LIFE_MS
        beyond = stored.expiries.get(attempt, 0) - run.deadline - life
        if abs(beyond) > SLACK:
            kind: Kind = "lost" if beyond < 0 else "invented"
            complaints.append(Complaint(kind, attempt, f"kept {beyond} ms too long"))
        is_due = f"a:{attempt}" in stored.due
        waits = run.occasion is not None or (run.day is not None and run.played)
        if is_due != (waits and not run.over):
            complaints.append(Complaint("unfinished", attempt, f"its deadline is set: {is_due}"))
