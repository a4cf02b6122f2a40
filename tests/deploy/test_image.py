"""The container image and the compose file, as far as they can be tested without containers."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from server.cli import serve
from tests.deploy.schemas import assert_valid
from tests.processes import ROOT, program

DOCKERFILE = ROOT / "deploy/Dockerfile"
COMPOSE = ROOT / "docker-compose.yml"

VARIABLES = {str(option.envvar) for option in serve.params if option.envvar}
"""The environment variables that a node reads."""


class Instruction(NamedTuple):
    """One instruction of the Dockerfile, and its arguments as text."""

    name: str
    arguments: str


def instructions() -> list[Instruction]:
    """Read the Dockerfile."""
    text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Instruction(*line.split(maxsplit=1)) for line in lines]


def arguments_of(name: str) -> list[str]:
    """Return the arguments of each instruction with this name."""
    return [instruction.arguments for instruction in instructions() if instruction.name == name]


def sources() -> list[str]:
    """Return the paths that the image copies from the repository."""
    copies = [shlex.split(rest) for rest in arguments_of("COPY")]
    return [path for copy in copies if not copy[0].startswith("--from") for path in copy[:-1]]


def compose() -> dict[str, Any]:
    """Read the compose file."""
    loaded: dict[str, Any] = YAML(typ="safe").load(COMPOSE.read_text())
    return loaded


def test_what_the_image_copies_is_in_git() -> None:
    assert sources()
    for source in sources():
        listed = subprocess.run(  # noqa: S603 - a path of ours
            [program("git"), "ls-files", "--", source], cwd=ROOT, capture_output=True, check=True
        )
        assert listed.stdout, f"{source} is not in Git"


def test_what_the_image_copies_is_not_ignored_by_docker() -> None:
    rules = (ROOT / ".dockerignore").read_text().split("\n")
    kept = [rule[1:] for rule in rules if rule.startswith("!")]
    for source in sources():
        assert any(source == path or source.startswith(f"{path}/") for path in kept), source


def test_files_are_copied_from_every_stage_and_from_no_other() -> None:
    stages = {rest.split(" AS ")[1] for rest in arguments_of("FROM") if " AS " in rest}
    copied = {
        found[1] for rest in arguments_of("COPY") if (found := re.match(r"--from=(\S+)", rest))
    }
    assert copied == stages


def test_the_image_installs_only_locked_packages() -> None:
    installations = [rest for rest in arguments_of("RUN") if "pip install" in rest]
    assert len(installations) == 2
    assert "--require-hashes -r deploy/requirements.txt" in installations[0]
    assert "--no-deps --no-build-isolation ." in installations[1]
    assert any(rest.startswith("npm ci") for rest in arguments_of("RUN"))


def test_a_node_is_process_1_and_gets_the_signals() -> None:
    assert json.loads(arguments_of("CMD")[-1]) == ["samedeal", "serve"]
    assert arguments_of("STOPSIGNAL") == ["SIGTERM"]
    assert not arguments_of("ENTRYPOINT")


def test_a_node_does_not_run_as_root() -> None:
    last = [instruction.name for instruction in instructions()][::-1]
    assert arguments_of("USER") == ["samedeal"]
    assert last.index("USER") < last.index("FROM")


def test_a_node_reads_every_variable_that_the_image_sets() -> None:
    names = set(re.findall(r"(SAMEDEAL_\w+)=", " ".join(arguments_of("ENV"))))
    assert names
    assert names <= VARIABLES


def test_the_compose_file_is_valid() -> None:
    assert_valid(COMPOSE, "compose-spec")


def test_a_node_reads_every_variable_that_the_compose_file_sets() -> None:
    services = compose()["services"]
    assert services["node-a"] == services["node-b"]
    environment = services["node-a"]["environment"]
    assert set(environment) <= VARIABLES
    assert environment["SAMEDEAL_REDIS"].startswith("redis://redis:")


def test_the_proxy_knows_every_node() -> None:
    services = compose()["services"]
    proxy = services["proxy"]
    nodes = {name for name in services if name.startswith("node-")}
    upstreams = dict(node.split(":") for node in proxy["environment"]["SAMEDEAL_NODES"].split())
    assert set(upstreams) == set(proxy["depends_on"]) == nodes
    assert {services[name]["environment"]["SAMEDEAL_PORT"] for name in nodes} == set(
        upstreams.values()
    )
    read = set(re.findall(r"\{\$(\w+):", (ROOT / "deploy/Caddyfile").read_text()))
    assert set(proxy["environment"]) == read


def test_only_the_proxy_publishes_ports() -> None:
    file = compose()
    assert [name for name, service in file["services"].items() if "ports" in service] == ["proxy"]
    assert file["services"]["redis"]["networks"] == ["store"]
    assert file["networks"]["store"]["internal"] is True


def test_what_the_services_mount_is_in_the_repository() -> None:
    mounted = [
        volume.split(":")[0]
        for service in compose()["services"].values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]
    assert len(mounted) >= 3
    for path in mounted:
        assert (ROOT / path).exists(), path
