"""The command `samedeal verify`, which checks runs and closed deals without a server."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import click

from engine.catalog import ruleset, stored_ruleset
from engine.errors import EngineError
from engine.position import position_of
from engine.schema import STANDARD
from engine.verify import verify as verify_deal
from server.cli.terminal import quoted, say
from server.play.core.run import MAX_FILE, check, parse_file

MAX_SENTENCE = 300  # characters of the error about a malformed run; it may quote the file


@click.command("verify")
@click.option("--game", metavar="ID", help="Id of the deal's game, such as robert.")
@click.option(
    "--variant", default=STANDARD, metavar="ID", show_default=True, help="Id of the game's variant."
)
@click.option("--rules", metavar="DIGEST", help="Digest of its rules, if they are superseded.")
@click.argument("words", nargs=-1, metavar="FILE | DEAL SEED COMMITMENT")
def verify(*, game: str | None, variant: str, rules: str | None, words: list[str]) -> None:
    """Verify a run, or a closed deal's commitment.

    The command computes everything itself and contacts no server.

    FILE is a run downloaded from the page. It is replayed: the seed must match the commitment,
    every move must be legal, and the moves must lead to the result. Of the times, which only the
    server knows, the order is verified.

    DEAL is the deal's id, SEED its seed, which is published when the deal is closed, and COMMITMENT
    the hash that was published before any player saw a card. Seed and commitment are 64 lower-case
    hexadecimal digits each. --game is required; the cards are shown as they were dealt.

    The exit code is 0 if everything matches, 1 if something does not, and 2 if an argument is
    invalid.
    """
    match words:
        case [file] if game is None:
            _verify_run(Path(file))
        case [deal, seed, commitment]:
            if game is None:
                raise click.UsageError("Missing option '--game'.")
            _verify_deal(game, variant, rules, deal=deal, seed=seed, commitment=commitment)
        case _:
            missing = ("DEAL", "SEED", "COMMITMENT")[len(words) : len(words) + 1]
            raise click.UsageError(
                f"Missing argument '{missing[0]}'." if missing else "Too many arguments."
            )


def _verify_run(path: Path) -> None:
    """Verify a run's file, print the result, and exit."""
    try:
        with path.open("rb") as opened:
            content = opened.read(MAX_FILE + 1)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        file = parse_file(content)
        wrong = check(file)
    except EngineError as error:
        raise click.UsageError(quoted(error.message, MAX_SENTENCE)) from error
    except ValueError as error:
        why = quoted(str(error), MAX_SENTENCE)
        raise click.UsageError(f"{path} is not a run file: {why}.") from error
    if wrong is not None:
        say(f"This run is invalid. {wrong}")
        sys.exit(1)
    result, player = file.result, file.player
    say(
        f"This run is valid: {quoted(player.name)} #{quoted(player.tag)} at {file.game}, "
        f"{result.home} cards home and {result.left} left in {result.moves} moves, "
        f"last card home after {result.time / 1000:.3f} s; {result.end}."
    )


def _verify_deal(
    game: str, variant: str, rules: str | None, *, deal: str, seed: str, commitment: str
) -> None:
    """Verify a deal, print its cards, and exit."""
    try:
        known = ruleset(game, variant) if rules is None else stored_ruleset(game, variant, rules)
        found = verify_deal(known, deal, seed, commitment)
    except EngineError as error:
        raise click.UsageError(error.message) from error
    if found.agrees:
        say("The seed matches the commitment.")
    else:
        say(f"The seed does not match: its commitment is {found.commitment}.")
    say("Piles from bottom to top, with ? before a face-down card:")
    for name, cards in position_of(found.board)["piles"].items():
        if cards:
            for line in _pile_lines(name, cards):
                say(line)
    sys.exit(0 if found.agrees else 1)


def _pile_lines(name: str, cards: list[str]) -> list[str]:
    """Format a pile as lines of at most 79 columns, the first with its name."""
    return textwrap.wrap(
        " ".join(cards), width=79, initial_indent=f"{name:<4}", subsequent_indent=" " * 4
    )
