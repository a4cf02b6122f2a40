// Colyseus with the small game: each player sees their own piles, and counters of the rival.
// node colyseus.mjs PORT

import { Room, Server } from "@colyseus/core";
import { schema, StateView, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { deal, play } from "./game.mjs";

const Player = schema({
  moves: t.uint32(),
  piles: t.array("string").view(),
});
const Race = schema({ players: t.map(Player) });

class RaceRoom extends Room {
  maxClients = 2;

  onCreate() {
    this.state = new Race();
    this.boards = new Map();
    this.onMessage("move", (client, [from, to]) => {
      const board = this.boards.get(client.sessionId);
      const player = this.state.players.get(client.sessionId);
      play(board, from, to);
      player.piles[from] = board[from].join("");
      player.piles[to] = board[to].join("");
      player.moves += 1;
      client.send("moved", [player.moves, from, to]);
    });
  }

  onJoin(client) {
    const board = deal();
    const player = new Player();
    player.moves = 0;
    player.piles.push(...board.map((pile) => pile.join("")));
    this.boards.set(client.sessionId, board);
    this.state.players.set(client.sessionId, player);
    client.view = new StateView();
    client.view.add(player);
  }
}

const server = new Server({ transport: new WebSocketTransport(), greet: false });
server.define("race", RaceRoom);
await server.listen(Number(process.argv[2]), "127.0.0.1");
