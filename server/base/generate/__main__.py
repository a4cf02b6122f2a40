"""Generate the clients' sources from the server's types and the rules.

`python -m server.base.generate` writes each file whose text has changed; `make` calls it.
"""

from __future__ import annotations

import json
from pathlib import Path

from engine.catalog import exported
from server.base.generate import checks, python, typescript

ROOT = Path(__file__).parents[3]


def rulesets() -> str:
    """Return the text of `rulesets.json`, as `python -m engine rules` prints it."""
    return json.dumps(exported(), indent=1) + "\n"


SOURCES = {
    "client_js/src/rules/rulesets.json": rulesets,
    "client_js/src/rules/checks.ts": checks.source,
    "client_js/src/messages.ts": typescript.source,
    "client_js/src/laterMessages.ts": typescript.later_source,
    "client_js/src/apiTypes.ts": typescript.api_source,
    "client_js/src/operatorTypes.ts": typescript.operator_source,
    "server/client/samedeal_client/messages.py": python.source,
}


def main() -> None:
    """Write the files whose text has changed."""
    for name, source in SOURCES.items():
        path, text = ROOT / name, source()
        # An unchanged file keeps its time, so make rebuilds nothing that depends on it.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
