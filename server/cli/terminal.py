"""The output of `samedeal`'s commands: lines that say what they are made of, and do nothing else.

Names, reasons, files and what is stored were written by others. Whatever would move the cursor,
end a line or turn its direction is shown as an escape, in errors too. All commands print by this.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import click
import msgspec

from server.cli.log_lines import visible

MAX_QUOTED: Final = 64
"""Most characters of a text of others in a sentence."""


def say(line: str = "", *, err: bool = False) -> None:
    """Print a line, to standard error if `err`; what is no letter of it is escaped."""
    _write(f"{visible(line)}\n", err=err)


def say_progress(line: str) -> None:
    """Print a line to standard error in place of the last one, on a terminal."""
    _write(f"\r{visible(line)}\x1b[K", err=True)


def say_json(value: object) -> None:
    """Print a value as JSON in one line of ASCII, which says the same and can do nothing."""
    say(json.dumps(msgspec.to_builtins(value), separators=(",", ":")))


def quoted(text: str, most: int = MAX_QUOTED) -> str:
    """Return a text of others for a sentence: escaped, and shortened to so many characters."""
    return visible(text if len(text) <= most else f"{text[:most]}…")


class Commands(click.Group):
    """A group of commands, whose errors are escaped as what they print is."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command.

        Raises:
            click.ClickException: it has failed.
        """
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            # It is what every kind of error shows, with what else it has to say.
            error.message = visible(error.message)  # type: ignore[misc]
            raise


def _write(text: str, *, err: bool) -> None:
    """Print a text; letters that the stream's encoding lacks are escaped."""
    encoding = (sys.stderr if err else sys.stdout).encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False, err=err)
