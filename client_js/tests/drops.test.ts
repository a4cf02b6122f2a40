/** A player on a line that keeps breaking: each move stands once, in order, and the view is true. */

import { afterEach, expect, test } from "vitest";
import {
  type AttemptState,
  type Client,
  legalMoves,
  moveText,
  seenText,
  viewOf,
} from "../src/index.ts";
import { Dealer } from "./dealer.ts";
import { dice } from "./rules/engine.ts";
import {
  type AnyHeard,
  type Said,
  ScriptedServer,
  type Session,
  clientOf,
  until,
} from "./server.ts";

let server: ScriptedServer;
let client: Client;
afterEach(() => {
  client.close();
  server.stop();
});

/** Serve one session until the line breaks: before a command is read, or before its answer goes. */
async function serve(session: Session, dealer: Dealer, roll: (limit: number) => number) {
  await session.welcome();
  for (;;) {
    const command = await session.any();
    if (command === null) return;
    if (roll(8) === 0) return session.drop();
    const answer = answerOf(command, dealer, roll);
    if (roll(8) === 0) return session.drop();
    session.say({ ...answer, re: command.re });
  }
}

/** What a server answers whose store is away now and then, before a move stands or after it. */
function answerOf(command: AnyHeard, dealer: Dealer, roll: (limit: number) => number): Said {
  const away = { type: "Refused", code: "unavailable", text: "Try again.", wait: 0 } as const;
  if (roll(8) === 0) return away;
  const answer =
    command.type === "PlayMove"
      ? dealer.answer(command.seq, dealer.textOf(command))
      : dealer.opened(command.type === "OpenAttempt" ? command.have : null);
  return roll(8) === 0 ? away : answer;
}

const hasRoom = (state: AttemptState | null): state is AttemptState =>
  state !== null && state.pending < 4;

test.each([1, 2, 3, 4])("no move is lost or played twice, with the dice %i", async (seed) => {
  const roll = dice(seed);
  const dealer = new Dealer("rouge-et-noir", String(seed).repeat(64));
  server = new ScriptedServer();
  client = await clientOf(server, {
    random: () => 0,
    after: (milliseconds, run) => {
      // Coming back is at once; no ping and no missing pong ever comes about.
      if (milliseconds > 5_000) return () => undefined;
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    },
  });
  let serving = true;
  void (async () => {
    while (serving) await serve(await server.session(), dealer, roll);
  })();

  client.connect();
  await client.openDaily("rouge-et-noir");
  const played: string[] = [];
  for (let moves = 0; moves < 60; moves++) {
    const { view, ruleset } = await until(client.attempt, hasRoom);
    const legal = legalMoves(view).map((move) => moveText(ruleset, move));
    if (legal.length === 0) break;
    const move = legal[roll(legal.length)]!;
    expect(client.play(move)).toBe(true);
    played.push(move);
  }
  const last = await until(client.attempt, (state) => state?.pending === 0);
  serving = false;
  expect(dealer.journal.map(({ move }) => move)).toEqual(played);
  expect(last?.seq).toBe(played.length + 1);
  expect(last?.view.piles.map(seenText)).toEqual(viewOf(dealer.board).piles.map(seenText));
});
