"""Lua scripts, which every connection loads, so that a call is sent by the digest of its text.

Redis forgets scripts when it is started again, and on SCRIPT FLUSH; the servers of a cluster do not
tell them to each other. So `server/base/redis/pipeline.py` loads all of them on every connection.
"""

from __future__ import annotations

import hashlib
from typing import ClassVar

Argument = str | bytes | int


class Script:
    """A Lua script.

    Attributes:
        all: those of all modules, which a connection loads.
        text: its text.
        digest: the SHA-1 digest of the text, by which Redis knows it.
    """

    all: ClassVar[list[Script]] = []

    def __init__(self, text: str) -> None:
        self.text = text
        self.digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        self.all.append(self)

    def call(self, names: list[str], *arguments: Argument) -> tuple[Argument, ...]:
        """Return the command that runs it.

        Args:
            names: its keys, all in one slot.
            arguments: its arguments.
        """
        return ("EVALSHA", self.digest, len(names), *names, *arguments)
