"""The commands `samedeal admin …`, for operators to inspect the server and to moderate."""

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
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError, UnsuitableError
from server.base.redis.programs import EmbeddedServerError
from server.circles.core.ids import CircleId
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
from server.moderation.operators import By, Operators, RoomFilter
from server.results.core.boards import ALL_GAMES
from server.settings import Settings
from server.wings import Services

# The fields that hold Unix milliseconds.
_TIMES = {"at", "barred", "changed", "founded", "kept", "newest", "opened", "since", "until"}

Answer = TypeVar("Answer")
Ask = Callable[[Operators], Awaitable[Answer]]
Command = TypeVar("Command", bound=Callable[..., Any])


class Console:
    """Runs a command on the services and prints its result, by the group's options."""

    def __init__(self, settings: Settings, operator: str, *, as_json: bool) -> None:
        self._settings = settings
        self._operator = operator
        self._as_json = as_json

    def ask(self, ask: Ask[Answer]) -> Answer:
        """Return the result of a request to the operators' service.

        Raises:
            click.ClickException: the request is refused, or the store cannot be used.
        """
        return self.ask_services(lambda services: ask(services.operators))

    def ask_services(self, ask: Callable[[Services], Awaitable[Answer]]) -> Answer:
        """Return the result of a request to the services, without a listening node.

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
        except UnreadableError as error:
            raise click.ClickException("A newer release of the server stored this.") from error
        except UnavailableError as error:
            raise click.ClickException(f"Redis does not answer. {error}") from error
        except (EmbeddedServerError, UnsuitableError, OSError, ValueError) as error:
            raise click.ClickException(str(error)) from error

    def show(self, ask: Ask[object]) -> None:
        """Run a request and print its result."""
        self.print(self.ask(ask))

    def print(self, found: object) -> None:
        """Print a result as JSON, as a table, or as lines."""
        if self._as_json:
            say_json(found)
        elif isinstance(found, list):
            _print_table(found)
        else:
            _print_fields(found)

    def act(self, reason: str, act: Callable[[Operators, By], Awaitable[str]]) -> None:
        """Carry out an act, and print its id in the audit journal."""
        by = By(self._operator, reason)
        done = self.ask(lambda operators: act(operators, by))
        if self._as_json:
            say_json({"act": done})
        else:
            say(f"Done: act {done}.")


def _print_table(rows: Sequence[msgspec.Struct]) -> None:
    """Print rows of one or several types as a table."""
    if not rows:
        say("No results.")
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
    """Print one field per line, and lists of rows as tables below their names."""
    for name, value in msgspec.structs.asdict(shown).items():  # type: ignore[arg-type]
        if isinstance(value, list | tuple) and value and isinstance(value[0], msgspec.Struct):
            say(f"{name}:")
            _print_table(value)
        else:
            say(f"{name}: {_text(name, value)}")


def _cells(row: msgspec.Struct) -> dict[str, str]:
    kind = row.__struct_config__.tag
    first = {} if kind is None else {"act": str(kind)}
    # Escaped before padding, so that columns are aligned as displayed.
    shown = {n: visible(_text(n, value)) for n, value in msgspec.structs.asdict(row).items()}
    return first | shown


def _text(name: str, value: object) -> str:  # noqa: PLR0911 - one for each type
    """Return a field's value as text, with times in ISO 8601."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int() if name in _TIMES:
            time = datetime.fromtimestamp(value / 1000, UTC).replace(tzinfo=None)
            return time.isoformat(" ", "seconds") if value else "permanent"
        case int() if name == "day":
            return daily.date_text(value)
        case dict():
            return _text(name, [f"{count} {kind}" for kind, count in sorted(value.items())])
        case list() | tuple():
            return ", ".join(map(str, value)) or "-"
    return str(value)


