"""Files with secrets of the operator's, which nobody else on the machine may read."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IRWXG, S_IRWXO, S_IWGRP, S_IXGRP, S_IXOTH
from typing import Final

from server.base.core.refusal import UnsuitableError

MOUNTED: Final = Path("/run/secrets")
"""Where Docker and Podman mount secrets into a container, whose user is not the file's owner. They
are readable by all, and there is nobody else in a container."""


def read_secret(path: Path) -> str:
    """Return the text of a file that nobody else may read.

    That is as PostgreSQL and OpenSSH have it: a file of this user's is for nobody else, one of
    root's or of another user's may be for a group; unless a directory on the way to it keeps the
    others off. Below `MOUNTED`, anybody may read it.

    Raises:
        UnsuitableError: others may read it, or change it.
        OSError: it cannot be read.
        ValueError: it is not in UTF-8.
    """
    with path.open(encoding="utf-8") as file:
        found, whole = os.fstat(file.fileno()), path.resolve()
        own = found.st_uid == os.geteuid() != 0
        is_open = excess(found.st_mode, own=own) & _who_reaches(whole)
        if is_open and not whole.is_relative_to(MOUNTED):
            raise UnsuitableError(
                f"Others than its owner may use the file of secrets {path}, whose mode is "
                f"{found.st_mode & 0o777:o}. `chmod 600 {path}` keeps them off; so does a "
                f"directory that they cannot enter. In a container, mount it below {MOUNTED}."
            )
        return file.read()


def excess(mode: int, *, own: bool) -> int:
    """Return the rights of others in the mode of a file with a secret that there should not be.

    Args:
        mode: the file's.
        own: whether it is of the user of this process, who is not root.
    """
    return mode & (S_IRWXO | (S_IRWXG if own else S_IWGRP | S_IXGRP))


def _who_reaches(path: Path) -> int:
    """Return the bits of those who may enter all directories on the way to a file."""
    reach = S_IRWXG | S_IRWXO
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & S_IXGRP:
            reach &= ~S_IRWXG
        if not mode & S_IXOTH:
            reach &= ~S_IRWXO
    return reach
