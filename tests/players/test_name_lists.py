"""Operators' word lists for names."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.base.core.refusal import Refusal
from server.players.name_lists import name_lists
from tests.builders import refusal_of


def test_an_operators_words_extend_the_bundled_lists(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("\ufeff# ours\n\n  Acme* \nBig Boss\n", encoding="utf-8")
    lists = name_lists(reserved=own)
    for name in ("acmeteam", "Admin", "The Big Boss"):
        with pytest.raises(Refusal, match="name_reserved"):
            lists.clean(name)
    assert lists.clean("  Boss Ada ") == "Boss Ada"
    assert refusal_of(lambda: name_lists(offensive=own).clean("ACME")) == "name_offensive"


def test_a_malformed_list_is_reported(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("good\n***\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is no word"):
        name_lists(own)
    own.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="utf-8"):
        name_lists(own)
    with pytest.raises(OSError, match="No such file"):
        name_lists(tmp_path / "none")
