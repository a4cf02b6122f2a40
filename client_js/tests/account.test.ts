/** The account: keeping the identity, switching players, and signing out. */

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "../src/index.ts";
import type { SentEvent, Session } from "./server.ts";
import { memoryStorage } from "../src/storage.ts";
import { ADA } from "./builders.ts";
import { FakeTime, ScriptedServer, clientOf, processed, until } from "./server.ts";

let server: ScriptedServer;
let time: FakeTime;
let client: Client;
let session: Session;
let storage: ReturnType<typeof memoryStorage>;
beforeEach(async () => {
  server = new ScriptedServer();
  time = new FakeTime();
  storage = memoryStorage();
  client = await clientOf(server, { storage, ...time });
  client.connect();
  session = await server.session();
  await session.welcome(0, "first");
  await open();
});
afterEach(() => {
  client.close();
  server.stop();
});

const leave = () => Promise.resolve(true);

const open = () => until(client.status, (status) => status === "open");

const DAILIES: SentEvent = {
  type: "Dailies",
  ...{ day: 7, date: "", ends: 0, closes: 0, now: 0, games: [], crowns: [] },
};

test("signing in switches the player, in a new session", async () => {
  session.send(DAILIES);
  await until(client.dailies, (dailies) => dailies !== null);
  const account = await client.account();
  const signedIn = account.signIn("k3mq-7w2r", leave);
  const { code } = await session.answer("SignIn", { type: "SignedIn", token: "other.token" });
  expect(code).toBe("k3mq-7w2r");
  await signedIn;
  expect(storage.load()).toBe("other.token");
  // The guest's state is dropped, and its pending commands are not sent as the other player.
  expect(client.player.get()).toBeNull();
  expect(client.dailies.get()).toBeNull();
  expect(await session.next()).toBeNull();
  const next = await server.session();
  const hello = await next.command("Hello");
  expect(hello.token).toBe("other.token");
});

test("a code or a passkey only replaces the player after confirmation", async () => {
  const account = await client.account();
  const stay = () => Promise.resolve(false);
  const signedIn = account.signIn("k3mq-7w2r", stay);
  await session.answer("SignIn", { type: "SignedIn", token: "other.token" });
  expect(await signedIn).toBe(false);
  const used = account.usePasskey(() => Promise.resolve("{}"), stay);
  const asked = await session.command("AskPasskey");
  session.send({ type: "PasskeyOptions", re: asked.re, options: "{}" });
  const sent = await session.command("UsePasskey");
  session.send({ type: "SignedIn", re: sent.re, token: "other.token" });
  expect(await used).toBe(false);
  await processed(client, session);
  expect(storage.load()).toBe("token-1");
  expect(client.status.get()).toBe("open");
});

test("presenting a passkey does not sign in", async () => {
  const account = await client.account();
  const shown = account.confirmPasskey(() => Promise.resolve('{"id":"pQ3x"}'));
  const { purpose } = await session.answer("AskPasskey", { type: "PasskeyOptions", options: "{}" });
  expect(purpose).toBe("confirm");
  const sent = await session.command("ConfirmPasskey");
  expect(sent.credential).toBe('{"id":"pQ3x"}');
  session.send({ type: "Done", re: sent.re });
  expect(await shown).toBe("pQ3x");
  expect(storage.load()).toBe("token-1");
});

test("a refused code changes nothing", async () => {
  const account = await client.account();
  const signedIn = account.signIn("wrong", leave);
  await session.refuse("SignIn", "bad_code");
  await expect(signedIn).rejects.toMatchObject({ code: "bad_code" });
  expect(storage.load()).toBe("token-1");
  await processed(client, session);
  expect(client.status.get()).toBe("open");
});

test("a new passkey is sent without fields that the server does not need", async () => {
  const account = await client.account();
  const response = { clientDataJSON: "c", attestationObject: "a", publicKey: "p".repeat(9_000) };
  const credential = { id: "i", rawId: "i", type: "public-key", response, more: 1 };
  const created = account.createPasskey((options) => {
    expect(options).toBe("{}");
    return Promise.resolve(JSON.stringify(credential));
  });
  const asked = await session.command("AskPasskey");
  expect(asked.purpose).toBe("create");
  session.send({ type: "PasskeyOptions", re: asked.re, options: "{}" });
  const sent = await session.command("CreatePasskey");
  expect(JSON.parse(sent.credential)).toEqual({
    ...{ id: "i", rawId: "i", type: "public-key" },
    response: { clientDataJSON: "c", attestationObject: "a" },
  });
  session.send({ type: "Done", re: sent.re });
  await created;
});

test("a passkey answers only the session that requested it", async () => {
  const account = await client.account();
  let answer: (credential: string) => void = () => undefined;
  const used = account.usePasskey(() => new Promise((resolve) => (answer = resolve)), leave);
  await session.answer("AskPasskey", { type: "PasskeyOptions", options: "{}" });
  await processed(client, session);
  session.drop();
  await until(client.status, (status) => status === "waiting");
  time.advance(1_000);
  const next = await server.session();
  await next.welcome(0, "second");
  await open();
  answer("{}");
  await expect(used).rejects.toMatchObject({ code: "disconnected" });
});

test("after signing out everywhere, the session continues with the new token", async () => {
  const account = await client.account();
  const out = account.signOutEverywhere({ passkeys: ["pQ3x"], recovery: true });
  const { passkeys, recovery } = await session.answer("SignOutEverywhere", {
    type: "SignedIn",
    token: "next.token",
  });
  expect([passkeys, recovery]).toEqual([["pQ3x"], true]);
  await out;
  expect(storage.load()).toBe("next.token");
  await processed(client, session);
  expect(client.status.get()).toBe("open");
});

test("a signed-out client drops the token and returns as a guest", async () => {
  session.send({ type: "Bye", code: "signed_out", text: "", wait: 0 });
  session.close(4007);
  await until(client.status, (status) => status === "waiting");
  expect(storage.load()).toBeNull();
  expect(client.player.get()).toBeNull();
  time.advance(1_000);
  const next = await server.session();
  expect(await next.welcome()).toMatchObject({ token: null });
  await open();
  expect(storage.load()).toBe("token-1");
});

test("a token stored meanwhile by another window is used, not removed", async () => {
  storage.save("next.token");
  session.send({ type: "Bye", code: "signed_out", text: "", wait: 0 });
  session.close(4007);
  await until(client.status, (status) => status === "waiting");
  expect(storage.load()).toBe("next.token");
  time.advance(1_000);
  const next = await server.session();
  const hello = await next.command("Hello");
  expect(hello.token).toBe("next.token");
  storage.save("third.token");
  next.send({ type: "Refused", re: hello.re, code: "bad_token", text: "", wait: 0 });
  const again = await next.command("Hello");
  expect(again.token).toBe("third.token");
  // A late welcome does not replace the token of a window that has signed in either.
  storage.save("fourth.token");
  const welcome = { token: "third.token", now: 0, session: "s", player: ADA };
  next.send({ type: "Welcome", re: again.re, ...welcome });
  await open();
  expect(storage.load()).toBe("fourth.token");
});
