"""Output of `samedeal`'s commands, safe to print on a terminal.

Names, reasons, files and stored data come from others. Characters that would move the cursor, end a
line or reverse its direction are escaped, also in errors. All commands print through this module.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import click
import msgspec

from server.cli.log_lines import visible

MAX_QUOTED: Final = 64  # characters of quoted text in a sentence


def say(line: str = "", *, err: bool = False) -> None:
    """Print a line, escaped, to standard output or, if `err`, to standard error."""
    _write(f"{visible(line)}\n", err=err)


def say_progress(line: str) -> None:
    """Replace the last line on standard error, a terminal."""
    _write(f"\r{visible(line)}\x1b[K", err=True)


def say_json(value: object) -> None:
    """Print a value as JSON in a line of ASCII."""
    say(json.dumps(msgspec.to_builtins(value), separators=(",", ":")))


def quoted(text: str, most: int = MAX_QUOTED) -> str:
    """Escape a text by others for quoting, shortened to `most` characters."""
    return visible(text if len(text) <= most else f"{text[:most]}…")


class Commands(click.Group):
    """A group of commands whose errors are escaped."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, or raise a `ClickException` if it fails."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            # Every kind of click error prints `message`, possibly with more text.
            error.message = visible(error.message)  # type: ignore[misc]
            raise


def _write(text: str, *, err: bool) -> None:
    """Print a text, escaping characters that the stream's encoding lacks."""
    encoding = (sys.stderr if err else sys.stdout).encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False, err=err)
