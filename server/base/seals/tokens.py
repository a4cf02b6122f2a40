"""Tokens: what a client shows to be recognized as a player. They are never logged.

A token is `<player>.<epoch>.<key>.<issued>.<signature>`: the player's id and epoch, the id of the
key that signs it, when it was issued in Unix seconds, and an HMAC-SHA256 over all of these.

Tokens of releases up to 0.2.0 have no key and no time: the player's id, the epoch unless that is 0,
and the HMAC. They are signed by one secret.
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final, NamedTuple

from server.base.core.ids import PlayerId, is_id
from server.base.core.refusal import Refusal

LIFE: Final = 400 * 86_400_000
"""Milliseconds for which a token holds. A guest's record lives as long after the last visit, so
nobody loses by it what is kept; and who visits is given a new token in time."""

RENEW_AFTER: Final = 86_400_000
"""Milliseconds after which the next `Welcome` has a new token."""

_LABEL = b"samedeal token 3\0"
_OLD_FIRST = b"samedeal token 1\0"
_OLD_LATER = b"samedeal token 2\0"
_EPOCH = r"(0|[1-9][0-9]{0,8})"
_SIGNATURE = r"[A-Za-z0-9_-]{43}"
_TOKEN = re.compile(rf"(\w+)\.{_EPOCH}\.([0-9a-f]{{12}})\.([1-9][0-9]{{0,10}})\.{_SIGNATURE}")
_OLD = re.compile(rf"(\w+)(?:\.{_EPOCH})?\.{_SIGNATURE}")


class Token(NamedTuple):
    """What a token says.

    Attributes:
        player: whose it is.
        epoch: the player's epoch; it may be over.
        key: the id of the key that signs it; empty in a token of a release up to 0.2.0.
        issued: when, in Unix seconds; 0 if that is not said.
    """

    player: PlayerId
    epoch: int
    key: str = ""
    issued: int = 0


def sign(key: bytes, said: Token) -> str:
    """Return the token that says this, signed by a key of which it names the id."""
    text = f"{said.player}.{said.epoch}.{said.key}.{said.issued}"
    return f"{text}.{_signature(key, _LABEL, text)}"


def sign_old(secret: bytes, player: PlayerId, epoch: int) -> str:
    """Return the token that releases up to 0.2.0 give a player in an epoch."""
    text = player if epoch == 0 else f"{player}.{epoch}"
    return f"{text}.{_signature(secret, _OLD_FIRST if epoch == 0 else _OLD_LATER, text)}"


def read(token: str) -> Token:
    """Return what a token says, which nobody may have signed.

    Raises:
        Refusal: as `bad_token`, if it is none.
    """
    if match := _TOKEN.fullmatch(token):
        player, epoch, key, issued = match.groups()
        said = Token(PlayerId(player), int(epoch), key, int(issued))
    elif match := _OLD.fullmatch(token):
        said = Token(PlayerId(match[1]), int(match[2] or 0))
    else:
        raise Refusal("bad_token")
    if not is_id(said.player):
        raise Refusal("bad_token")
    return said


def verify(key: bytes, token: str, said: Token) -> None:
    """Verify that a token was signed by a key.

    Raises:
        Refusal: as `bad_token`, if it was not.
    """
    genuine = sign(key, said) if said.key else sign_old(key, said.player, said.epoch)
    if not hmac.compare_digest(genuine.encode(), token.encode()):
        raise Refusal("bad_token")


def _signature(key: bytes, label: bytes, text: str) -> str:
    digest = hmac.digest(key, label + text.encode(), "sha256")
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
