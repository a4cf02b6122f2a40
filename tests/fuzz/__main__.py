"""Coverage-guided fuzzing of everything that reads untrusted bytes: `make fuzz`.

python -m tests.fuzz TARGET [libFuzzer's options] [CORPUS]
python -m tests.fuzz TARGET INPUT
python -m tests.fuzz keep TARGET INPUT...

The second form runs one input again, for example one that `make fuzz` left in `build/fuzz`, and the
third keeps inputs for `test_corpus.py`. Inputs that reach new lines are written to the corpus and
mutated further. Needs Atheris, which has wheels
only for Linux and some Python versions; `make fuzz` installs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

# Parsers, including libraries. Instrumenting every import would take a minute.
_PARSING = [*("engine", "server"), *("tomllib", "ipaddress", "websockets")]
with atheris.instrument_imports(include=_PARSING):
    from tests.fuzz.targets import TARGETS, Target, keep, kept


def main(name: str, *options: str) -> None:
    target = TARGETS[name]
    given = list(options)
    for corpus in (Path(option) for option in options if not option.startswith("-")):
        if corpus.is_file():
            continue
        corpus.mkdir(parents=True, exist_ok=True)
        for at, seed in enumerate([*target.seeds(), *kept(name)]):
            (corpus / f"seed-{at}").write_bytes(seed)
        if target.words:
            given.append(f"-dict={_dictionary(target, corpus)}")
    atheris.Setup([sys.argv[0], *given], target.run)
    atheris.Fuzz()


def _dictionary(target: Target, corpus: Path) -> Path:
    """Write the target's libFuzzer dictionary next to its corpus and return its path."""
    path = corpus.with_suffix(".dict")
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words)
    path.write_text("".join(f'"{word}"\n' for word in quoted))
    return path


if __name__ == "__main__":
    if sys.argv[1] == "keep":
        keep(sys.argv[2], *map(Path, sys.argv[3:]))
    else:
        main(*sys.argv[1:])
