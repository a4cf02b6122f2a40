"""Generate `server/players/core/unicode/` from Unicode data in two Rust crates.

    python -m tests.unicode_tables SECURITY SCRIPT

SECURITY is `src/tables.rs` of the crate unicode-security, which follows UTS 39 for Unicode 17, and
SCRIPT that file of unicode-script (Unicode 16), both of https://github.com/unicode-rs. They were
generated from files of https://www.unicode.org/Public, whose data is under the Unicode License V3
(https://www.unicode.org/license.txt).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from tests.processes import ROOT

TARGET = ROOT / "server" / "players" / "core" / "unicode"

_FROM = """\
# From data of Unicode {version} (scripts: {scripts}) by `python -m tests.unicode_tables`.
# Copyright Unicode, Inc., under the Unicode License V3 (https://www.unicode.org/license.txt).
"""


def _block(text: str, name: str) -> str:
    """Return the contents of the first Rust table with a name."""
    return re.split(rf"const {name}: [^=]*= &\[", text, maxsplit=1)[1].split("];", 1)[0]


def _code(text: str) -> int:
    return int(text, 16)


def _ranges(text: str, name: str, value: str = "") -> Iterator[tuple[int, int, str]]:
    """Yield the rows of a table: first and last code point, and the match of `value`."""
    row = r"\(\s*'\\u\{(\w+)\}',\s*'\\u\{(\w+)\}'" + (rf",\s*{value}\s*\)" if value else r"()\s*\)")
    for first, last, found in re.findall(row, _block(text, name)):
        yield _code(first), _code(last), found


def _by_code(rows: Iterable[tuple[int, int, str]]) -> dict[int, str]:
    return {code: found for first, last, found in rows for code in range(first, last + 1)}


def _scripts(text: str) -> dict[int, str]:
    """Return the four-letter script codes of each character, joined by spaces."""
    short = dict(re.findall(r"Script::(\w+) => \"(\w{4})\"", text))
    scripts = {
        code: short[script]
        for code, script in _by_code(_ranges(text, "SCRIPTS", r"Script::(\w+)")).items()
    }
    names = _by_code(_ranges(text, "SCRIPT_EXTENSIONS", r"script_extensions::(\w+)"))
    for code, name in names.items():
        scripts[code] = " ".join(part.title() for part in name.split("_"))
    return scripts


def _permitted(security: str) -> set[int]:
    """Return the letters, marks and numbers that are allowed, or in limited use."""
    kinds = _by_code(_ranges(security, "IDENTIFIER_TYPE", r"IdentifierType::(\w+)"))
    allowed = _by_code(_ranges(security, "IDENTIFIER_STATUS")).keys()
    limited = {code for code, kind in kinds.items() if kind == "Limited_Use"}
    return {
        code
        for code in allowed | limited
        if unicodedata.category(chr(code))[0] in "LMN"
        and unicodedata.is_normalized("NFKC", chr(code))
    }


def _looks(security: str, permitted: set[int]) -> dict[str, str]:
    """Return the prototypes of characters that names contain when decomposed."""
    used = {letter for code in permitted for letter in unicodedata.normalize("NFD", chr(code))}
    found = {}
    rows = re.findall(r"\('\\u\{(\w+)\}',\s*&\[([^\]]*)\]\)", _block(security, "CONFUSABLES"))
    for code, prototype in rows:
        text = "".join(chr(_code(each)) for each in re.findall(r"\\u\{(\w+)\}", prototype))
        if chr(_code(code)) in used:
            found[chr(_code(code))] = unicodedata.normalize("NFD", text)
    return found


def _range_text(codes: list[int]) -> str:
    """Return code points as ranges in hexadecimal."""
    parts = []
    for _, run in groupby(enumerate(codes), lambda each: each[1] - each[0]):
        each = [code for _, code in run]
        parts.append(f"{each[0]:x}" if len(each) == 1 else f"{each[0]:x}-{each[-1]:x}")
    return ",".join(parts)


def generate(security: str, script: str) -> dict[str, str]:
    """Return the files by name, from the text of both crates' tables."""
    version, scripts = (
        ".".join(re.findall(r"UNICODE_VERSION[^=]*= \((\d+), (\d+), (\d+)\)", text)[0])
        for text in (security, script)
    )
    permitted = _permitted(security)
    by_script: dict[str, list[int]] = {}
    for code, name in sorted(_scripts(script).items()):
        if code in permitted:
            by_script.setdefault(name, []).append(code)
    looks: dict[str, list[str]] = {}
    for letter, prototype in sorted(_looks(security, permitted).items()):
        looks.setdefault(prototype, []).append(letter)
    lines = [f"{name}: {_range_text(codes)}\n" for name, codes in sorted(by_script.items())]
    shapes = [f"{_hex(shape)}: {_hex(''.join(same))}\n" for shape, same in sorted(looks.items())]
    head = _FROM.format(version=version, scripts=scripts)
    return {"scripts.txt": head + "".join(lines), "looks.txt": head + "".join(shapes)}


def _hex(text: str) -> str:
    return " ".join(f"{ord(letter):x}" for letter in text)


if __name__ == "__main__":
    tables = [Path(path).read_text(encoding="utf-8") for path in sys.argv[1:3]]
    for file, content in generate(*tables).items():
        (TARGET / file).write_text(content, encoding="utf-8")
