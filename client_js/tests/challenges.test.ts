/** Challenges: the watched one, across changes and reconnects, and the list. */

import { expect, test } from "vitest";
import { type ChallengeRow, type Challenger, until } from "../src/index.ts";
import { NEWS } from "../src/messages.ts";
import type { EventOf } from "../src/protocol.ts";
import { ADA, BOB, NO_MOVES } from "./builders.ts";
import { Dealer } from "./dealer.ts";
import { processed } from "./server.ts";
import { client, openForEachTest, reconnect, session } from "./session.ts";

const ID = "c4m7q2w9r5t8xkz3";
const SEED = "00".repeat(32);
const OTHER = "d4m7q2w9r5t8xkz3";
const CLEO = { id: "yy5n8c1v6m2qx7ap", name: "Cleo", tag: "7B22", bot: false };

openForEachTest();

function challenger(fields: Partial<Challenger> = {}): Challenger {
  return {
    ...{ player: ADA, state: "playing", result: null, rank: null, attempt: null, emotes: [] },
    ...fields,
  };
}

function ended(player: typeof ADA, home: number, rank: number): Challenger {
  const result = { ...NO_MOVES, home, left: 52 - home, end: "resigned" } as const;
  return challenger({ player, state: "ended", result, rank, attempt: `a-${player.name}` });
}

/** Return Ada's challenge, which she has played. */
function challenge(fields: Partial<EventOf<"Challenge">> = {}): EventOf<"Challenge"> {
  return {
    ...{ type: "Challenge", re: NEWS, challenge: ID, version: 4, creator: ADA, game: "robert" },
    ...{ variant: "standard", limit: 900, help: "none", at: 1_000, closes: 90_000, over: false },
    ...{ deal: "deal", commitment: "c0ffee", seed: null, certificate: null, audience: "link" },
    ...{ may_play: false, mine: NO_MOVES, attempt: "a-Bob", opened: 0, race: false },
    ...{ circle: null, rematch: null, closing: false, players: [ended(ADA, 20, 1)] },
    ...{ size: 1, begun: 1, ended: 1, own: ended(ADA, 20, 1), target: null },
    ...fields,
  };
}

function change(fields: Partial<EventOf<"ChallengeChange">> = {}): EventOf<"ChallengeChange"> {
  return {
    ...{ type: "ChallengeChange", re: NEWS, challenge: ID, version: 5, players: [], ranks: [] },
    ...{ rematch: null, size: 2, begun: 2, ended: 1, target: null },
    ...fields,
  };
}

const ROW: ChallengeRow = {
  ...{ challenge: ID, creator: BOB, game: "robert", variant: "standard", closes: 90_000 },
  ...{ over: false, state: "new", rank: null, ended: 1, players: 2, news: true, circle: null },
};

async function watch(): Promise<void> {
  const watching = client.watchChallenge(ID);
  const { re, challenge: id } = await session.command("WatchChallenge");
  expect(id).toBe(ID);
  session.send(challenge({ re }));
  await watching;
}

function table(): unknown {
  return client.challenge.get()?.players.map(({ player, rank }) => [player.name, rank]);
}

test("a change adds and replaces rows, and ranks finished runs", async () => {
  await watch();
  expect(table()).toEqual([["Ada", 1]]);
  const cleo = [challenger({ player: CLEO })];
  session.send(
    change({
      players: cleo,
      ranks: [
        [ADA.id, 1],
        [CLEO.id, null],
      ],
    }),
  );
  await processed(client, session);
  expect(table()).toEqual([
    ["Ada", 1],
    ["Cleo", null],
  ]);
  expect(client.challenge.get()).toMatchObject({ size: 2, begun: 2, ended: 1 });
  session.send(
    change({
      ...{ version: 7, rematch: OTHER, players: [ended(BOB, 31, 1)] },
      ranks: [
        [BOB.id, 1],
        [ADA.id, 2],
      ],
    }),
  );
  await processed(client, session);
  // Players that leave the first page lose their row.
  expect(table()).toEqual([
    ["Bob", 1],
    ["Ada", 2],
  ]);
  expect(client.challenge.get()?.own?.rank).toBe(2);
  expect(client.challenge.get()).toMatchObject({ version: 7, rematch: OTHER });
});

test("events that are older or of another challenge change nothing", async () => {
  await watch();
  const known = client.challenge.get();
  session.send(change({ version: 4, players: [challenger({ player: CLEO })] }));
  session.send(change({ challenge: OTHER, players: [challenger({ player: CLEO })] }));
  session.send(challenge({ version: 3, over: true }));
  session.send(challenge({ challenge: OTHER, version: 9 }));
  await processed(client, session);
  expect(client.challenge.get()).toBe(known);
});

