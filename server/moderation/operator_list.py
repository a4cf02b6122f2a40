"""The file that says which players are operators."""

from __future__ import annotations

from pathlib import Path

import structlog

from server.base.core.ids import PlayerId, is_id

log = structlog.get_logger()

_Version = tuple[int, int, int]
"""When a file was changed, its size and its inode."""


class OperatorList:
    """The operators, as a file names them; it is read anew whenever it has changed.

    Each line has the id of a player and, after a space, perhaps a name for the audit journal. What
    follows a `#` is a comment. While it cannot be read, nobody is an operator.

    Args:
        path: a text file (UTF-8).

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is no such line, or the file is not UTF-8.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._version: _Version | None = self._current()
        self._names = operators_in(path.read_text(encoding="utf-8-sig"))

    def name(self, player: PlayerId) -> str | None:
        """Return who an operator is, for the audit journal; `None` if the player is none.

        It takes a look at the file, and a read of it once it has changed.
        """
        try:
            version = self._current()
        except OSError:
            version = None
        if version != self._version or version is None:
            self._read(version)
        return self._names.get(player)

    def _current(self) -> _Version:
        found = self._path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self, version: _Version | None) -> None:
        """Read the file; without it, nobody is an operator, which is told once."""
        told = version is None and self._version is None
        self._version = version
        try:
            self._names = operators_in(self._path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            self._names = {}
            if not told:
                # What is wrong with the file is enough.
                log.error("operators_unreadable", path=str(self._path), error=str(error))  # noqa: TRY400
        else:
            log.info("operators_read", count=len(self._names))


def operators_in(text: str) -> dict[PlayerId, str]:
    """Return the operators that a text names: of each player, what the audit journal calls it.

    Raises:
        ValueError: a line does not begin with the id of a player.
    """
    found: dict[PlayerId, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        player, _, name = entry.partition(" ")
        if not is_id(player):
            raise ValueError(f"Line {number} of the operators is no player's id: {player}")
        name = " ".join(name.split())
        found[PlayerId(player)] = f"{name} ({player})" if name else player
    return found
