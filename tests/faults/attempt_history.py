"""An attempt's journal, played again and held against what its player said and was told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from engine.board import delta_between, view_of
from engine.catalog import stored_ruleset
from engine.deal import commitment, deal_seed
from engine.errors import EngineError
from engine.notation import parse_move, seen_text
from engine.solver import Outcome, search
from server.core import attempt as core
from server.core import daily
from server.core.attempt import Attempt, Ended, Event, Moved, Started
from server.core.ids import split_attempt_id
from server.core.ranking import Result
from server.core.refusal import Refusal
from tests.faults.asked import EVER, RESIGN, Asked
from tests.faults.complaint import SLACK, Complaint, Complaints
from tests.faults.kept import Entry
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.missed import changes_of, check_missed, is_true

_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)

Deals = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Story:
    """An attempt after each of its entries.

    Attributes:
        seed: of its deal, in hexadecimal.
        states: `states[n - 1]` is how it stood after entry n.
        events: the entries.
    """

    id: str
    seed: str
    states: list[Attempt]
    events: list[Event]

    @property
    def start(self) -> Started:
        """The first entry."""
        return self.states[0].start

    def at(self, seq: int) -> Attempt | None:
        """Return how it stood after entry `seq`, or `None` if there is none."""
        return self.states[seq - 1] if 1 <= seq <= len(self.states) else None


def told_of(ledger: Ledger) -> dict[str, list[Line]]:
    """Return what a player was told, by the attempt that it is about."""
    told: defaultdict[str, list[Line]] = defaultdict(list)
    for line in ledger.heard():
        if line.message["type"] in {"attempt", "missed", "moved", "moved ahead", "ended"}:
            told[line.message["attempt"]].append(line)
    return dict(told)


def fold(
    attempt: str,
    entries: Sequence[Entry],
    deals: Deals,
    asked: Asked,
    complaints: list[Complaint],
) -> Story | None:
    """Play a journal again, complaining of every entry that should not stand.

    Returns:
        The story, or `None` if the journal cannot be read at all.
    """
    about = Complaints(attempt, complaints)
    parts = split_attempt_id(attempt)  # type: ignore[arg-type]
    deal = deals.get(parts[0]) if parts else None
    if parts is None or deal is None:
        about.add("lost", 1, "its deal does not exist")
        return None
    for number, (entry, _) in enumerate(entries, 1):
        if entry != f"0-{number}":
            about.add("gap", number, f"{entry} stands in its place")
            return None
    start, *events = (_DECODER.decode(text) for _, text in entries)
    if not isinstance(start, Started) or (start.deal, start.player) != parts:
        about.add("invented", 1, f"{start}")
        return None
    if commitment(start.deal, bytes.fromhex(deal["seed"])) != deal["commitment"]:
        about.add("invented", 1, "the deal's seed does not make its commitment")
    _check_start(start, deal, asked, about)
    rules = stored_ruleset(start.game, start.variant, start.rules)
    if rules is not stored_ruleset(start.game, start.variant, deal.get("rules")):
        about.add("invented", 1, "it is played by other rules than its deal")
    board = deal_seed(rules, bytes.fromhex(deal["seed"]))
    states = [core.begin(start, board)]
    last = start.at
    for seq, event in enumerate(events, 2):
        _check_entry(states, event, asked, about)
        if isinstance(event, Started):
            about.add("invented", seq, "it starts again")
            return None
        if event.at < last:
            about.add("mistimed", seq, f"{last - event.at} ms before entry {seq - 1}")
        last = event.at
        try:
            states.append(core.fold(states[-1], event))
        except (ValueError, IndexError, AssertionError):
            about.add("invented", seq, f"{event} cannot be played")
            break
    return Story(attempt, deal["seed"], states, [start, *events])


def _check_start(start: Started, deal: Mapping[str, str], asked: Asked, about: Complaints) -> None:
    """Check a start by itself; that of a race is held against its round elsewhere."""
    if (start.game, start.variant) != (deal["game"], deal["variant"]):
        about.add("invented", 1, f"the deal is one of {deal['game']}")
    if start.room != deal.get("room") or str(start.day) != deal.get("day", "None"):
        about.add("invented", 1, f"the deal is for {deal.get('room')} or {deal.get('day')}")
    if start.day is not None:
        first = asked.first("daily.open", start.game)
        if first == EVER:
            about.add("invented", 1, "the daily was not opened")
        elif start.at < first - SLACK:
            about.add("mistimed", 1, f"{first - start.at} ms before it was asked for")
        if (daily.day_at(start.at), daily.closes(start.day)) != (start.day, start.deadline):
            about.add("mistimed", 1, f"{start}")


def _check_entry(states: Sequence[Attempt], event: Event, asked: Asked, about: Complaints) -> None:
    """Check that an entry is what was asked for, or what the server does by itself."""
    state, seq = states[-1], states[-1].seq + 1
    if state.end is not None:
        about.add("invented", seq, "the attempt had ended")
    elif isinstance(event, Moved):
        _check_decided(state, event, about)
        _check_asked(asked.entry(state.id, seq, event.move), event.at, seq, about)
    elif isinstance(event, Ended) and event.end == "resigned":
        room = state.start.room
        left = asked.first("room.leave", room) if room is not None else EVER
        first = min(asked.entry(state.id, seq, RESIGN), left)
        # One that is resigned before it has begun ends as it begins.
        _check_asked(first, max(event.at, state.start.at), seq, about)
        if event.at < state.start.at or event.at >= state.start.deadline:
            about.add("mistimed", seq, f"{event} in {state.start}")
    elif isinstance(event, Ended) and event.end == "time":
        if event.at != state.start.deadline:
            about.add("mistimed", seq, f"{event}, and the deadline is {state.start.deadline}")
    elif isinstance(event, Ended) and not (event.end == "stuck" and _was_stuck(states)):
        about.add("invented", seq, f"{event} is not true")


def _check_decided(state: Attempt, event: Moved, about: Complaints) -> None:
    """Check that the rules, and the time that an entry says, make it what it is."""
    try:
        decided = core.play(state, parse_move(state.board.ruleset, event.move), event.at).event
    except (Refusal, EngineError) as refusal:
        about.add("invented", state.seq + 1, f"{event} is refused as {refusal.code}")
        return
    if decided != event:
        about.add("invented", state.seq + 1, f"{event} should be {decided}")
    if core.due(state, event.at) is not None:
        about.add("mistimed", state.seq + 1, f"{event} after {state.start.deadline}")


def _check_asked(first: int, at: int, seq: int, about: Complaints) -> None:
    if first == EVER:
        about.add("invented", seq, "its player never asked for it")
    elif at < first - SLACK:
        about.add("mistimed", seq, f"{first - at} ms before it was asked for")


def _was_stuck(states: Sequence[Attempt]) -> bool:
    """Return whether a search proves a dead end, now or since the last card that came home."""
    home = states[-1].board.home
    return any(
        search(state.board).outcome is Outcome.UNREACHABLE
        for state in reversed(states)
        if state.board.home == home
    )


def check_told(
    story: Story, told: Sequence[Line], asked: Asked, complaints: list[Complaint]
) -> None:
    """Hold what a player was told of an attempt, in that order, against the journal."""
    about = Complaints(story.id, complaints)
    acknowledged: list[tuple[int, int]] = []
    highest = 0
    for at, message in told:
        seq = message["seq"]
        state = story.at(seq)
        if state is None:
            about.add("lost", seq, f"told at {at}: {message['type']} {message.get('move', '')}")
            continue
        match message["type"]:
            case "moved" | "moved ahead":
                _check_moved(story, state, message, about)
            case "ended":
                if state.end is None or Result(**message["result"]) != state.result:
                    about.add("misreported", seq, f"{message}, and it is {state.result}")
            case "attempt":
                _check_snapshot(story, state, message, at, about)
                _check_needed(story, seq, asked.claim(message.get("re", 0)), about)
            case "missed":
                claim = asked.claim(message.get("re", 0))
                check_missed(story.states, story.events, message, claim, about)
        if message["type"] in {"attempt", "missed"}:
            _check_shown_in_time(story, seq, at, about)
            sent = asked.when(message.get("re", 0))
            had = max((n for when, n in acknowledged if when < sent), default=0)
            if sent != EVER and seq < had:
                about.add("stale", seq, f"entry {had} had been acknowledged")
        _check_time_told(story, seq, at, about)
        if seq > highest:
            highest = seq
            acknowledged.append((at, seq))


def _check_moved(story: Story, state: Attempt, message: Message, about: Complaints) -> None:
    seq, event = state.seq, story.events[state.seq - 1]
    if not isinstance(event, Moved) or event.move != message["move"]:
        about.add("lost", seq, f"{message['move']} was acknowledged, {event} stands")
        return
    delta = delta_between(story.states[seq - 2].board, state.board)
    changes = changes_of(state.board.ruleset, delta)
    if [list(change) for change in message["changes"]] != changes:
        about.add("misreported", seq, f"changes {message['changes']}, should be {changes}")
    if "result" not in message:
        # It was not told how it stood before.
        return
    if (message["redeals"], Result(**message["result"])) != (delta.redeals, state.result):
        about.add("misreported", seq, f"{message}, should be {state.result}")


def _check_snapshot(
    story: Story, state: Attempt, message: Message, at: int, about: Complaints
) -> None:
    view, start = view_of(state.board), story.start
    piles = {
        name: seen_text(pile)
        for name, pile in zip(view.ruleset.pile_names, view.piles, strict=True)
    }
    if (message["piles"], message["redeals"]) != (piles, view.redeals):
        about.add("misreported", state.seq, f"piles {message['piles']}, should be {piles}")
    wanted = (start.deal, start.game, start.room, start.day, start.at, start.deadline)
    names = ("deal", "game", "room", "day", "started", "deadline")
    if tuple(message[name] for name in names) != wanted:
        about.add("misreported", state.seq, f"{message}, should be {wanted}")
    if Result(**message["result"]) != state.result:
        about.add("misreported", state.seq, f"{message['result']}, should be {state.result}")
    if commitment(start.deal, bytes.fromhex(story.seed)) != message["commitment"]:
        about.add("misreported", state.seq, f"the commitment {message['commitment']}")


def _check_needed(story: Story, seq: int, claim: Message | None, about: Complaints) -> None:
    """Check that a snapshot was not sent to a player who had all of it."""
    have = claim["have"] if claim is not None and claim["attempt"] == story.id else None
    if have is not None and have["seq"] == seq and is_true(story.states, have):
        about.add("misreported", seq, "a snapshot was sent to a player who had it")


def _check_shown_in_time(story: Story, seq: int, at: int, about: Complaints) -> None:
    if at < story.start.at - SLACK:
        early = story.start.at - at
        about.add("leaked", seq, f"cards were shown {early} ms before the start")


def _check_time_told(story: Story, seq: int, at: int, about: Complaints) -> None:
    """Check that entry `seq` had happened when it was told."""
    event = story.events[seq - 1]
    early = event.at - at
    # A start, and a resignation before it, may be told before the round begins.
    if early > SLACK and seq > 1 and event.at > story.start.at:
        about.add("mistimed", seq, f"told {early} ms before it happened: {event}")
