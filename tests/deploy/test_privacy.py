"""`deploy/PRIVACY.md` says of each key what is kept, and for how long, as the code has it."""

from __future__ import annotations

import re
from importlib import import_module

from tests.base.redis.key_modules import KEY_MODULES, all_of
from tests.processes import ROOT

PAGE = (ROOT / "deploy/PRIVACY.md").read_text(encoding="utf-8")

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("## What is kept")[2].partition("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]

UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def seconds(text: str) -> int:
    """Return the first duration in a text."""
    found = re.search(r"\b(\d+|a|an) (day|hour|minute|second)s?\b", text)
    assert found is not None, text
    number, unit = found.groups()
    return (1 if number in {"a", "an"} else int(number)) * UNITS[unit]


def value_of(constant: str) -> tuple[str, int]:
    """Return the name of a constant in the code, and its value in seconds if it is a duration."""
    module, _, name = constant.rpartition(".")
    value: int = getattr(import_module(module), name)
    if name.endswith("_MS"):
        return name, value // 1000
    return name, value * 86_400 if name.endswith("_DAYS") else value


def kinds() -> set[str]:
    """Return the first words of all keys in Redis, without partitions and braces."""
    names = [name for module in KEY_MODULES for name in all_of(module).values()]
    bare = [re.sub(r"^\{p\d+\}:", "", name).translate({123: None, 125: None}) for name in names]
    return {name.partition(":")[0] for name in bare if re.fullmatch(r"[a-z-]+(:.*)?", name)}


def test_each_duration_is_that_of_the_constant_that_it_names() -> None:
    compared = 0
    for *_, until, constant in ROWS:
        if constant:
            name, value = value_of(constant.strip("`"))
            if name.startswith("MAX_"):
                assert f"{value:,}" in PAGE
            else:
                # Of several in a cell, the first one is the constant's.
                assert seconds(until) == value, (until, constant)
            compared += 1
    assert compared > 15


def test_each_kind_of_key_is_said_to_be_about_somebody_or_nobody() -> None:
    told = {kind for row in ROWS for kind in re.findall(r"`([a-z-]+)`", row[1])}
    nobody = re.search(r"These keys are about nobody: (.+?)\.\n", PAGE, re.DOTALL)
    assert nobody is not None
    about_nobody = set(re.findall(r"`([a-z-]+)`", nobody[1]))
    assert told.isdisjoint(about_nobody)
    assert told | about_nobody == kinds()


def test_what_the_page_keeps_in_the_browser_is_listed() -> None:
    sources = [*(ROOT / "client_js/web/src").rglob("*"), *(ROOT / "client_js/src").rglob("*.ts")]
    texts = [path.read_text("utf-8") for path in sources if path.suffix in {".ts", ".svelte"}]
    keys = {key for text in texts for key in re.findall(r"[\"`](samedeal\.[a-z]+)", text)}
    assert len(keys) > 10
    assert set(re.findall(r"`(samedeal\.[a-z]+)`", PAGE)) == keys
