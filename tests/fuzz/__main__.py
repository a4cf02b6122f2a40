"""Coverage-guided fuzzing of everything that takes bytes of anybody: `make fuzz`.

    python -m tests.fuzz TARGET [libFuzzer's options] [CORPUS]
    python -m tests.fuzz TARGET INPUT

The second form runs one input again, such as one that `make fuzz` left in `build/fuzz`. Input that
reaches new lines is kept in the corpus, and mutated further. Needs Atheris, which has wheels for
Linux and for some versions of Python alone; `make fuzz` installs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

# What parses, of libraries too: to instrument all that is imported would take a minute.
_PARSING = [
    *("engine", "server"),
    *("tomllib", "ipaddress", "websockets", "uvicorn.protocols.http"),
]
with atheris.instrument_imports(include=_PARSING):
    from tests.fuzz.targets import TARGETS, Target


def main(name: str, *options: str) -> None:
    """Fuzz the target of this name, within the limits of libFuzzer's options."""
    target = TARGETS[name]
    given = list(options)
    for corpus in (Path(option) for option in options if not option.startswith("-")):
        if corpus.is_file():
            continue
        corpus.mkdir(parents=True, exist_ok=True)
        for at, seed in enumerate(target.seeds()):
            (corpus / f"seed-{at}").write_bytes(seed)
        if target.words:
            given.append(f"-dict={_dictionary(target, corpus)}")
    atheris.Setup([sys.argv[0], *given], target.run)
    atheris.Fuzz()


def _dictionary(target: Target, corpus: Path) -> Path:
    """Write libFuzzer's dictionary of a target beside its corpus, and return its path."""
    path = corpus.with_suffix(".dict")
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words)
    path.write_text("".join(f'"{word}"\n' for word in quoted))
    return path


if __name__ == "__main__":
    main(*sys.argv[1:])
