"""A game is one file: the tests pass in a copy of the repository with one more game file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.perft import COMMAND
from tests.engine.positions import SEED

ROOT = Path(__file__).parents[2]
GAME = Path(__file__).with_name("added-game.toml")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository's Python code that adds only the game's file."""
    copy = tmp_path_factory.mktemp("repository")
    for folder in ("engine", "server", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copy(GAME, copy / "engine" / "games")
    return copy


def run(repository: Path, *arguments: str, lines: str = "") -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(  # noqa: S603 - our own modules
        command, cwd=repository, input=lines, capture_output=True, text=True, check=False
    )
    return done.stdout


def test_an_added_game_is_dealt_and_played(repository: Path) -> None:
    requests: list[dict[str, str]] = [
        {"op": "new", "game": GAME.stem, "seed": SEED.hex()},
        {"op": "move", "move": "s>w"},
        {"op": "legal"},
    ]
    lines = run(repository, "engine", lines="\n".join(map(json.dumps, requests)))
    dealt, moved, legal = map(json.loads, lines.splitlines())
    assert [len(dealt["piles"][f"t{nth}"]) for nth in range(7)] == [1, 2, 3, 4, 5, 6, 7]
    assert len(moved["piles"]["w"]) == 1
    assert "s>w" in legal["moves"]


def test_an_added_game_fails_only_the_test_for_its_missing_vectors(repository: Path) -> None:
    files = ("catalog", "driver", "rules_page", "perft")
    report = run(
        repository,
        *("pytest", "-q", "-k", "not tree", "-p", "no:cacheprovider"),
        *(f"tests/engine/test_{name}.py" for name in files),
    )
    failed = [line for line in report.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 1, report
    assert "test_there_is_a_file_for_each_game_and_no_other" in failed[0]
    assert f"{COMMAND} writes the missing ['{GAME.stem}.standard.txt']" in report
