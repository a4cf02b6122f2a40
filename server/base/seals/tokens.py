"""Tokens: clients' credentials to be recognized as a player. They are never logged.

A token is `<player>.<epoch>.<key>.<issued>.<signature>`: the player's id and epoch, the id of the
signing key, the time of issue in Unix seconds, and an HMAC-SHA256 over all of these.
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final, NamedTuple

from server.base.core.ids import PlayerId, is_id
from server.base.core.refusal import BaseRefusals, Refusal

# Lifetime of a token in milliseconds. A guest's record is kept as long after the last visit, so an
# expired token loses no stored data. Visitors get a new token in time.
LIFE_MS: Final = 400 * 86_400_000

# Milliseconds from the issue of a token until the next `Welcome` replaces it.
RENEW_AFTER_MS: Final = 86_400_000

_LABEL = b"samedeal token\0"
_EPOCH = r"(0|[1-9][0-9]{0,8})"
_SIGNATURE = r"[A-Za-z0-9_-]{43}"
_TOKEN = re.compile(rf"(\w+)\.{_EPOCH}\.([0-9a-f]{{12}})\.([1-9][0-9]{{0,10}})\.{_SIGNATURE}")


class Token(NamedTuple):
    """The content of a token."""

    player: PlayerId
    epoch: int  # may be over
    key: str  # of the signing key
    issued: int  # Unix seconds


def sign(key: bytes, said: Token) -> str:
    """Sign a token with a key, whose id is in the token."""
    text = f"{said.player}.{said.epoch}.{said.key}.{said.issued}"
    mac = hmac.digest(key, _LABEL + text.encode(), "sha256")
    return f"{text}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def parse(token: str) -> Token:
    """Parse a token without verifying its signature.

    Raises:
        Refusal: as `bad_token`, if it is malformed.
    """
    match = _TOKEN.fullmatch(token)
    if match is None or not is_id(match[1]):
        raise Refusal(BaseRefusals.bad_token)
    player, epoch, key, issued = match.groups()
    return Token(PlayerId(player), int(epoch), key, int(issued))


def verify(key: bytes, token: str, said: Token) -> None:
    """Verify that a token was signed with a key.

    Raises:
        Refusal: as `bad_token`, if it was not.
    """
    # In constant time, so that timing does not reveal a partial match.
    if not hmac.compare_digest(sign(key, said).encode(), token.encode()):
        raise Refusal(BaseRefusals.bad_token)
