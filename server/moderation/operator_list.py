"""The file that lists the operators."""

from __future__ import annotations

from pathlib import Path

import structlog

from server.base.core.ids import PlayerId, is_id

log = structlog.get_logger()

_Version = tuple[int, int, int]  # a file's modification time, size and inode


class OperatorList:
    """The operators listed in a UTF-8 file, which is read again whenever it changes.

    Each line has a player's id, optionally followed by a space and a name for the audit journal.
    `#` starts a comment. While the file cannot be read, no player is an operator.

    Raises:
        OSError: the file cannot be read at first.
        ValueError: a line is malformed, or the file is not UTF-8.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._version: _Version | None = self._current()
        self._names = operators_in(path.read_text(encoding="utf-8-sig"))

    def name(self, player: PlayerId) -> str | None:
        """Return an operator's name for the audit journal; `None` if the player is not one."""
        try:
            # A stat of the file, and a read only if it has changed.
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
        """Read the file. If that fails, no player is an operator, which is logged once."""
        told = version is None and self._version is None
        self._version = version
        try:
            self._names = operators_in(self._path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            self._names = {}
            if not told:
                # The error's text suffices; a traceback adds nothing.
                log.error("operators_unreadable", path=str(self._path), error=str(error))  # noqa: TRY400
        else:
            log.info("operators_read", count=len(self._names))


def operators_in(text: str) -> dict[PlayerId, str]:
    """Parse a list of operators into names for the audit journal, by player.

    Raises:
        ValueError: a line does not start with a player's id.
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
