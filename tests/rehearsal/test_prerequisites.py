"""The rehearsal's prerequisites: versions, packages, and the message about missing programs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.rehearsal.prerequisites import (
    DOCKER,
    PODMAN,
    STAND_INS,
    MissingError,
    missing,
    provide,
    read_version,
    version_in,
)

DEBIAN_12 = {
    "git --version": "git version 2.39.5",
    "podman --version": "podman version 4.3.1",
    "runc --version": "runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1\nspec: 1.0.2-dev",
    "netavark --version": "netavark 1.4.0",
    "aardvark-dns --version": "aardvark-dns 1.4.0",
    "iptables --version": "iptables v1.8.9 (nf_tables)",
    "debootstrap --version": "debootstrap 1.0.128+nmu2+deb12u2",
}
"""The output of Debian 12's programs."""

ALL = (*PODMAN, STAND_INS)


class Machine:
    """A machine with these programs, and with `added` in its package archive."""

    def __init__(self, programs: dict[str, str], added: dict[str, str] | None = None) -> None:
        self.programs = dict(programs)
        self.added = added
        self.installed: list[str] = []

    def read(self, words: Sequence[str]) -> str | None:
        """Return a command's output."""
        return self.programs.get(" ".join(words))

    def install(self, names: Sequence[str]) -> bool:
        """Install `added`, if possible."""
        if self.added is None:
            return False
        self.installed += names
        self.programs |= self.added
        return True


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("podman version 4.3.1\n", (4, 3, 1)),
        ("iptables v1.8.9 (nf_tables)", (1, 8, 9)),
        ("Docker Compose version v2.29.1-desktop.1", (2, 29, 1)),
        ("Docker version 20.10.24+dfsg1, build 297e128", (20, 10, 24)),
        ("", ()),
        ("unknown", ()),
    ],
)
def test_a_version_is_read_from_a_programs_output(text: str, version: tuple[int, ...]) -> None:
    assert version_in(text) == version


def test_debian_12_has_all_of_podmans_prerequisites() -> None:
    assert missing(ALL, Machine(DEBIAN_12).read) == []


def test_a_longer_version_is_compared_by_numbers() -> None:
    newer = DEBIAN_12 | {"podman --version": "podman version 4.10", "git --version": "git 10.0"}
    assert missing(ALL, Machine(newer).read) == []


def test_nothing_is_installed_on_a_complete_machine() -> None:
    machine = Machine(DEBIAN_12, added={})
    provide(ALL, machine.read, machine.install)
    assert machine.installed == []


def test_packages_of_missing_programs_are_installed() -> None:
    machine = Machine({"git --version": "git version 2.39.5"}, added=DEBIAN_12)
    provide(ALL, machine.read, machine.install)
    assert machine.installed == [need.package for need in ALL if need.name != "git"]


def test_the_message_names_missing_programs_if_none_can_be_installed() -> None:
    present = {name: told for name, told in DEBIAN_12.items() if name[:3] not in {"pod", "ipt"}}
    machine = Machine(present)
    with pytest.raises(MissingError) as raised:
        provide(ALL, machine.read, machine.install)
    assert str(raised.value) == (
        "the rehearsal needs at least podman 4.3, iptables 1.8: on Debian 12, run "
        "`apt-get install --no-install-recommends podman iptables` as root"
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("podman version 3.4.4", "podman 4.3 (this is 3.4.4)"),
        ("podman", "podman 4.3 (this one names no version)"),
    ],
)
def test_a_package_too_old_is_refused_with_its_version(told: str, said: str) -> None:
    machine = Machine(DEBIAN_12 | {"podman --version": told}, added={})
    with pytest.raises(MissingError) as raised:
        provide(ALL, machine.read, machine.install)
    assert machine.installed == ["podman"]
    assert f"at least {said}: on Debian 12" in str(raised.value)


def test_docker_is_not_installed() -> None:
    machine = Machine(DEBIAN_12 | {"docker --version": "Docker version 28.0.1, build 068a01e"})
    with pytest.raises(MissingError) as raised:
        provide(DOCKER, machine.read, machine.install)
    assert str(raised.value) == (
        "the rehearsal needs at least docker compose 2.1.1: "
        "install docker compose (https://docs.docker.com/engine/install)"
    )


def test_a_missing_or_failing_program_has_no_version() -> None:
    assert version_in(read_version(["git", "--version"]) or "") > (2,)
    assert read_version(["git", "--no-such-option"]) is None
    assert read_version(["no-such-program", "--version"]) is None
