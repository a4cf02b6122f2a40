/** A player whose connection keeps breaking: each move is accepted once and in order. */

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
import { seededRandom } from "./rules/engine.ts";
import {
  type AnyReceived,
  type SentEvent,
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

/** Serve one session until it is dropped, before a command is handled or before it is answered. */
async function serve(session: Session, dealer: Dealer, random: (limit: number) => number) {
  await session.welcome();
  for (;;) {
    const command = await session.next();
    if (command === null) return;
    if (random(8) === 0) return session.drop();
    const answer = answerOf(command, dealer, random);
    if (random(8) === 0) return session.drop();
    session.send({ ...answer, re: command.re });
  }
}

/** Return the answer of a server whose store fails, before or after a move is appended. */
function answerOf(
  command: AnyReceived,
  dealer: Dealer,
  random: (limit: number) => number,
): SentEvent {
  const unavailable = {
    type: "Refused",
    code: "unavailable",
    text: "Try again.",
    wait: 0,
  } as const;
  if (random(8) === 0) return unavailable;
  const answer =
    command.type === "PlayMove"
      ? dealer.answer(command.seq, dealer.textOf(command))
      : dealer.opened(command.type === "OpenAttempt" ? command.have : null);
  return random(8) === 0 ? unavailable : answer;
}

const canPlay = (state: AttemptState | null): state is AttemptState =>
  state !== null && state.pending < 4;

test.each([1, 2, 3, 4])("no move is lost or played twice, with random seed %i", async (seed) => {
  const random = seededRandom(seed);
  const dealer = new Dealer("rouge-et-noir", String(seed).repeat(64));
  server = new ScriptedServer();
  client = await clientOf(server, {
    random: () => 0,
    after: (milliseconds, run) => {
      // Reconnects happen immediately; pings and their timeouts never do.
      if (milliseconds > 5_000) return () => undefined;
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    },
  });
  let serving = true;
  void (async () => {
    while (serving) await serve(await server.session(), dealer, random);
  })();

  client.connect();
  await client.openDaily("rouge-et-noir");
  const played: string[] = [];
  for (let moves = 0; moves < 60; moves++) {
    const { view, ruleset } = await until(client.attempt, canPlay);
    const legal = legalMoves(view).map((move) => moveText(ruleset, move));
    if (legal.length === 0) break;
    const move = legal[random(legal.length)]!;
    expect(client.play(move)).toBe(true);
    played.push(move);
  }
  const last = await until(client.attempt, (state) => state?.pending === 0);
  serving = false;
  expect(dealer.journal.map(({ move }) => move)).toEqual(played);
  expect(last?.seq).toBe(played.length + 1);
  expect(last?.view.piles.map(seenText)).toEqual(viewOf(dealer.board).piles.map(seenText));
});
