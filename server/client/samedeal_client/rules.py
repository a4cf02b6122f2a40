"""Rules of attempts: those bundled with this release, and those served by the server.

A newer server serves its rules as data at `/api/games`, by digest.
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

_TIMEOUT = 10.0  # seconds


class Rules:
    """The known rules, by digest."""

    def __init__(self, url: str) -> None:
        """Derive the address of the rules from the socket's URL."""
        scheme, host, path, *_ = urlsplit(url)
        folder = path.rpartition("/")[0]
        self._url = urlunsplit((scheme.replace("ws", "http"), host, f"{folder}/api/games", "", ""))
        self._learned: dict[str, Ruleset] = {}

    def find(self, game: str, variant: str, digest: str) -> Ruleset | None:
        """Return rules by digest; `None` if unknown."""
        try:
            return self._learned.get(digest) or stored_ruleset(game, variant, digest)
        except EngineError:
            return None

    async def learn(self, game: str, variant: str, digest: str) -> Ruleset:
        """Return rules by digest, from the server if needed.

        Refused as `unknown_rules` if it does not serve them, or they need a newer release.
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
        # The digest covers all known fields: a mismatch means that this release lacks some.
        if ruleset.digest != digest:
            text = f"The rules of {game} need a newer release of samedeal-client."
            raise Refusal("unknown_rules", text)
        return self._learned.setdefault(digest, ruleset)

    def _fetch(self) -> Any:
        # The scheme derives from the socket's and is http or https.
        with urllib.request.urlopen(self._url, timeout=_TIMEOUT) as answer:  # noqa: S310
            return json.load(answer)


def _without_nulls(rules: Any) -> Any:
    """Drop null fields, which a game's file omits."""
    if isinstance(rules, list):
        return [_without_nulls(each) for each in rules]
    if not isinstance(rules, dict):
        return rules
    return {key: _without_nulls(value) for key, value in rules.items() if value is not None}
