"""Options of the command `samedeal` that can also be set by environment variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def option(name: str, **settings: Any) -> Callable[[Command], Command]:
    """Return a click option that can also be set by an environment variable.

    The variable of `--replica-acks` is `SAMEDEAL_REPLICA_ACKS`.
    """
    variable = "SAMEDEAL_" + name.lstrip("-").upper().replace("-", "_")
    return click.option(name, envvar=variable, show_envvar=True, show_default=True, **settings)
