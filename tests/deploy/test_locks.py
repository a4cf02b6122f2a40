"""The lock files pin all dependencies, with hashes and without a registry."""

from __future__ import annotations

import json
import re
import tomllib
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.processes import ROOT

RUNTIME = "deploy/requirements.txt"
DEVELOPMENT = "tests/requirements.txt"
SUPPLY_CHAIN = "deploy/supply-chain.txt"
SOLVER = "deploy/solver.txt"

LOCKS = [RUNTIME, SOLVER, DEVELOPMENT, SUPPLY_CHAIN]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DEPENDENCIES: list[str] = PROJECT["project"]["dependencies"]
SOLVER_EXTRA: list[str] = PROJECT["project"]["optional-dependencies"]["solver"]
GROUPS = PROJECT["dependency-groups"]
SUPPLY_CHAIN_TOOLS: list[str] = GROUPS["supply-chain"]
TOOLS = [tool for tool in GROUPS["dev"] if isinstance(tool, str)] + SUPPLY_CHAIN_TOOLS


class Pin(NamedTuple):
    """A package in a lock file."""

    version: Version
    hashes: list[str]


def pins(lock: str) -> dict[str, Pin]:
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            requirement, *hashes = line.split(" --hash=")
            name, version = requirement.split(";")[0].split("==")
            found[name.strip()] = Pin(Version(version.strip()), [text.strip() for text in hashes])
    return found


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        (RUNTIME, DEPENDENCIES),
        (SOLVER, DEPENDENCIES + SOLVER_EXTRA),
        (DEVELOPMENT, DEPENDENCIES + SOLVER_EXTRA + TOOLS),
        (SUPPLY_CHAIN, SUPPLY_CHAIN_TOOLS),
    ],
    ids=LOCKS,
)
def test_each_dependency_is_pinned_to_an_allowed_version(lock: str, wanted: list[str]) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, wanted):
        assert requirement.name in pinned, f"make lock: {requirement} is not in {lock}"
        assert requirement.specifier.contains(pinned[requirement.name].version), requirement


@pytest.mark.parametrize("lock", LOCKS)
def test_each_pin_has_hashes(lock: str) -> None:
    for name, pin in pins(lock).items():
        assert pin.hashes, name
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", text) for text in pin.hashes), name


@pytest.mark.parametrize("lock", [RUNTIME, SOLVER, SUPPLY_CHAIN])
def test_the_tests_use_the_images_versions(lock: str) -> None:
    tested = pins(DEVELOPMENT)
    for name, pin in pins(lock).items():
        assert tested.get(name) == pin, name


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_registry(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert "--index-url" not in text
    assert "--find-links" not in text


def test_the_npm_lock_names_no_registry_and_has_a_hash_for_each_package() -> None:
    lock = json.loads((ROOT / "client_js/package-lock.json").read_text())
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages
    for path, entry in packages.items():
        if not entry.get("version") and entry.get("optional"):
            continue  # a package for another platform
        assert "resolved" not in entry, path
        assert entry["integrity"].startswith("sha512-"), path


def test_the_build_tool_is_in_the_lock() -> None:
    """`pip install --no-build-isolation` takes hatchling from the environment."""
    assert PROJECT["build-system"]["requires"] == GROUPS["build"]
    assert pins(RUNTIME)["hatchling"].version >= Version("1.27")