def _day(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Parse a date into a day number."""
    if text is None:
        return None
    try:
        return (date.fromisoformat(text) - date(1970, 1, 1)).days
    except ValueError as error:
        raise click.BadParameter(f"{text} is not a date such as 2026-11-23.") from error


_limit = click.option(
    "--limit",
    default=50,
    show_default=True,
    type=click.IntRange(1, 5_000),
    help="Maximum number of rows.",
)
_reason = click.option(
    "--reason", required=True, metavar="TEXT", help="The reason, for the audit journal."
)


@click.group()
@redis_of_nodes
@redis_password_file
@secret_key_file_of_nodes
@data_of_nodes
@option(
    "--operator",
    metavar="NAME",
    help="The operator's name for the audit journal; by default, the user of this process.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON on one line.")
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
    """Inspect rooms, players, circles and runs, and moderate them.

    Every act is recorded in an audit journal, with its time, operator and reason. It takes effect
    immediately on all nodes; if a node fails in the middle of it, the others complete it. Times are
    UTC.
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
def rooms(console: Console, *, game: str | None, which: RoomFilter | None, limit: int) -> None:
    """List rooms. Without --open or --running, all keys of the store are scanned."""
    console.show(lambda operators: operators.rooms(which or "all", game, limit))


@admin.command()
@click.argument("code")
@click.pass_obj
def room(console: Console, *, code: str) -> None:
    """Show a room: seats, online members, terms and last round."""
    console.show(lambda operators: operators.room(parse_room_code(code)))


@admin.command("close-room")
@click.argument("code")
@_reason
@click.pass_obj
def close_room(console: Console, *, code: str, reason: str) -> None:
    """Close a room permanently.

    Its members are notified and leave, the attempts at a running round are resigned, and the room
    cannot be joined again.
    """
    console.act(reason, lambda operators, by: operators.close_room(by, parse_room_code(code)))


@admin.command()
@click.argument("name")
@_limit
@click.pass_obj
def players(console: Console, *, name: str, limit: int) -> None:
    """List players whose names start with NAME, ignoring case.

    All keys of the store are scanned: about two seconds for a million players.
    """
    console.show(lambda operators: operators.players(name, limit))


@admin.command()
@click.argument("player_id", metavar="ID")
@click.pass_obj
def player(console: Console, *, player_id: str) -> None:
    """Show a player: identity, sessions, summary of results, suspicious runs, circles."""
    console.show(lambda operators: operators.player(PlayerId(player_id)))


@admin.command("hide-name")
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def hide_name(console: Console, *, player_id: str, reason: str) -> None:
    """Replace a player's name by a default name, everywhere.

    The player cannot change it until `show-name`.
    """
    player = PlayerId(player_id)
    console.act(reason, lambda operators, by: operators.hide_name(by, player, hidden=True))


@admin.command("show-name")
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def show_name(console: Console, *, player_id: str, reason: str) -> None:
    """Restore a player's own name."""
    player = PlayerId(player_id)
    console.act(reason, lambda operators, by: operators.hide_name(by, player, hidden=False))


@admin.command()
@click.argument("player_id", metavar="ID")
@click.option(
    "--days",
    type=click.IntRange(1, 3_650),
    help="Length of the bar; permanent without this option.",
)
@_reason
@click.pass_obj
def bar(console: Console, *, player_id: str, days: int | None, reason: str) -> None:
    """Bar a player: open sessions are closed, and new ones refused. Results stay.

    A person can return as a new guest; only the proxy can prevent that, by address.
    """
    console.act(reason, lambda operators, by: operators.bar(by, PlayerId(player_id), days))


@admin.command()
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def unbar(console: Console, *, player_id: str, reason: str) -> None:
    """Lift a player's bar."""
    console.act(reason, lambda operators, by: operators.unbar(by, PlayerId(player_id)))


@admin.command()
@click.argument("player_id", metavar="ID")
@_reason
@click.pass_obj
def delete(console: Console, *, player_id: str, reason: str) -> None:
    """Delete a player permanently. Results stay, anonymized."""
    console.act(reason, lambda operators, by: operators.delete(by, PlayerId(player_id)))


@admin.command()
@click.argument("circle_id", metavar="ID")
@click.pass_obj
def circle(console: Console, *, circle_id: str) -> None:
    """Show a circle: its name, owner, founding date and members."""
    console.show(lambda operators: operators.circle(CircleId(circle_id)))


@admin.command("delete-circle")
@click.argument("circle_id", metavar="ID")
@_reason
@click.pass_obj
def delete_circle(console: Console, *, circle_id: str, reason: str) -> None:
    """Delete a circle permanently, as its owner can.

    Its members are notified; their results stay in their own histories.
    """
    console.act(reason, lambda operators, by: operators.delete_circle(by, CircleId(circle_id)))


@admin.command("rename-circle")
@click.argument("circle_id", metavar="ID")
@click.argument("name")
@_reason
@click.pass_obj
def rename_circle(console: Console, *, circle_id: str, name: str, reason: str) -> None:
    """Rename a circle. The rules of players' names apply.

    Its owner can rename it again.
    """
    circle = CircleId(circle_id)
    console.act(reason, lambda operators, by: operators.rename_circle(by, circle, name))


@admin.command()
@click.argument("attempt")
@_reason
@click.pass_obj
def void(console: Console, *, attempt: str, reason: str) -> None:
    """Void the result of ATTEMPT, in a daily or a race.

    Leaderboards, streaks and ratings are updated.
    """
    console.act(reason, lambda operators, by: operators.void(by, AttemptId(attempt), void=True))


@admin.command()
@click.argument("attempt")
@_reason
@click.pass_obj
def unvoid(console: Console, *, attempt: str, reason: str) -> None:
    """Restore the voided result of ATTEMPT."""
    console.act(reason, lambda operators, by: operators.void(by, AttemptId(attempt), void=False))


@admin.command("repair-day")
@click.argument("day", metavar="DATE", callback=_day)
@click.option(
    "--game",
    default=ALL_GAMES,
    show_default=True,
    metavar="ID",
    help="Id of the game, or all.",
)
@_reason
@click.pass_obj
def repair_day(console: Console, *, day: int, game: str, reason: str) -> None:
    """Keep a day that was lost through a server fault from ending streaks, within a minute."""
    console.act(reason, lambda operators, by: operators.repair_day(by, day, game))


@admin.command()
@click.option("--day", metavar="DATE", callback=_day, help="Only runs of this day's dailies.")
@_limit
@click.pass_obj
def suspicious(console: Console, *, day: int | None, limit: int) -> None:
    """List suspicious runs and the reasons, the most suspicious first.

    Each reason has a weight from 1 to 5. The decision is yours: there are no automatic
    consequences.
    """
    console.show(lambda operators: operators.suspicious(limit, day))


@admin.command()
@_limit
@click.pass_obj
def reports(console: Console, *, limit: int) -> None:
    """List open reports of players and runs, newest first.

    The weight is the number of reporters; all guests together count as one.
    """
    console.show(lambda operators: operators.reports(limit))


@admin.command()
@click.argument("case")
@_reason
@click.pass_obj
def resolve(console: Console, *, case: str, reason: str) -> None:
    """Close CASE, a suspicious run or a report, as resolved."""
    console.act(reason, lambda operators, by: operators.close_case(by, case, "resolved"))


@admin.command()
@click.argument("case")
@_reason
@click.pass_obj
def dismiss(console: Console, *, case: str, reason: str) -> None:
    """Close CASE as dismissed, without consequences."""
    console.act(reason, lambda operators, by: operators.close_case(by, case, "dismissed"))


@admin.command()
@_limit
@click.pass_obj
def audit(console: Console, *, limit: int) -> None:
    """List the newest acts of operators, newest first."""
    console.show(lambda operators: operators.acts(limit))
