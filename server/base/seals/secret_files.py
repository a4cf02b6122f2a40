"""Files with the operator's secrets, which other users of the machine must not be able to read."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IRWXG, S_IRWXO, S_IWGRP, S_IXGRP, S_IXOTH
from typing import Final

from server.base.core.refusal import UnsuitableError

# The mount point of Docker's and Podman's secrets in a container. They do not belong to the
# container's user and are readable by all, but a container has no other users.
MOUNTED: Final = Path("/run/secrets")


def read_secret(path: Path) -> str:
    """Return the text of a file that other users cannot read.

    As in PostgreSQL and OpenSSH, a file of this user must have no permissions for its group or
    others, while a file of root or another user may be readable by its group. Permissions do not
    matter if a parent directory excludes those users. Below `MOUNTED`, any file is accepted.

    Raises:
        UnsuitableError: other users can read or change it.
        OSError: it cannot be read.
        ValueError: it is not in UTF-8.
    """
    with path.open(encoding="utf-8") as file:
        found, whole = os.fstat(file.fileno()), path.resolve()
        own = found.st_uid == os.geteuid() != 0
        is_open = excess(found.st_mode, own=own) & _reachable_by(whole)
        if is_open and not whole.is_relative_to(MOUNTED):
            raise UnsuitableError(
                f"Others than its owner may use the file of secrets {path}: its mode is "
                f"{found.st_mode & 0o777:o}. Run `chmod 600 {path}`, or move it to a directory "
                f"that they cannot enter. In a container, mount it below {MOUNTED}."
            )
        return file.read()


def excess(mode: int, *, own: bool) -> int:
    """Return the excessive permissions in the mode of a file with a secret.

    `own` states whether it belongs to this process's user, and that is not root.
    """
    return mode & (S_IRWXO | (S_IRWXG if own else S_IWGRP | S_IXGRP))


def _reachable_by(path: Path) -> int:
    """Return the permission bits of the users who can enter all parent directories of a file."""
    reach = S_IRWXG | S_IRWXO
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & S_IXGRP:
            reach &= ~S_IRWXG
        if not mode & S_IXOTH:
            reach &= ~S_IRWXO
    return reach
