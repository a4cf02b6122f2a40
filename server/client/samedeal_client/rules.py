"""The rules that attempts are played by: those of this release, and those of the server.

The engine comes with this package, and with it the rules of all games that it knew. Rules are data:
a server that is newer serves those of its games at `/api/games`, by their digests.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from engine.catalog import stored_ruleset
from engine.errors import EngineError
from engine.ruleset import Ruleset
from engine.schema import read_rules
from samedeal_client.refusal import Refusal

_TIMEOUT = 10.0
"""Seconds that the server has to answer."""


class Rules:
    """The rules that are known to a client, by digest."""

    def __init__(self, url: str) -> None:
        """Prepare to ask the server whose socket has this address."""
        scheme, host, path, *_ = urlsplit(url)
        folder = path.rpartition("/")[0]
        self._url = urlunsplit((scheme.replace("ws", "http"), host, f"{folder}/api/games", "", ""))
        self._learned: dict[str, Ruleset] = {}

    def find(self, game: str, variant: str, digest: str) -> Ruleset | None:
        """Return the rules of a digest; `None` if they are not known yet."""
        try:
            return self._learned.get(digest) or stored_ruleset(game, variant, digest)
        except EngineError:
            return None

    async def learn(self, game: str, variant: str, digest: str) -> Ruleset:
        """Return the rules of a digest, from the server if need be.

        Raises:
            Refusal: `unknown_rules`: the server does not serve them, or this release cannot read
                them, since they are of a kind that a later one knows.
        """
        found = self.find(game, variant, digest)
        if found is not None:
            return found
        try:
            answer = await asyncio.to_thread(self._fetch)
            rules = next(each["rules"] for each in answer["rules"] if each["digest"] == digest)
            ruleset = Ruleset(game, variant, read_rules(game, _without_nulls(rules)))
        except (OSError, ValueError, LookupError, TypeError, StopIteration) as error:
            text = f"The rules {digest} of {game} are unknown here, and {self._url} has none."
            raise Refusal("unknown_rules", text) from error
        if ruleset.digest != digest:
            text = f"The rules of {game} need a newer release of samedeal-client."
            raise Refusal("unknown_rules", text)
        return self._learned.setdefault(digest, ruleset)

    def _fetch(self) -> Any:
        # The scheme is that of the socket, http or https.
        with urllib.request.urlopen(self._url, timeout=_TIMEOUT) as answer:  # noqa: S310
            return json.load(answer)


def _without_nulls(rules: Any) -> Any:
    """Return rules without fields that are null, which a game's file leaves out."""
    if isinstance(rules, list):
        return [_without_nulls(each) for each in rules]
    if not isinstance(rules, dict):
        return rules
    return {key: _without_nulls(value) for key, value in rules.items() if value is not None}
