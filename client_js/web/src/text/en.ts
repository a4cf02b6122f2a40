/** The page in English. */

const RANKS = [
  ...["Ace", "Two", "Three", "Four", "Five", "Six", "Seven"],
  ...["Eight", "Nine", "Ten", "Jack", "Queen", "King"],
];
const SUITS: Readonly<Record<string, string>> = {
  S: "spades",
  H: "hearts",
  D: "diamonds",
  C: "clubs",
};

function cardName(rank: number, suit: string): string {
  return `${RANKS[rank]} of ${SUITS[suit]}`;
}

/** A rank's name, from its letter. */
function rankName(letter: string): string {
  return RANKS["A23456789TJQK".indexOf(letter)] ?? letter;
}

function nounOf(rank: number, suits: string): string {
  const name = (RANKS[rank] ?? "").toLowerCase();
  return suits.length === 1 ? `${name} of ${SUITS[suits]}` : name;
}

function colourOf(suits: string): string {
  return suits === "HD" ? "red " : suits === "SC" ? "black " : "";
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What a deal is played for, as `app/targets.ts` tells it. */
interface Target {
  readonly kind: "all" | "par" | "best" | "own";
  readonly home: number;
}

function runOf(name: string | null): string {
  return name === null ? "your earlier run" : `${name}’s run`;
}

const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };
/** Names in a row, as in "Ada and Grace". */
const LIST = new Intl.ListFormat("en");
const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });

