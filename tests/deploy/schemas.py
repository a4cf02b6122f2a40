"""Validation of other programs' configuration files against published schemas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def assert_valid(schema: str, *paths: Path) -> None:
    """Validate files against a schema of check-jsonschema, such as `compose-spec`."""
    checked = subprocess.run(  # noqa: S603 - a file of ours
        [
            *(sys.executable, "-m", "check_jsonschema", "--color", "never"),
            *("--builtin-schema", f"vendor.{schema}", *map(str, paths)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
