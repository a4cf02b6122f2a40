"""A client of Samedeal, a multiplayer solitaire server, for bots and other programs.

`Client` keeps a session open; `samedeal_client.messages` defines every message of the protocol. The
README has a complete bot.
"""

from engine import (
    UNSEEN,
    Card,
    Move,
    Ruleset,
    View,
    card_name,
    legal_moves,
    move_text,
    parse_move,
)
from samedeal_client.attempt import Attempt
from samedeal_client.client import Client
from samedeal_client.refusal import AttemptEnded, Disconnected, Refusal
from samedeal_client.storage import FileStorage, MemoryStorage, TokenStorage
from samedeal_client.watching import RunnerBoard, WatchedRound

__all__ = [
    "UNSEEN",
    "Attempt",
    "AttemptEnded",
    "Card",
    "Client",
    "Disconnected",
    "FileStorage",
    "MemoryStorage",
    "Move",
    "Refusal",
    "Ruleset",
    "RunnerBoard",
    "TokenStorage",
    "View",
    "WatchedRound",
    "card_name",
    "legal_moves",
    "move_text",
    "parse_move",
]