export const en = {
  product: "Samedeal",
  wordmark: "samedeal",
  headline: "Same cards. Who’s faster?",
  about:
    "Solitaire with other people: everyone gets the same deal. Race your friends, or take on the world with today’s.",
  titleOf: (page: string) => `${page} · Samedeal`,
  loading: "One moment …",
  missing: "That card isn’t in the pack.",
  missingMore: "There’s no page here. The link may be old, or have lost a letter.",
  notKept: "This browser isn’t saving anything. You can play, but only until you close the page.",
  toHome: "Back to the start",
  cancel: "Cancel",
  again: "Try again",
  broken: "Something went wrong here.",
  brokenMore: "Reload the page. What you’ve played is safe.",

  nav: {
    label: "Pages",
    daily: "Today",
    settings: "You and settings",
    skip: "Skip to content",
    running: (game: string) => `Your ${game} is still running`,
    back: "Return to your game",
  },

  name: {
    title: "Your name",
    label: "Name",
    save: "Save",
    saved: "Saved.",
    tag: (tag: string) => `You’re #${tag}, in case somebody has the same name.`,
  },

  keep: {
    title: "Your account",
    more: "Keep your results, and play on other devices.",
    open: "Open",
    keep: "Keep your results",
    before: "You’re a guest.",
    finished: "Your result is shown among guests. Keep it with a passkey or a recovery code.",
  },

  status: {
    waiting: "No connection right now.",
    stalled: "The server can’t save right now.",
    kept: "Your moves are kept, and sent once it’s back.",
    again: "Trying again.",
    replaced: "Too many tabs and devices are open.",
    playHere: "Play here",
    barred: "You can’t play here for now. The people who run this server have decided that.",
    incompatible: "There’s a newer version of this page.",
    reload: "Reload",
  },

  offline: {
    title: "No connection just now",
    more: "This comes back by itself. You can practise meanwhile.",
    needed: "A race needs a connection.",
    practise: "Practise",
    free: "No clock, no connection needed",
  },

  start: {
    title: "New race",
    race: "Race a friend",
    alone: "Play alone",
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

  /** Public rooms. */
  open: {
    title: "Open races",
    none: "No open races right now.",
    noneMore: "Open one of your own, or let us look for somebody: it starts by itself.",
    joinOf: (host: string) => `Join ${host}’s race`,
    seats: (taken: number, of: number) => `${taken} of ${of} seats taken`,
    running: "in a round",
    toAnyone: "Open to anyone",
    toAnyoneMore: "Your race is listed, and anybody may take a free seat.",
  },

  quick: {
    find: "Race anyone",
    looking: "Looking for somebody …",
    found: (name: string) => `You’re racing ${name}.`,
    starts: "The race starts in a moment.",
    botIn: (seconds: number) =>
      `If nobody comes in ${counted(seconds, "second", "seconds")}, the pace bot plays.`,
    waiting: "The race starts as soon as somebody comes.",
    stop: "Stop looking",
    meanwhile: "It starts by itself: same cards, same moment, for both of you.",
  },

  /** A player that plays by hints. */
  bot: {
    name: "Pace bot",
    about: "A bot that plays by hints",
  },

  join: { title: "Got a code?", code: "Room code or link", join: "Join" },

  dailies: {
    title: "Today",
    intro: "One deal of each game a day, the same for the whole world. One try.",
    next: (time: string) => `next in ${time}`,
    running: "You’re in the middle of it",
    won: (time: string) => `Won in ${time}`,
    play: "Play",
    resume: "Resume",
    see: "Result",
    left: (left: number) => `Next up: ${left} to go for the crown`,
    done: (done: number, of: number) => `${done} of ${of} done. All ${of} earn the crown.`,
    crown: "All five done. The crown is yours.",
    allDone: "All five done. The crown takes a card home in every one.",
    streak: (days: number) => counted(days, "day", "days"),
    streakLabel: (days: number) => `${counted(days, "day", "days")} in a row`,
    calendar: "Calendar",
    boards: "Leaderboards",
    results: "Your results",
  },

  /** The proof about a daily's deal before anybody could play it. */
  proof: {
    /** How hard it is among the deals of its game. */
    levels: ["Easy", "Medium", "Hard"],
    winnable: (level: string) => `${level} · can\u00a0be\u00a0won`,
    par: (level: string, par: number) => `${level} · par\u00a0${par}`,
    best: (home: number) => `Best so far: ${home} home`,
    /** Of a deal of which nothing was proved, among others. */
    open: "Can it be won? Nobody knows.",
  },

  daily: {
    title: (game: string) => `Today’s ${game}`,
    intro: "The clock starts when you see the cards, and doesn’t pause.",
    play: "Play today’s deal",
    resume: "Keep playing",
  },

  leaderboard: {
    title: (game: string) => `${game} leaderboard`,
    of: (date: string) => date,
    size: (count: number) => counted(count, "player", "players"),
    top: "Top",
    around: "Around you",
    empty: "Nobody yet",
    emptyMore: "The first to finish tops the board.",
    previous: "The day before",
    next: "The day after",
    today: "Today",
    all: "Other days",
    days: "Days",
    others: "Other games",
  },

  columns: {
    rank: "Rank",
    player: "Player",
    home: "Home",
    time: "Time",
    moves: "Moves",
    points: "Points",
  },

  room: {
    title: (code: string) => `Room ${code}`,
    /** Why somebody has no seat, by the code of the refusal. */
    noSeat: {
      unknown_room: "The link may have lost a letter, or everybody has gone home.",
      room_full: "Try again when somebody has left, or open a room of your own.",
      room_locked: "Ask the host to unlock it, then try again.",
      room_closed: "The people who run this server have closed it. Open a room of your own.",
      removed: "It happens. Open a room of your own, and the cards are dealt anew.",
    } as Readonly<Record<string, string>>,
    arrived: (name: string) => `${name} is here`,
    code: "Room code",
    invite: "Invite your friends",
    link: "The room’s link",
    shareText: (game: string) => `Race me at ${game}. Same cards, same start.`,
    terms: (seats: number, limit: string, help: string | null) =>
      [counted(seats, "seat", "seats"), `${limit} a round`, ...(help === null ? [] : [help])].join(
        " · ",
      ),
    players: "Players",
    freeSeats: (count: number) => counted(count, "free seat", "free seats"),
    host: "Host",
    you: "You",
    plays: "In",
    sitsOut: "Sitting out",
    away: "Away",
    sitOut: "Sit this one out",
    sitIn: "I’m in",
    start: (count: number) => (count === 1 ? "Start on your own" : `Start with ${count}`),
    rematch: (count: number) => (count === 1 ? "Play again" : `Rematch with ${count}`),
    startWithout: (names: readonly string[]) => `Start without ${LIST.format(names)}?`,
    startAnyway: "Start",
    wait: "Wait a moment",
    waitFor: (host: string) => `${host} starts the round.`,
    hostAway: (host: string) => `${host} is away. Somebody else takes over in a moment.`,
    menu: (name: string) => `More about ${name}`,
    makeHost: "Make host",
    remove: "Remove from the room",
    removeAsk: (name: string) => `Remove ${name}?`,
    removeMore: "Their seat is lost, and they can’t come back to this room.",
    removeConfirm: "Remove",
    lock: "Lock the room",
    unlock: "Unlock the room",
    locked: "Locked",
    lockedTitle: "The room is locked",
    lockedMore: "Nobody new can take a seat.",
    leave: "Leave",
    running: "They’re in the middle of a round. You can be in the next one.",
    wins: (count: number) => counted(count, "round won", "rounds won"),
  },

  /** The terms of the next round. */
  terms: {
    title: "Next round",
    next: (terms: string) => `Next: ${terms}.`,
    change: "Change game",
    suggest: "Suggest a game",
    suggests: (name: string, terms: string) => `${name} suggests ${terms}.`,
    youSuggest: (terms: string) => `You suggest ${terms}.`,
    accept: "Play this",
    propose: "Suggest it",
  },

  series: {
    title: "So far",
    short: (round: number) => `R${round}`,
    left: "has left",
    place: (rank: number) => `${rank}${ENDINGS[ORDINALS.select(rank)] ?? "th"}`,
    caption: "One point for each player you beat; none for a run without a card home.",
  },

  share: {
    share: "Share",
    copied: "Copied. Paste it anywhere.",
    notCopied: "Copying didn’t work here.",
  },

  round: {
    title: (number: number) => `Round ${number}`,
    startsIn: (seconds: number) => `The round starts in ${counted(seconds, "second", "seconds")}.`,
    begins: "The race is on",
    results: (number: number) => `Round ${number}`,
    noWinner: "Nobody brought a card home, so nobody wins this one.",
    waiting: "You’re done. The round ends when everyone is.",
  },

  /** A place as it is written, with what is written smaller after its figure. */
  ordinal: (place: number) => ({
    figure: `${place}`,
    ending: ENDINGS[ORDINALS.select(place)] ?? "th",
  }),
  ofPlayers: (count: number) => `of ${count}`,

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

  rules: {
    open: "Rules",
    title: (game: string) => `How to play ${game}`,
    others: "Other games",
    newHere: "New to these games?",
    newHereMore: "A minute to learn each, and a practice deal with undo and hints.",
    /** Each game in a few words. */
    leads: {
      roosevelt: "Two packs and a lot of patience",
      robert: "Two minutes, up or down",
      "rouge-et-noir": "Red on black, black on red",
      deuces: "The Twos are home already",
      "lady-betty": "Once it’s down, it stays",
    } as Readonly<Record<string, string>>,
  },

  /** Undoing moves, and hints. */
  help: {
    title: "Help",
    kinds: { none: "None", undo: "Undo", hints: "Undo and hints" },
    /** As a part of what a round is played by. */
    terms: { undo: "with undo", hints: "with undo and hints" },
    undo: "Undo",
    hint: "Hint",
    hinted: (move: string) => `Hint: ${move}`,
    none: "No move here gets you any further. Undo a few?",
    deadEnd: "No moves left here. Undo a few, or give up.",
    undone: "Took a move back",
    used: (marks: string) => `Help: ${marks}.`,
    /** The help that a player asked for, beside a result. */
    marks: (undos: number, hints: number, peeked: boolean) =>
      [
        ...(undos > 0 ? [counted(undos, "undo", "undos")] : []),
        ...(hints > 0 ? [counted(hints, "hint", "hints")] : []),
        ...(peeked ? ["looked under cards"] : []),
      ].join(", "),
  },

  practice: {
    title: (game: string) => `Practice: ${game}`,
    start: "Try it, no clock",
    deal: "New deal",
    /** On the table of a day that is over. */
    unranked: "Unranked",
    toDay: "Back to that day",
    lost: "The rules of the deal that was kept here are not known any more. Here is a new deal.",
  },

  /** Races against an ended run; the name is null if it is the player's own. */
  ghost: {
    race: "Race this run",
    raceOf: (name: string) => `Race against ${name}’s run`,
    title: (game: string, name: string | null) =>
      `${game} against ${name === null ? "yourself" : `${name}’s ghost`}`,
    of: (name: string | null) => `${name === null ? "Your" : `${name}’s`} ghost`,
    stop: "Stop",
    keep: "Keep racing",
    again: "Race again",
    drop: "Drop the ghost",
    cards: (count: number) => counted(count, "card", "cards"),
    seconds: (count: string) => `${count} s`,
    minutes: (clock: string) => `${clock} min`,
    ahead: (name: string | null, by: string) => `You beat ${runOf(name)} by ${by}.`,
    behind: (name: string | null, by: string) => `${by} behind ${runOf(name)}.`,
    level: (name: string | null) => `Level with ${runOf(name)}.`,
  },

  play: {
    sound: "Sound",
    elsewhere: "You’re playing this somewhere else.",
    guide: "Tap a card that glows: it makes its best move. Or drag it.",
    /** Where a tap only selects. */
    guideTwo: "Tap a card that glows, then the pile for it. Or drag it.",
    stockLeft: (left: number) => `${left} left`,
    turnsLeft: (turns: number) => counted(turns, "turn", "turns"),
    deal: "Deal",
    covered: (card: string, above: number) => `${card}, ${counted(above, "card", "cards")} on it`,
    clock: "Time played",
    timeLeft: "Time left",
    home: "Home",
    /** Behind what a deal is played for, where that is not all cards. */
    aims: { par: "par", best: "so far", own: "your best" },
    moves: "Moves",
    giveUp: "Give up",
    giveUpAsk: "Give up? What you’ve brought home counts.",
    giveUpAskLast: "Give up? With no card home yet, your run will count as last.",
    giveUpConfirm: "Give up",
    finish: "Finish",
    finishIt: "Finish it",
    skip: "Skip",
    youWon: "You won!",
    finishAsk: "Finish here? The cards you’ve brought home count, and the time of the last one.",
    finishAskLast: "Finish here? With no card home yet, your run will count as last.",
    finishConfirm: "Finish",
    goOn: "Keep playing",
    seeResults: "See the result",
    leave: "Back to the start",
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
    stuck: "Nothing more can go home.",
    resigned: "That’s it for this deal.",
    time: "Time’s up.",
  },

  /** The cards home, against what the deal is played for; null if no number is known. */
  reached: (home: number, target: Target | null) => {
    const said = `${home} home`;
    if (target === null) return said;
    const made = home >= target.home;
    return {
      all: `${home} of ${target.home} home`,
      par: said + (made ? ", and that’s par" : `, par\u00a0${target.home}`),
      best: said + (made ? ", the best so far" : `, best so far ${target.home}`),
      own: said + (made ? ", your best yet" : `, your best is ${target.home}`),
    }[target.kind];
  },
  againstAverage: (home: number, average: number) => {
    if (home === average) return " Right on your average.";
    return home > average
      ? ` ${home - average} more than your average.`
      : ` Your average is ${average}.`;
  },
  yourAverage: (average: number) => `Your average is ${average}.`,
  outcome: (reached: string, time: string, moves: number) =>
    `${reached}. It took you ${time} and ${counted(moves, "move", "moves")}.`,
  outcomeNone: (moves: number) => `No cards home this time, in ${counted(moves, "move", "moves")}.`,

  runs: {
    watch: "Replay",
    watchOf: (name: string) => `Replay: ${name}`,
    all: "All runs",
    chart: "Cards home over time",
  },

  board: (player: string | null) => (player === null ? "Cards" : `${player}’s cards`),

  cards: {
    down: "Face-down card",
    name: cardName,
    rank: rankName,
    /** Within a sentence. */
    inSentence: (rank: number, suit: string) => cardName(rank, suit).toLowerCase(),
    /** Cards of these ranks and suits, as in "a red six"; of all suits if there are four. */
    anyOf: (ranks: readonly number[], suits: string) =>
      ranks.map((rank) => withArticle(`${colourOf(suits)}${nounOf(rank, suits)}`)).join(" or "),
  },

  piles: {
    stock: "stock",
    waste: "waste",
    foundation: (number: number) => `foundation ${number}`,
    column: (number: number) => `pile ${number}`,
    /** The name of a pile before its cards. */
    withCount: (pile: string, count: number) =>
      `${pile.charAt(0).toUpperCase()}${pile.slice(1)}, ${counted(count, "card", "cards")}`,
    empty: (pile: string) => `Empty ${pile}`,
    emptyStock: (left: number) =>
      `Empty stock. Turn the waste over: ${counted(left, "time", "times")} left`,
  },

  /** How days are written. */
  locale: "en-GB",

  watch: {
    open: "Watch the race",
    others: "Watch the others",
  },

  refusals: {
    bad_name: "That name can’t be used.",
    name_reserved: "That name is kept for the people who run the game.",
    name_offensive: "Please pick a name that’s kind to everybody.",
    name_too_soon: "You’ve had a few names lately. Try again in some minutes.",
    name_hidden: "Your name is hidden for now, and can’t be changed.",
    too_fast: "That was a bit fast. Try again in a moment.",
    unknown_rules:
      "This game was begun by rules that aren’t known here. Try loading the page again.",
    unknown_room: "There is no room with this code.",
    room_full: "Every seat in this room is taken.",
    room_locked: "This room is locked.",
    room_closed: "This room is closed.",
    removed: "The host has removed you from this room.",
    not_invited: "This link doesn’t let you watch.",
    still_racing: "You’re still in this round. You can watch when you’re done.",
    too_many_watchers: "Too many people are watching this race.",
    not_host: "Only the host can do that.",
    players_away: "Not everybody is here yet.",
    nobody_plays: "Everybody sits out. Somebody has to play.",
    round_running: "A round is under way.",
    not_started: "The round hasn’t begun yet.",
    unknown_attempt: "That isn’t a game of yours.",
    no_help: "There’s no such help in this game.",
    nothing_to_undo: "There’s no move to take back.",
    already_played: "You have played this one already.",
    too_many_starts: "Enough players have begun this one where you are. Tomorrow’s is yours.",
    address_full: "There’s a lot going on where you are. Try again a little later.",
    unknown_day: "There is no leaderboard for this day.",
    unknown_board: "There is no such leaderboard.",
    deal_open: "Somebody may still be playing this deal.",
    unknown_run: "Runs are kept for 90 days. The link may be older, or have lost a letter.",
    overloaded: "The server is very busy. Try again in a moment.",
    unavailable: "The server can’t save right now. Try again in a moment.",
  } as Readonly<Record<string, string>>,
};
