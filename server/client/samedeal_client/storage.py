"""Where a player's token is kept. It is a credential: nobody else may read it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol


class TokenStorage(Protocol):
    """A place for one token."""

    def load(self) -> str | None:
        """Return the token, or `None` if there is none yet."""

    def save(self, token: str) -> None:
        """Keep a token in place of the one before."""


class MemoryStorage:
    """Keeps the token for as long as the process runs."""

    def __init__(self, token: str | None = None) -> None:
        self._token = token

    def load(self) -> str | None:
        """Return the token."""
        return self._token

    def save(self, token: str) -> None:
        """Keep a token."""
        self._token = token


class FileStorage:
    """Keeps the token in a file that only its owner can read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> str | None:
        """Return the token in the file; `None` if there is no file."""
        try:
            return self._path.read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None

    def save(self, token: str) -> None:
        """Replace the file, whole, so that a crash leaves one of the two."""
        new = self._path.with_name(f"{self._path.name}.new")
        new.touch(mode=0o600)
        new.write_text(f"{token}\n", encoding="ascii")
        new.replace(self._path)
