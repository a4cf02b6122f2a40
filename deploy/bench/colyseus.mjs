// A Colyseus server of the same kind as a race room, for `deploy.bench.colyseus`: rooms of two, a state
// filtered per player, and a patch after each move. It has no rules, no journal and no progress of
// opponents.
import { Room, Server } from "@colyseus/core";
import { schema, StateView, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";

const PILES = 14;
const CARDS = 52;

const Pile = schema({ cards: t.array("uint8") }, "Pile");
const Board = schema({ moves: t.uint32(), piles: t.array(Pile) }, "Board");
const State = schema({ boards: t.map(Board).view() }, "State");

class Race extends Room {
  maxClients = 2;
  patchRate = null;

  onCreate() {
    this.state = new State();
    // A move takes the top card of a pile to another pile.
    this.onMessage("m", (client, [seq, from, to]) => {
      const board = this.state.boards.get(client.sessionId);
      board.piles[to].cards.push(board.piles[from].cards.pop());
      board.moves = seq;
      this.broadcastPatch();
    });
  }

  onJoin(client) {
    const board = new Board();
    for (let pile = 0; pile < PILES; pile++) board.piles.push(new Pile());
    for (let card = 0; card < CARDS; card++) board.piles[card % PILES].cards.push(card);
    this.state.boards.set(client.sessionId, board);
    client.view = new StateView();
    client.view.add(board);
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define("race", Race);
await server.listen(Number(process.argv[2]), "127.0.0.1");
