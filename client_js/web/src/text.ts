/** Every word on the page, so that it can be read in one sitting and translated. */

import { type View, pileAt } from "../../src/rules/board.ts";
import { isDown, rankOf, suitOf } from "../../src/rules/cards.ts";

const RANK_NAMES = [
  ...["Ace", "Two", "Three", "Four", "Five", "Six", "Seven"],
  ...["Eight", "Nine", "Ten", "Jack", "Queen", "King"],
];
const SUIT_NAMES: Readonly<Record<string, string>> = {
  S: "spades",
  H: "hearts",
  D: "diamonds",
  C: "clubs",
};

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const text = {
  product: "Samedeal",
  tagline: "Everyone gets the same deal.",
  about:
    "Race your friends on it, or play the deal of the day against the world. Anyone can check afterwards that it was fair.",
  titleOf: (page: string) => `${page} · Samedeal`,
  loading: "One moment.",
  missing: "There is no such page.",
  toHome: "Go to the start page",

  nav: { label: "Pages", daily: "Today’s deals", skip: "Skip to the content" },
  deck: "Show the suits in four colours.",

  name: {
    title: "Your name",
    label: "Name",
    save: "Save",
    saved: "Your name is saved.",
    tag: (tag: string) => `Your tag is #${tag}. It tells players of one name apart.`,
  },

  status: {
    waiting: "The server cannot be reached just now.",
    stalled: "The server cannot save just now.",
    kept: "Your moves are kept and will be sent.",
    again: "The page tries again by itself.",
    replaced: "The game is open in another window.",
    playHere: "Play here",
    incompatible: "This page is older than the server.",
    reload: "Reload",
  },

  start: {
    title: "Race your friends",
    intro: "Everyone plays the same cards at the same time. Open a room and send the link.",
    game: "Game",
    variant: "Rules",
    seats: "Seats",
    limit: "Time limit",
    minutes: (count: number) => counted(count, "minute", "minutes"),
    create: "Open a room",
  },

  join: { title: "Join a room", code: "Room code", join: "Join" },

  dailies: {
    title: "Today’s deals",
    intro: "One deal of each game a day, the same for the whole world. You have one attempt.",
    next: (time: string) => `The next deals come in ${time}.`,
    notPlayed: "Not played yet",
    running: "Under way",
    play: "Play",
    resume: "Go on",
    see: "See the result",
  },

  daily: {
    title: (game: string) => `${game} of the day`,
    intro: "Your clock starts with the first look at the cards and does not stop.",
    play: "Play today’s deal",
    resume: "Go on with today’s deal",
    mine: "Your result",
  },

  leaderboard: {
    title: (game: string) => `${game}: leaderboard`,
    of: (date: string) => `Leaderboard of ${date}`,
    size: (count: number) => counted(count, "player", "players"),
    top: "The best",
    around: "Around you",
    empty: "Nobody has a result yet.",
    previous: "The day before",
    next: "The day after",
    today: "Today",
    all: "The whole day’s leaderboard",
  },

  columns: {
    rank: "Rank",
    player: "Player",
    left: "Cards left",
    time: "Time",
    moves: "Moves",
    wins: "Wins",
  },

  room: {
    title: (code: string) => `Room ${code}`,
    code: "Room code",
    invite: "Invite link",
    copy: "Copy",
    copied: "The link is copied.",
    notCopied: "The link could not be copied. Select it and copy it yourself.",
    terms: (seats: number, limit: string) => `${counted(seats, "seat", "seats")}, ${limit} a round`,
    players: "Players",
    freeSeat: "Free seat",
    host: "Host",
    you: "You",
    ready: "Ready",
    notReady: "Not ready",
    away: "Away",
    beReady: "I am ready",
    beNotReady: "I am not ready",
    start: (count: number) => `Start with ${counted(count, "player", "players")}`,
    rematch: (count: number) => `Start a rematch with ${counted(count, "player", "players")}`,
    waitForHost: "The host starts the round.",
    leave: "Leave the room",
    running: "A round is under way. You can be in the next one.",
    wins: (count: number) => counted(count, "round won", "rounds won"),
  },

  round: {
    title: (number: number) => `Round ${number}`,
    startsIn: (seconds: number) => `The round starts in ${counted(seconds, "second", "seconds")}.`,
    progress: "How far everyone has got",
    results: (number: number) => `Results of round ${number}`,
    waiting: "Your run is over. The round ends when everyone has finished.",
  },

  play: {
    clock: "Time played",
    timeLeft: "Time left",
    home: "Home",
    homeOf: (home: number, total: number) => `${home} of ${total} cards are home`,
    moves: "Moves",
    giveUp: "Give up",
    giveUpAsk: "Do you want to give up? Your result so far counts.",
    giveUpConfirm: "Give up",
    finish: "Finish",
    finishAsk:
      "Do you want to finish? The cards that you have brought home and the time of the last one count for the leaderboard.",
    finishConfirm: "Finish",
    goOn: "Go on playing",
    seeResults: "See the result",
    leave: "Start page",
  },

  ends: {
    won: "Won",
    stuck: "Stuck",
    resigned: "Given up",
    time: "Out of time",
    none: "Playing",
  },

  endSentences: {
    won: "You have won. Every card is home.",
    stuck: "No move brings another card home.",
    resigned: "You have finished.",
    time: "The time is up.",
  },

  outcome: (home: number, total: number, time: string, moves: number) =>
    `You brought ${home} of ${total} cards home. The last one came home after ${time}, and you made ${counted(moves, "move", "moves")}.`,
  outcomeNone: (moves: number) =>
    `You brought no card home, and you made ${counted(moves, "move", "moves")}.`,

  check: {
    button: "Check the deal",
    intro:
      "The commitment was published before the first card was seen. It can only be made from the seed, and the seed makes the deal.",
    deal: "Deal",
    commitment: "Commitment",
    seed: "Seed",
    closed: "The seed is published after the deal is closed.",
    agrees: "They agree. The seed makes this commitment, as worked out in your browser.",
    differs: "They do not agree. The seed makes another commitment.",
    cards: "The cards as they were dealt",
  },

  board: "Cards",
} as const;

