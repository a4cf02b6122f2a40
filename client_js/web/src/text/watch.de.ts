/** Was beim Zusehen zu lesen ist, auf Deutsch. */

import type { WatchWords } from "./watch.ts";

export const de: WatchWords = {
  title: (code) => `Raum ${code} zusehen`,
  delay: (seconds) => `${seconds} Sekunden später`,
  delayMore: "Damit niemand vorsagen kann.",
  hidden: "Bei einem offenen Rennen siehst du die Karten der anderen, wenn die Runde vorbei ist.",
  soon: "Gleich sind die Karten da.",
  later: (seconds) => `Hier sind die Karten ${seconds} Sekunden später zu sehen.`,
  notRead: "Dieser Tisch ist gerade nicht zu sehen.",
  shown: "Wessen Karten zu sehen sind",
  over: "Die Runde ist vorbei.",
  toRoom: "Zurück zum Raum",
  waiting: "Sobald die nächste Runde läuft, siehst du alle Karten.",
  takeSeat: "Mitspielen",
  noSeat: "Alle Plätze sind besetzt. Zusehen kannst du trotzdem.",
  invite: "Zum Zusehen einladen",
  inviteMore: "Wer diesen Link hat, sieht alle Karten, 15 Sekunden später.",
  inviteOpen:
    "Wer diesen Link hat, sieht, wer vorn liegt, und alle Karten, wenn die Runde vorbei ist.",
  link: "Der Link zum Zusehen",
  shareText: (game) => `Sieh uns zu: ein Rennen in ${game}.`,
  notInvited:
    "Bitte den Gastgeber um einen neuen Link: Diesem fehlt etwas, oder er gilt nicht mehr.",
};
