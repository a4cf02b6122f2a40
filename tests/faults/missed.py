"""Checks of `missed` events against the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.board import Delta, delta_between, view_of
from engine.notation import seen_text
from engine.ruleset import Ruleset
from server.play.core.attempt import Attempt, Event, move_of
from server.play.core.digest import digest
from server.play.core.result import Result
from server.play.resume import MAX_MISSED
from tests.faults.complaint import Complaints
from tests.faults.ledger import Message


def changes_of(ruleset: Ruleset, delta: Delta) -> list[list[Any]]:
    """Return a move's changes in wire format."""
    names = ruleset.pile_names
    return [[names[pile], take, seen_text(put)] for pile, take, put in delta.changes]


def is_correct(states: Sequence[Attempt], have: Mapping[str, int]) -> bool:
    """Return whether a `have` names an existing entry with the digest of its view."""
    seq = have["seq"]
    there = 1 <= seq <= len(states)
    return there and have["digest"] == digest(view_of(states[seq - 1].board))


def check_missed(
    states: Sequence[Attempt],
    events: Sequence[Event],
    message: Message,
    claim: Message | None,
    about: Complaints,
) -> None:
    """Check that a `missed` event was requested or is news, and has every change since.

    Args:
        states: the state of the attempt after each entry.
        claim: the answered command, if it had a `have` or was an `Undo`.
    """
    since, seq = message["since"], message["seq"]
    if "re" not in message:
        # A move of another session of the player.
        if since < 1 or seq != since + 1 or len(message["moves"]) != 1:
            about.add("misreported", seq, f"news of the moves since {since}")
            return
    elif claim is not None and claim["type"] == "Undo":
        if (since, seq) != (claim["seq"] - 1, claim["seq"]) or len(message["moves"]) != 1:
            about.add("misreported", seq, f"the undo {claim} was answered by {message}")
            return
    elif claim is None or claim["attempt"] != message["attempt"]:
        about.add("misreported", seq, "missed moves for a command without `have`")
        return
    else:
        have = claim["have"]
        if since != have["seq"]:
            about.add("misreported", seq, f"moves since {since}, but the command had {have}")
        if not is_correct(states, have):
            about.add("misreported", seq, f"missed moves for the incorrect `have` {have}")
    if not 0 <= seq - since <= MAX_MISSED:
        about.add("misreported", seq, f"moves since {since}")
    if Result(**message["result"]) != states[seq - 1].result:
        about.add("misreported", seq, f"{message['result']}, should be {states[seq - 1].result}")
    _check_moves(message, _moves(states, events, since, seq), states[:seq], about)


def _moves(states: Sequence[Attempt], events: Sequence[Event], since: int, seq: int) -> list[Any]:
    """Return the moves among entries `since` plus one to `seq`, in wire format."""
    moves: list[Any] = []
    for before, event, after in zip(states, events[1:seq], states[1:], strict=False):
        text = move_of(event)
        if after.seq > since and text is not None:
            delta = delta_between(before.board, after.board)
            moves.append([text, changes_of(after.board.ruleset, delta), delta.redeals])
    return moves


def _seen(states: Sequence[Attempt]) -> set[str]:
    """Return every card that the player has seen so far."""
    return {card for state in states for pile in view_of(state.board).piles
            for card in _cards(seen_text(pile))}  # fmt: skip


def _cards(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(0, len(text), 2)}


def _check_moves(
    message: Message, wanted: list[Any], states: Sequence[Attempt], about: Complaints
) -> None:
    received = [[move, [list(each) for each in changes], redeals]
            for move, changes, redeals in message["moves"]]  # fmt: skip
    if received == wanted:
        return
    if len(received) != len(wanted):
        text = f"{len(received)} moves were missed, expected {len(wanted)}"
        about.add("misreported", message["seq"], text)
    for number, (found, true) in enumerate(zip(received, wanted, strict=False), 1):
        seq = message["since"] + number
        if found[0] != true[0]:
            about.add("lost", seq, f"{found[0]} was sent as missed, but {true[0]} is stored")
        elif found != true:
            about.add("misreported", seq, f"{found} was sent as missed, expected {true}")
    seen = _seen(states)
    for move, changes, _ in received:
        unseen = set().union(*(_cards(put) for _, _, put in changes)) - seen - {"??"}
        if unseen:
            about.add("leaked", message["seq"], f"{move} names unseen cards: {unseen}")
