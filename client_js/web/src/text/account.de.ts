/** Das Konto, auf Deutsch. */

import type { AccountWords } from "./account.ts";

export const de: AccountWords = {
  title: "Dein Konto",
  guest: "Du bist zu Gast: Nur dieser Browser kennt dich.",
  kept: (date) => `Gesichert seit ${date}.`,
  since: (date) => `Dabei seit ${date}.`,
  sessions: (count) =>
    count === 1 ? "In einem Fenster offen." : `In ${count} Fenstern oder auf Geräten offen.`,
  passkeys: (count) => (count === 1 ? "1 Passkey" : `${count} Passkeys`),
  recovery: "Wiederherstellungscode",
  failed: "Dein Konto lässt sich gerade nicht zeigen.",
  again: "Nochmal versuchen",

  keep: "Ergebnisse sichern",
  keepMore: "So kommst du auf jedem Gerät wieder. Ohne E-Mail, ohne Passwort.",
  createPasskey: "Passkey anlegen",
  created: "Passkey angelegt.",
  noPasskeys: "Dieser Browser kann keine Passkeys. Nimm einen Wiederherstellungscode.",
  alreadyHere: "Dieses Gerät hat schon einen Passkey von dir.",
  cancelled: "Es bleibt alles, wie es war.",
  newCode: "Wiederherstellungscode holen",
  replaceCode: "Neuen Wiederherstellungscode holen",
  replaceMore: "Der alte Code gilt dann nicht mehr.",
  codeTitle: "Dein Wiederherstellungscode",
  codeMore:
    "Schreib ihn auf, er wird nur dieses eine Mal gezeigt. Wer ihn hat, kann als du spielen.",
  copy: "Kopieren",
  copied: "Kopiert.",
  notCopied: "Bitte kopier ihn von Hand.",
  written: "Ist aufgeschrieben",

  link: "Anderes Gerät",
  linkMore: "Zeig hier einen Code und scanne oder tippe ihn dort.",
  showCode: "Code zeigen",
  scan: "Scannen und dort anmelden",
  until: (time) => `Gilt einmal, bis ${time}.`,

  signIn: "Schon mal hier gewesen?",
  signInMore: "Was du in diesem Browser als jemand anderes gespielt hast, bleibt zurück.",
  code: "Wiederherstellungscode oder Code von einem anderen Gerät",
  signInCode: "Anmelden",
  signInPasskey: "Passkey verwenden",
  signedIn: "Willkommen zurück.",

  data: "Deine Daten",
  download: "Meine Daten herunterladen",
  signOut: "Anderswo abmelden",
  signOutAsk: "Auf allen anderen Geräten abmelden?",
  signOutMore: "Hier bleibst du angemeldet. Passkeys und Wiederherstellungscode gelten weiter.",
  signOutFirst: "Sichere erst deine Ergebnisse, damit du dich dort wieder anmelden kannst.",
  signedOut: "Überall sonst abgemeldet.",
  remove: "Konto löschen",
  removeAsk: "Konto endgültig löschen?",
  removeMore:
    "Name, Verlauf und Anmeldungen werden gelöscht. Ergebnisse in Ranglisten bleiben, als die eines „Deleted player“.",
  removed: "Dein Konto ist gelöscht.",
  cancel: "Abbrechen",
};
