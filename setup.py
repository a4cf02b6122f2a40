"""Adds the built page to the package; everything else about it is in `pyproject.toml`."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

BUILT_PAGE = Path("client_js/web/dist")


class BuildWithPage(build_py):
    """Copies the built page to `server/page`, where `server.settings` looks for it."""

    def run(self) -> None:
        """Build the packages, and add the page to them."""
        if self.editable_mode:
            super().run()  # A checkout serves the page from where it is built.
            return
        # What an earlier build has left would be packed as well.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if (BUILT_PAGE / "index.html").is_file():
            shutil.copytree(BUILT_PAGE, Path(self.build_lib, "server", "page"))
        else:
            self.warn(
                f"{BUILT_PAGE} does not exist: this package has no page. Build it first with "
                "`npm ci && npm run rules && npm run build` in client_js."
            )


setup(cmdclass={"build_py": BuildWithPage})
