"""A client's state of an attempt, built from snapshots and changes."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from engine.board import Board, Change, Delta, View, apply_delta
from engine.cards import UNSEEN, Pile, parse_card
from engine.catalog import ruleset
from engine.errors import PositionError
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.ruleset import Move
from tests.faults.ledger import Message

HOMEWARD = 0.8
"""Probability of choosing a move that brings a card home, if there is one."""


def pile_of(text: str) -> Pile:
    names = (text[at : at + 2] for at in range(0, len(text), 2))
    return bytes(UNSEEN if name == "??" else parse_card(name) for name in names)


HELPED = 0.2
"""Probability of requesting help, where allowed, instead of a move."""


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
        changes = tuple(
            Change(numbers[pile], take, pile_of(put)) for pile, take, put in moved["changes"]
        )
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
        planned: list[str] = []
        while len(planned) < count and (move := _choose(board, rng)) is not None:
            planned.append(move_text(rules, move))
            board = apply(board, move)
        return planned


def _choose(board: Board, rng: random.Random) -> Move | None:
    moves = legal_moves(board)
    home = [move for move in moves if 0 <= move.target < len(board.ruleset.foundations)]
    if home and rng.random() < HOMEWARD:
        return rng.choice(home)
    return rng.choice(moves) if moves else None
