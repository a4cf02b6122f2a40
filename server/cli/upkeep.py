"""The commands of `samedeal admin` that maintain keys and the store."""

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
# How far an entry may be ahead of Redis's time: rounds are announced seconds ahead.
_AHEAD_MS = 60_000

_LIFE_DAYS = tokens.LIFE_MS // _DAY


class Rotated(msgspec.Struct):
    """The output of `rotate-key`: the id of the signing key, and the time it took effect."""

    signing: str
    since: int


class Sealed(msgspec.Struct):
    """The output of `seal`: the number of deals, and how many were sealed again."""

    deals: int
    sealed: int


@click.command("rotate-key")
@click.option(
    "--retire-after",
    default=_LIFE_DAYS,
    show_default=True,
    type=click.IntRange(0, _LIFE_DAYS),
    metavar="DAYS",
    help="How long tokens signed by earlier keys remain valid; 0 voids them all and loses all "
    "guests.",
)
@click.pass_obj
def rotate_key(console: Console, *, retire_after: int) -> None:
    """Start to sign players' tokens with a new key.

    All nodes use it within five seconds. Players get a new token on their next visit, so no player
    who visits within --retire-after is logged out. The signing key is derived from the first key in
    the file of secret keys, which also seals seeds from now on: so first add a key with `samedeal
    keygen`, give all nodes the file and restart them.
    """

    async def rotate(services: Services) -> Rotated:
        ring = await services.keyring.rotate(retire_after * _DAY)
        return Rotated(ring.signing, ring.since)

    console.print(console.ask_services(rotate))


@click.command()
@click.pass_obj
def seal(console: Console) -> None:
    """Seal all seeds with the current secret key.

    Afterwards, no seed needs an earlier key of the file; tokens signed by one still do until they
    are retired. Nodes seal the seeds they read anyway, so this is only needed before an earlier key
    is removed.
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
    help="Share of journals, deals and histories to verify. All keys are counted in any case.",
)
@click.option(
    "--expect",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Output of this command with --json at the time of the backup: verify that this is the "
    "same store, and complete.",
)
@click.pass_obj
def verify_store(console: Console, *, percent: int, expect: Path | None) -> None:
    """Verify that a store is intact, for example after a restore.

    It must be non-empty and the expected store, the secret keys must open all seeds, and seeds must
    match their commitments. Each journal needs a deal, no gaps, and legal moves only. Leaderboards
    must agree with players' histories. The command writes nothing, and nodes may be running.

    The exit code is 0 if the store is intact, and 1 if not; then the last lines say why.
    """
    expected = None
    if expect is not None:
        try:
            expected = msgspec.json.decode(expect.read_bytes(), type=Report)
        except msgspec.DecodeError as error:
            raise click.UsageError(f"{expect} is not output of verify-store: {error}") from error

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
        say("This store failed the verification; see the problems above.", err=True)
        sys.exit(1)
    say("This store is whole.", err=True)


def age_text(age: int) -> str:
    """Describe the newest journal entry's age, given in milliseconds."""
    told = timedelta(seconds=abs(age) // 1000)
    if age < -_AHEAD_MS:
        return f"The newest journal entry is {told} ahead of Redis's time, which may be wrong."
    # A small negative age is normal: a round is about to start, or nodes have continued to play
    # during the verification.
    if told < timedelta(seconds=1) or age < 0:
        return "The newest journal entry is less than a second old."
    return f"The newest journal entry is {told} old. Later entries are lost if this is a restore."


COMMANDS: Final = (rotate_key, seal, verify_store)  # all of them, for the group `samedeal admin`
