"""The compose file, and its services' commands and environments, for tests without containers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.processes import ROOT
from tests.redis_programs import default_program

COMPOSE = ROOT / "docker-compose.yml"

POSTS = ROOT / "deploy/posts.yml"
"""An additional compose file that allows nodes to post to external servers."""


def compose(*added: Path, **variables: str) -> dict[str, Any]:
    """Read the compose file with only these variables set, as if in `.env`."""
    found: dict[str, Any] = {}
    for file in (COMPOSE, *added):
        found = _merged(found, _read(file, variables))
    return found


def _merged(one: Any, other: Any) -> Any:
    """Merge two values of compose files as the specification says: lists are joined."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one | {
            key: _merged(one[key], value) if key in one else value for key, value in other.items()
        }
    return [*one, *other] if isinstance(one, list) and isinstance(other, list) else other


def _read(file: Path, variables: Mapping[str, str]) -> dict[str, Any]:

    def value(found: re.Match[str]) -> str:
        name, default = found.groups()
        return variables.get(name) or default

    text = re.sub(r"\$\{(\w+):-([^}]*)\}", value, file.read_text())
    assert "${" not in text, "every variable has a default"
    loaded: dict[str, Any] = YAML(typ="safe").load(text)
    return loaded


def arguments(command: list[str], service: dict[str, Any], secrets: Path) -> list[str]:
    """Return a service's command, with local programs and files in place of the image's.

    Args:
        secrets: the directory that `deploy/make-secrets.sh` filled.
    """
    name, *words = command
    # The tests of the store also run it on other servers.
    program = default_program() if name == "valkey-server" else name
    return [program, *(_outside(word, service, secrets) for word in words)]


def environment(service: dict[str, Any], secrets: Path) -> dict[str, str]:
    """Return a service's environment, with local files as in `arguments`."""
    variables = service["environment"].items()
    return {name: _outside(text or "", service, secrets) for name, text in variables}


def _outside(word: str, service: dict[str, Any], secrets: Path) -> str:
    """Replace a mounted file's path by its path on this machine; return other words unchanged."""
    mounted = {
        inside: str(ROOT / outside)
        for outside, inside, *_ in (volume.split(":") for volume in service.get("volumes", []))
    }
    for name in service.get("secrets", []):
        file = Path(compose(POSTS)["secrets"][name]["file"])
        assert file.parent == Path("deploy/secrets")
        mounted[f"/run/secrets/{name}"] = str(secrets / file.name)
    return mounted.get(word, word)
