"""Secret keys: sealing, and their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.base.core.refusal import UnsuitableError
from server.base.seals.core.secret_keys import KEY_BYTES, SealError, SecretKeys, sealed_by
from server.base.seals.key_file import add_key, own_keys, read_keys
from tests.test_cli import output_of

OLD, NEW = bytes(KEY_BYTES), bytes([1] * KEY_BYTES)
SEED = bytes(range(32))


def test_a_sealed_secret_is_opened_only_by_its_key_and_for_its_purpose() -> None:
    own = SecretKeys([OLD])
    sealed = own.seal("seed one", SEED)
    assert own.open("seed one", sealed) == SEED
    assert SEED.hex() not in sealed
    assert sealed_by(sealed) == own.newest
    assert sealed == SecretKeys([OLD]).seal("seed one", SEED), "two nodes write the same text"
    assert sealed != own.seal("seed two", SEED)
    for what, text in (
        ("seed two", sealed),
        ("seed one", sealed[:-2] + ("AA" if sealed[-2:] != "AA" else "BB")),
        ("seed one", sealed[:-4]),
        ("seed one", own.newest),
        ("seed one", f"{own.newest}.=é"),
        ("seed one", ""),
    ):
        with pytest.raises(SealError):
            own.open(what, text)
    with pytest.raises(SealError, match=own.newest):
        SecretKeys([NEW]).open("seed one", sealed)


def test_a_node_with_both_keys_can_rotate_them() -> None:
    before, both = SecretKeys([OLD]), SecretKeys([NEW, OLD])
    assert both.newest == SecretKeys([NEW]).newest != before.newest
    assert both.open("x", before.seal("x", SEED)) == SEED
    both.sealing = before.newest
    assert both.seal("x", SEED) == before.seal("x", SEED)
    assert before.newest in both
    assert both.newest not in before


def test_signing_keys_are_derived_from_the_secret_key_named_in_their_id() -> None:
    own = SecretKeys([NEW, OLD])
    names = [SecretKeys([OLD]).newest + "0000", own.newest + "0000", own.newest + "0001"]
    found = [own.signing_key(name) for name in names]
    assert len(set(found)) == 3
    assert None not in found
    assert SecretKeys([OLD]).signing_key(names[0]) == found[0]
    assert SecretKeys([OLD]).signing_key(names[1]) is None


def test_a_file_gets_a_new_newest_key_and_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    first = add_key(path)
    second = add_key(path)
    assert second.newest != first.newest
    assert first.newest in second
    assert read_keys(path).newest == second.newest
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["keys"]
    # A readable file is accepted in a private directory such as pytest's.
    path.chmod(0o644)
    assert first.newest in add_key(path)
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_node_creates_its_own_file_once(tmp_path: Path) -> None:
    path = own_keys(tmp_path / "data")
    assert read_keys(path).newest == read_keys(own_keys(tmp_path / "data")).newest
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("content", ["", "\n", "00", "0" * 63, f"{'0' * 64}\nsecret", "é" * 64])
def test_an_invalid_file_of_keys_is_refused_without_quoting_it(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "keys"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnsuitableError, match="is no file of secret keys") as caught:
        read_keys(path)
    assert caught.value.__cause__ is None
    output_of(1, "keygen", str(path))
    assert path.read_text(encoding="utf-8") == content


def test_keygen_adds_a_key_and_shows_only_its_id(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    said = output_of(0, "keygen", str(path))
    assert read_keys(path).newest in said
    assert path.read_text(encoding="ascii").strip() not in said


def test_serve_with_a_redis_needs_a_file_of_keys_and_says_how_to_make_one(tmp_path: Path) -> None:
    serve = ["serve", "--redis", "redis://127.0.0.1:1/0"]
    assert "samedeal keygen" in output_of(1, *serve, env={"SAMEDEAL_SECRET_KEY_FILE": None})
    file = str(tmp_path / "none")
    assert f"samedeal keygen {file}" in output_of(1, *serve, "--secret-key-file", file)
