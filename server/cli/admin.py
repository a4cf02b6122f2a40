"""The commands `samedeal admin …`, by which an operator looks at what there is and moderates it."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from server.app import services_alone
from server.base.core import days as daily
from server.base.core.codes import parse_room_code
from server.base.core.ids import AttemptId, CircleId, PlayerId
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError, UnsuitableError
from server.base.redis.programs import EmbeddedServerError
from server.cli.log_lines import visible
from server.cli.logs import configure
from server.cli.options import (
    data_of_nodes,
    option,
    redis_of_nodes,
    redis_password_file,
    redis_url,
    secret_key_file_of_nodes,
)
from server.cli.terminal import say, say_json
from server.moderation.cases import Case
from server.moderation.core.suspicion import Suspicion
from server.moderation.operators import By, Operators, UnknownPlayerError, Which
from server.results.core.boards import ALL_GAMES
from server.settings import Settings
from server.wings import Services

_TIMES = {"at", "barred", "changed", "founded", "kept", "newest", "opened", "since", "until"}
"""The fields that hold Unix milliseconds."""

Answer = TypeVar("Answer")
Ask = Callable[[Operators], Awaitable[Answer]]
Command = TypeVar("Command", bound=Callable[..., Any])


class Console:
    """Asks the services for what a command needs, and prints it, by the options of the group."""

    def __init__(self, settings: Settings, operator: str, *, as_json: bool) -> None:
        self._settings = settings
        self._operator = operator
        self._as_json = as_json

    def ask(self, ask: Ask[Answer]) -> Answer:
        """Return what `ask` returns of the operators' service.

        Raises:
            click.ClickException: it is refused, or the store cannot be used.
        """
        return self.ask_services(lambda services: ask(services.operators))

    def ask_services(self, ask: Callable[[Services], Awaitable[Answer]]) -> Answer:
        """Return what `ask` returns of the services of a node that serves nobody.

        Raises:
            click.ClickException: as for `ask`.
        """

        async def ask_alone() -> Answer:
            async with services_alone(self._settings) as services:
                return await ask(services)

        try:
            return asyncio.run(ask_alone())
        except Refusal as refusal:
            raise click.ClickException(refusal.text) from refusal
        except UnknownPlayerError as error:
            raise click.ClickException("There is no such player.") from error
        except UnreadableError as error:
            raise click.ClickException("A newer release of the server stored this.") from error
        except UnavailableError as error:
            raise click.ClickException(f"Redis does not answer. {error}") from error
        except (EmbeddedServerError, UnsuitableError, OSError, ValueError) as error:
            raise click.ClickException(str(error)) from error

    def show(self, ask: Ask[object]) -> None:
        """Print what `ask` returns: as JSON, or else as a table or lines."""
        self.print(self.ask(ask))

    def print(self, found: object) -> None:
        """Print an answer: as JSON, or else as a table or lines."""
        if self._as_json:
            say_json(found)
        elif isinstance(found, list):
            _print_table(found)
        else:
            _print_fields(found)

    def act(self, reason: str, act: Callable[[Operators, By], Awaitable[str]]) -> None:
        """Carry an act out, and print its id in the audit journal."""
        by = By(self._operator, reason)
        done = self.ask(lambda operators: act(operators, by))
        if self._as_json:
            say_json({"act": done})
        else:
            say(f"Done: act {done}.")


def _print_table(rows: Sequence[msgspec.Struct]) -> None:
    """Print rows of one or several types, each with its columns as wide as they need."""
    if not rows:
        say("There are none.")
        return
    if isinstance(rows[0], Suspicion | Case):
        for row in rows:
            _print_fields(row)
        return
    cells = [_cells(row) for row in rows]
    names = list(dict.fromkeys(name for row in cells for name in row))
    table = [names, *([row.get(name, "") for name in names] for row in cells)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        say("  ".join(padded).rstrip())


def _print_fields(shown: object) -> None:
    """Print a field a line; lists of rows as tables below their names."""
    for name, value in msgspec.structs.asdict(shown).items():  # type: ignore[arg-type]
        if isinstance(value, list | tuple) and value and isinstance(value[0], msgspec.Struct):
            say(f"{name}:")
            _print_table(value)
        else:
            say(f"{name}: {_text(name, value)}")


def _cells(row: msgspec.Struct) -> dict[str, str]:
    kind = row.__struct_config__.tag
    first = {} if kind is None else {"act": str(kind)}
    # Escaped here already, since columns are as wide as what is shown in them.
    shown = {n: visible(_text(n, value)) for n, value in msgspec.structs.asdict(row).items()}
    return first | shown


def _text(name: str, value: object) -> str:  # noqa: PLR0911 - one for each type
    """Return a field's value as text: a time in ISO 8601, a list with commas."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int() if name in _TIMES:
            time = datetime.fromtimestamp(value / 1000, UTC).replace(tzinfo=None)
            return time.isoformat(" ", "seconds") if value else "for ever"
        case int() if name == "day":
            return daily.date_text(value)
        case dict():
            return _text(name, [f"{count} {kind}" for kind, count in sorted(value.items())])
        case list() | tuple():
            return ", ".join(map(str, value)) or "-"
    return str(value)


