"""The checks of rules in TypeScript: modules of `engine.schema`, translated.

The modules use a small part of Python: functions with annotated parameters, assignments to new
names, `if`, `for` over `enumerate`, `return`, `yield` and `yield from`; comparisons, conditions,
arithmetic, f-strings, tuples, `len`, `set`, `sum`, `any`, `all`, `tuple`, `replace`, `isinstance`
with `str`, `str.join`, and generator expressions with one loop. Everything else is an error. The
messages of checks are left out: the page has them in its own languages.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Final

from engine.cards import PACK_SIZE, RANKS, SUITS
from engine.schema import contradictions, cost, effects
from engine.schema.peaks import MAX_PEAKS, MAX_PLACES

MODULES: Final[tuple[ModuleType, ...]] = (contradictions, cost, effects)
CONSTANTS: Final = {
    "PACK_SIZE": PACK_SIZE,
    "RANKS": RANKS,
    "SUITS": SUITS,
    "MAX_PEAKS": MAX_PEAKS,
    "MAX_PLACES": MAX_PLACES,
}
TYPES: Final = {
    "int": "number",
    "str": "string",
    "bool": "boolean",
    "None": "null",
    "Iterator[Check]": "Generator<Check>",
}
SCHEMA: Final = (
    *("Cells", "Foundation", "Match", "Order", "Place", "Reserve", "Rules", "Stock", "Tableau"),
    "Waste",
)
NAMES: Final = {"rows_of": "rowsOf", "True": "true", "False": "false", "None": "null"}
OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.And: " && ",
    ast.Or: " || ",
    ast.Add: " + ",
    ast.Sub: " - ",
    ast.Mult: " * ",
    ast.Mod: " % ",
    ast.Lt: " < ",
    ast.LtE: " <= ",
    ast.Gt: " > ",
    ast.GtE: " >= ",
    ast.Eq: " === ",
    ast.NotEq: " !== ",
    ast.Is: " === ",
    ast.IsNot: " !== ",
}
HEAD: Final = f"""\
/**
 * Generated from the engine's `contradictions.py`, `cost.py` and `effects.py` by
 * `python -m server.base.generate`; do not edit.
 */

import {{ rowsOf }} from "./peaks.ts";
import type {{ {", ".join(SCHEMA)} }} from "./schema.ts";

export type Check = readonly [fails: boolean, key: string, reason: Reason];
"""


def source() -> str:
    """Return the text of `checks.ts`."""
    trees = [ast.parse(inspect.getsource(module)) for module in MODULES]
    body = "\n".join(line for tree in trees for node in tree.body for line in _statement(node))
    reasons = {reason for tree in trees for reason in _reasons(tree)}
    union = "".join(f'\n  | "{reason}"' for reason in sorted(reasons))
    constants = [f"const {name} = {_constant(value)};" for name, value in CONSTANTS.items()]
    return (
        f"{HEAD}\n/** Why a check fails. */\nexport type Reason ={union};\n\n"
        + "\n".join(constants)
        + f"\n\n{body}\n"
    )


def _reasons(tree: ast.AST) -> Iterator[str]:
    """Yield the codes of the reasons of checks, the third elements of what is yielded."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            for part in ast.walk(node.value.elts[2]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def _statement(node: ast.stmt, depth: int = 0) -> Iterator[str]:  # noqa: PLR0912 - as below
    indent = "  " * depth
    match node:
        case ast.FunctionDef():
            yield ""
            yield from _function(node)
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            pass  # types and constants are written above, and docstrings are Python's
        case ast.AnnAssign(target=ast.Name("Check")):
            pass  # written above
        case ast.AnnAssign(target=ast.Name(name), annotation=kind, value=ast.expr() as value):
            of = ""
            if isinstance(kind, ast.Subscript):  # Final[...]
                of = f": {_type(kind.slice)}"
            yield f"{indent}const {name}{of} = {_expression(value)};"
        case ast.Assign(targets=[ast.Name(name)], value=ast.Subscript(ast.Name("Literal"))):
            yield f"{indent}type {name} = {_type(node.value)};"
        case ast.Assign(targets=[ast.Name(name)], value=value):
            yield f"{indent}const {name} = {_expression(value)};"
        case ast.Return(value=ast.expr() as value):
            yield f"{indent}return {_expression(value)};"
        case ast.Expr(value=ast.Yield(value=ast.Tuple(elts=[fails, key, reason, _]))):
            parts = ", ".join(_expression(part) for part in (fails, key, reason))
            yield f"{indent}yield [{parts}];"
        case ast.Expr(value=ast.YieldFrom(value=value)):
            yield f"{indent}yield* {_expression(value)};"
        case ast.If(test=test, body=body, orelse=[]):
            yield f"{indent}if ({_expression(test)}) {{"
            for each in body:
                yield from _statement(each, depth + 1)
            yield f"{indent}}}"
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(index), ast.Name(name)]),
            iter=ast.Call(func=ast.Name("enumerate"), args=[of_]),
            body=body,
        ):
            yield f"{indent}for (const [{index}, {name}] of {_expression(of_)}.entries()) {{"
            for each in body:
                yield from _statement(each, depth + 1)
            yield f"{indent}}}"
        case _:
            raise _unknown(node)


def _function(node: ast.FunctionDef) -> Iterator[str]:
    assert node.returns is not None
    returns = _type(node.returns)
    given = ", ".join(
        f"{arg.arg}: {_type(arg.annotation)}" for arg in node.args.args if arg.annotation
    )
    star = "*" if returns.startswith("Generator") else ""
    export = "" if node.name.startswith("_") else "export "
    yield f"{export}function{star} {node.name}({given}): {returns} {{"
    for each in node.body:
        yield from _statement(each, 1)
    yield "}"


