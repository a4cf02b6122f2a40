"""Checks of an attempt's journal: replay it, then compare it with the player's ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from engine.board import delta_between, view_of
from engine.catalog import stored_ruleset
from engine.deal import commitment, deal_seed
from engine.errors import EngineError
from engine.hints import hint
from engine.notation import move_text, parse_move, seen_text
from engine.search import Outcome, search
from server.base.core import days
from server.base.core.ids import split_attempt_id
from server.base.core.refusal import Refusal
from server.play.core import attempt as core
from server.play.core import pace_bot
from server.play.core.attempt import UNDONE, Attempt, Ended, Event, Hinted, Moved, Started, Undone
from server.play.core.result import Result
from tests.faults.commands import HINT, NEVER_SENT, RESIGN, CommandIndex
from tests.faults.complaint import SLACK, Complaint, Complaints
from tests.faults.ledger import Ledger, Line, Message
from tests.faults.missed import changes_of, check_missed, is_correct
from tests.faults.stored import Entry

_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)

Deals = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class AttemptHistory:
    """An attempt, replayed from its journal.

    Attributes:
        states: `states[n - 1]` is the state after entry n.
    """

    id: str
    seed: str
    states: list[Attempt]
    events: list[Event]

    @property
    def start(self) -> Started:
        """The first entry."""
        return self.states[0].start

    @property
    def stopped(self) -> bool:
        """Whether this is a pace bot's attempt that stopped while moves were left."""
        if not pace_bot.owns(self.states[0]) or self.states[-1].end != "resigned":
            return False
        before = self.states[-2]
        return self.events[-1] != pace_bot.due(before, pace_bot.next_at(before))

    def at(self, seq: int) -> Attempt | None:
        """Return the state after entry `seq`, or `None` if there is no such entry."""
        return self.states[seq - 1] if 1 <= seq <= len(self.states) else None


def events_by_attempt(ledger: Ledger) -> dict[str, list[Line]]:
    received: defaultdict[str, list[Line]] = defaultdict(list)
    for line in ledger.events():
        if line.message["type"] in {"attempt", "missed", "moved", "moved ahead", "Hinted", "ended"}:
            received[line.message["attempt"]].append(line)
    return dict(received)


def fold(
    attempt: str,
    entries: Sequence[Entry],
    deals: Deals,
    commands: CommandIndex,
    complaints: list[Complaint],
) -> AttemptHistory | None:
    """Replay a journal and complain about each invalid entry.

    Returns:
        The history, or `None` if the journal cannot be replayed at all.
    """
    about = Complaints(attempt, complaints)
    parts = split_attempt_id(attempt)  # type: ignore[arg-type]
    deal = deals.get(parts[0]) if parts else None
    if parts is None or deal is None:
        about.add("lost", 1, "its deal does not exist")
        return None
    for number, (entry, _) in enumerate(entries, 1):
        if entry != f"0-{number}":
            about.add("gap", number, f"{entry} is in its place")
            return None
    start, *events = (_DECODER.decode(text) for _, text in entries)
    if not isinstance(start, Started) or (start.deal, start.player) != parts:
        about.add("invented", 1, f"{start}")
        return None
    if commitment(start.deal, bytes.fromhex(deal["seed"])) != deal["commitment"]:
        about.add("invented", 1, "the deal's seed does not match its commitment")
    _check_start(start, deal, commands, about)
    rules = stored_ruleset(start.game, start.variant, start.rules)
    if rules is not stored_ruleset(start.game, start.variant, deal["rules"]):
        about.add("invented", 1, "its rules differ from its deal's")
    board = deal_seed(rules, bytes.fromhex(deal["seed"]))
    states = [core.begin(start, board)]
    last = start.at
    for seq, event in enumerate(events, 2):
        _check_entry(states, event, commands, about)
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
    return AttemptHistory(attempt, deal["seed"], states, [start, *events])


def _check_start(
    start: Started, deal: Mapping[str, str], commands: CommandIndex, about: Complaints
) -> None:
    """Check a start against its deal. Race starts are compared with their round elsewhere."""
    if (start.game, start.variant) != (deal["game"], deal["variant"]):
        about.add("invented", 1, f"the deal is for the game {deal['game']}")
    if start.occasion is not None:
        # A room's deal may be reserved for a later occasion.
        if start.occasion not in {deal.get("occasion"), deal.get("reserved")}:
            about.add("invented", 1, f"the deal is not for {start.occasion}")
    elif start.room != deal.get("room") or str(start.day) != deal.get("day", "None"):
        about.add("invented", 1, f"the deal is for {deal.get('room')} or {deal.get('day')}")
    if start.day is not None:
        first = commands.first("daily.open", start.game)
        if first == NEVER_SENT:
            about.add("invented", 1, "no player opened the daily")
        elif start.at < first - SLACK:
            about.add("mistimed", 1, f"{first - start.at} ms before the request")
        if (days.day_at(start.at), days.closes(start.day)) != (start.day, start.deadline):
            about.add("mistimed", 1, f"{start}")


