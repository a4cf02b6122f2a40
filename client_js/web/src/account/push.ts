/** This browser's subscription to notifications. */

import type { PushSubscribed } from "@samedeal/client";
import { base64url } from "./base64url.ts";

/** The subscription of this device, and the id that the server knows it by. */
export interface Subscribed {
  readonly id: string;
  readonly fields: Omit<PushSubscribed, "language">;
}

/** `possible`; `blocked` by the browser's settings; `install`: only from the home screen. */
export type Possibility = "possible" | "blocked" | "install" | "impossible";

/** Whether this browser can be told something. */
export function possibility(): Possibility {
  if ("PushManager" in window && "Notification" in window && "serviceWorker" in navigator) {
    return Notification.permission === "denied" ? "blocked" : "possible";
  }
  return "standalone" in navigator ? "install" : "impossible";
}

/** This device's subscription; null if it has none. */
export async function subscribed(): Promise<Subscribed | null> {
  if (possibility() !== "possible") return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return describe((await registration?.pushManager.getSubscription()) ?? null);
}

/**
 * Subscribe this device to a server by its public key. The browser asks the person.
 *
 * Null if the person says no, or there is no service worker; rejects if the browser cannot.
 */
export async function subscribe(key: string): Promise<Subscribed | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined || (await Notification.requestPermission()) !== "granted") {
    return null;
  }
  const { pushManager } = registration;
  const before = await pushManager.getSubscription();
  // One that is for another key, as of a server that was set up anew, cannot be used.
  if (before !== null && keyOf(before) !== key) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  return describe(await pushManager.subscribe(options));
}

/** End this device's subscription, if it has one. */
export async function unsubscribe(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

async function describe(found: PushSubscription | null): Promise<Subscribed | null> {
  const { endpoint = "", keys } = found?.toJSON() ?? {};
  const [key, auth] = [keys?.["p256dh"], keys?.["auth"]];
  if (key === undefined || auth === undefined) return null;
  return { id: await deviceId(endpoint), fields: { endpoint, key, auth } };
}

/** The id by which the server knows the device at an endpoint; see `server/PROTOCOL.md`. */
export async function deviceId(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(`samedeal push\0${endpoint}`),
  );
  return [...new Uint8Array(digest).subarray(0, 8)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

function keyOf({ options }: PushSubscription): string {
  return base64url(new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0)));
}

/** A time of day in minutes, as in `22:30`. */
export function timeOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The minutes after midnight of a time of day; null if it is none. */
export function minutesOf(time: string): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(time) ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

/** The name of the time zone here, which the server tells quiet hours by in summer and winter. */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** How much the clock here is ahead of UTC at a time, as a zone: `+05:30`. */
export function offsetZone(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  return `${minutes < 0 ? "-" : "+"}${timeOf(Math.abs(minutes))}`;
}

/** What people call the browser that a push service is of, by the service's name. */
export function browserOf(service: string): string | null {
  const names = { googleapis: "Chrome", mozilla: "Firefox", apple: "Safari", windows: "Edge" };
  const found = Object.entries(names).find(([part]) => service.split(".").includes(part));
  return found?.[1] ?? null;
}
