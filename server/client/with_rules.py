"""Build hook of samedeal-client: copies the engine into the package as `samedeal_client.engine`.

In the repository, `engine` is a top-level package shared with the server. Installed under that
name, it would clash with other packages, and with the server in the same environment. So the hook
copies both packages and rewrites their imports of `engine`.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "samedeal_client"
LEFT_OUT = shutil.ignore_patterns("__pycache__", "solver", "*.md", "__main__.py", "driver.py")
IMPORT = re.compile(r"\b(from|import) engine\b")


class WithRules(BuildHookInterface[Any]):
    """Adds the copied package to the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the copied package; a source distribution already contains it."""
        if version == "editable":
            return
        root = Path(self.root)
        package = root / PACKAGE
        if not (package / "engine").is_dir():
            self._folder = TemporaryDirectory()
            package = _copied(root, Path(self._folder.name) / PACKAGE)
        build_data["force_include"][str(package)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy."""
        del version, build_data, artifact_path
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _copied(root: Path, target: Path) -> Path:
    """Copy the package and the engine from a checkout.

    Raises:
        FileNotFoundError: the checkout lacks the generated messages.
    """
    if not (root / PACKAGE / "messages.py").exists():
        raise FileNotFoundError(f"{PACKAGE}/messages.py is generated: run `make page` first.")
    shutil.copytree(root / PACKAGE, target, ignore=LEFT_OUT)
    shutil.copytree(root.parents[1] / "engine", target / "engine", ignore=LEFT_OUT)
    for path in target.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(IMPORT.sub(rf"\1 {PACKAGE}.engine", text), encoding="utf-8")
    return target
