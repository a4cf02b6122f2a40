"""The modules that name Redis keys, of the base and of each wing, and their keys."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

from server.base.core.days import DailyId
from server.results.core.boards import BoardId

_ROOT = Path(__file__).parents[3]

KEY_MODULES: Final = [
    import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))
    for path in sorted(_ROOT.glob("server/*/core/keys.py"))
]

PERMANENT: Final = {
    kind for module in KEY_MODULES for kind in getattr(module, "PERMANENT", dict[str, str]())
}
"""Kinds of keys that may lack an expiry."""

_SAMPLES: dict[object, Any] = {
    str: "abc",
    int: 7,
    BoardId: BoardId("day", "robert", 20_000, "guests"),
    DailyId: DailyId("robert", 20_000),
}


def all_of(module: object) -> dict[str, str]:
    """Return the keys named by each constant and function of a module, by its name."""
    found = {name: value for name, value in vars(module).items() if isinstance(value, str)}
    constants = {name: value for name, value in found.items() if name.isupper()}
    functions = dict(inspect.getmembers(module, inspect.isfunction))
    for name, function in functions.items():
        types = get_type_hints(function)
        if (
            getattr(module, "__name__", "") != function.__module__
            or getattr(types["return"], "__supertype__", types["return"]) is not str
        ):
            continue
        given = [
            _SAMPLES[getattr(kind, "__supertype__", kind)]
            for parameter, kind in types.items()
            if parameter != "return"
        ]
        # A function that derives a key in another key's slot is given a key.
        constants[name] = (
            function("{p7}:x") if list(types) == ["key", "return"] else function(*given)
        )
    return constants
