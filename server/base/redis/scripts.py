"""Lua scripts, loaded by every connection and called by the digest of their text.

Redis forgets scripts on a restart and on SCRIPT FLUSH, and the servers of a cluster do not share
them. Every connection therefore loads all of them (`server/base/redis/handshake.py`).
"""

from __future__ import annotations

import hashlib
from typing import ClassVar

Argument = str | bytes | int


class Script:
    """A Lua script.

    Attributes:
        all: the scripts of all modules, loaded by each connection.
        text: its text.
        digest: the SHA-1 digest of the text, used to call it.
    """

    all: ClassVar[list[Script]] = []

    def __init__(self, text: str) -> None:
        self.text = text
        self.digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        self.all.append(self)

    def call(self, names: list[str], *arguments: Argument) -> tuple[Argument, ...]:
        """Return the command that runs the script with keys, all in one slot, and arguments."""
        return ("EVALSHA", self.digest, len(names), *names, *arguments)
