#!/bin/sh
# Freecell Solver 5.0.0 (Debian's freecell-solver-bin 5.0.0-2+b1): `make-microsoft-freecell-board`
# deals a board for every argument.
#
# One would expect an error for a number that has no deal. FreeCell Pro's numbers go from 1 to
# 8,589,934,591, and pysol-cards refuses others. Here 8589934592 is the deal of 4294967296, a word
# is deal 0, and of 1.5 the fraction is dropped, always with exit status 0.
#
# Observed: the boards of 8589934592 and 4294967296 are the same, as are those of "abc" and 0, and
# those of 1.5 and 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=5.0.0-2+b1
apt-get download -q "freecell-solver-bin=$version" >/dev/null 2>&1 || exit 2
dpkg-deb --extract freecell-solver-bin_*.deb . || exit 2
program=$folder/usr/bin/make-microsoft-freecell-board

same() {
    first=$("$program" -t "$1")
    second=$("$program" -t "$2")
    echo "freecell-solver-bin $version: $1 $(echo "$first" | head -n 1), $2 $(echo "$second" | head -n 1)"
    test "$first" = "$second"
}
same 8589934592 4294967296
same abc 0
same 1.5 1
if same 4294967297 1; then exit 1; fi
