/** A bot that races: `node bot.ts URL GAME [CODE]`. Without a room code, it creates a room. */

import { setTimeout } from "node:timers/promises";
import {
  Client,
  type Move,
  Refusal,
  type View,
  legalMoves,
  moveText,
  until,
} from "samedeal-client";
import { nodeSocket } from "samedeal-client/node";

/** A move to a foundation, else one that deals from the stock or turns the waste over. */
function choose(view: View): Move | undefined {
  const { foundations, stock } = view.ruleset;
  const moves = legalMoves(view);
  return (
    moves.find(({ target }) => foundations.includes(target)) ??
    moves.find(({ source, target }) => source === stock || target === stock)
  );
}

const [url = "", game = "", code] = process.argv.slice(2);
const client = new Client({ url, openSocket: nodeSocket });
client.connect();

if (code !== undefined) {
  await client.joinRoom(code);
} else {
  const room = await client.createRoom({ game, seats: 2, limit: 900 });
  console.log(room.code);
  await until(client.room, ({ members }) => members.length === 2 && members.every((m) => m.here));
  await client.startRound();
}

for (;;) {
  // A move is pending until its answer has come, which shows the cards that it turned up.
  const attempt = await until(client.attempt, ({ pending }) => pending === 0);
  if (attempt.result.end !== null) break;
  const move = choose(attempt.view);
  if (move !== undefined) {
    client.play(moveText(attempt.ruleset, move));
  } else {
    await client.resign().catch((error: unknown) => {
      if (!(error instanceof Refusal && error.code === "attempt_ended")) throw error;
    });
  }
  await setTimeout(50); // A session may send 20 commands a second.
}

const { round } = await until(client.room, (room) => room.round?.over === true);
for (const { rank, player, result } of round?.runners ?? []) {
  console.log(`${rank}. ${player.name}: ${result.home} cards home`);
}
client.close();
