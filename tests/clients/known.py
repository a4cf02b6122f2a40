"""A player's knowledge of rooms and attempts, built from the events of its sessions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.board import Board, Delta, View, apply_delta
from engine.cards import UNSEEN, Pile, parse_card
from engine.catalog import ruleset
from engine.errors import PositionError
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.ruleset import Move
from tests.wire import Message

HOMEWARD = 0.8
"""Probability of choosing a move that brings a card home, if there is one."""

HELPED = 0.2
"""Probability of requesting help, where allowed, instead of a move."""


def pile_of(text: str) -> Pile:
    names = (text[at : at + 2] for at in range(0, len(text), 2))
    return bytes(UNSEEN if name == "??" else parse_card(name) for name in names)


@dataclass(frozen=True, slots=True)
class ClientState:
    """An attempt as its client knows it after entry `seq`; `end` is `None` while it goes on."""

    attempt: str
    seq: int
    view: View
    end: str | None
    help: str = "none"

    @classmethod
    def of(cls, snapshot: Message) -> ClientState:
        """Return the state in a snapshot."""
        rules = ruleset(snapshot["game"], snapshot["variant"])
        piles = tuple(pile_of(snapshot["piles"][name]) for name in rules.pile_names)
        view = View(rules, piles, snapshot["redeals"], snapshot["result"]["moves"])
        end, allowed = snapshot["result"]["end"], snapshot["help"]
        return cls(snapshot["attempt"], snapshot["seq"], view, end, allowed)

    def after(self, moved: Message) -> ClientState | None:
        """Return the state after the next entry, a move, or `None` if it does not apply."""
        numbers = self.view.ruleset.pile_numbers
        changes = tuple((numbers[pile], take, pile_of(put)) for pile, take, put in moved["changes"])
        delta = Delta(changes, moved["redeals"], moved["result"]["moves"])
        try:
            view = apply_delta(self.view, delta)
        except PositionError:
            return None
        return replace(self, seq=moved["seq"], view=view, end=moved["result"]["end"])

    def after_missed(self, missed: Message) -> ClientState | None:
        """Return the state after the missed entries, or `None` if they do not apply."""
        state: ClientState | None = self
        for seq, (_, changes, redeals) in enumerate(missed["moves"], self.seq + 1):
            if state is None:
                return None
            result = missed["result"] | {"moves": state.view.moves + 1}
            state = state.after({"seq": seq, "changes": changes, "redeals": redeals,
                                 "result": result})  # fmt: skip
        if state is None or state.view.moves != missed["result"]["moves"]:
            return None
        return replace(state, seq=missed["seq"], end=missed["result"]["end"])

    def after_hint(self, hinted: Message) -> ClientState | None:
        """Return the state after a hint, or `None` if an entry is missing."""
        if hinted["seq"] > self.seq + 1:
            return None
        return replace(self, seq=max(self.seq, hinted["seq"]))

    def plan_help(self, rng: random.Random) -> list[Message]:
        """Return, at random, a command for help as the next entry, or nothing."""
        if self.help == "none" or self.view.moves == 0 or rng.random() > HELPED:
            return []
        type_ = rng.choice(("Undo", "Hint")) if self.help == "hints" else "Undo"
        return [{"type": type_, "seq": self.seq + 1}]

    def plan(self, count: int, rng: random.Random) -> list[str]:
        """Return up to `count` consecutive moves that look legal.

        Later moves may be illegal, because the cards that a move turns up are unknown.
        """
        rules = self.view.ruleset
        board = Board(rules, self.view.piles, self.view.redeals, self.view.moves)
        return [move_text(rules, move) for move in line(board, count, rng, HOMEWARD)]


def line(board: Board, count: int, rng: random.Random, homeward: float = 0.0) -> Iterator[Move]:
    """Yield up to `count` consecutive random moves, with a preference for bringing cards home."""
    for _ in range(count):
        moves = legal_moves(board)
        home = [move for move in moves if 0 <= move.target < len(board.ruleset.foundations)]
        if homeward and home and rng.random() < homeward:
            moves = home
        if not moves:
            return
        move = rng.choice(moves)
        yield move
        board = apply(board, move)


class Known:
    """Rooms and attempts as a player knows them.

    Attributes:
        rooms: the last event about each room, by code.
        states: the state of each attempt, by id.
        first_states: the first state of each attempt, known to a device that slept since.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget everything."""
        self.rooms: dict[str, Message] = {}
        self.states: dict[str, ClientState] = {}
        self.first_states: dict[str, ClientState] = {}

    @property
    def accepts_older(self) -> bool:
        """Whether rooms and attempts may go back, because the store has lost entries."""
        return False

    def learn(self, event: Message) -> bool:
        """Update the state; return false for missed moves that do not apply to it."""
        match event["type"]:
            case "attempt":
                self._update(ClientState.of(event))
            case "missed":
                return self._apply_missed(event)
            case "moved":
                known = self.states.get(event["attempt"])
                if known is not None and event["seq"] > known.seq:
                    is_next = event["seq"] == known.seq + 1
                    self._replace(known, known.after(event) if is_next else None)
            case "Hinted":
                known = self.states.get(event["attempt"])
                if known is not None:
                    self._replace(known, known.after_hint(event))
            case "ended":
                known = self.states.get(event["attempt"])
                if known is not None and event["seq"] >= known.seq:
                    end = event["result"]["end"]
                    self.states[known.attempt] = replace(known, seq=event["seq"], end=end)
            case "room":
                last = self.rooms.get(event["code"])
                if last is None or event["version"] >= last["version"] or self.accepts_older:
                    self.rooms[event["code"]] = event
        return True

    def _update(self, state: ClientState) -> None:
        self.first_states.setdefault(state.attempt, state)
        known = self.states.get(state.attempt)
        if known is None or state.seq >= known.seq or self.accepts_older:
            self.states[state.attempt] = state

    def _replace(self, known: ClientState, after: ClientState | None) -> None:
        """Set an attempt's state, or forget it if an entry is missing."""
        if after is None:
            del self.states[known.attempt]
        else:
            self.states[known.attempt] = after

    def _apply_missed(self, missed: Message) -> bool:
        attempt = missed["attempt"]
        had = self.states.get(attempt), self.first_states.get(attempt)
        base = next((each for each in had if each and each.seq == missed["since"]), None)
        if base is None:
            # Newer events have arrived, so its base state is gone.
            return True
        after = base.after_missed(missed)
        if after is not None:
            self._update(after)
        return after is not None
