"""Programs that tests need: how they are found, and the messages about missing ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import machine


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget which browsers have started, since a test replaces them."""
    machine.starts.cache_clear()
    yield
    machine.starts.cache_clear()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a folder that is the whole PATH and is still empty."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(machine, "PACKED_FOLDER", tmp_path / "packed")
    monkeypatch.setattr(machine, "_ASK_PLAYWRIGHT", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    return tmp_path


def add(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{script}\n")
    path.chmod(0o755)
    return str(path)


STARTS = "import sys; print('DevTools listening on ws://127.0.0.1:1/', file=sys.stderr)"
BREAKS = "import sys; sys.exit('error while loading shared libraries: libnss3.so')"


def test_a_machine_without_programs_lacks_all_browsers(bare: Path) -> None:
    found = machine.survey()
    assert found.browser is found.whole_browser is None
    assert {"browser", "whole_browser", "redis", "fonts"} <= set(found.lacking)


def test_the_first_browser_that_starts_is_used(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", add(bare, "mine", BREAKS))
    add(bare, "chromium-headless-shell", BREAKS)
    add(bare, "chromium", BREAKS)
    chrome = add(bare, "google-chrome", STARTS)
    found = machine.survey()
    assert (found.browser, found.whole_browser) == (chrome, chrome)
    assert not {"browser", "whole_browser"} & set(found.lacking)


def test_the_users_choice_of_browser_comes_first(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = add(bare, "mine", STARTS)
    monkeypatch.setenv("CHROMIUM", mine)
    add(bare, "chromium-headless-shell", STARTS)
    assert machine.survey().browser == mine


def test_a_headless_browser_does_not_run_tests_that_need_a_user_interface(bare: Path) -> None:
    shell = add(bare, "chromium-headless-shell", STARTS)
    found = machine.survey()
    assert (found.browser, found.whole_browser) == (shell, None)
    assert "browser" not in found.lacking
    assert "whole_browser" in found.lacking


def test_browsers_can_be_disabled(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(bare, "chromium", STARTS)
    # It cannot be installed either: running a program of this PATH would fail the test.
    monkeypatch.setenv("CHROMIUM", machine.NONE)
    assert machine.provide(deep=False).browser is None


def test_debian_gets_one_command_for_all_missing_packages(bare: Path) -> None:
    wanted = [tool for tool in machine.TOOLS if tool.marker in ("browser", "redis")]
    assert machine.remedy(wanted) == (
        ".venv/bin/playwright install --with-deps chromium and install redis-server"
    )
    add(bare, "apt-get", "")
    assert machine.remedy(wanted) == "sudo apt-get install chromium redis-server"