def _type(node: ast.expr) -> str:
    text = ast.unparse(node)
    if text in TYPES or text in SCHEMA:
        return TYPES.get(text, text)
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return f"{_type(left)} | {_type(right)}"
        case ast.Subscript(value=ast.Name("Literal"), slice=ast.Tuple(elts=words)):
            return " | ".join(map(_expression, words))
        case ast.Subscript(value=ast.Name("tuple"), slice=ast.Tuple(elts=[of, _])):
            return f"readonly {_type(of)}[]"
        case ast.Name(name):
            return name
    raise _unknown(node)


def _constant(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return f'"{value}"'
    raise TypeError(f"{value!r} has no translation.")


def _expression(node: ast.expr) -> str:  # noqa: PLR0911, PLR0912 - one case for each kind
    match node:
        case ast.Constant(value):
            return _constant(value)
        case ast.Name(name):
            return NAMES.get(name, name)
        case ast.Attribute(value=value, attr=name):
            return f"{_expression(value)}.{name}"
        case ast.JoinedStr(values=values):
            return f"`{''.join(map(_part, values))}`"
        case ast.Tuple(elts=parts):
            return f"[{', '.join(map(_expression, parts))}]"
        case ast.BoolOp(op=op, values=values):
            return f"({OPERATORS[type(op)].join(map(_expression, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=value):
            return f"!({_expression(value)})"
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return f"Math.floor({_expression(left)} / {_expression(right)})"
        case ast.BinOp(left=left, op=op, right=right):
            return f"({_expression(left)}{OPERATORS[type(op)]}{_expression(right)})"
        case ast.IfExp(test=test, body=body, orelse=other):
            return f"({_expression(test)} ? {_expression(body)} : {_expression(other)})"
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [left, *others]
            pairs = zip(sides, ops, others, strict=False)
            return f"({' && '.join(_comparison(*each) for each in pairs)})"
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=ast.expr() as end)):
            return f"{_expression(value)}.slice(0, {_expression(end)})"
        case ast.Subscript(value=value, slice=ast.Constant(int(index))):
            return f"{_expression(value)}[{index}]!"
        case ast.Call():
            return _call(node)
    raise _unknown(node)


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        return f"${{{_expression(node.value)}}}"
    assert isinstance(node, ast.Constant)
    return str(node.value)


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
    one, other = _expression(left), _expression(right)
    if isinstance(op, ast.In | ast.NotIn):
        found = f"{other}.includes({one})"
        return found if isinstance(op, ast.In) else f"!{found}"
    return f"{one}{OPERATORS[type(op)]}{other}"


def _call(node: ast.Call) -> str:  # noqa: PLR0911 - one case for each function
    match node:
        case ast.Call(func=ast.Name("len"), args=[ast.Call(func=ast.Name("set"), args=[of])]):
            return f"new Set({_expression(of)}).size"
        case ast.Call(func=ast.Name("len"), args=[of]):
            return f"{_expression(of)}.length"
        case ast.Call(func=ast.Name("isinstance"), args=[of, ast.Name("str")]):
            return f'(typeof {_expression(of)} === "string")'
        case ast.Call(func=ast.Name("any"), args=[ast.GeneratorExp() as each]):
            return f"{_filtered(each)}.some({_arrow(each)})"
        case ast.Call(func=ast.Name("all"), args=[ast.GeneratorExp() as each]):
            return f"{_filtered(each)}.every({_arrow(each)})"
        case ast.Call(func=ast.Name("tuple"), args=[ast.GeneratorExp() as each]):
            return _listed(each)
        case ast.Call(func=ast.Name("sum"), args=[ast.GeneratorExp(elt=ast.Constant(1)) as each]):
            return f"{_filtered(each)}.length"
        case ast.Call(func=ast.Name("sum"), args=[ast.GeneratorExp() as each]):
            return f"{_listed(each)}.reduce<number>((total, each) => total + each, 0)"
        case ast.Call(func=ast.Name("sum"), args=[of]):
            return f"{_expression(of)}.reduce((total, each) => total + each, 0)"
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(""), attr="join"),
            args=[ast.GeneratorExp() as each],
        ):
            return f'{_listed(each)}.join("")'
        case ast.Call(func=ast.Name("replace"), args=[of], keywords=keys):
            given = "".join(f", {key.arg}: {_expression(key.value)}" for key in keys)
            return f"{{ ...{_expression(of)}{given} }}"
        case ast.Call(func=ast.Name(name), args=args, keywords=[]):
            return f"{NAMES.get(name, name)}({', '.join(map(_expression, args))})"
    raise _unknown(node)


def _filtered(node: ast.GeneratorExp) -> str:
    """Return the elements of a generator expression's loop, as a list."""
    (loop,) = node.generators
    of = f"[...{_expression(loop.iter)}]"
    for condition in loop.ifs:
        of += f".filter(({_target(node)}) => {_expression(condition)})"
    return of


def _arrow(node: ast.GeneratorExp) -> str:
    value = _expression(node.elt)
    return f"({_target(node)}) => {value}"


def _listed(node: ast.GeneratorExp) -> str:
    if ast.unparse(node.elt) == _target(node):
        return _filtered(node)
    return f"{_filtered(node)}.map({_arrow(node)})"


def _target(node: ast.GeneratorExp) -> str:
    target = node.generators[0].target
    if not isinstance(target, ast.Name):
        raise _unknown(target)
    return target.id


def _unknown(node: ast.AST) -> TypeError:
    line = getattr(node, "lineno", 0)
    return TypeError(f"Line {line} has no translation: {ast.unparse(node)}")
