#!/bin/sh
# pyksolve 0.0.15: `load_pysol` refuses the text that `get_pysol` returns.
#
# One would expect a round trip: both are documented as the PySol format. The text is refused unless
# something stands between the last card of a line and the line feed, such as a space or a carriage
# return, so that a file written on Windows is read, and the same file from elsewhere is not. The
# diagram of the same deal (`game_diagram_pysol`) is refused too.
#
# Observed: with line feeds `load_pysol` returns False, with carriage returns or spaces before them
# True, and the deal is the same.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check pyksolve==0.0.15 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from pyksolve import __version__
from pyksolve.solver import Solitaire

dealt = Solitaire()
dealt.shuffle1(24)
dealt.reset_game()
text = dealt.get_pysol()


def reads(given: str) -> bool:
    other = Solitaire()
    if not other.load_pysol(given):
        return False
    assert other.get_solitaire() == dealt.get_solitaire()
    return True


found = {
    "get_pysol": reads(text),
    "with a final line feed": reads(text + "\n"),
    "game_diagram_pysol": reads(dealt.game_diagram_pysol()),
    "with carriage returns": reads(text.replace("\n", "\r\n") + "\r\n"),
    "with spaces": reads(text.replace("\n", " \n") + " \n"),
}
print(f"pyksolve {__version__}: {found}")
assert list(found.values()) == [False, False, False, True, True]
PYTHON
