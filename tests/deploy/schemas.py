"""Validation of configuration files of other programs against published schemas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def assert_valid(path: Path, schema: str) -> None:
    """Fail unless a file is valid by a schema of check-jsonschema, such as `compose-spec`."""
    checked = subprocess.run(  # noqa: S603 - a file of ours
        [
            *(sys.executable, "-m", "check_jsonschema", "--color", "never"),
            *("--builtin-schema", f"vendor.{schema}", str(path)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
