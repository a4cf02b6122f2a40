"""Decoding of stored items across releases.

A stored JSON object states its form in `type`. A form of a newer release is refused and left
unchanged, since reading it as another form would corrupt it.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar, get_args

import msgspec
import structlog

from engine.catalog import stored_ruleset
from engine.errors import UnknownRulesError
from engine.ruleset import Ruleset
from server.base.core.refusal import BaseRefusals, UnreadableError

T = TypeVar("T")

log = structlog.get_logger()


class _Tagged(msgspec.Struct):
    type: str = ""


class Reader(Generic[T]):
    """A decoder for JSON texts in one of several forms."""

    def __init__(self, forms: Any) -> None:
        """Decode these forms: a tagged struct or a union of tagged structs."""
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(forms)
        self._tags = {form.__struct_config__.tag for form in get_args(forms) or (forms,)}

    def decode(self, text: str) -> T:
        """Decode a text.

        Raises:
            UnreadableError: this release does not know its form.
            msgspec.DecodeError: it is malformed.
        """
        try:
            return self._decoder.decode(text)
        except msgspec.ValidationError as error:
            # Tell an unknown form from a malformed text of a known one.
            form = msgspec.json.decode(text, type=_Tagged).type
            if form in self._tags:
                raise
            log.warning("unknown_format", form=form)
            raise UnreadableError(BaseRefusals.unknown_format) from error


def rules_of(game: str, variant: str, digest: str) -> Ruleset:
    """Return the rules of a stored game, by ids of game and variant and the rules' digest.

    Raises:
        UnreadableError: this release does not know these rules.
    """
    try:
        return stored_ruleset(game, variant, digest)
    except UnknownRulesError as error:
        log.warning("unknown_rules", game=game, variant=variant, rules=digest)
        raise UnreadableError(BaseRefusals.unknown_rules) from error
