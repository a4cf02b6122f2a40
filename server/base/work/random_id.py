"""Random ids, drawn from the operating system."""

from __future__ import annotations

import secrets

from server.base.core.ids import ALPHABET, ID_LENGTH


def random_id() -> str:
    """Return a new random id."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))