test("an unsolicited full state is accepted, as after the player's own attempt", async () => {
  await watch();
  session.send(challenge({ version: 6, over: true, seed: "00ff" }));
  await until(client.challenge, ({ over }) => over);
  expect(client.challenge.get()?.seed).toBe("00ff");
});

test("after a reconnect, the challenge and the list are requested again", async () => {
  await watch();
  const listing = client.listChallenges();
  const { seen } = await session.answer("ListChallenges", {
    type: "Challenges",
    challenges: [ROW],
  });
  expect(seen).toBe(false);
  expect(await listing).toMatchObject([{ challenge: ID }]);

  await reconnect();
  const again = await session.command("WatchChallenge");
  session.send(challenge({ re: again.re, version: 9 }));
  const list = await session.command("ListChallenges");
  session.send({ type: "Challenges", re: list.re, challenges: [] });
  await until(client.challenges, (rows) => rows.length === 0);
  expect(client.challenge.get()?.version).toBe(9);
});

test("a deleted challenge is dropped after a reconnect", async () => {
  await watch();
  await reconnect();
  await session.refuse("WatchChallenge", "unknown_challenge", { text: "Gone." });
  await processed(client, session);
  expect(client.challenge.get()).toBeNull();
});

test("watching another challenge replaces it immediately", async () => {
  await watch();
  const watching = client.watchChallenge(OTHER);
  const { re } = await session.command("WatchChallenge");
  expect(client.challenge.get()).toBeNull();
  session.send(change());
  session.send(challenge({ re, challenge: OTHER }));
  await watching;
  expect(client.challenge.get()?.challenge).toBe(OTHER);
});

test("after unwatching, no further events are applied", async () => {
  await watch();
  const stopping = client.unwatchChallenge();
  await session.answer("UnwatchChallenge", { type: "Done" });
  session.send(challenge({ version: 8 }));
  await stopping;
  await processed(client, session);
  expect(client.challenge.get()).toBeNull();
});

test("the refusal of a challenge is passed on", async () => {
  const watching = client.watchChallenge(ID);
  await session.refuse("WatchChallenge", "unknown_challenge", { text: "None." });
  await expect(watching).rejects.toMatchObject({ code: "unknown_challenge" });
});

test("playing a challenge opens the attempt, and takes it over from elsewhere", async () => {
  await watch();
  const dealer = new Dealer("roosevelt", SEED);
  const play = async () => {
    const playing = client.playChallenge(ID);
    const { re, challenge: id } = await session.command("PlayChallenge");
    expect(id).toBe(ID);
    session.send({ ...dealer.snapshot(), re });
    await playing;
    return client.attempt.get();
  };
  const attempt = await play();
  expect(attempt?.game).toBe("roosevelt");
  session.send({ type: "Taken", number: dealer.snapshot().number, session: "another" });
  await processed(client, session);
  expect(client.attempt.get()?.elsewhere).toBe(true);
  expect((await play())?.elsewhere).toBe(false);
});

test("a challenge is created once, by a key that is resent after a reconnect", async () => {
  const making = client.createChallenge({ game: "robert", limit: 900, open_for: 86_400 });
  const first = await session.command("CreateChallenge");
  await reconnect();
  const second = await session.command("CreateChallenge");
  expect(second.key).toBe(first.key);
  // The server does not accept null for them.
  expect(second).toMatchObject({ variant: "standard", help: "none", target: true, players: [] });
  session.send(challenge({ re: second.re, mine: null, attempt: null, players: [] }));
  expect((await making).challenge).toBe(ID);
});

test("the list changes by unsolicited events, and by hiding", async () => {
  const listing = client.listChallenges(true);
  const { seen } = await session.answer("ListChallenges", { type: "Challenges", challenges: [] });
  expect(seen).toBe(true);
  await listing;
  session.send({ type: "Challenges", challenges: [ROW, { ...ROW, challenge: OTHER }] });
  await until(client.challenges, (rows) => rows.length === 2);

  const hiding = client.hideChallenge(ID);
  const hidden = await session.command("HideChallenge");
  session.send({ type: "Done", re: hidden.re });
  await hiding;
  expect(client.challenges.get()?.map((row) => row.challenge)).toEqual([OTHER]);
});

test("emotes, closing and rematches name the challenge", async () => {
  const sending = client.emoteRun(ID, BOB.id, null);
  const sent = await session.command("EmoteRun");
  expect([sent.challenge, sent.player, sent.emote]).toEqual([ID, BOB.id, null]);
  session.send({ type: "Done", re: sent.re });
  await sending;
  const closing = client.closeChallenge(ID);
  const closed = await session.command("CloseChallenge");
  expect(closed.challenge).toBe(ID);
  session.send({ type: "Done", re: closed.re });
  await closing;
  const matching = client.rematch(ID);
  const asked = await session.command("Rematch");
  session.send(challenge({ re: asked.re, challenge: OTHER }));
  expect((await matching).challenge).toBe(OTHER);
});
