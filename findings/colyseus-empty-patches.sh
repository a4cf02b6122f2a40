#!/bin/sh
# Colyseus 0.18 (@colyseus/core 0.18.17, @colyseus/schema 5.0.34): a client with a `StateView` is sent
# a patch of one byte for every broadcast in which nothing of its view changed.
#
# One would expect no message: the state is filtered, and the client cannot see the change. A load
# test that counts patches as answers then counts the opponents' moves too, and in a room of n
# players every move still wakes n clients.
#
# Observed: after one change of the first player's board, which only that player can see, the first
# client receives its patch, and the second one the single byte 15 (ROOM_STATE_PATCH).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
    @colyseus/core@0.18.17 @colyseus/ws-transport@0.18.4 @colyseus/schema@5.0.34 ws@8.18.3 || exit 2
cat >run.mjs <<'JS'
import assert from "node:assert";
import { createServer } from "node:net";
import { Room, Server } from "@colyseus/core";
import { schema, StateView, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import WebSocket from "ws";

const Board = schema({ moves: t.uint8() }, "Board");
const State = schema({ boards: t.map(Board).view() }, "State");

class Race extends Room {
  maxClients = 2;
  patchRate = null;

  onCreate() {
    this.state = new State();
    this.onMessage("move", (client) => {
      this.state.boards.get(client.sessionId).moves += 1;
      this.broadcastPatch();
    });
  }

  onJoin(client) {
    const board = new Board();
    board.moves = 0;
    this.state.boards.set(client.sessionId, board);
    client.view = new StateView();
    client.view.add(board);
  }
}

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define("race", Race);
await server.listen(port, "127.0.0.1");

async function join() {
  const answer = await fetch(`http://127.0.0.1:${port}/matchmake/joinOrCreate/race`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  const { processId, roomId, sessionId } = await answer.json();
  const socket = new WebSocket(
    `ws://127.0.0.1:${port}/${processId}/${roomId}?sessionId=${sessionId}`,
  );
  const patches = [];
  socket.on("message", (data) => {
    if (data[0] === 10) socket.send(Uint8Array.of(10));
    if (data[0] === 15) patches.push(Buffer.from(data));
  });
  await new Promise((resolve) => socket.on("message", (data) => data[0] === 14 && resolve()));
  return { patches, move: () => socket.send(Buffer.concat([Buffer.from([13, 0xa4]), Buffer.from("move")])) };
}

const [one, other] = [await join(), await join()];
async function moved() {
  one.move();
  const count = one.patches.length;
  while (one.patches.length === count) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 200));
}
// The first broadcast also contains the boards that were added when the players joined.
await moved();
await moved();
console.log("own patch:", one.patches.at(-1).length, "bytes; the other's:", [...other.patches.at(-1)]);
assert.equal(one.patches.length, other.patches.length);
assert.ok(one.patches.at(-1).length > 1);
assert.deepEqual([...other.patches.at(-1)], [15]);
process.exit(0);
JS
node run.mjs
