"""The file of operators: read at start, and again whenever it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.moderation.operator_list import OperatorList, operators_in
from tests.builders import ADA, BOB
from tests.processes import ROOT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "operators"
    path.write_text(f"# by day\n\n{ADA} Ada  Lovelace # until May\n{BOB}\n", encoding="utf-8")
    return path


def replace(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def test_an_operators_audit_name_includes_the_player_id(path: Path) -> None:
    known = OperatorList(path)
    assert (known.name(ADA), known.name(BOB)) == (f"Ada Lovelace ({ADA})", BOB)


def test_a_delisted_player_is_no_longer_an_operator(path: Path) -> None:
    known = OperatorList(path)
    replace(path, f"{BOB}\n")
    assert (known.name(ADA), known.name(BOB)) == (None, BOB)


def test_an_unreadable_file_means_no_operators_and_is_logged_once(path: Path) -> None:
    known = OperatorList(path)
    text = path.read_text(encoding="utf-8")
    with capture_logs() as logs:
        path.unlink()
        assert [known.name(ADA), known.name(ADA)] == [None, None]
        replace(path, "ada\n")
        assert [known.name(ADA), known.name(ADA)] == [None, None]
        replace(path, text)
        assert known.name(ADA) is not None
    assert [each["event"] for each in logs] == [
        *("operators_unreadable", "operators_unreadable", "operators_read")
    ]


def test_the_documented_example_file_is_valid() -> None:
    text = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    example = text.partition("### Moderating by the page")[2].partition("```text\n")[2]
    assert operators_in(example.partition("```")[0]) == {
        "k3mq7w2r5t9xkz4b": "ada (k3mq7w2r5t9xkz4b)",
        "zz5n8c1v6m2qx7ap": "bob (zz5n8c1v6m2qx7ap)",
    }


@pytest.mark.parametrize("text", ["ada", f"{ADA}\nx"])
def test_a_server_does_not_start_with_a_malformed_line(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="no player's id"):
        OperatorList(path)
