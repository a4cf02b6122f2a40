"""Secret files are used only if no other user can access them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from server.base.core.refusal import UnsuitableError
from server.base.seals import secret_files
from server.base.seals.secret_files import excess, read_secret
from server.cli.main import main
from tests.test_cli import output_of

KEY = "0" * 64


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a directory that all users can enter, unlike pytest's own."""
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def secret_in(folder: Path, mode: int) -> Path:
    path = folder / "secret"
    path.write_text(KEY)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_private_file_is_read(folder: Path, mode: int) -> None:
    assert read_secret(secret_in(folder, mode)) == KEY


@pytest.mark.parametrize("mode", [0o644, 0o444, 0o604, 0o602, 0o660, 0o666])
def test_a_file_accessible_to_others_is_refused_with_a_remedy(folder: Path, mode: int) -> None:
    path = secret_in(folder, mode)
    with pytest.raises(UnsuitableError, match=f"mode is {mode:o}.*chmod 600 {path}") as caught:
        read_secret(path)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("mode", "own", "found"),
    [
        (0o640, True, 0o040),
        (0o640, False, 0),
        (0o660, False, 0o020),
        (0o644, False, 0o004),
        (0o600, True, 0),
    ],
)
def test_another_users_file_may_be_shared_with_a_group(mode: int, own: bool, found: int) -> None:
    assert excess(mode | 0o100_000, own=own) == found


def test_a_private_directory_protects_its_files(folder: Path) -> None:
    inner = folder / "secrets" / "of" / "nodes"
    inner.mkdir(parents=True)
    path = secret_in(inner, 0o644)
    (folder / "secrets").chmod(0o700)
    assert read_secret(path) == KEY
    # A link names the same file; the permissions on the way to the link do not count.
    (folder / "link").symlink_to(path)
    assert read_secret(folder / "link") == KEY
    (folder / "secrets").chmod(0o755)
    with pytest.raises(UnsuitableError):
        read_secret(folder / "link")


def test_a_file_mounted_into_a_container_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_files, "MOUNTED", folder)
    assert read_secret(secret_in(folder, 0o444)) == KEY


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["serve", "--redis", "redis://127.0.0.1:1/0"], "--secret-key-file"),
        (["serve", "--redis", "redis://ada@127.0.0.1:1/0"], "--redis-password-file"),
        (["nodes", "--redis", "redis://ada@127.0.0.1:1/0"], "--redis-password-file"),
        (["admin", "--redis", "redis://127.0.0.1:1/0"], "--secret-key-file"),
    ],
)
def test_no_command_uses_a_secret_readable_by_others(
    folder: Path, words: list[str], option: str
) -> None:
    path = secret_in(folder, 0o644)
    command = ["rooms"] if words[0] == "admin" else []
    words = [*words, option, str(path), *command]
    for mode, said in (
        (0o644, f"Others than its owner may use the file of secrets {path}"),
        (0o600, "Redis does not answer"),
    ):
        path.chmod(mode)
        done = CliRunner().invoke(main, words, terminal_width=500)
        assert done.exit_code in {1, 2}
        assert said in done.output
        assert KEY not in done.output


def test_keygen_adds_no_key_to_a_file_readable_by_others(folder: Path) -> None:
    path = secret_in(folder, 0o644)
    assert "chmod 600" in output_of(1, "keygen", str(path))
    assert path.read_text() == KEY
