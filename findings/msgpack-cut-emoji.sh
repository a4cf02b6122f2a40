#!/bin/sh
# notepack.io 3.0.1 and @msgpack/msgpack 3.1.3: a text that was cut within an emoji is sent as another
# text, or as bytes that are not UTF-8.
#
# JavaScript's `slice` can halve an emoji, and a name that is limited to n units then ends, or
# continues, with half of one. One would expect the replacement character, as from TextEncoder,
# msgpackr 2.1.4 and msgpack-lite 0.2.2, or an error. notepack.io takes the next letter for the other
# half: the letter disappears and a different emoji is in its place. @msgpack/msgpack writes three
# bytes for the half, which strict readers refuse, so that the whole message is lost.
#
# Observed, of a halved emoji followed by "abc": notepack.io returns another emoji and "bc"; the
# bytes of @msgpack/msgpack are refused by a TextDecoder that is fatal; msgpackr sends U+FFFD.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
    notepack.io@3.0.1 @msgpack/msgpack@3.1.3 msgpackr@2.1.4 || exit 2
cat >run.mjs <<'JS'
import assert from "node:assert";
import { encode } from "@msgpack/msgpack";
import { pack } from "msgpackr";
import notepack from "notepack.io";

const cut = "👍".slice(0, 1) + "abc";
const text = (wire) => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(wire).subarray(1));

const changed = notepack.decode(notepack.encode(cut));
console.log("notepack.io:", JSON.stringify(changed), "msgpackr:", JSON.stringify(text(pack(cut))));
console.log("@msgpack/msgpack:", Buffer.from(encode(cut)).toString("hex"));
assert.match(changed, /^\p{Emoji}bc$/u);
assert.equal(text(notepack.encode(cut)), changed);
assert.equal(text(pack(cut)), "\ufffdabc");
assert.throws(() => text(encode(cut)), TypeError);
JS
node run.mjs
