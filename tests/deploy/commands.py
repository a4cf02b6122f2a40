"""Programs and shipped scripts, run to their ends."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from tests.processes import ROOT


def ran(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program, by default in the repository and with its errors among its output."""
    given: dict[str, Any] = {"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    given |= options
    return subprocess.run(command, text=True, check=False, **given)  # noqa: S603 - our own commands
