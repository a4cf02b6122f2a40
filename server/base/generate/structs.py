"""The structs of messages for generators: fields, types, defaults and docstrings."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from types import ModuleType
from typing import get_args, get_type_hints

import msgspec
from msgspec import inspect as types

from server.base.wire.messages import Command
from server.handlers import HANDLERS
from server.play.messages import PlayMove
from server.protocol import COMMANDS

Message = type[msgspec.Struct]


def sent_by_clients() -> set[Message]:
    """Return the structs sent by clients, which may omit fields with a default."""
    found: set[Message] = set()
    new: list[Message] = [*COMMANDS, PlayMove]
    while new:
        struct = new.pop()
        found.add(struct)
        new += [cls for _, info in fields_of(struct) if (cls := struct_in(info)) is not None]
    return found


def docs_of(module: ModuleType) -> dict[str, str]:
    """Return the docstrings of a module's constants and type aliases, by name."""
    body = ast.parse(inspect.getsource(module)).body
    return {
        node.targets[0].id: inspect.cleandoc(text.value.value)
        for node, text in pairwise(body)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def fields_of(struct: Message) -> list[tuple[types.Field, types.Type]]:
    """Return the fields of a struct with their types, without constraints.

    The `id` of a command is omitted, since the client library assigns it.
    """
    info = types.type_info(struct)
    assert isinstance(info, types.StructType)
    own = [field for field in info.fields if not (struct in COMMANDS and field.name == "id")]
    return [(field, bare(field.type)) for field in own]


def bare(info: types.Type) -> types.Type:
    """Return a type without constraints."""
    return info.type if isinstance(info, types.Metadata) else info


def default_of(field: types.Field) -> object:
    """Return the default of a field; `None` if it has none."""
    if field.default_factory is not msgspec.NODEFAULT:
        made: object = field.default_factory()
        return made
    return None if field.default is msgspec.NODEFAULT else field.default


def struct_in(info: types.Type) -> Message | None:
    """Return a field's struct, or the struct in its list or nullable type; else `None`."""
    match bare(info):
        case types.StructType(cls=cls):
            return cls
        case types.ListType(item_type=item):
            return struct_in(item)
        case types.UnionType(types=several):
            return next(filter(None, map(struct_in, several)), None)
    return None


def is_list(info: types.Type) -> bool:
    """Return whether a type is a list or a nullable list."""
    several = info.types if isinstance(info, types.UnionType) else (info,)
    return any(isinstance(one, types.ListType) for one in several)


def answers_to(command: type[Command]) -> list[str]:
    """Return the names of a command's answers, according to its handler's annotation."""
    answer = get_type_hints(HANDLERS[command])["return"]
    return [event.__name__ for event in get_args(answer) or (answer,)]
