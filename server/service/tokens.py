"""Tokens: what a client shows to be recognized as a player. They are never logged.

A token is the player's id, the player's epoch unless that is 0, and an HMAC-SHA256 over them. In
this way all tokens are those of releases up to 0.2.0 until a player signs out everywhere, and nodes
of those releases, which may run beside, read them.
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode

from server.core.ids import PlayerId, is_id
from server.core.refusal import Refusal

_FIRST = b"samedeal token 1\0"
_LATER = b"samedeal token 2\0"
_EPOCH = re.compile(r"[0-9]{1,9}")


def sign(secret: bytes, player: PlayerId, epoch: int) -> str:
    """Return the token of a player in an epoch."""
    text = player if epoch == 0 else f"{player}.{epoch}"
    label = _FIRST if epoch == 0 else _LATER
    signature = hmac.digest(secret, label + text.encode(), "sha256")
    return f"{text}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def verify(secret: bytes, token: str) -> tuple[PlayerId, int]:
    """Return the player and the epoch of a token; the epoch may be over.

    Raises:
        Refusal: as `bad_token`, if it was not signed with this secret.
    """
    player, _, rest = token.partition(".")
    stated, dot, _ = rest.partition(".")
    # An epoch in another form, such as 01, gives another token than this one.
    epoch = int(stated) if dot and _EPOCH.fullmatch(stated) else 0
    known = PlayerId(player)
    if not is_id(player) or not hmac.compare_digest(
        sign(secret, known, epoch).encode(), token.encode()
    ):
        raise Refusal("bad_token")
    return known, epoch
