"""Links and names in documents are valid, and docstrings start with a noun or a verb."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.processes import ROOT, program

NOT_IN_GIT = {
    *("laterMessages.ts", "operatorTypes.ts", "src/laterMessages.ts", "src/operatorTypes.ts"),
    *(
        "src/apiTypes.ts",
        "src/messages.ts",
        *("checks.ts", "src/rules/checks.ts"),
        "src/rules/rulesets.json",
        "samedeal_client/messages.py",
    ),
    *("build/faults/", "build/soak/", "server.json", "store.conf", "store.json"),
    "NNNN-what-was-decided.md",
}
"""Generated files, and a placeholder."""


def tracked(*patterns: str) -> list[str]:
    command = [program("git"), "ls-files", *patterns]
    listed = subprocess.run(  # noqa: S603 - a test's own arguments
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return listed.stdout.splitlines()


FILES = tracked()
FOLDERS = {f"{folder}/" for file in FILES for folder in Path(file).parents}
TAILS = "\n".join(f"/{path}" for path in (*FILES, *FOLDERS))
"""All paths, one per line; documents name files by the end of their paths, as in
`play/attempts.py`.
"""

DOCUMENTS = tracked("*.md")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_of_documents_are_valid(document: str) -> None:
    page = ROOT / document
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [at for at in links if "://" not in at and not (page.parent / at).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_named_in_documents_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:[\w.-]+/)*(?:[\w.-]+\.(?:py|ts|svelte|md|toml|conf|json)|[\w-]+/))`", text
    )
    missing = {path for path in named if f"/{path}\n" not in f"{TAILS}\n"}
    assert missing <= NOT_IN_GIT


def test_methods_named_in_the_architecture_exist() -> None:
    text = (ROOT / "server/ARCHITECTURE.md").read_text(encoding="utf-8")
    sources = [(ROOT / file).read_text(encoding="utf-8") for file in tracked("server/*.py")]
    named = set(re.findall(r"`([A-Z][a-z]\w*)\.(?!svelte)(\w+)`", text))
    assert named
    for owner, name in named:
        owners = [source for source in sources if re.search(rf"^class {owner}\b", source, re.M)]
        assert any(re.search(rf"(def |self\.){name}\b", source) for source in owners), (owner, name)


MODULES = tracked("engine/*.py", "server/*.py")


QUESTION = re.compile(r"(What|Who(ever|m|se)?)\b")
"""The start of a docstring without its noun: readers search for "prefix" or "players"."""


def test_docstrings_start_with_a_noun_or_verb() -> None:
    """Includes docstrings of constants, which are strings below them."""
    begun = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and QUESTION.match(str(node.value.value).lstrip())
    ]
    assert not begun


MILLISECONDS = re.compile(
    r"^# Milliseconds\b.*\n(?:#.*\n)*(\w+)"
    r'|^(\w+)\b.* = .*(?:  # milliseconds\b|\n"""Milliseconds\b)',
    re.M,
)
"""A constant in milliseconds, by the comment above or beside it, or the string below it."""


def test_names_of_durations_in_milliseconds_have_the_unit() -> None:
    """Durations without a unit are in seconds, as in asyncio."""
    unnamed = [
        f"{module}: {above or name}"
        for module in MODULES
        for above, name in MILLISECONDS.findall((ROOT / module).read_text(encoding="utf-8"))
        if not (above or name).endswith("_MS")
    ]
    assert not unnamed
