"""Storage of a player's token, a credential that must stay private."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol


class TokenStorage(Protocol):
    """Storage of one token."""

    def load(self) -> str | None:
        """Return the token, or `None` if none is stored."""

    def save(self, token: str) -> None:
        """Replace the token."""


class MemoryStorage:
    """Keeps the token in memory."""

    def __init__(self, token: str | None = None) -> None:
        self._token = token

    def load(self) -> str | None:
        """Return the token."""
        return self._token

    def save(self, token: str) -> None:
        """Replace the token."""
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
        """Replace the file atomically, so that a crash leaves the old or the new token."""
        new = self._path.with_name(f"{self._path.name}.new")
        new.touch(mode=0o600)
        new.write_text(f"{token}\n", encoding="ascii")
        new.replace(self._path)
