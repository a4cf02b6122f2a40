/** Every word on the page, so that it can be read in one sitting and translated. */

import { type View, pileAt } from "../../src/rules/board.ts";
import type { Reason } from "./board/reasons.ts";
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
  wordmark: "samedeal",
  headline: "Same cards. Who’s faster?",
  about:
    "Solitaire with other people: everyone gets the same deal. Race your friends, or take on the world with today’s.",
  titleOf: (page: string) => `${page} · Samedeal`,
  loading: "One moment …",
  missing: "That card isn’t in the pack.",
  missingMore: "There’s no page here. The link may be old, or have lost a letter.",
  toHome: "Back to the start",

  nav: { label: "Pages", daily: "Today", settings: "You and settings", skip: "Skip to content" },

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
    title: "New race",
    race: "Race a friend",
    wish: (game: string, limit: string) => `${game}, ${limit}`,
    options: "Change",
    intro: "Open a room, send the link, and play the same cards at the same time.",
    game: "Game",
    variant: "Rules",
    seats: "Seats",
    limit: "Time limit",
    minutes: (count: number) => counted(count, "minute", "minutes"),
    create: "Open a room",
  },

  join: { title: "Got a code?", code: "Room code", join: "Join" },

  dailies: {
    title: "Today",
    intro: "One deal of each game a day, the same for the whole world. One try.",
    next: (time: string) => `next in ${time}`,
    notPlayed: "Not played yet",
    running: "You’re in the middle of it",
    won: (time: string) => `Won in ${time}`,
    played: (home: number, total: number) => `${home} of ${total} home`,
    play: "Play",
    resume: "Go on",
    see: "Result",
  },

  daily: {
    title: (game: string) => `Today’s ${game}`,
    intro: "The clock starts when you see the cards, and doesn’t stop.",
    play: "Play today’s deal",
    resume: "Go on playing",
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

  reasons: {
    never: "Cards don’t go there.",
    closed: "Nothing more goes there.",
    tooMany: (most: number) =>
      most === 1 ? "Only one card at a time." : `Only ${most} cards at a time just now.`,
    noRun: "Only cards that follow one another move together.",
    wholeRun: "Only a whole run from King to Ace goes there.",
    wants: (cards: string, onto: string | null) =>
      onto === null ? `Only ${cards} can start there.` : `Only ${cards} goes on the ${onto}.`,
  },

  spoken: {
    row: "A new row.",
    turnedOver: "The waste is the stock again.",
    cards: (card: string, count: number) =>
      count === 1 ? card : `${card} and ${counted(count - 1, "card", "cards")} on it`,
    home: (cards: string, count: number) =>
      `${cards} home. ${counted(count, "card", "cards")} on that foundation.`,
    moved: (cards: string, onto: string) => `${cards} to ${onto}.`,
    up: (cards: readonly string[]) => `${cards.join(", ")} came up.`,
  },

  settings: {
    title: "Settings",
    deck: "Suits",
    decks: { two: "Two colours", four: "Four colours" },
    back: "Card backs",
    backs: { lattice: "Lattice", waves: "Waves", stars: "Stars" },
    table: "Table",
    tables: { felt: "Felt", midnight: "Midnight", clay: "Clay", daylight: "Daylight" },
    hand: "Stock and waste",
    hands: { right: "On the right", left: "On the left" },
    tapping: "A tap on a card",
    taps: { one: "plays its best move", two: "picks it up" },
    motion: "Motion",
    motions: { system: "As in your system", none: "None" },
  },

  play: {
    stockLeft: (left: number) => `${left} left`,
    turnsLeft: (turns: number) => counted(turns, "turn", "turns"),
    menu: "Menu",
    deal: "Deal",
    covered: (card: string, above: number) => `${card}, ${counted(above, "card", "cards")} on it`,
    clock: "Time played",
    timeLeft: "Time left",
    home: "Home",
    homeOf: (home: number, total: number) => `${home} of ${total} cards are home`,
    moves: "Moves",
    giveUp: "Give up",
    giveUpAsk: "Do you want to give up? Your result so far counts.",
    giveUpConfirm: "Give up",
    finish: "Finish",
    finishIt: "Finish it",
    skip: "Skip",
    youWon: "You won!",
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
    won: "You won! Every card is home.",
    stuck: "No moves left.",
    resigned: "That’s it for this deal.",
    time: "Time’s up.",
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

/** Cards of some ranks and suits in words, as in "a red six"; of all suits if there are four. */
export function anyOfWords(ranks: readonly number[], suits: string): string {
  const names = ranks.map((rank) => (RANK_NAMES[rank] ?? "").toLowerCase());
  const ending = suits.length === 1 ? ` of ${SUIT_NAMES[suits]}` : "";
  const colour = suits === "HD" ? "red " : suits === "SC" ? "black " : "";
  const each = names.map((name) => {
    const noun = `${colour}${name}${ending}`;
    return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
  });
  return each.join(" or ");
}

/** Why cards may not go where they were dropped. */
export function reasonWords(reason: Reason): string {
  switch (reason.kind) {
    case "never":
      return text.reasons.never;
    case "closed":
      return text.reasons.closed;
    case "too-many":
      return text.reasons.tooMany(reason.most);
    case "no-run":
      return text.reasons.noRun;
    case "whole-run":
      return text.reasons.wholeRun;
    case "wants": {
      const onto = reason.onto === null ? null : lowerFirst(cardWords(reason.onto));
      return text.reasons.wants(anyOfWords(reason.ranks, reason.suits), onto);
    }
  }
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** What a screen reader says of a pile before its cards. */
export function pileLabel(view: View, pile: number): string {
  const words = pileWords(view, pile);
  const count = pileAt(view, pile).length;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}, ${counted(count, "card", "cards")}`;
}

/** What a screen reader says of a card. */
export function cardLabel(view: View, at: { card: number; pile: number; index: number }): string {
  const { ruleset } = view;
  if (at.pile === ruleset.stock && isDown(at.card)) return text.play.deal;
  const above = pileAt(view, at.pile).length - 1 - at.index;
  const covered = above > 0 && ruleset.tableau.includes(at.pile);
  return covered ? text.play.covered(cardWords(at.card), above) : cardWords(at.card);
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
