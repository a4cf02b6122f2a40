/** Creating a room, for friends or solo, and finding an opponent. */

import { keepRace, type RaceWish } from "./lastRace.ts";
import { paths } from "../../app/routes.ts";
import type { App } from "../../app/app.ts";
import { text } from "../../text/index.ts";

type Uses = Pick<App, "client" | "connection" | "notices" | "router">;

/** Whether there is a connection; if not, say so: a room created later would surprise. */
function isConnected({ connection, notices }: Uses): boolean {
  if (connection.lost) notices.say(text.offline.needed);
  return !connection.lost;
}

/** Create a room and open it; show a refusal. */
export async function openRoom(app: Uses, wish: RaceWish): Promise<void> {
  if (!isConnected(app)) return;
  const { client, notices, router } = app;
  const room = await notices.tell(client.createRoom(wish));
  if (room === undefined) return;
  keepRace(wish);
  router.go(paths.room(room.code));
}

/** Find an opponent and open the match's room; show a refusal. Return whether there is one. */
export async function findMatch(app: Uses, wish: RaceWish): Promise<boolean> {
  if (!isConnected(app)) return false;
  const { client, notices, router } = app;
  const room = await notices.tell(client.quickMatch(wish.game));
  if (room === undefined) return false;
  keepRace(wish);
  router.go(paths.room(room.code));
  return true;
}

/** Create a solo room, start its first round, and open it; show a refusal. */
export async function playAlone(app: Uses, wish: RaceWish): Promise<void> {
  if (!isConnected(app)) return;
  const { client, notices, router } = app;
  const room = await notices.tell(client.createRoom({ ...wish, seats: 1 }));
  if (room === undefined) return;
  keepRace(wish);
  await notices.tell(client.startRound());
  router.go(paths.room(room.code));
}
