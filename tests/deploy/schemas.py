"""Validation of other programs' configuration files against published schemas."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.deploy.commands import ran


def assert_valid(schema: str, *paths: Path) -> None:
    """Validate files against a schema of check-jsonschema, such as `compose-spec`."""
    checked = ran(
        *(sys.executable, "-m", "check_jsonschema", "--color", "never"),
        *("--builtin-schema", f"vendor.{schema}", *map(str, paths)),
    )
    assert checked.returncode == 0, checked.stdout
