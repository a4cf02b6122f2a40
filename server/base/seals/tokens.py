"""Tokens: what a client shows to be recognized as a player. They are never logged.

A token is `<player>.<epoch>.<key>.<issued>.<signature>`: the player's id and epoch, the id of the
key that signs it, when it was issued in Unix seconds, and an HMAC-SHA256 over all of these.
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final, NamedTuple

from server.base.core.ids import PlayerId, is_id
from server.base.core.refusal import Refusal

LIFE_MS: Final = 400 * 86_400_000
"""Milliseconds for which a token holds. A guest's record lives as long after the last visit, so
nobody loses by it what is kept; and who visits is given a new token in time."""

RENEW_AFTER_MS: Final = 86_400_000
"""Milliseconds after which the next `Welcome` has a new token."""

_LABEL = b"samedeal token\0"
_EPOCH = r"(0|[1-9][0-9]{0,8})"
_SIGNATURE = r"[A-Za-z0-9_-]{43}"
_TOKEN = re.compile(rf"(\w+)\.{_EPOCH}\.([0-9a-f]{{12}})\.([1-9][0-9]{{0,10}})\.{_SIGNATURE}")


class Token(NamedTuple):
    """The content of a token.

    Attributes:
        player: its owner.
        epoch: the player's epoch; it may be over.
        key: the id of the key that signs it.
        issued: when, in Unix seconds.
    """

    player: PlayerId
    epoch: int
    key: str
    issued: int


def sign(key: bytes, said: Token) -> str:
    """Return the token that says this, signed by a key of which it names the id."""
    text = f"{said.player}.{said.epoch}.{said.key}.{said.issued}"
    mac = hmac.digest(key, _LABEL + text.encode(), "sha256")
    return f"{text}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def parse(token: str) -> Token:
    """Return what a token says, which nobody may have signed.

    Raises:
        Refusal: as `bad_token`, if it is none.
    """
    match = _TOKEN.fullmatch(token)
    if match is None or not is_id(match[1]):
        raise Refusal("bad_token")
    player, epoch, key, issued = match.groups()
    return Token(PlayerId(player), int(epoch), key, int(issued))


def verify(key: bytes, token: str, said: Token) -> None:
    """Verify that a token was signed by a key.

    Raises:
        Refusal: as `bad_token`, if it was not.
    """
    if not hmac.compare_digest(sign(key, said).encode(), token.encode()):
        raise Refusal("bad_token")
