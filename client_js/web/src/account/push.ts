/** This browser's subscription to notifications. */

import type { Client, PushSubscribed } from "@samedeal/client";
import { ROOT } from "../kit/root.ts";
import { type Memory, RENEWED, deviceId, memoryIn } from "../offline/remembered.ts";
import { running } from "../offline/register.ts";
import { text } from "../text/index.ts";
import { base64url } from "./base64url.ts";
import { renew } from "./renewal.ts";

/** This device's subscription, and its id on the server. */
export interface Subscribed {
  readonly id: string;
  readonly fields: Omit<PushSubscribed, "language">;
}

/** `possible`; `blocked` by the browser's settings; `install`: only from the home screen. */
export type Possibility = "possible" | "blocked" | "install" | "impossible";

/** Return whether this browser can show notifications, and if not, why. */
export function possibility(): Possibility {
  if ("PushManager" in window && "Notification" in window && "serviceWorker" in navigator) {
    return Notification.permission === "denied" ? "blocked" : "possible";
  }
  return "standalone" in navigator ? "install" : "impossible";
}

/** Return this device's subscription or null. */
export async function subscribed(): Promise<Subscribed | null> {
  if (possibility() !== "possible") return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return describe((await registration?.pushManager.getSubscription()) ?? null);
}

/**
 * Subscribe this device with a server's public key. The browser asks the person.
 *
 * Returns null if the person declines, or there is no service worker; rejects if the browser
 * cannot.
 */
export async function subscribe(key: string): Promise<Subscribed | null> {
  // Before anything else: some browsers require a recent user gesture.
  if ((await Notification.requestPermission()) !== "granted") return null;
  const registration = await running();
  if (registration === null) return null;
  const { pushManager } = registration;
  const before = await pushManager.getSubscription();
  // A subscription with another key, as after a server's reinstallation, is unusable.
  if (before !== null && keyOf(before) !== key) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  return describe(await pushManager.subscribe(options));
}

/** Return the store of this browser's subscription; null over plain HTTP. */
export function memory(): Memory | null {
  return "caches" in window ? memoryIn(caches, `${location.origin}${ROOT}/`) : null;
}

/** End and forget this device's subscription, if there is one. */
export async function unsubscribe(): Promise<void> {
  await memory()?.forget();
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

let renewed: Promise<void> = Promise.resolve();

/** Report this browser's subscription whenever it has changed, now and later. Never rejects. */
export async function follow(client: Client, player: string): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const follows = () => {
    // One at a time, because each run compares the subscription with the result of the previous
    // one.
    renewed = renewed.then(() => tellOfChange(client, player));
    return renewed;
  };
  navigator.serviceWorker.onmessage = ({ data }) => {
    if (data === RENEWED) void follows();
  };
  await follows();
}

async function tellOfChange(client: Client, player: string): Promise<void> {
  const known = memory();
  if (known === null) return;
  const allowed = possibility() === "possible" && Notification.permission === "granted";
  const who = { player, language: text.locale.slice(0, 2) };
  try {
    await renew(() => client.push(), who, known, { allowed, subscribed, subscribe, unsubscribe });
  } catch (error) {
    console.warn("Notifications may no longer reach this browser.", error);
  }
}

async function describe(found: PushSubscription | null): Promise<Subscribed | null> {
  const { endpoint = "", keys } = found?.toJSON() ?? {};
  const [key, auth] = [keys?.["p256dh"], keys?.["auth"]];
  if (key === undefined || auth === undefined) return null;
  return { id: await deviceId(endpoint), fields: { endpoint, key, auth } };
}

function keyOf({ options }: PushSubscription): string {
  return base64url(new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0)));
}

/** Return a time of day from minutes, such as `22:30`. */
export function timeOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Return the minutes after midnight of a time of day; null if invalid. */
export function minutesOf(time: string): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(time) ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

/** Return the local time zone's name, so that quiet hours follow daylight saving time. */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Return the local UTC offset at a time, as a zone: `+05:30`. */
export function offsetZone(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  return `${minutes < 0 ? "-" : "+"}${timeOf(Math.abs(minutes))}`;
}

export function browserOf(service: string): string | null {
  const names = { googleapis: "Chrome", mozilla: "Firefox", apple: "Safari", windows: "Edge" };
  const found = Object.entries(names).find(([part]) => service.split(".").includes(part));
  return found?.[1] ?? null;
}
