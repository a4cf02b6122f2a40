#!/bin/sh
# tiny-msgpack 2.2.0: the keys of an object that look like numbers are sent as integers.
#
# Keys of JavaScript objects are texts, and one would expect texts, as from @msgpack/msgpack 3.1.3.
# A reader in JavaScript makes texts of them again and notices nothing. Elsewhere, a table by
# position or by id has other keys than its sender's: `table["1"]` is missing in Python, and Python's
# msgpack takes a map with integers for keys for an attack unless it is told `strict_map_key=False`.
#
# Observed: `{ "1": 2 }` is 81 01 02, and "01" stays a text; Python's msgpack 1.2.4 raises ValueError.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
    tiny-msgpack@2.2.0 @msgpack/msgpack@3.1.3 || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check msgpack==1.2.4 || exit 2
cat >run.mjs <<'JS'
import assert from "node:assert";
import { encode } from "@msgpack/msgpack";
import tiny from "tiny-msgpack";

const hex = (wire) => Buffer.from(wire).toString("hex");
console.error("tiny-msgpack:", hex(tiny.encode({ 1: 2 })), "@msgpack/msgpack:", hex(encode({ 1: 2 })));
assert.equal(hex(tiny.encode({ 1: 2 })), "810102");
assert.equal(hex(encode({ 1: 2 })), "81a13102");
assert.equal(hex(tiny.encode({ "01": 2 })), "81a2303102");
console.log(hex(tiny.encode({ 1: 2 })));
JS
node run.mjs >wire
venv/bin/python - <<'PYTHON'
import msgpack

wire = bytes.fromhex(open("wire").read())
try:
    msgpack.unpackb(wire)
except ValueError as error:
    print("Python's msgpack:", error)
else:
    raise AssertionError("integers are accepted as keys")
assert msgpack.unpackb(wire, strict_map_key=False) == {1: 2}
PYTHON