/** A card's name in words, as in "Ten of hearts". */
export function cardWords(card: number): string {
  if (isDown(card)) return "Face-down card";
  return `${RANK_NAMES[rankOf(card)]} of ${SUIT_NAMES[suitOf(card)]}`;
}

/** A pile's name in words, as in "pile 3". */
export function pileWords(view: View, pile: number): string {
  const { foundations, tableau, stock } = view.ruleset;
  if (pile === stock) return "stock";
  if (foundations.includes(pile)) return `foundation ${pile + 1}`;
  return tableau.includes(pile) ? `pile ${pile - foundations.length + 1}` : "waste";
}

/** What a screen reader says of a card. */
export function cardLabel(view: View, at: { card: number; pile: number; index: number }): string {
  const { stock } = view.ruleset;
  if (at.pile !== stock) return `${cardWords(at.card)}, ${pileWords(view, at.pile)}`;
  const left = counted(pileAt(view, stock).length, "card", "cards");
  return isDown(at.card) ? `Stock, ${left}` : `${cardWords(at.card)}, stock, ${left}`;
}

/** What a screen reader says of an empty pile. */
export function placeLabel(view: View, pile: number): string {
  const { stock, waste, rules } = view.ruleset;
  const left = (rules.waste?.redeals ?? 0) - view.redeals;
  if (pile === stock && waste !== null && left > 0) {
    return `Empty stock. Turn the waste over: ${counted(left, "time", "times")} left`;
  }
  return `Empty ${pileWords(view, pile)}`;
}

/** A day as people write it; the server's days are UTC days. */
export function dateWords(day: number): string {
  const date = new Date(day * 86_400_000);
  return date.toLocaleDateString("en-GB", {
    timeZone: "UTC",
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
}

/** A span as on a clock, as in `4:07` or `1:04:07`. */
export function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A result's time, to the tenth of a second, since ranks are decided by it. */
export function resultTime(milliseconds: number): string {
  return `${clockText(milliseconds)}.${Math.floor((milliseconds % 1000) / 100)}`;
}
