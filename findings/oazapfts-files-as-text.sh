#!/bin/sh
# oazapfts 7.5.0: a file is read as text if any error of the same operation is JSON.
#
# One would expect a Blob, which is also the type that the generated function declares. The body's
# kind is chosen once for an operation, from all of its responses: with an error in JSON beside a
# file, the function parses JSON, or else decodes UTF-8. Bytes that are not UTF-8 are lost.
#
# Observed: 1f 8b of a gzip file become 1f ef bf bd; without the error in JSON, the file is a Blob.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts --save-exact \
    oazapfts@7.5.0 @oazapfts/runtime@1.2.0 esbuild@0.28.2 || exit 2
cat >documents.mjs <<'JS'
import { writeFileSync } from "node:fs";

const answer = (type, schema) => ({ description: "", content: { [type]: { schema } } });
const file = answer("application/gzip", { type: "string", format: "binary" });
const error = answer("application/json", { type: "object" });
for (const [name, responses] of [["beside", { 200: file, 404: error }], ["alone", { 200: file }]]) {
  const paths = { "/file": { get: { operationId: "getFile", responses } } };
  const info = { title: "Files", version: "1" };
  writeFileSync(`${name}.json`, JSON.stringify({ openapi: "3.1.0", info, paths }));
}
JS
node documents.mjs
for name in beside alone; do
    node_modules/.bin/oazapfts "$name.json" "$name.ts"
    node_modules/.bin/esbuild "$name.ts" --bundle --format=esm --log-level=error --outfile="$name.mjs"
done
grep -q "data: Blob" beside.ts
cat >run.mjs <<'JS'
import assert from "node:assert";
import { createServer } from "node:http";
import * as alone from "./alone.mjs";
import * as beside from "./beside.mjs";

const server = createServer((_, response) => {
  response.setHeader("Content-Type", "application/gzip");
  response.end(Buffer.from([0x1f, 0x8b]));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const text = (await beside.getFile({ baseUrl })).data;
const blob = (await alone.getFile({ baseUrl })).data;
server.close();
console.log("beside JSON:", typeof text, Buffer.from(text));
console.log("alone:", blob.constructor.name, Buffer.from(await blob.arrayBuffer()));
assert.equal(Buffer.from(text).toString("hex"), "1fefbfbd");
assert.equal(Buffer.from(await blob.arrayBuffer()).toString("hex"), "1f8b");
JS
node run.mjs
