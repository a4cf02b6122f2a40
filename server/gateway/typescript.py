"""Generate `client_js/src/messages.ts` from the messages (`npm run messages` there).

The interfaces are for the client's code; its `wire.ts` encodes and decodes frames by the tables of
kinds and fields.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import msgspec
from msgspec import inspect as types

from server.gateway.messages import COMMANDS, EVENTS, MODULES, STRUCTS, kind_of, shared
from server.gateway.messages.attempts import PlayMove

LINE = 100
"""Characters of a line, as in `client_js/.prettierrc`."""

HEAD = """\
/**
 * Every message of the protocol, as types and tables; `server/PROTOCOL.md` explains them.
 *
 * Printed by `python -m server.gateway.typescript` from `server/gateway/messages`: change that.
 */
"""

Message = type[msgspec.Struct]


def source() -> str:
    """Return the text of `messages.ts`."""
    sent = _sent_by_clients()
    re = _comment(_docs(shared)["Re"])
    parts = [
        HEAD,
        *_constants(),
        f"{re}export type Re = {_type(types.type_info(shared.Re))};\n",
        *(_interface(struct, optional=struct in sent) for struct in STRUCTS),
        *_kinds("Commands", "commands", COMMANDS),
        *_kinds("Events", "events", EVENTS),
        *_tables(),
    ]
    return "\n".join(parts)


def _sent_by_clients() -> set[Message]:
    """Return the structs of which a client may leave fields out."""
    found: set[Message] = set()
    new: list[Message] = [*COMMANDS, PlayMove]
    while new:
        struct = new.pop()
        found.add(struct)
        new += [cls for _, info in _fields(struct) if (cls := _struct_in(info)) is not None]
    return found


def _docs(module: ModuleType) -> dict[str, str]:
    """Return the docstrings of a module's constants and aliases, by their names."""
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


def _constants() -> Iterator[str]:
    for module in MODULES:
        for name, text in _docs(module).items():
            value = getattr(module, name)
            if isinstance(value, int):
                yield f"{_comment(text)}export const {name} = {value};\n"


def _interface(struct: Message, *, optional: bool) -> str:
    text, about = _documented(struct)
    lines = []
    for field, info in _fields(struct):
        mark = "?" if optional and not field.required else ""
        comment = _comment(about.pop(field.name, ""), "  ")
        lines.append(f"{comment}  readonly {field.name}{mark}: {_type(info)};\n")
    assert not about, f"{struct.__name__} has no {about}"
    comment, name = _comment(text), struct.__name__
    if not lines:
        return f"{comment}export type {name} = object;\n"
    return f"{comment}export interface {name} {{\n{''.join(lines)}}}\n"


def _fields(struct: Message) -> list[tuple[types.Field, types.Type]]:
    """Return the fields after the kind and the id, with their types without constraints."""
    info = types.type_info(struct)
    assert isinstance(info, types.StructType)
    own = [field for field in info.fields if not (struct in COMMANDS and field.name == "id")]
    return [(field, _bare(field.type)) for field in own]


def _bare(info: types.Type) -> types.Type:
    return info.type if isinstance(info, types.Metadata) else info


def _struct_in(info: types.Type) -> Message | None:
    """Return the struct in a field's type: the type itself, a list of it, or it or null."""
    match _bare(info):
        case types.StructType(cls=cls):
            return cls
        case types.ListType(item_type=item):
            return _struct_in(item)
        case types.UnionType(types=several):
            return next(filter(None, map(_struct_in, several)), None)
    return None


def _is_list(info: types.Type) -> bool:
    several = info.types if isinstance(info, types.UnionType) else (info,)
    return any(isinstance(one, types.ListType) for one in several)


PLAIN = {
    types.IntType: "number",
    types.StrType: "string",
    types.BoolType: "boolean",
    types.NoneType: "null",
    types.BytesType: "Uint8Array",
}


def _type(info: types.Type) -> str:
    """Return a type in TypeScript."""
    match _bare(info):
        case types.LiteralType(values=values):
            text = " | ".join(f'"{value}"' for value in values)
        case types.StructType(cls=cls):
            text = cls.__name__
        case types.ListType(item_type=item):
            inner = _type(item)
            text = f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
        case types.TupleType(item_types=items):
            text = f"readonly [{', '.join(map(_type, items))}]"
        case types.UnionType(types=several):
            # Null comes last, by convention.
            ordered = sorted(several, key=lambda one: isinstance(one, types.NoneType))
            text = " | ".join(map(_type, ordered))
        case plain:
            text = PLAIN[type(plain)]
    return text


def _documented(struct: Message) -> tuple[str, dict[str, str]]:
    """Return a struct's docstring without its `Attributes`, and their texts by field."""
    text, _, attributes = inspect.cleandoc(struct.__doc__ or "").partition("\n\nAttributes:\n")
    about: dict[str, str] = {}
    for line in inspect.cleandoc(attributes).splitlines():
        name, colon, rest = line.partition(": ")
        if colon and not line.startswith(" "):
            about[name] = rest
        else:
            about[[*about][-1]] += f" {line.strip()}"
    return text, {name: f"{rest[0].upper()}{rest[1:]}" for name, rest in about.items()}


def _comment(text: str, indent: str = "") -> str:
    """Return a text as a TSDoc comment, or an empty text as none."""
    if not text:
        return ""
    one = f"{indent}/** {text} */\n"
    if "\n" not in text and len(one) <= LINE + 1:
        return one
    room = LINE - len(indent) - 3
    lines = [part for line in text.splitlines() for part in _wrapped(line, room)]
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def _wrapped(line: str, room: int) -> list[str]:
    lines = [""]
    for word in line.split():
        if len(lines[-1]) + len(word) >= room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines


def _kinds(name: str, what: str, structs: Sequence[Message]) -> Iterator[str]:
    """Yield the interface of all messages of one direction by name, and their kinds."""
    names = [struct.__name__ for struct in structs]
    fields = "".join(f"  readonly {one}: {one};\n" for one in names)
    yield f"{_comment(f'Every one of the {what} by name.')}export interface {name} {{\n{fields}}}\n"
    kinds = "".join(f"  {struct.__name__}: {kind_of(struct)},\n" for struct in structs)
    comment = _comment(f"The kinds of the {what}.")
    yield f"{comment}export const {what.upper()} = {{\n{kinds}}} as const;\n"


def _tables() -> Iterator[str]:
    """Yield the table of the fields of every struct, and the types of its rows."""
    yield """\
/** A field by its name, if it holds no struct. */
export type Field = string | StructField;

/** A field that holds a struct, or null, or a list of structs. */
export interface StructField {
  readonly name: string;
  readonly struct?: string;
  readonly list?: string;
}
"""
    lines = "".join(f"  {struct.__name__}: {_table(struct)},\n" for struct in STRUCTS)
    yield f"""\
/** The fields of every struct in the order of the wire. */
export const FIELDS: Readonly<Record<string, readonly Field[]>> = {{
{lines}}};
"""


def _table(struct: Message) -> str:
    """Return a struct's row of the table."""
    items: list[Any] = []
    for field, info in _fields(struct):
        inner = _struct_in(info)
        if inner is None:
            items.append(f'"{field.name}"')
        else:
            how = "list" if _is_list(info) else "struct"
            items.append(f'{{ name: "{field.name}", {how}: "{inner.__name__}" }}')
    line = f"[{', '.join(items)}]"
    if len(line) + len(struct.__name__) + 5 <= LINE:
        return line
    return "[\n" + "".join(f"    {item},\n" for item in items) + "  ]"


if __name__ == "__main__":
    sys.stdout.write(source())
