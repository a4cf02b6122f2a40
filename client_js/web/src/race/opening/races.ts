/** Opening a room, for friends or for a game alone, and finding one with somebody else. */

import { keepRace, type RaceWish } from "./lastRace.ts";
import { paths } from "../../app/routes.ts";
import type { App } from "../../app/app.ts";
import { text } from "../../text/index.ts";

type Uses = Pick<App, "client" | "connection" | "notices" | "router">;

/** Whether there is a connection; says so if not: a room that opened on its return would surprise. */
function isConnected({ connection, notices }: Uses): boolean {
  if (connection.lost) notices.say(text.offline.needed);
  return !connection.lost;
}

/** Open a room and go to it; a refusal is shown. */
export async function openRoom(app: Uses, wish: RaceWish): Promise<void> {
  if (!isConnected(app)) return;
  const { client, notices, router } = app;
  const room = await notices.tell(client.createRoom(wish));
  if (room === undefined) return;
  keepRace(wish);
  router.go(paths.room(room.code));
}

/**
 * Look for somebody to race at a game, and go to the room of the match. Returns whether there is
 * one; a refusal is shown.
 */
export async function findMatch(app: Uses, wish: RaceWish): Promise<boolean> {
  if (!isConnected(app)) return false;
  const { client, notices, router } = app;
  const room = await notices.tell(client.quickMatch(wish.game));
  if (room === undefined) return false;
  keepRace(wish);
  router.go(paths.room(room.code));
  return true;
}

/** Open a room for oneself, start its first round, and go to it; a refusal is shown. */
export async function playAlone(app: Uses, wish: RaceWish): Promise<void> {
  if (!isConnected(app)) return;
  const { client, notices, router } = app;
  const room = await notices.tell(client.createRoom({ ...wish, seats: 1 }));
  if (room === undefined) return;
  keepRace(wish);
  await notices.tell(client.startRound());
  router.go(paths.room(room.code));
}
