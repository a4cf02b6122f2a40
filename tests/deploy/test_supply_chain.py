"""Lists of the image's components, and the audit of the locked packages."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deploy.commands import ran
from tests.deploy.test_image import arguments_of
from tests.deploy.test_locks import RUNTIME, pins
from tests.processes import ROOT, program


def command_of(part: str) -> list[str]:
    (line,) = [line for line in arguments_of("RUN") if part in line]
    return shlex.split(line)


def test_the_image_lists_every_locked_python_package(tmp_path: Path) -> None:
    program, kind, _, *options = command_of("cyclonedx-py environment")
    options[-1] = str(tmp_path / "list.json")
    own = str(Path(sys.executable).with_name(Path(program).name))
    subprocess.run([own, kind, sys.executable, *options], cwd=ROOT, check=True)  # noqa: S603
    found = json.loads((tmp_path / "list.json").read_text())
    assert found["bomFormat"] == "CycloneDX"
    assert found["metadata"]["component"]["name"] == "samedeal"
    listed = {canonicalize_name(part["name"]): part["version"] for part in found["components"]}
    for name, version in locked().items():
        assert listed.get(canonicalize_name(name)) == version, name


def locked() -> dict[str, str]:
    """Return the versions in the production lock for this system and Python."""
    lines = (ROOT / RUNTIME).read_text().replace("\\\n", "").splitlines()
    requirements = [line.split(" --hash=")[0] for line in lines if line and line[0] not in " #"]
    parsed = [Requirement(text.strip()) for text in requirements]
    assert {requirement.name for requirement in parsed} == pins(RUNTIME).keys()
    return {
        requirement.name: str(requirement.specifier).removeprefix("==")
        for requirement in parsed
        if requirement.marker is None or requirement.marker.evaluate()
    }


def test_the_image_lists_every_locked_npm_package() -> None:
    *command, target = command_of("npm sbom")
    assert target == ">page.cdx.json"
    done = subprocess.run(command, cwd=ROOT / "client_js", capture_output=True, check=True)  # noqa: S603
    found = json.loads(done.stdout)
    assert found["bomFormat"] == "CycloneDX"
    lock = json.loads((ROOT / "client_js/package-lock.json").read_text())["packages"]
    wanted = {
        (path.rpartition("node_modules/")[2], entry["version"])
        for path, entry in lock.items()
        if path
    }
    assert {(part["name"], part["version"]) for part in found["components"]} == wanted
    assert all(part["hashes"] for part in found["components"])


def test_the_image_contains_the_lists_and_make_sbom_writes_them() -> None:
    assert command_of("cyclonedx-py environment")[-1] == "/opt/samedeal/sbom/server.cdx.json"
    assert "--from=page /build/client_js/page.cdx.json /opt/samedeal/sbom/" in arguments_of("COPY")
    makefile = (ROOT / "Makefile").read_text()
    assert " ".join(command_of("npm sbom")[:-1]) in makefile
    assert " ".join(command_of("cyclonedx-py environment")[3:-2]) in makefile


REPORTS = {
    "pip-audit": {"complete": '{"dependencies": []}', "away": "ConnectionError"},
    "npm": {"complete": '{"auditReportVersion": 2}', "away": '{"message": "405"}'},
}


@pytest.mark.parametrize(
    ("python", "npm", "required", "fails"),
    [
        (("complete", 0), ("complete", 0), True, False),
        (("complete", 1), ("complete", 0), False, True),
        (("complete", 0), ("complete", 1), False, True),
        (("away", 1), ("complete", 0), False, False),
        (("complete", 0), ("away", 1), False, False),
        (("away", 1), ("complete", 0), True, True),
        (("complete", 0), ("away", 1), True, True),
    ],
)
def test_an_audit_fails_on_vulnerable_and_if_required_on_unknown_packages(
    tmp_path: Path, python: tuple[str, int], npm: tuple[str, int], required: bool, fails: bool
) -> None:
    """Programs stand in for the auditors, which need the internet."""
    copy = tmp_path / ".ci" / "audit"
    tools = tmp_path / ".venv" / "bin"
    for folder in (copy.parent, tools):
        folder.mkdir(parents=True)
    copy.write_text((ROOT / ".ci/audit").read_text())
    for name, (kind, code) in {"pip-audit": python, "npm": npm}.items():
        tool = tools / name
        tool.write_text(f"#!/bin/sh\necho '{REPORTS[name][kind]}'\nexit {code}\n")
        tool.chmod(0o755)
    words = ["bash", str(copy), *(["--required"] if required else [])]
    done = ran(*words, env=dict(os.environ), cwd=None, stderr=subprocess.PIPE)
    assert bool(done.returncode) == fails, done.stdout + done.stderr
    away = [kind for kind, _ in (python, npm)].count("away")
    assert done.stderr.count("cannot be reached") == away
    assert done.stdout.count("audited: ") == [python, npm].count(("complete", 0))


def test_nothing_in_git_looks_like_a_secret() -> None:
    """Packages and images are built from these files."""
    listed = ran(program("git"), "ls-files", "-z", stderr=None)
    assert listed.returncode == 0
    key = re.compile(
        rb"-----BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}|gh[pousr]_\w{36}|pypi[-]AgEI"
    )
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        assert not re.search(r"(^|/)(\.env|id_\w+|.*\.(pem|key|p12|aof|rdb))$", name), name
        if path.is_file():
            assert not key.search(path.read_bytes()), name


def test_docker_ignores_secrets() -> None:
    rules = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in rules
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    assert not any("deploy/secrets".startswith(path) for path in kept)
    assert kept & {".env", "deploy", "."} == set()
