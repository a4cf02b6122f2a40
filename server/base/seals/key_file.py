"""The file of secret keys: reading, creating and adding a key."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

from server.base.core.refusal import UnsuitableError
from server.base.seals.core.secret_keys import KEY_BYTES, SecretKeys
from server.base.seals.secret_files import read_secret

# Name of the key file that a node with a private Redis creates in its data directory.
OWN_FILE: Final = "secret-key"


def read_keys(path: Path) -> SecretKeys:
    """Return the secret keys in a file.

    Raises:
        UnsuitableError: it cannot be read, other users can read it, or its content is invalid.
    """
    try:
        lines = read_secret(path).split()
        keys = [bytes.fromhex(line) for line in lines]
    except OSError as error:
        raise UnsuitableError(
            f"The file of secret keys {path} cannot be read: {error.strerror}. "
            f"`samedeal keygen {path}` creates one."
        ) from error
    except ValueError:
        keys = []
    if not keys or any(len(key) != KEY_BYTES for key in keys):
        # The original error may quote the file, so it is not chained.
        raise UnsuitableError(
            f"{path} is no file of secret keys: each line has {2 * KEY_BYTES} hexadecimal digits."
        ) from None
    return SecretKeys(keys)


def add_key(path: Path) -> SecretKeys:
    """Add a new key to a file as the newest one, creating the file if needed; return all keys.

    The file is replaced atomically, and keeps its permissions; only the owner can read a new file.

    Raises:
        UnsuitableError: other users can read it, or its content is invalid.
        OSError: it cannot be written.
    """
    before = ""
    if path.exists():
        read_keys(path)
        before = path.read_text(encoding="ascii")
    made = _written(path, before)
    try:
        if before:
            made.chmod(path.stat().st_mode & 0o777)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    return read_keys(path)


def own_keys(data: Path) -> Path:
    """Return the key file in a data directory, creating it if needed.

    Raises:
        OSError: it cannot be written.
    """
    path = data / OWN_FILE
    if not path.exists():
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = _written(path, "")
        try:
            # If two processes create it at the same time, both use the first one's.
            path.hardlink_to(made)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path


def _written(path: Path, before: str) -> Path:
    """Write a new key followed by the existing ones to a new file next to `path`; return it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{secrets.token_hex(KEY_BYTES)}\n{before}")
        file.flush()
        os.fsync(file.fileno())
    return Path(name)
