"""The commands `samedeal admin` by which an operator keeps keys and the store in order."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import Final

import click
import msgspec

from server.base.seals import tokens
from server.cli.admin import Console
from server.cli.terminal import say, say_progress
from server.verification import Report
from server.wings import Services

_DAY = 86_400_000
_AHEAD_MS = 60_000
"""Milliseconds by which an entry may be ahead of Redis's time: a round is told seconds before."""

_LIFE_DAYS = tokens.LIFE_MS // _DAY


class Rotated(msgspec.Struct):
    """The output of `rotate-key`: the id of the key that signs now, and since when."""

    signing: str
    since: int


class Sealed(msgspec.Struct):
    """The output of `seal`: how many deals there are, and how many have been sealed anew."""

    deals: int
    sealed: int


@click.command("rotate-key")
@click.option(
    "--retire-after",
    default=_LIFE_DAYS,
    show_default=True,
    type=click.IntRange(0, _LIFE_DAYS),
    metavar="DAYS",
    help="For how long tokens of earlier keys hold; 0 ends them all, and loses all guests.",
)
@click.pass_obj
def rotate_key(console: Console, *, retire_after: int) -> None:
    """Let a new key sign the players' tokens.

    All nodes use it within five seconds. Players get a new token when they come the next time, so
    nobody is logged out who comes within --retire-after. The key follows from the first key in the
    file of secret keys, by which seeds are sealed from now on, too: so add a key by `samedeal
    keygen`, give all nodes the file and restart them, and then run this.
    """

    async def rotate(services: Services) -> Rotated:
        ring = await services.keyring.rotate(retire_after * _DAY)
        return Rotated(ring.signing, ring.since)

    console.print(console.ask_services(rotate))


@click.command()
@click.pass_obj
def seal(console: Console) -> None:
    """Seal all seeds by the current secret key.

    After that, no seed needs an earlier key of the file. Tokens that were signed by one do, until
    they are retired. Nodes seal what they read by themselves, so this is only needed before an
    earlier key is removed.
    """

    async def seal_all(services: Services) -> Sealed:
        return Sealed(*await services.seal_all())

    console.print(console.ask_services(seal_all))


@click.command("verify-store")
@click.option(
    "--percent",
    default=100,
    show_default=True,
    type=click.IntRange(0, 100),
    help="Verify this part of journals, deals and histories. All keys are counted in any case.",
)
@click.option(
    "--expect",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What this command printed with --json when the backup was made: is it the same store, "
    "and is all of it back?",
)
@click.pass_obj
def verify_store(console: Console, *, percent: int, expect: Path | None) -> None:
    """Verify that a store is whole, as after a restore.

    Is it not empty, and the one that is expected? Do the secret keys open all seeds, and do these
    match their commitments? Does each journal have a deal, no gap, and only legal moves? Do
    leaderboards agree with the histories of players? Nothing is written, and nodes may run.

    The exit code is 0 if all is well, and 1 if not: then the last lines say why.
    """
    expected = None
    if expect is not None:
        try:
            expected = msgspec.json.decode(expect.read_bytes(), type=Report)
        except msgspec.DecodeError as error:
            raise click.UsageError(f"{expect} is not what verify-store printed: {error}") from error

    def progress(count: int) -> None:
        if sys.stderr.isatty():
            say_progress(f"{count} keys")

    report = console.ask_services(lambda services: services.verify(percent, expected, progress))
    if sys.stderr.isatty():
        say(err=True)
    console.print(report)
    for problem in report.problems:
        say(problem, err=True)
    if report.newest is not None:
        say(age_text(report.at - report.newest), err=True)
    if report.problems:
        say("This store is not as it should be.", err=True)
        sys.exit(1)
    say("This store is whole.", err=True)


def age_text(age: int) -> str:
    """Return in words how old the newest journal entry is, given its age in milliseconds.

    It is negative by some seconds if a round is about to begin, or if nodes have played on while
    the store was verified.
    """
    told = timedelta(seconds=abs(age) // 1000)
    if age < -_AHEAD_MS:
        return f"The newest journal entry is {told} ahead of Redis's time, which may be wrong."
    if told < timedelta(seconds=1) or age < 0:
        return "The newest journal entry is less than a second old."
    return f"The newest journal entry is {told} old. What came later is lost if this is a restore."


COMMANDS: Final = (rotate_key, seal, verify_store)
"""All of them, for the group `samedeal admin`."""