def _day(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Return the number of the day of a date."""
    if text is None:
        return None
    try:
        return (date.fromisoformat(text) - date(1970, 1, 1)).days
    except ValueError as error:
        raise click.BadParameter(f"{text} is not a date such as 2026-11-23.") from error


_limit = click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 5_000), help="Most rows shown."
)
_reason = click.option(
    "--reason", required=True, metavar="TEXT", help="Why, for the audit journal."
)


@click.group()
@redis_of_nodes
@redis_password_file
@secret_key_file_of_nodes
@data_of_nodes
@option(
    "--operator",
    metavar="NAME",
    help="Who acts, for the audit journal; else the user of this process.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in one line.")
@click.pass_context
def admin(
    context: click.Context,
    *,
    redis: str | None,
    secret_key_file: Path | None,
    redis_password_file: Path | None,
    data: Path,
    operator: str | None,
    as_json: bool,
) -> None:
    """Look at rooms, players, circles and runs, and moderate them.

    Every act is recorded in an audit journal, with its time, operator and reason. It works at once
    on all nodes; if one is restarted in the middle of it, the others complete it. Times are UTC.
    """
    configure("auto", "warning", "admin")
    settings = Settings(
        redis=redis_url(redis, redis_password_file), secret_key_file=secret_key_file, data=data
    )
    context.obj = Console(settings, operator or getpass.getuser(), as_json=as_json)


@admin.command()
@click.option("--game", metavar="ID", help="Only rooms whose next round is of this game.")
@click.option("--open", "which", flag_value="open", help="Only public rooms with a free seat.")
@click.option("--running", "which", flag_value="running", help="Only rooms with a running round.")
@_limit
@click.pass_obj
def rooms(console: Console, *, game: str | None, which: Which | None, limit: int) -> None:
    """List rooms. Without --open or --running, all keys of the store are scanned."""
    console.show(lambda operators: operators.rooms(which or "all", game, limit))


@admin.command()
@click.argument("code")
@click.pass_obj
def room(console: Console, *, code: str) -> None:
    """Show a room: its seats, who is online, its terms and last round."""
    console.show(lambda operators: operators.room(parse_room_code(code)))


@admin.command("close-room")
@click.argument("code")
@_reason
@click.pass_obj
def close_room(console: Console, *, code: str, reason: str) -> None:
    """Close a room for good.

    Its members are told and leave, the attempts at a running round are resigned, and nobody can
    join any more.
    """
    console.act(reason, lambda operators, by: operators.close_room(by, parse_room_code(code)))


@admin.command()
@click.argument("name")
@_limit
@click.pass_obj
def players(console: Console, *, name: str, limit: int) -> None:
    """List players whose names begin with NAME, whatever its case.

    All keys of the store are scanned: about two seconds for a million players.
    """
    console.show(lambda operators: operators.players(name, limit))


@admin.command()
@click.argument("player_id", metavar="ID")
@click.pass_obj
def player(console: Console, *, player_id: str) -> None:
    """Show a player: identity, sessions, results in short, suspicious runs, circles."""
    console.show(lambda operators: operators.player(PlayerId(player_id)))


@admin.command("hide-name")
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def hide_name(console: Console, *, player_id: str, reason: str) -> None:
    """Show a guest's name instead of a player's own, everywhere.

    The player cannot change it until `show-name`.
    """
    player = PlayerId(player_id)
    console.act(reason, lambda operators, by: operators.hide_name(by, player, hidden=True))


@admin.command("show-name")
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def show_name(console: Console, *, player_id: str, reason: str) -> None:
    """Show a player's own name again."""
    player = PlayerId(player_id)
    console.act(reason, lambda operators, by: operators.hide_name(by, player, hidden=False))


@admin.command()
@click.argument("player_id", metavar="ID")
@click.option("--days", type=click.IntRange(1, 3_650), help="For how long; else for ever.")
@_reason
@click.pass_obj
def bar(console: Console, *, player_id: str, days: int | None, reason: str) -> None:
    """Bar a player: no session begins, and those that are open are closed. Results stay.

    A person can come back as a new guest, which only the proxy can prevent, by address.
    """
    console.act(reason, lambda operators, by: operators.bar(by, PlayerId(player_id), days))


@admin.command()
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def unbar(console: Console, *, player_id: str, reason: str) -> None:
    """Let a player in again."""
    console.act(reason, lambda operators, by: operators.unbar(by, PlayerId(player_id)))


@admin.command()
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def delete(console: Console, *, player_id: str, reason: str) -> None:
    """Delete a player, for good. Results stay, without a name."""
    console.act(reason, lambda operators, by: operators.delete(by, PlayerId(player_id)))


@admin.command()
@click.argument("circle_id", metavar="ID")
@click.pass_obj
def circle(console: Console, *, circle_id: str) -> None:
    """Show a circle: its name, who owns it, since when there is one, its members."""
    console.show(lambda operators: operators.circle(CircleId(circle_id)))


@admin.command("delete-circle")
@click.argument("circle_id", metavar="ID")
@_reason
@click.pass_obj
def delete_circle(console: Console, *, circle_id: str, reason: str) -> None:
    """Delete a circle, for good, as its owner can.

    Its members are told; their results stay, in their own histories.
    """
    console.act(reason, lambda operators, by: operators.delete_circle(by, CircleId(circle_id)))


@admin.command("rename-circle")
@click.argument("circle_id", metavar="ID")
@click.argument("name")
@_reason
@click.pass_obj
def rename_circle(console: Console, *, circle_id: str, name: str, reason: str) -> None:
    """Give a circle another NAME, to which the rules of players' names apply.

    Its owner can change it again.
    """
    circle = CircleId(circle_id)
    console.act(reason, lambda operators, by: operators.rename_circle(by, circle, name))


@admin.command()
@click.argument("attempt")
@_reason
@click.pass_obj
def void(console: Console, *, attempt: str, reason: str) -> None:
    """Take the result of ATTEMPT, a daily's or a race's, back.

    Leaderboards, streaks and ratings follow.
    """
    console.act(reason, lambda operators, by: operators.void(by, AttemptId(attempt), void=True))


@admin.command()
@click.argument("attempt")
@_reason
@click.pass_obj
def unvoid(console: Console, *, attempt: str, reason: str) -> None:
    """Let the result of ATTEMPT stand again."""
    console.act(reason, lambda operators, by: operators.void(by, AttemptId(attempt), void=False))


@admin.command("repair-day")
@click.argument("day", metavar="DATE", callback=_day)
@click.option("--game", default=ALL_GAMES, show_default=True, metavar="ID", help="Of which game.")
@_reason
@click.pass_obj
def repair_day(console: Console, *, day: int, game: str, reason: str) -> None:
    """Let a day that was lost by a fault of the server's end no streak, within a minute."""
    console.act(reason, lambda operators, by: operators.repair_day(by, day, game))


@admin.command()
@click.option("--day", metavar="DATE", callback=_day, help="Only runs of this day's dailies.")
@_limit
@click.pass_obj
def suspicious(console: Console, *, day: int | None, limit: int) -> None:
    """List suspicious runs, with the reasons, the most suspicious first.

    Each reason has a weight from 1 to 5. They are for you to judge: nothing is done by itself.
    """
    console.show(lambda operators: operators.suspicious(limit, day))


@admin.command()
@_limit
@click.pass_obj
def reports(console: Console, *, limit: int) -> None:
    """List players and runs that others have reported, the latest first.

    Of each, the weight is how many have reported it; all guests together count as one. Those that
    were resolved or dismissed are left out.
    """
    console.show(lambda operators: operators.reports(limit))


@admin.command()
@click.argument("case")
@_reason
@click.pass_obj
def resolve(console: Console, *, case: str, reason: str) -> None:
    """Close CASE, a suspicious run or a report, about which something was done."""
    console.act(reason, lambda operators, by: operators.close_case(by, case, "resolved"))


@admin.command()
@click.argument("case")
@_reason
@click.pass_obj
def dismiss(console: Console, *, case: str, reason: str) -> None:
    """Close CASE, about which there was nothing to do."""
    console.act(reason, lambda operators, by: operators.close_case(by, case, "dismissed"))


@admin.command()
@_limit
@click.pass_obj
def audit(console: Console, *, limit: int) -> None:
    """List the newest acts of operators, the newest first."""
    console.show(lambda operators: operators.acts(limit))
