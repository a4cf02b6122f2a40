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
        super().run()
        if self.editable_mode:
            return  # A checkout serves the page from where it is built.
        page = Path(self.build_lib, "server", "page")
        shutil.rmtree(page, ignore_errors=True)
        if (BUILT_PAGE / "index.html").is_file():
            shutil.copytree(BUILT_PAGE, page)
        else:
            self.warn(
                f"{BUILT_PAGE} does not exist: this package has no page. Build it first with "
                "`npm ci && npm run rules && npm run build` in client_js."
            )


setup(cmdclass={"build_py": BuildWithPage})
