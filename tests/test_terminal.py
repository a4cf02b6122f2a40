"""Output of commands: others' text cannot control the terminal, or pass for a verdict."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from server.cli.admin import Console
from server.cli.main import main
from server.cli.terminal import quoted, say, say_json
from server.settings import Settings
from tests.sizes import SAMPLED, cases
from tests.test_cli import RUN

SERVER = Path(__file__).parent.parent / "server"

RIGHT, WRONG = "This run is valid: ", "This run is invalid. "

HOSTILE = (
    "\x1b[2K\r", "\n", "\r\n", "\x9b2J", "\u202e", "\u2066", "\u2028", "\x00", "\x7f", "\u200f",
    "\u05d0", RIGHT, WRONG, f"\n{RIGHT}Ada", f"\x1b[1A\x1b[2K{RIGHT}Ada",
)  # fmt: skip

texts = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5)), max_size=4).map("".join)


def is_plain(line: str) -> bool:
    """Return whether a line only prints letters in order on a terminal."""
    return line.isprintable() and not set(line) & {"\u05d0"}


@given(texts)
def test_any_text_is_printed_on_one_line(text: str) -> None:
    assert is_plain(quoted(text))
    assert len(quoted("x" * 100, 10)) == 11


def test_commands_print_through_the_escaping_functions(capsys: pytest.CaptureFixture[str]) -> None:
    say("Ada\x1b[2J\u202e")
    say_json({"name": "Ada\x9b\u202e\u05d0\U000e0001"})
    found = capsys.readouterr().out
    assert found == ('Ada\\x1b[2J\\u202e\n{"name":"Ada\\u009b\\u202e\\u05d0\\udb40\\udc01"}\n')
    for path in {*SERVER.glob("*.py")} - {SERVER / "terminal.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in {"click.echo", "click.secho", "print"}, path


class Act(msgspec.Struct):
    """An act as shown to an operator."""

    who: str
    reason: str


@pytest.mark.parametrize("as_json", [False, True])
def test_a_table_shows_others_text_escaped(
    as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [Act(text, text) for text in HOSTILE]
    console = Console(Settings(), "mod", as_json=as_json)
    console.print(rows)
    table = capsys.readouterr().out.removesuffix("\n").split("\n")
    assert all(map(is_plain, table))
    if as_json:
        assert json.loads(table[0]) == [{"who": text, "reason": text} for text in HOSTILE]
        return
    columns = {line.rindex("  ") for line in table[1:8]}
    assert (len(table), len(columns)) == (len(HOSTILE) + 1, 1), "columns are as wide as is shown"
    console.print(rows[0])
    assert all(map(is_plain, capsys.readouterr().out.removesuffix("\n").split("\n")))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values and names in JSON."""
    items: Any = []
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value[:40])
    else:
        yield path
    for key, each in items:
        yield from leaves(each, (*path, key))


FILE = json.loads(RUN.read_text(encoding="utf-8"))


MOVES: list[tuple[Any, ...]] = [("moves", 0, 0), ("moves", 39, 0), ("moves", 0, 1)]


def changed(path: tuple[Any, ...], value: object) -> Any:
    """Return a run file with another value at a path."""
    file = json.loads(RUN.read_text(encoding="utf-8"))
    *above, last = path
    place = file
    for key in above:
        place = place[key]
    place[last] = value
    return file


@given(
    st.lists(st.sampled_from([*leaves(FILE), ("extra",)]), max_size=2, unique=True),
    st.one_of(texts, st.integers(-2, 1 << 54), st.sampled_from(["won", "undo", "s>w", None, []])),
)
def test_a_run_has_one_verdict_that_agrees_with_the_exit_code(
    paths: list[tuple[Any, ...]], value: object
) -> None:
    file = FILE
    for path in paths:
        file = changed(path, value)
    assert_one_verdict(json.dumps(file))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "path", ([each for each in leaves(FILE) if each[0] != "moves"] + MOVES)[:: cases(6, 1)]
)
@SAMPLED
def test_text_in_a_file_cannot_pass_for_a_verdict(path: tuple[Any, ...], text: str) -> None:
    assert_one_verdict(json.dumps(changed(path, text)))


@given(st.one_of(st.binary(max_size=50), texts.map(str.encode)))
def test_a_malformed_file_has_no_verdict(content: bytes) -> None:
    assert assert_one_verdict(content) == 2


def assert_one_verdict(content: str | bytes) -> int:
    """Verify a file; fail unless output and exit code agree, and return the exit code."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.json")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        done = CliRunner().invoke(main, ["verify", str(path)])
    assert isinstance(done.exception, SystemExit | None), done.exception
    lines = done.output.removesuffix("\n").split("\n")
    assert all(map(is_plain, lines))
    assert done.exit_code in {0, 1, 2}
    assert done.output.startswith(RIGHT) == (done.exit_code == 0)
    assert done.output.startswith(WRONG) == (done.exit_code == 1)
    if done.exit_code == 2:
        assert not any(line.startswith((RIGHT, WRONG)) for line in lines)
    else:
        assert len(lines) == 1
    if done.exit_code == 1:
        assert RIGHT not in done.output
    return done.exit_code


def test_errors_are_escaped_too() -> None:
    done = CliRunner().invoke(main, ["verify", f"\x1b[2J\n{RIGHT}"], terminal_width=500)
    assert done.exit_code == 2
    assert "\\x1b[2J" in done.output
    assert all(map(is_plain, done.output.removesuffix("\n").split("\n")))
    assert not any(line.startswith(RIGHT) for line in done.output.split("\n"))


def test_letters_missing_in_the_terminals_encoding_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(changed(("player", "name"), "Жанна")), encoding="utf-8")
    done = CliRunner(charset="latin-1").invoke(main, ["verify", str(file)])
    assert done.exit_code == 0
    assert done.output.startswith(f"{RIGHT}\\u0416")
