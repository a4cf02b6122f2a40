#!/bin/sh
# httptools 0.9.0: a request with an Upgrade header ends the parsing of its packet, whether or not the
# server upgrades.
#
# A server may ignore an upgrade (RFC 9110, 7.8), and then the next request follows on the same
# connection. One would expect the parser to go on, as it does after any other request. Instead
# `feed_data` raises `HttpParserUpgrade` for every request with `Connection: Upgrade`, even for
# protocols that no server knows, and reads nothing of what follows it in the packet. A server that
# ignores the exception answers the first request and loses the pipelined ones.
#
# Observed: of two requests in one packet, the second is not parsed; the exception's argument is the
# offset from which the rest must be fed again.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check httptools==0.9.0 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from httptools import HttpParserUpgrade, HttpRequestParser

first = b"GET /first HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
second = b"GET /second HTTP/1.1\r\nHost: h\r\n\r\n"


class Targets(list):
    def on_url(self, url: bytes) -> None:
        self.append(url)


targets = Targets()
parser = HttpRequestParser(targets)
try:
    parser.feed_data(first + second)
except HttpParserUpgrade as upgrade:
    offset = upgrade.args[0]
print(f"httptools {version('httptools')}: parsed {[*targets]}, offset {offset} of {len(first + second)}")
assert targets == [b"/first"]
assert offset == len(first)
parser.feed_data((first + second)[offset:])
print(f"after the rest was fed again: {[*targets]}")
assert targets == [b"/first", b"/second"]
PYTHON
