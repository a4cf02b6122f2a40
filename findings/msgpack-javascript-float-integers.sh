#!/bin/sh
# msgpack-lite 0.2.2 and tiny-msgpack 2.2.0: an integer from 2^32 on is sent as a float, and by
# tiny-msgpack even as one of 32 bits where that is exact.
#
# One would expect an integer format, which msgpack has up to 64 bits; @msgpack/msgpack 3.1.3 and
# notepack.io 3.0.1 use it. All of them send 2^32 - 1 as an integer, so a client works in tests with
# small numbers, and fails with times in milliseconds where a server requires an integer.
#
# Observed: the first byte is 206 (uint32) for 2^32 - 1; for 2^32 it is 203 (float64) from
# msgpack-lite, 202 (float32) from tiny-msgpack, and 207 (uint64) from the other two.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts msgpack-lite@0.2.2 \
    tiny-msgpack@2.2.0 @msgpack/msgpack@3.1.3 notepack.io@3.0.1 || exit 2
cat >run.mjs <<'JS'
import assert from "node:assert";
import * as official from "@msgpack/msgpack";
import lite from "msgpack-lite";
import notepack from "notepack.io";
import tiny from "tiny-msgpack";

const codecs = { "msgpack-lite": lite, "tiny-msgpack": tiny, "@msgpack/msgpack": official, "notepack.io": notepack };
const expected = { "msgpack-lite": 0xcb, "tiny-msgpack": 0xca, "@msgpack/msgpack": 0xcf, "notepack.io": 0xcf };
for (const [name, codec] of Object.entries(codecs)) {
  const [below, from] = [2 ** 32 - 1, 2 ** 32].map((number) => codec.encode(number)[0]);
  console.log(`${name}: ${below} for 2^32 - 1, ${from} for 2^32`);
  assert.equal(below, 0xce);
  assert.equal(from, expected[name]);
}
JS
node run.mjs
