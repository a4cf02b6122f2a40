"""Reading what is stored: by this release, by an earlier one, or by a newer one.

A stored JSON object says its form by its `type`. What a newer release stored in a form of its own
is refused and left alone: it is never read as something that it is not.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar, get_args

import msgspec
import structlog

from engine.catalog import stored_ruleset
from engine.errors import UnknownRulesError
from engine.ruleset import Ruleset
from server.base.core.refusal import UnreadableError

T = TypeVar("T")

log = structlog.get_logger()


class _Tagged(msgspec.Struct):
    type: str = ""


class Reader(Generic[T]):
    """Reads JSON texts of some forms."""

    def __init__(self, forms: Any) -> None:
        """Read forms: a struct with a tag, or a union of such."""
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(forms)
        self._tags = {form.__struct_config__.tag for form in get_args(forms) or (forms,)}

    def decode(self, text: str) -> T:
        """Return what a text says.

        Raises:
            UnreadableError: it is of a form that this release does not know.
            msgspec.DecodeError: it is broken.
        """
        try:
            return self._decoder.decode(text)
        except msgspec.ValidationError as error:
            form = msgspec.json.decode(text, type=_Tagged).type
            if form in self._tags:
                raise
            log.warning("unknown_format", form=form)
            raise UnreadableError("unknown_format") from error


def rules_of(game: str, variant: str, digest: str) -> Ruleset:
    """Return the rules that something stored is played by.

    Args:
        game: the game's id.
        variant: the variant's id.
        digest: the digest of the rules.

    Raises:
        UnreadableError: this release does not know these rules.
    """
    try:
        return stored_ruleset(game, variant, digest)
    except UnknownRulesError as error:
        log.warning("unknown_rules", game=game, variant=variant, rules=digest)
        raise UnreadableError("unknown_rules") from error
