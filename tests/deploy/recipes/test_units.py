"""Units in `deploy/systemd`: systemd accepts them, and services have only the necessary rights."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click
import pytest

from server.cli.main import main
from tests.deploy.commands import ran
from tests.deploy.recipes.units import Unit
from tests.processes import ROOT, program

FOLDER = ROOT / "deploy/systemd"
SERVICES = sorted(path.name for path in FOLDER.glob("*.service"))
UNITS = sorted(path.name for path in FOLDER.glob("samedeal*") if path.suffix != ".sh")

HARDENED = {
    "CapabilityBoundingSet": "",
    "IPAddressAllow": "localhost",
    "IPAddressDeny": "any",
    "LockPersonality": "yes",
    "NoNewPrivileges": "yes",
    "PrivateDevices": "yes",
    "PrivateTmp": "yes",
    "ProtectHome": "yes",
    "ProtectProc": "invisible",
    "ProtectSystem": "strict",
    "RestrictNamespaces": "yes",
    "RestrictSUIDSGID": "yes",
    "UMask": "0077",
}
"""Settings of each service, which has no connections beyond this machine."""

SCRIPTS = {"SAMEDEAL_REPLICA_PASSWORD_FILE", "SAMEDEAL_BACKUPS", "SAMEDEAL_BACKUP_PERCENT"}
"""Variables of `backup.sh`."""


def unit(name: str) -> Unit:
    return Unit(name, FOLDER / name)


def verified(folder: Path) -> str:
    """Return the output of `systemd-analyze` about the units in a folder; empty if they are valid.

    It looks for the services' programs in a directory in place of `/`, which has empty files for
    them.
    """
    root = folder / "root"
    system = root / "etc/systemd/system"
    system.mkdir(parents=True)
    shutil.copytree("/lib/systemd/system", root / "lib/systemd/system", symlinks=True)
    (root / "usr").mkdir()
    (root / "usr/lib").symlink_to("../lib")
    for name in UNITS:
        shutil.copy(folder / name, system)
        for path in re.findall(r"^ExecStart=(\S+)", (folder / name).read_text(), re.MULTILINE):
            command = root / path.lstrip("/")
            command.parent.mkdir(parents=True, exist_ok=True)
            command.write_text("#!/bin/sh\n")
            command.chmod(0o755)
    names = [name.replace("@", "@8001") for name in UNITS]
    done = ran(program("systemd-analyze"), "verify", f"--root={root}", "--man=no", *names)
    return done.stdout or ("" if done.returncode == 0 else "refused")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "systemd"))


@pytest.mark.systemd
def test_systemd_accepts_the_units(copied: Path) -> None:
    assert verified(copied) == ""


@pytest.mark.systemd
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("ProtectSystem=strict", "ProtectSystem=strictly"),
        ("LimitNOFILE=", "LimitNOFILES="),
        ("StartLimitIntervalSec=0", "StartLimitIntervalSec=never"),
    ],
)
def test_systemd_reports_a_mistake(copied: Path, right: str, wrong: str) -> None:
    file = copied / "samedeal@.service"
    text = file.read_text()
    assert right in text
    file.write_text(text.replace(right, wrong))
    assert "samedeal@.service:" in verified(copied)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_hardened(name: str) -> None:
    found = unit(name)
    text = (FOLDER / name).read_text()
    for setting, value in HARDENED.items():
        assert f"\n{setting}={value}\n" in text, setting
        assert len(found.all(setting)) == bool(value)
    assert found.one("User").startswith("samedeal")
    assert found.one("MemoryMax")


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_gets_only_the_secrets_that_it_names(name: str) -> None:
    found = unit(name)
    given = {text.partition(":")[0] for text in found.all("LoadCredential")}
    named = re.findall(r"%d/([\w.-]+)", (FOLDER / name).read_text())
    assert given == set(named)
    for text in found.all("LoadCredential"):
        credential, _, path = text.partition(":")
        assert path == f"/etc/samedeal/secrets/{credential}"
    assert "redis-admin" not in given


def test_permanent_services_are_always_restarted() -> None:
    for name in ("samedeal-store.service", "samedeal@.service"):
        found = unit(name)
        assert found.one("Restart") == "always"
        assert found.all("StartLimitIntervalSec", "Unit") == ["0"]
        assert int(found.one("LimitNOFILE")) >= 65_536
        assert found.one("Type") == "notify"


def test_a_node_starts_after_the_store_and_outlives_it() -> None:
    found = unit("samedeal@.service")
    assert "samedeal-store.service" in found.words("After", "Unit")
    assert "samedeal-store.service" in found.words("Wants", "Unit")
    assert not found.all("Requires", "Unit")
    assert not found.all("BindsTo", "Unit")


def variables(command: click.Command) -> set[str]:
    own = {str(each.envvar) for each in command.params if each.envvar}
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return own.union(*map(variables, below))


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_starts_a_program_with_existing_options(name: str) -> None:
    command = unit(name).command(Path("/run/credentials"))
    program_of_ours = "/opt/samedeal/venv/bin/samedeal"
    if program_of_ours in command:
        name_of_command, *options = command[command.index(program_of_ours) + 1 :]
        found = main.commands[name_of_command]
        assert {option for each in found.params for option in each.opts} >= set(options)
    elif command[0].startswith("/opt/samedeal/deploy/"):
        assert (ROOT / command[0].removeprefix("/opt/samedeal/")).stat().st_mode & 0o111
    else:
        # test_native.py checks its options by starting it.
        assert command[0] == "/usr/bin/redis-server"


@pytest.mark.parametrize("path", [*UNITS, "samedeal.sh", "../NATIVE.md", "../CLUSTER.md"])
def test_the_programs_read_all_variables(path: str) -> None:
    proxy = set(re.findall(r"SAMEDEAL_\w+", (ROOT / "deploy/Caddyfile").read_text()))
    named = set(re.findall(r"SAMEDEAL_\w+", (FOLDER / path).read_text()))
    assert named <= variables(main) | proxy | SCRIPTS


@pytest.mark.parametrize("name", [name for name in UNITS if name.endswith(".timer")])
def test_a_timer_starts_its_service(name: str) -> None:
    assert name.replace(".timer", ".service") in SERVICES
    assert unit(name).all("OnCalendar", "Timer")
    assert unit(name).all("Persistent", "Timer") == ["yes"]
