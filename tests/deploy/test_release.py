"""The release workflow, as far as it can be tested without publishing."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.deploy.test_contributing import WORKFLOWS
from tests.deploy.test_image import arguments_of
from tests.deploy.test_locks import PROJECT
from tests.processes import ROOT, program

VERSION: str = PROJECT["project"]["version"]
DIGEST = f"sha256:{'1' * 64}"

FAKE = """#!/bin/sh
printf '%s ' "$(basename "$0")" "$@" >>calls
echo >>calls
while [ $# -gt 0 ]; do
    [ "$1" != --metadata-file ] || echo '{"containerimage.digest": "DIGEST"}' >"$2"
    shift
done
""".replace("DIGEST", DIGEST)
"""A program that records its arguments, and the digest of the image it should build."""


def jobs(workflow: str) -> dict[str, Any]:
    loaded = YAML(typ="safe").load((ROOT / ".github/workflows" / workflow).read_text())
    found: dict[str, Any] = loaded["jobs"]
    return found


def test_publishing_waits_for_all_tests() -> None:
    release = jobs("release.yml")
    assert release["check"]["uses"] == "./.github/workflows/ci.yml"
    assert release["rehearse"]["uses"] == "./.github/workflows/rehearse.yml"
    publishing = {name for name, job in release.items() if "permissions" in job}
    assert publishing == {"images", "pypi"}
    assert set(release["images"]["needs"]) == {"check", "rehearse", "package"}
    assert release["pypi"]["needs"] == "images"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflows_commands_exist(workflow: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    steps = [step for job in jobs(workflow.name).values() for step in job.get("steps", [])]
    for command in (step["run"] for step in steps if "run" in step):
        first, *words = shlex.split(command)
        if first == "make":
            assert all(re.search(rf"^{word}:", makefile, re.MULTILINE) for word in words), command
        elif "/" in first:
            assert os.access(ROOT / first, os.X_OK), first
        else:
            assert first in {"git", "test", "cat", "docker"}, command


def test_the_version_is_the_same_everywhere() -> None:
    assert f"VERSION={VERSION}" in arguments_of("ARG")
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"^## \[{re.escape(VERSION)}\]", changelog, re.MULTILINE)


@pytest.mark.parametrize(("tag", "agrees"), [(f"v{VERSION}", True), ("v0.0.1", False)])
def test_a_tag_unlike_the_version_publishes_nothing(tmp_path: Path, tag: str, agrees: bool) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/bin").symlink_to(Path(sys.executable).parent)
    (step,) = [step for step in jobs("release.yml")["package"]["steps"] if "name" in step]
    env = os.environ | {"GITHUB_REF_NAME": tag}
    command = [program("bash"), "-euc", step["run"]]
    done = subprocess.run(command, cwd=tmp_path, env=env, check=False)  # noqa: S603
    assert (done.returncode == 0) == agrees


def test_images_are_built_for_two_architectures_listed_and_signed_by_digest(tmp_path: Path) -> None:
    """Programs stand in for Docker and cosign, which need a registry."""
    script = tmp_path / ".ci/publish-images"
    script.parent.mkdir()
    script.write_text((ROOT / ".ci/publish-images").read_text())
    for name in ("docker", "cosign"):
        (tmp_path / name).write_text(FAKE)
        (tmp_path / name).chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_SERVER_URL": "https://example.org",
        "GITHUB_REPOSITORY": "ada/samedeal",
        "GITHUB_SHA": "0" * 40,
    }
    command = [program("bash"), str(script), "registry/ada/samedeal", "1.2.3"]
    subprocess.run(command, env=env, check=True)  # noqa: S603
    calls = (tmp_path / "calls").read_text().splitlines()
    proxy, proxy_signed, node, node_signed = calls
    assert "--target proxy" in proxy
    assert "--tag registry/ada/samedeal:1.2.3-proxy " in proxy
    assert "--tag registry/ada/samedeal:1.2.3 --tag registry/ada/samedeal:latest " in node
    for build in (proxy, node):
        assert build.startswith("docker buildx build --file deploy/Dockerfile ")
        assert "--platform linux/amd64,linux/arm64 " in build
        assert "--provenance mode=max --sbom true " in build
        assert " --push " in build
    given = dict(re.findall(r"--build-arg (\w+)=(\S+)", node))
    assert given == {"VERSION": "1.2.3", "SOURCE": "https://example.org/ada/samedeal"}
    assert set(given) <= {argument.partition("=")[0] for argument in arguments_of("ARG")}
    for signed in (proxy_signed, node_signed):
        assert signed.strip() == f"cosign sign --yes --recursive registry/ada/samedeal@{DIGEST}"


def test_the_images_have_version_source_and_license_labels() -> None:
    proxy, node = [
        dict(re.findall(r"org\.opencontainers\.image\.(\w+)=(\S+)", each))
        for each in arguments_of("LABEL")
    ]
    assert node["version"] == "${VERSION}"
    assert node["source"] == "${SOURCE}"
    assert node["licenses"] == PROJECT["project"]["license"]
    # Caddy's.
    assert proxy["licenses"] == "Apache-2.0"


def test_all_packages_name_the_licence_by_its_spdx_identifier() -> None:
    client = tomllib.loads((ROOT / "server/client/pyproject.toml").read_text())["project"]
    for package in (PROJECT["project"], client):
        assert (package["license"], package["license-files"]) == ("MIT", ["LICENSE"])
    for name in ("package.json", "package-lock.json"):
        package = json.loads((ROOT / "client_js" / name).read_text())
        assert package.get("packages", {}).get("", package)["license"] == "MIT"
    licences = [(ROOT / folder / "LICENSE").read_text() for folder in (".", "server/client")]
    assert licences[0].startswith("MIT License\n")
    assert licences[0] == licences[1]