def _check_entry(
    states: Sequence[Attempt], event: Event, commands: CommandIndex, about: Complaints
) -> None:
    """Check that the player requested an entry, or that the server may append it by itself."""
    state, seq = states[-1], states[-1].seq + 1
    if state.end is not None:
        about.add("invented", seq, "the attempt had ended")
    elif pace_bot.owns(state) and event == pace_bot.due(state, pace_bot.next_at(state)):
        pass  # The bot plays the hint's move, at its due time.
    elif isinstance(event, Moved | Undone | Hinted):
        _check_decided(state, event, about)
        help_ = HINT if isinstance(event, Hinted) else UNDONE
        asked = event.move if isinstance(event, Moved) else help_
        _check_asked(commands.entry(state.id, seq, asked), event.at, seq, about)
    elif isinstance(event, Ended) and event.end == "resigned":
        if pace_bot.owns(state):
            # The bot stops when all other players have; that is checked with the round.
            if pace_bot.next_at(state) <= event.at:
                about.add("invented", seq, f"{event}, but the bot had not played a due move")
        else:
            _check_resigned(state, event, commands, about)
        if event.at < state.start.at or event.at >= state.start.deadline:
            about.add("mistimed", seq, f"{event} in {state.start}")
    elif isinstance(event, Ended) and event.end == "time":
        if event.at != state.start.deadline:
            about.add("mistimed", seq, f"{event}, but the deadline is {state.start.deadline}")
    elif isinstance(event, Ended) and not (event.end == "stuck" and _is_dead_end(states)):
        about.add("invented", seq, f"{event} is false")


def _check_resigned(
    state: Attempt, event: Ended, commands: CommandIndex, about: Complaints
) -> None:
    """Check that a player resigned, left the room or was removed."""
    seq, room = state.seq + 1, state.start.room or ""
    left = min(commands.first(type_, room) for type_ in ("room.leave", "removed"))
    first = min(commands.entry(state.id, seq, RESIGN), left)
    # A resignation before the start ends the attempt at its start.
    _check_asked(first, max(event.at, state.start.at), seq, about)


def _check_decided(state: Attempt, event: Moved | Undone | Hinted, about: Complaints) -> None:
    """Check that deciding a move, an undo or a hint again, at the entry's time, gives the same."""
    decided: Event | None
    try:
        match event:
            case Moved(move=move):
                decided = core.play(state, parse_move(state.board.ruleset, move), event.at).event
            case Undone():
                decided = core.undo(state, event.at).event
            case Hinted():
                decided = core.hint(state, event.at)
    except (Refusal, EngineError) as refusal:
        about.add("invented", state.seq + 1, f"{event} is refused as {refusal.code}")
        return
    if decided != event:
        about.add("invented", state.seq + 1, f"{event} should be {decided}")
    if core.due(state, event.at) is not None:
        about.add("mistimed", state.seq + 1, f"{event} after {state.start.deadline}")


def _check_asked(first: int, at: int, seq: int, about: Complaints) -> None:
    if first == NEVER_SENT:
        about.add("invented", seq, "its player never requested it")
    elif at < first - SLACK:
        about.add("mistimed", seq, f"{first - at} ms before the request")


def _is_dead_end(states: Sequence[Attempt]) -> bool:
    """Return whether a search proves a dead end in any state since the last card reached home."""
    home = states[-1].board.home
    return any(
        search(state.board).outcome is Outcome.UNREACHABLE
        for state in reversed(states)
        if state.board.home == home
    )


