#!/bin/sh
# faye-websocket 0.11.4 (websocket-driver 0.8.0): a server that closes with 1012, 1013 or 1014 is
# reported to the application as 1002, a protocol error.
#
# IANA registered 1012 (service restart), 1013 (try again later) and 1014 (bad gateway). One would
# expect the code that came, as from ws 8.23.0, or at least 1006. With 1002, a client takes a restart
# of the server for a fault of its own, for which trying again is wrong.
#
# Observed: 1012, 1013 and 1014 arrive as 1002, with the reason that was sent; 1011 and 3000 as sent.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "overrides": { "websocket-driver": "0.8.0" } }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts faye-websocket@0.11.4 ws@8.23.0 || exit 2
cat >run.cjs <<'JS'
const assert = require("node:assert");
const { once } = require("node:events");
const Faye = require("faye-websocket");
const { WebSocket, WebSocketServer } = require("ws");

const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
server.on("connection", (socket, request) => socket.close(Number(request.url.slice(1)), "why"));

async function main() {
  await once(server, "listening");
  for (const code of [1011, 1012, 1013, 1014, 3000]) {
    const address = `ws://127.0.0.1:${server.address().port}/${code}`;
    const faye = new Faye.Client(address);
    const found = await new Promise((resolve) => faye.on("close", resolve));
    const [plain] = await once(new WebSocket(address), "close");
    console.log(`sent ${code}: faye-websocket ${found.code} ${found.reason}, ws ${plain}`);
    assert.equal(plain, code);
    assert.equal(found.reason, "why");
    assert.equal(found.code, code > 1011 && code < 3000 ? 1002 : code);
  }
  process.exit(0);
}

main();
JS
node run.cjs
