"""Random ids and codes, drawn from the operating system or derived from a MAC."""

from __future__ import annotations

import secrets
from typing import Final

from server.base.core.ids import (
    ALPHABET,
    BOT_START,
    CODE_ALPHABET,
    CODE_LENGTH,
    ID_LENGTH,
    PlayerId,
    RoomCode,
    is_bot,
)

_LETTERS: Final = ALPHABET.encode() * 8
"""A letter for each of the 256 bytes, each equally often."""


def random_id() -> str:
    """Return a new random id."""
    return secrets.token_bytes(ID_LENGTH).translate(_LETTERS).decode()


def random_player_id() -> PlayerId:
    """Return the id of a new guest, never a bot's."""
    while is_bot(player := PlayerId(random_id())):
        pass
    return player


def random_bot_id() -> PlayerId:
    """Return the id of a new bot."""
    return PlayerId(BOT_START + _draw(ALPHABET, ID_LENGTH - len(BOT_START)))


def random_room_code() -> RoomCode:
    """Return a random code for a new room. Another room may have it, with a tiny probability."""
    return RoomCode(_draw(CODE_ALPHABET, CODE_LENGTH))


def room_code_of(mac: bytes) -> RoomCode:
    """Return the room code derived from a MAC of 32 bytes, with the same randomness."""
    return RoomCode(_digits(int.from_bytes(mac), CODE_ALPHABET, CODE_LENGTH))


def id_of(mac: bytes) -> str:
    """Return the id derived from a MAC of 32 bytes, with the same randomness."""
    return _digits(int.from_bytes(mac), ALPHABET, ID_LENGTH)


def random_code(length: int) -> str:
    """Return a new random sign-in code."""
    return _draw(ALPHABET, length)


def _draw(alphabet: str, length: int) -> str:
    """Draw characters uniformly, as the digits of one random number."""
    return _digits(secrets.randbelow(len(alphabet) ** length), alphabet, length)


def _digits(number: int, alphabet: str, length: int) -> str:
    """Return the last digits of a number, the lowest first."""
    base, digits = len(alphabet), []
    for _ in range(length):
        number, digit = divmod(number, base)
        digits.append(alphabet[digit])
    return "".join(digits)
