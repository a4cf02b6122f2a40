/** Das Konto, auf Deutsch. */

import type { AccountWords } from "./account.ts";

export const de: AccountWords = {
  title: "Dein Konto",
  guest: "Du bist zu Gast: Nur dieser Browser kennt dich.",
  kept: (date) => `Gesichert seit ${date}.`,
  since: (date) => `Dabei seit ${date}.`,
  sessions: (count) =>
    count === 1 ? "In einem Fenster offen." : `In ${count} Fenstern oder auf Geräten offen.`,
  recovery: "Wiederherstellungscode",
  passkey: (number) => `Passkey ${number}`,
  ways: "So meldest du dich an",
  waysMore:
    "Behalte zwei davon. Ganz ohne kannst du nur dort weiterspielen, wo du angemeldet bist: Niemand kann dann etwas hinzufügen, auch du nicht.",
  added: (date) => `Angelegt am ${date}`,
  used: (date) => `zuletzt benutzt am ${date}`,
  unused: "noch nicht benutzt",
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
  replaceMore:
    "Der alte Code gilt dann nicht mehr. Wer sich damit angemeldet hat, bleibt es, bis du dich anderswo abmeldest.",
  codeTitle: "Dein Wiederherstellungscode",
  codeMore:
    "Schreib ihn auf: Er wird nur dieses eine Mal gezeigt, und er gilt, sobald du das bestätigst. Wer ihn hat, kann als du spielen.",
  copy: "Kopieren",
  copied: "Kopiert.",
  notCopied: "Bitte kopier ihn von Hand.",
  written: "Ist aufgeschrieben",
  codeKept: "Dein Wiederherstellungscode gilt ab jetzt.",

  removeKey: "Entfernen",
  removeKeyLabel: (name) => `${name} entfernen`,
  removeKeyAsk: (name) => `${name} entfernen?`,
  removeKeyMore: "Damit meldet sich niemand mehr an. Auch alle anderen Geräte werden abgemeldet.",
  removedKey: "Entfernt, und überall sonst abgemeldet.",

  confirm: "Bist du es?",
  confirmMore: "Dafür brauchst du etwas, womit du dich anmeldest.",
  confirmPasskey: "Passkey verwenden",
  confirmCode: "Dein Wiederherstellungscode",
  confirmSend: "Das bin ich",
  confirmElsewhere:
    "Dieser Browser kann keine Passkeys. Mach das auf einem Gerät mit deinem Passkey.",
  confirmLost: "Alle verloren? Du kannst hier weiterspielen, aber niemand kann etwas hinzufügen.",

  link: "Anderes Gerät",
  linkMore: "Zeig hier einen Code und scanne oder tippe ihn dort.",
  showCode: "Code zeigen",
  scan: "Scannen und dort anmelden",
  until: (time) => `Gilt einmal, bis ${time}.`,

  signIn: "Schon mal hier gewesen?",
  signInMore: "Was du in diesem Browser als jemand anderes gespielt hast, bleibt zurück.",
  code: "Wiederherstellungscode oder Code von einem anderen Gerät",
  noCode: "Das ist kein Code. Er hat 10 oder 20 Buchstaben und Ziffern.",
  signInCode: "Anmelden",
  signInPasskey: "Passkey verwenden",
  signedIn: "Willkommen zurück.",
  leaveAsk: (name) => `${name} zurücklassen?`,
  leaveGuest: (what) =>
    `Nur dieser Browser kennt dich hier. Wenn du weitermachst, ist das für immer weg: ${what}.`,
  leaveKept: "Du kommst mit einem Passkey oder deinem Wiederherstellungscode zurück.",
  leaveName: (name) => `der Name ${name}`,
  leaveGames: (count) => (count === 1 ? "1 gespieltes Spiel" : `${count} gespielte Spiele`),
  leaveStreak: (days) => `eine Serie von ${days === 1 ? "1 Tag" : `${days} Tagen`}`,
  leaveAll: "alles, was hier gespielt wurde",
  leaveRunning: "ein Spiel, das noch läuft",
  stay: "Hier bleiben",
  leave: "Als jemand anderes anmelden",

  data: "Deine Daten",
  download: "Meine Daten herunterladen",
  signOut: "Anderswo abmelden",
  signOutAsk: "Auf allen anderen Geräten abmelden?",
  signOutMore:
    "Hier bleibst du angemeldet. Damit kann man sich weiter anmelden. Kreuz an, was auch weg soll.",
  signOutOthers: "Alle bis auf eins ankreuzen",
  signOutFirst: "Sichere erst deine Ergebnisse, damit du dich dort wieder anmelden kannst.",
  signedOut: "Überall sonst abgemeldet.",
  remove: "Konto löschen",
  removeAsk: "Konto endgültig löschen?",
  removeMore:
    "Name, Verlauf und Anmeldungen werden gelöscht. Ergebnisse in Ranglisten bleiben, als die eines „Deleted player“.",
  removed: "Dein Konto ist gelöscht.",
  cancel: "Abbrechen",

  refusals: {
    bad_code: "Der Code stimmt nicht, ist verbraucht oder zu alt.",
    bad_passkey:
      "Das hat nicht geklappt: Den Passkey kennt hier niemand, oder es hat zu lange gedauert.",
    confirm_first: "Nimm erst einen Passkey oder deinen Wiederherstellungscode.",
    last_credential: "Behalte mindestens eine Anmeldung.",
    too_many_passkeys: "Du hast acht Passkeys. Mehr gehen nicht.",
    no_passkeys: "Passkeys gehen hier nicht. Nimm einen Wiederherstellungscode.",
  },
};