def check_received(
    history: AttemptHistory,
    received: Sequence[Line],
    commands: CommandIndex,
    complaints: list[Complaint],
) -> None:
    """Compare the events about an attempt, in order of arrival, with its journal."""
    about = Complaints(history.id, complaints)
    acknowledged: list[tuple[int, int]] = []
    highest = 0
    for at, message in received:
        seq = message["seq"]
        state = history.at(seq)
        if state is None:
            about.add("lost", seq, f"received at {at}: {message['type']} {message.get('move', '')}")
            continue
        match message["type"]:
            case "moved" | "moved ahead":
                _check_moved(history, state, message, about)
            case "ended":
                if state.end is None or Result(**message["result"]) != state.result:
                    about.add("misreported", seq, f"{message}, but the result is {state.result}")
            case "attempt":
                _check_snapshot(history, state, message, at, about)
                _check_needed(history, seq, commands.claim(message.get("re", 0)), about)
            case "Hinted":
                _check_hinted(state, message, about)
            case "missed":
                asked = message.get("re", 0)
                claim = commands.claim(asked) or commands.undo(asked)
                check_missed(history.states, history.events, message, claim, about)
        if message["type"] in {"attempt", "missed"}:
            _check_not_shown_early(history, seq, at, about)
            sent = commands.when(message.get("re", 0))
            had = max((n for when, n in acknowledged if when < sent), default=0)
            first_again = commands.undo(message.get("re", 0)) is not None
            if sent != NEVER_SENT and seq < had and not first_again:
                about.add("stale", seq, f"entry {had} had been acknowledged")
        _check_time_reported(history, seq, at, about)
        if seq > highest:
            highest = seq
            acknowledged.append((at, seq))


def _check_moved(
    history: AttemptHistory, state: Attempt, message: Message, about: Complaints
) -> None:
    seq, event = state.seq, history.events[state.seq - 1]
    if not isinstance(event, Moved) or event.move != message["move"]:
        about.add("lost", seq, f"{message['move']} was acknowledged, but {event} is stored")
        return
    delta = delta_between(history.states[seq - 2].board, state.board)
    changes = changes_of(state.board.ruleset, delta)
    if [list(change) for change in message["changes"]] != changes:
        about.add("misreported", seq, f"changes {message['changes']}, expected {changes}")
    if "result" not in message:
        # The session did not have the state before, so the event has only the changes.
        return
    if (message["redeals"], Result(**message["result"])) != (delta.redeals, state.result):
        about.add("misreported", seq, f"{message}, should be {state.result}")


def _check_hinted(state: Attempt, message: Message, about: Complaints) -> None:
    rules = state.board.ruleset
    hinted = None if state.hinted is None else move_text(rules, state.hinted)
    if (message["move"], message["hints"]) != (hinted, state.hints):
        about.add("misreported", state.seq, f"{message}, should be {hinted}, {state.hints}")
    if hinted is None and hint(state.board) is not None:
        about.add("misreported", state.seq, f"{message}, but there is a hint")


def _check_snapshot(
    history: AttemptHistory, state: Attempt, message: Message, at: int, about: Complaints
) -> None:
    view, start = view_of(state.board), history.start
    piles = {
        name: seen_text(pile)
        for name, pile in zip(view.ruleset.pile_names, view.piles, strict=True)
    }
    if (message["piles"], message["redeals"]) != (piles, view.redeals):
        about.add("misreported", state.seq, f"piles {message['piles']}, expected {piles}")
    wanted = (start.deal, start.game, start.room, start.day, start.at, start.deadline)
    names = ("deal", "game", "room", "day", "started", "deadline")
    if tuple(message[name] for name in names) != wanted:
        about.add("misreported", state.seq, f"{message}, should be {wanted}")
    if Result(**message["result"]) != state.result:
        about.add("misreported", state.seq, f"{message['result']}, should be {state.result}")
    hinted = None if state.hinted is None else move_text(view.ruleset, state.hinted)
    helped = start.help, hinted, state.undoable
    if (message["help"], message["hint"], message["undoable"]) != helped:
        about.add("misreported", state.seq, f"{message}, should be {helped}")
    if commitment(start.deal, bytes.fromhex(history.seed)) != message["commitment"]:
        about.add("misreported", state.seq, f"the commitment {message['commitment']}")


def _check_needed(
    history: AttemptHistory, seq: int, claim: Message | None, about: Complaints
) -> None:
    """Check that no snapshot went to a player who already had the whole state."""
    have = claim["have"] if claim is not None and claim["attempt"] == history.id else None
    if have is not None and have["seq"] == seq and is_correct(history.states, have):
        about.add("misreported", seq, "a snapshot was sent to a player who had it")


def _check_not_shown_early(history: AttemptHistory, seq: int, at: int, about: Complaints) -> None:
    if at < history.start.at - SLACK:
        early = history.start.at - at
        about.add("leaked", seq, f"cards were shown {early} ms before the start")


def _check_time_reported(history: AttemptHistory, seq: int, at: int, about: Complaints) -> None:
    """Check that entry `seq` is not later than the event that reported it."""
    event = history.events[seq - 1]
    early = event.at - at
    # A start, or a resignation before it, may be reported before the round starts.
    if early > SLACK and seq > 1 and event.at > history.start.at:
        about.add("mistimed", seq, f"received {early} ms before it happened: {event}")
