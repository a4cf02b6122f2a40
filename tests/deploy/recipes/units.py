"""Parse systemd unit files as far as the tests need."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from pathlib import Path

_CONTINUED = re.compile(r"\\\n(?:[#;].*\n)*")


class Unit:
    """A unit: its settings by section and name.

    Attributes:
        name: its name with the instance, as in `samedeal@8001.service`.
        instance: the instance, or an empty text.
    """

    def __init__(self, name: str, *files: Path) -> None:
        self.name = name
        self.instance = name.rpartition(".")[0].partition("@")[2]
        self._settings: dict[tuple[str, str], list[str]] = defaultdict(list)
        for file in files:
            self._read(file.read_text())

    def _read(self, text: str) -> None:
        section = ""
        for line in _CONTINUED.sub(" ", text).splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line.strip() and not line.startswith(("#", ";")):
                name, equals, value = line.partition("=")
                assert equals, line
                values = self._settings[section, name]
                # An empty value resets the list.
                values[:] = [*values, value] if value else []

    def all(self, name: str, section: str = "Service") -> list[str]:
        """Return the values of a setting."""
        return self._settings[section, name]

    def one(self, name: str, otherwise: str = "") -> str:
        """Return the last value of a service's setting."""
        return (self.all(name) or [otherwise])[-1]

    def words(self, name: str, section: str) -> list[str]:
        """Return the words of all values of a setting."""
        return [word for value in self.all(name, section) for word in value.split()]

    def command(self, credentials: Path) -> list[str]:
        """Return the arguments of `ExecStart` with expanded specifiers."""
        return shlex.split(self.expanded(self.one("ExecStart"), credentials))

    def expanded(self, text: str, credentials: Path) -> str:
        """Expand a text's specifiers: instance and credentials' folder."""
        return text.replace("%i", self.instance).replace("%d", str(credentials))
