"""The operator's key for push services and its file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from server.base.core.refusal import UnsuitableError
from server.cli.main import main
from server.notifications.push_key import make_push_key, read_push_key
from server.notifications.services import push_key_of
from server.settings import Settings

CONTACT = "mailto:ops@example.org"


def test_a_key_file_is_created_once_with_private_permissions(tmp_path: Path) -> None:
    file = tmp_path / "push-key"
    made = CliRunner().invoke(main, ["push-keygen", str(file)])
    assert made.exit_code == 0
    key = read_push_key(file, CONTACT)
    assert key.public in made.stderr + made.stdout
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_bytes()
    again = CliRunner().invoke(main, ["push-keygen", str(file)])
    assert again.exit_code == 1
    assert "already exists" in again.output
    assert file.read_bytes() == before
    # Logged settings must not reveal the key.
    assert "private" not in repr(key)


NO_KEY = "-----BEGIN {} KEY-----\nAAAA\n".format("PRIVATE")
"""A file without a valid key, built so that no secret scanner mistakes this file for one with a
key."""


@pytest.mark.parametrize("text", ["", "no key", NO_KEY])
def test_a_file_without_a_key_is_refused_without_quoting_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "push-key"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(UnsuitableError, match="not a P-256 private key") as caught:
        read_push_key(file, CONTACT)
    assert not text or text not in str(caught.value)


def test_a_missing_or_publicly_readable_file_is_refused() -> None:
    # Pytest's own directory is private, so create one that is accessible to other users.
    with TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        file = folder / "push-key"
        with pytest.raises(UnsuitableError, match="push-keygen"):
            read_push_key(file, CONTACT)
        make_push_key(file)
        file.chmod(0o644)
        with pytest.raises(UnsuitableError, match="Others"):
            read_push_key(file, CONTACT)


@pytest.mark.parametrize("contact", [None, "http://example.org", "ops@example.org"])
def test_a_contact_is_required(tmp_path: Path, contact: str | None) -> None:
    file = tmp_path / "push-key"
    make_push_key(file)
    with pytest.raises(UnsuitableError, match="push-contact"):
        push_key_of(Settings(push_key_file=file, push_contact=contact))
    key = push_key_of(Settings(push_key_file=file, public_url="https://play.example.org"))
    assert key is not None
    assert (key.contact, push_key_of(Settings())) == ("https://play.example.org", None)


@pytest.mark.parametrize(
    "contact",
    [
        *("mailto:", "mailto:ops@localhost", "mailto:ops@intranet", "mailto:@example.org"),
        *("mailto: ops@example.org", "mailto:<ops@example.org>", "mailto:Ops <ops@example.org>"),
        *("mailto:ops@example.org ", "mailto:ops@example.org\n", "mailto:ops@192.0.2.1"),
        *("mailto:a@example.org,b@example.org", "mailto:ops@example.org?subject=push"),
        *("https://localhost", "https://play.local", "https://192.0.2.1", "https://[::1]"),
        *("https://", "https:play.example.org", "https://play.example.org/ ", "https://a@b.org"),
        *("https://play.example.org:x", "HTTPS://play.example.org", "//play.example.org", ""),
    ],
)
def test_a_contact_refused_by_apple_is_refused_at_startup(contact: str) -> None:
    with pytest.raises(UnsuitableError, match="push-contact") as caught:
        read_push_key(Path("/nowhere"), contact)
    assert repr(contact) in str(caught.value)


@pytest.mark.parametrize(
    "contact",
    [
        *("mailto:ops@example.org", "mailto:first.last+push@Mail.Example.org"),
        *("https://play.example.org", "https://example.org/games/samedeal", "https://a.org:8443/"),
    ],
)
def test_other_contacts_are_accepted(tmp_path: Path, contact: str) -> None:
    file = tmp_path / "push-key"
    make_push_key(file)
    assert read_push_key(file, contact).contact == contact
