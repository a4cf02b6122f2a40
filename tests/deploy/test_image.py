"""The container images, as far as they can be tested without containers."""

from __future__ import annotations

import json
import re
import shlex
from typing import NamedTuple

from server.cli.main import serve
from tests.deploy.commands import ran
from tests.processes import ROOT, program

DOCKERFILE = ROOT / "deploy/Dockerfile"

VARIABLES = {str(option.envvar) for option in serve.params if option.envvar}
"""The environment variables that a node reads."""


class Instruction(NamedTuple):
    """An instruction of the Dockerfile, with its arguments as text."""

    name: str
    arguments: str


def instructions() -> list[Instruction]:
    text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Instruction(*line.split(maxsplit=1)) for line in lines]


def arguments_of(name: str) -> list[str]:
    return [instruction.arguments for instruction in instructions() if instruction.name == name]


def sources() -> list[str]:
    copies = [shlex.split(rest) for rest in arguments_of("COPY")]
    return [path for copy in copies if not copy[0].startswith("--from") for path in copy[:-1]]


def test_the_images_sources_are_in_git() -> None:
    assert sources()
    for source in sources():
        listed = ran(program("git"), "ls-files", "--", source, stderr=None)
        assert listed.stdout, f"{source} is not in Git"


def test_docker_does_not_ignore_the_images_sources() -> None:
    rules = (ROOT / ".dockerignore").read_text().split("\n")
    kept = [rule[1:] for rule in rules if rule.startswith("!")]
    for source in sources():
        assert any(source == path or source.startswith(f"{path}/") for path in kept), source


def test_files_are_copied_from_every_stage_and_no_other() -> None:
    stages = {rest.split(" AS ")[1] for rest in arguments_of("FROM") if " AS " in rest}
    stages.remove("proxy")  # a separate image
    copied = {
        found[1] for rest in arguments_of("COPY") if (found := re.match(r"--from=(\S+)", rest))
    }
    assert copied == stages


def test_the_image_installs_only_locked_packages() -> None:
    installations = [rest for rest in arguments_of("RUN") if "pip install" in rest]
    assert len(installations) == 5
    assert "--require-hashes -r deploy/requirements.txt" in installations[0]
    assert "--no-deps --no-build-isolation --editable ." in installations[1]
    assert "--require-hashes -r deploy/${REQUIREMENTS}.txt" in installations[2]
    assert "REQUIREMENTS=solver" in arguments_of("ARG")
    assert {"deploy/solver.txt", "deploy/requirements.txt"} <= set(sources())
    assert "--no-deps --no-build-isolation ." in installations[3]
    assert "--require-hashes -r deploy/supply-chain.txt" in installations[4]
    assert any(rest.startswith("npm ci") for rest in arguments_of("RUN"))


def test_a_node_is_process_1_and_receives_the_signals() -> None:
    assert json.loads(arguments_of("CMD")[-1]) == ["samedeal", "serve"]
    assert arguments_of("STOPSIGNAL") == ["SIGTERM"]
    assert not arguments_of("ENTRYPOINT")


def test_neither_the_proxy_nor_a_node_runs_as_root() -> None:
    stages: list[list[Instruction]] = []
    for instruction in instructions():
        if instruction.name == "FROM":
            stages.append([])
        if stages:
            stages[-1].append(instruction)
    users = {
        stage[0].arguments.partition(" AS ")[2]: rest
        for stage in stages
        for name, rest in stage
        if name == "USER"
    }
    assert users == {"proxy": "caddy", "": "samedeal"}


def test_a_node_reads_every_variable_that_the_image_sets() -> None:
    names = set(re.findall(r"(SAMEDEAL_\w+)=", " ".join(arguments_of("ENV"))))
    assert names
    assert names <= VARIABLES
