#!/bin/sh
# msgpackr 2.1.4: a 64-bit integer is decoded as a BigInt, however small, while the same number is
# encoded as a float.
#
# One would expect a number, at least below 2^53, as from @msgpack/msgpack 3.1.3. Other languages'
# libraries write an integer from 2^32 on in 64 bits, so each time in milliseconds arrives as a
# BigInt: `time - Date.now()` and `JSON.stringify` throw a TypeError. The same time is sent back as a
# float, which a server that requires an integer refuses.
#
# Observed: uint64 1700000000000 and uint64 10 are BigInts, with `int64AsType: "number"` numbers; and
# `pack(1700000000000)` begins with the byte 203, a float64.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
    msgpackr@2.1.4 @msgpack/msgpack@3.1.3 || exit 2
cat >run.mjs <<'JS'
import assert from "node:assert";
import { decode } from "@msgpack/msgpack";
import { pack, Unpackr, unpack } from "msgpackr";

const bytes = (number) => {
  const wire = Buffer.alloc(9, 0xcf);
  wire.writeBigUInt64BE(BigInt(number), 1);
  return wire;
};
for (const number of [1_700_000_000_000, 10]) {
  const wire = bytes(number);
  const found = unpack(wire);
  console.log("msgpackr:", typeof found, "@msgpack/msgpack:", typeof decode(wire), "of", number);
  assert.equal(found, BigInt(number));
  assert.equal(decode(wire), number);
  assert.equal(new Unpackr({ int64AsType: "number" }).unpack(wire), number);
}
assert.throws(() => unpack(bytes(1_700_000_000_000)) - Date.now(), TypeError);
const sent = pack(1_700_000_000_000);
console.log("msgpackr sends:", sent.toString("hex"));
assert.equal(sent[0], 0xcb);
JS
node run.mjs
