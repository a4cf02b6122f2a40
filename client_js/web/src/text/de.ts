/** Die Seite auf Deutsch. */

import type { Text } from "./index.ts";

const RANKS = [
  ...["Ass", "Zwei", "Drei", "Vier", "Fünf", "Sechs", "Sieben"],
  ...["Acht", "Neun", "Zehn", "Bube", "Dame", "König"],
];
const SUITS: Readonly<Record<string, string>> = { S: "Pik", H: "Herz", D: "Karo", C: "Kreuz" };

/** The article of a rank that is the subject: its ending decides. */
const NEUTER = 0;
const MASCULINE = new Set([10, 12]);

function cardName(rank: number, suit: string): string {
  return `${SUITS[suit]}-${RANKS[rank]}`;
}

function rankName(letter: string): string {
  return RANKS["A23456789TJQK".indexOf(letter)] ?? letter;
}

/** "Ein rotes Ass", "ein roter König", "eine rote Sechs". */
function anyCard(rank: number, suits: string): string {
  const [article, ending] =
    rank === NEUTER ? ["ein", "es"] : MASCULINE.has(rank) ? ["ein", "er"] : ["eine", "e"];
  const colour = suits === "HD" ? `rot${ending} ` : suits === "SC" ? `schwarz${ending} ` : "";
  const noun = suits.length === 1 ? cardName(rank, suits) : RANKS[rank];
  return `${article} ${colour}${noun}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A run in the dative. */
function runOf(name: string | null): string {
  return name === null ? "deiner früheren Partie" : `der Partie von ${name}`;
}

const LIST = new Intl.ListFormat("de");

export const de: Text = {
  product: "Samedeal",
  wordmark: "samedeal",
  headline: "Gleiche Karten. Wer ist schneller?",
  about:
    "Patience mit anderen: Alle bekommen dieselben Karten. Spiel gegen Freunde um die Wette, oder gegen die ganze Welt.",
  titleOf: (page) => `${page} · Samedeal`,
  loading: "Einen Moment …",
  missing: "Diese Karte fehlt im Spiel.",
  missingMore:
    "Hier ist keine Seite. Der Link ist vielleicht alt oder hat einen Buchstaben verloren.",
  notKept:
    "Dieser Browser speichert gerade nichts. Spielen kannst du, aber nur, bis du die Seite schließt.",
  toHome: "Zur Startseite",
  cancel: "Abbrechen",
  again: "Noch einmal versuchen",
  broken: "Hier ist etwas schiefgegangen.",
  brokenMore: "Lade die Seite neu. Was du gespielt hast, ist sicher.",

  nav: {
    label: "Seiten",
    daily: "Heute",
    settings: "Du und Einstellungen",
    skip: "Zum Inhalt",
    running: (game) => `Dein ${game} läuft noch`,
    back: "Zurück zum Spiel",
  },

  name: {
    title: "Dein Name",
    label: "Name",
    save: "Speichern",
    saved: "Gespeichert.",
    tag: (tag) => `Du bist #${tag}, falls jemand genauso heißt.`,
  },

  keep: {
    title: "Dein Konto",
    more: "Sichere deine Ergebnisse und spiel auf anderen Geräten weiter.",
    open: "Öffnen",
    keep: "Ergebnisse sichern",
    before: "Du bist zu Gast.",
    finished:
      "Dein Ergebnis steht bei den Gästen. Sichere es mit einem Passkey oder einem Wiederherstellungscode.",
  },

  status: {
    waiting: "Gerade keine Verbindung.",
    stalled: "Der Server kann gerade nicht speichern.",
    kept: "Deine Züge sind aufgehoben und werden gesendet.",
    again: "Die Seite versucht es von selbst wieder.",
    replaced: "Es sind zu viele Fenster und Geräte offen.",
    playHere: "Hier spielen",
    barred: "Hier kannst du vorerst nicht spielen. Das haben die Betreiber so entschieden.",
    incompatible: "Es gibt eine neuere Fassung dieser Seite.",
    reload: "Neu laden",
  },

  offline: {
    title: "Gerade keine Verbindung",
    more: "Sie kommt von selbst wieder. Üben kannst du auch so.",
    needed: "Ein Rennen braucht eine Verbindung.",
    practise: "Üben",
    free: "Ohne Uhr und ohne Verbindung",
  },

  start: {
    title: "Neues Rennen",
    race: "Gegen Freunde spielen",
    alone: "Allein spielen",
    wish: (game, limit) => `${game}, ${limit}`,
    options: "Ändern",
    intro: "Raum öffnen, Link schicken, und alle spielen zugleich mit denselben Karten.",
    game: "Spiel",
    variant: "Regeln",
    seats: "Plätze",
    limit: "Zeitlimit",
    minutes: (count) => counted(count, "Minute", "Minuten"),
    create: "Raum öffnen",
  },

  open: {
    title: "Offene Rennen",
    none: "Gerade gibt es keine offenen Rennen.",
    noneMore: "Eröffne selbst eins, oder lass uns einen Gegner suchen: Es geht von selbst los.",
    joinOf: (host) => `Beim Rennen von ${host} mitspielen`,
    seats: (taken, of) => `${taken} von ${of} Plätzen besetzt`,
    running: "mitten in einer Runde",
    toAnyone: "Offen für alle",
    toAnyoneMore: "Dein Rennen steht in der Liste, und jeder kann einen freien Platz nehmen.",
  },

  quick: {
    find: "Gegner finden",
    looking: "Wir suchen jemanden …",
    found: (name) => `Du spielst gegen ${name}.`,
    starts: "Gleich geht es los.",
    botIn: (seconds) =>
      `Kommt in ${counted(seconds, "Sekunde", "Sekunden")} niemand, spielt der Tempo-Bot.`,
    waiting: "Es geht los, sobald jemand kommt.",
    stop: "Suche beenden",
    meanwhile: "Es geht von selbst los: gleiche Karten, gleicher Start, für euch beide.",
  },

  bot: {
    name: "Tempo-Bot",
    about: "Ein Bot, der nach Tipps spielt",
  },

  join: { title: "Du hast einen Code?", code: "Raumcode oder Link", join: "Mitspielen" },

  dailies: {
    title: "Heute",
    intro: "Jeden Tag ein Blatt je Spiel, für die ganze Welt dasselbe. Ein Versuch.",
    next: (time) => `neu in ${time}`,
    running: "Du bist mittendrin",
    won: (time) => `Gewonnen in ${time}`,
    play: "Spielen",
    resume: "Weiter",
    see: "Ergebnis",
    left: (left) => `Als Nächstes: noch ${left} bis zur Krone`,
    done: (done, of) => `${done} von ${of} geschafft. Für die Krone brauchst du alle ${of}.`,
    crown: "Alle fünf geschafft. Die Krone gehört dir.",
    allDone: "Alle fünf gespielt. Für die Krone muss in jedem eine Karte heim.",
    streak: (days) => counted(days, "Tag", "Tage"),
    streakLabel: (days) => `${counted(days, "Tag", "Tage")} in Folge`,
    calendar: "Kalender",
    boards: "Bestenlisten",
    results: "Deine Ergebnisse",
  },

  proof: {
    levels: ["Leicht", "Mittel", "Schwer"],
    winnable: (level) => `${level} · zu\u00a0gewinnen`,
    par: (level, par) => `${level} · Par\u00a0${par}`,
    best: (home) => `Bisher am weitesten: ${home} zu Hause`,
    open: "Zu gewinnen? Das weiß niemand.",
  },

  daily: {
    title: (game) => `${game} von heute`,
    intro: "Die Uhr läuft, sobald du die Karten siehst, und hält nicht an.",
    play: "Jetzt spielen",
    resume: "Weiterspielen",
  },

  leaderboard: {
    title: (game) => `${game}: Bestenliste`,
    of: (date) => date,
    size: (count) => counted(count, "Spieler", "Spieler"),
    top: "Die Besten",
    around: "Um dich herum",
    empty: "Noch niemand",
    emptyMore: "Wer zuerst da ist, bleibt vorn, bis jemand besser ist.",
    previous: "Der Tag davor",
    next: "Der Tag danach",
    today: "Heute",
    all: "Andere Tage",
    days: "Tage",
    others: "Andere Spiele",
  },

  columns: {
    rank: "Platz",
    player: "Spieler",
    home: "Ziel",
    time: "Zeit",
    moves: "Züge",
    points: "Punkte",
  },

  room: {
    title: (code) => `Raum ${code}`,
    code: "Raumcode",
    noSeat: {
      unknown_room: "Vielleicht fehlt dem Link ein Buchstabe, oder alle sind nach Hause gegangen.",
      room_full: "Versuch es noch einmal, wenn jemand gegangen ist, oder öffne selbst einen Raum.",
      room_locked: "Bitte den Gastgeber, ihn aufzuschließen, und versuch es noch einmal.",
      room_closed: "Die Betreiber haben ihn geschlossen. Öffne selbst einen Raum.",
      removed: "Das kommt vor. Öffne selbst einen Raum, und die Karten werden neu gegeben.",
    },
    arrived: (name) => `${name} ist da`,
    invite: "Lade deine Freunde ein",
    link: "Der Link des Raums",
    shareText: (game) => `Spiel gegen mich: ${game}. Gleiche Karten, gleicher Start.`,
    terms: (seats, limit, help) =>
      [
        counted(seats, "Platz", "Plätze"),
        `${limit} je Runde`,
        ...(help === null ? [] : [help]),
      ].join(" · "),
    players: "Spieler",
    freeSeats: (count) => counted(count, "freier Platz", "freie Plätze"),
    host: "Gastgeber",
    you: "Du",
    plays: "Dabei",
    sitsOut: "Setzt aus",
    away: "Nicht da",
    sitOut: "Aussetzen",
    sitIn: "Ich bin dabei",
    start: (count) => (count === 1 ? "Allein anfangen" : `Zu ${count} anfangen`),
    rematch: (count) => (count === 1 ? "Noch einmal" : `Revanche zu ${count}`),
    startWithout: (names) => `Ohne ${LIST.format(names)} anfangen?`,
    startAnyway: "Anfangen",
    wait: "Kurz warten",
    waitFor: (host) => `${host} startet die Runde.`,
    hostAway: (host) => `${host} ist nicht da. Gleich übernimmt jemand anders.`,
    menu: (name) => `Mehr zu ${name}`,
    makeHost: "Zum Gastgeber machen",
    remove: "Aus dem Raum entfernen",
    removeAsk: (name) => `${name} entfernen?`,
    removeMore: "Der Platz wird frei, und eine Rückkehr in diesen Raum ist nicht möglich.",
    removeConfirm: "Entfernen",
    lock: "Raum abschließen",
    unlock: "Raum aufschließen",
    locked: "Abgeschlossen",
    lockedTitle: "Der Raum ist abgeschlossen",
    lockedMore: "Niemand Neues bekommt einen Platz.",
    leave: "Gehen",
    running: "Gerade läuft eine Runde. In der nächsten kannst du dabei sein.",
    wins: (count) => counted(count, "Runde gewonnen", "Runden gewonnen"),
  },

  terms: {
    title: "Nächste Runde",
    next: (terms) => `Als Nächstes: ${terms}.`,
    change: "Spiel ändern",
    suggest: "Spiel vorschlagen",
    suggests: (name, terms) => `${name} schlägt vor: ${terms}.`,
    youSuggest: (terms) => `Dein Vorschlag: ${terms}.`,
    accept: "Das spielen wir",
    propose: "Vorschlagen",
  },

  series: {
    title: "Zwischenstand",
    short: (round) => `R${round}`,
    left: "nicht mehr da",
    place: (rank) => `${rank}.`,
    caption: "Ein Punkt für jeden, den du schlägst; keiner für eine Partie ohne Karte zu Hause.",
  },

  share: {
    share: "Teilen",
    copied: "Kopiert. Füg es ein, wo du willst.",
    notCopied: "Das Kopieren geht hier nicht.",
  },

  round: {
    title: (number) => `Runde ${number}`,
    startsIn: (seconds) => `Die Runde beginnt in ${counted(seconds, "Sekunde", "Sekunden")}.`,
    begins: "Das Rennen läuft",
    results: (number) => `Runde ${number}`,
    noWinner: "Niemand hat eine Karte nach Hause gebracht: Diese Runde gewinnt niemand.",
    waiting: "Du bist fertig. Die Runde endet, wenn alle es sind.",
  },

  ordinal: (place) => ({ figure: `${place}.`, ending: "" }),
  ofPlayers: (count) => `von ${count}`,

  reasons: {
    never: "Dorthin gehen keine Karten.",
    closed: "Dorthin geht nichts mehr.",
    tooMany: (most) =>
      most === 1 ? "Nur eine Karte auf einmal." : `Gerade nur ${most} Karten auf einmal.`,
    noRun: "Nur Karten, die aufeinander folgen, ziehen zusammen um.",
    wholeRun: "Dorthin geht nur eine ganze Folge vom König bis zum Ass.",
    wants: (cards, onto) =>
      onto === null ? `Dort fängt nur ${cards} an.` : `Auf ${onto} geht nur ${cards}.`,
  },

  spoken: {
    row: "Eine neue Reihe.",
    turnedOver: "Die Ablage ist wieder der Stapel.",
    cards: (card, count) =>
      count === 1 ? card : `${card} mit ${counted(count - 1, "Karte", "Karten")} darauf`,
    home: (cards, count) =>
      `${cards} nach Hause. ${counted(count, "Karte", "Karten")} auf diesem Zielstapel.`,
    moved: (cards, onto) => `${cards} auf ${onto}.`,
    up: (cards) => `Aufgedeckt: ${cards.join(", ")}.`,
  },

  rules: {
    open: "Regeln",
    title: (game) => `So geht ${game}`,
    others: "Andere Spiele",
    newHere: "Neu hier?",
    newHereMore: "Jedes Spiel ist in einer Minute gelernt, mit Übungsblatt, Zurück und Tipps.",
    leads: {
      roosevelt: "Zwei Blätter und viel Geduld",
      robert: "Zwei Minuten, auf oder ab",
      "rouge-et-noir": "Rot auf Schwarz, Schwarz auf Rot",
      deuces: "Die Zweien liegen schon",
      "lady-betty": "Was liegt, bleibt liegen",
    },
  },

  help: {
    title: "Hilfe",
    kinds: { none: "Keine", undo: "Züge zurücknehmen", hints: "Zurücknehmen und Tipps" },
    terms: { undo: "Zurücknehmen erlaubt", hints: "mit Zurücknehmen und Tipps" },
    undo: "Zurück",
    hint: "Tipp",
    hinted: (move) => `Tipp: ${move}`,
    none: "Hier bringt dich kein Zug weiter. Nimm ein paar zurück?",
    deadEnd: "Hier geht kein Zug mehr. Nimm ein paar zurück, oder gib auf.",
    undone: "Zug zurückgenommen",
    used: (marks) => `Hilfe: ${marks}.`,
    marks: (undos, hints, peeked) =>
      [
        ...(undos > 0 ? [`${undos}× zurück`] : []),
        ...(hints > 0 ? [counted(hints, "Tipp", "Tipps")] : []),
        ...(peeked ? ["unter Karten geschaut"] : []),
      ].join(", "),
  },

  practice: {
    title: (game) => `Üben: ${game}`,
    start: "Ohne Uhr probieren",
    deal: "Neue Karten",
    unranked: "Ohne Wertung",
    toDay: "Zurück zu dem Tag",
    lost: "Die Regeln des Spiels, das hier lag, sind nicht mehr bekannt. Hier ist ein neues.",
  },

  ghost: {
    race: "Dagegen antreten",
    raceOf: (name) => `Gegen die Partie von ${name} antreten`,
    title: (game, name) =>
      `${game} gegen ${name === null ? "dich selbst" : `den Geist von ${name}`}`,
    of: (name) => (name === null ? "Dein Geist" : `Geist von ${name}`),
    stop: "Anhalten",
    keep: "Weiter im Rennen",
    again: "Noch einmal",
    drop: "Ohne Geist weiter",
    cards: (count) => counted(count, "Karte", "Karten"),
    seconds: (count) => `${count} s`,
    minutes: (clock) => `${clock} min`,
    ahead: (name, by) =>
      `${by} besser als ${name === null ? "deine frühere Partie" : `die Partie von ${name}`}!`,
    behind: (name, by) => `${by} hinter ${runOf(name)}.`,
    level: (name) => `Gleichauf mit ${runOf(name)}.`,
  },

  play: {
    sound: "Ton",
    elsewhere: "Du spielst gerade woanders.",
    guide: "Tipp eine leuchtende Karte an: Sie macht ihren besten Zug. Oder zieh sie.",
    guideTwo: "Tipp eine leuchtende Karte an, dann den Stapel für sie. Oder zieh sie.",
    stockLeft: (left) => `noch ${left}`,
    turnsLeft: (turns) => `${turns}× wenden`,
    deal: "Geben",
    covered: (card, above) => `${card}, ${counted(above, "Karte", "Karten")} darauf`,
    clock: "Gespielte Zeit",
    timeLeft: "Zeit übrig",
    home: "Ziel",
    aims: { par: "Par", best: "bisher", own: "dein Rekord" },
    moves: "Züge",
    giveUp: "Aufgeben",
    giveUpAsk: "Aufgeben? Was du nach Hause gebracht hast, zählt.",
    giveUpAskLast: "Aufgeben? Noch ist keine Karte zu Hause: Das zählt als letzter Platz.",
    giveUpConfirm: "Aufgeben",
    finish: "Beenden",
    finishIt: "Fertig spielen",
    skip: "Überspringen",
    youWon: "Gewonnen!",
    finishAsk: "Hier beenden? Es zählen die Karten zu Hause und die Zeit der letzten.",
    finishAskLast: "Hier beenden? Noch ist keine Karte zu Hause: Das zählt als letzter Platz.",
    finishConfirm: "Beenden",
    goOn: "Weiterspielen",
    seeResults: "Zum Ergebnis",
    leave: "Zur Startseite",
  },

  ends: {
    won: "Gewonnen",
    stuck: "Festgefahren",
    resigned: "Aufgegeben",
    time: "Zeit abgelaufen",
    none: "Spielt noch",
  },

  endSentences: {
    won: "Gewonnen! Alle Karten sind zu Hause.",
    stuck: "Mehr kann nicht nach Hause.",
    resigned: "Das war’s mit diesem Blatt.",
    time: "Die Zeit ist um.",
  },

  reached: (home, target) => {
    const said = `${home} zu Hause`;
    if (target === null) return said;
    const made = home >= target.home;
    return {
      all: `${home} von ${target.home} zu Hause`,
      par: said + (made ? ", das ist Par" : `, Par\u00a0${target.home}`),
      best: said + (made ? ", weiter kam noch niemand" : `, bisher am weitesten: ${target.home}`),
      own: said + (made ? ", dein Rekord" : `, dein Rekord ist ${target.home}`),
    }[target.kind];
  },
  againstAverage: (home, average) => {
    if (home === average) return " Genau dein Schnitt.";
    return home > average
      ? ` ${home - average} mehr als dein Schnitt.`
      : ` Dein Schnitt ist ${average}.`;
  },
  yourAverage: (average) => `Dein Schnitt ist ${average}.`,
  outcome: (reached, time, moves) =>
    `${reached}. Dafür hast du ${time} und ${counted(moves, "Zug", "Züge")} gebraucht.`,
  outcomeNone: (moves) => `Diesmal keine Karte zu Hause, in ${counted(moves, "Zug", "Zügen")}.`,

  runs: {
    watch: "Nachspielen",
    watchOf: (name) => `Nachspielen: ${name}`,
    all: "Alle Partien",
    chart: "Karten zu Hause im Lauf der Zeit",
  },

  board: (player) => (player === null ? "Karten" : `Karten von ${player}`),

  cards: {
    down: "Verdeckte Karte",
    name: cardName,
    rank: rankName,
    inSentence: cardName,
    anyOf: (ranks, suits) => ranks.map((rank) => anyCard(rank, suits)).join(" oder "),
  },

  piles: {
    stock: "Stapel",
    waste: "Ablage",
    foundation: (number) => `Zielstapel ${number}`,
    column: (number) => `Spalte ${number}`,
    withCount: (pile, count) => `${pile}, ${counted(count, "Karte", "Karten")}`,
    empty: (pile) => `${pile}, leer`,
    emptyStock: (left) => `Stapel, leer. Die Ablage wenden: noch ${left}-mal`,
  },

  locale: "de-DE",

  watch: {
    open: "Dem Rennen zusehen",
    others: "Den anderen zusehen",
  },

  refusals: {
    bad_name: "Dieser Name geht nicht.",
    name_reserved: "Dieser Name gehört denen, die das Spiel betreiben.",
    name_offensive: "Nimm bitte einen Namen, der niemanden verletzt.",
    name_too_soon: "Du hattest gerade ein paar Namen. Versuch es in einigen Minuten wieder.",
    name_hidden: "Dein Name ist vorerst verborgen und lässt sich nicht ändern.",
    too_fast: "Das war etwas schnell. Gleich noch einmal.",
    unknown_rules:
      "Die Regeln, nach denen dieses Spiel begann, sind hier nicht bekannt. Lade die Seite neu.",
    unknown_room: "Zu diesem Code gibt es keinen Raum.",
    room_full: "In diesem Raum sind alle Plätze besetzt.",
    room_locked: "Dieser Raum ist abgeschlossen.",
    room_closed: "Dieser Raum ist geschlossen.",
    removed: "Der Gastgeber hat dich aus diesem Raum entfernt.",
    not_invited: "Mit diesem Link kannst du nicht zusehen.",
    still_racing: "Du bist noch in dieser Runde. Wenn du fertig bist, kannst du zusehen.",
    too_many_watchers: "Bei diesem Rennen sehen schon zu viele zu.",
    not_host: "Das kann nur der Gastgeber.",
    players_away: "Noch sind nicht alle da.",
    nobody_plays: "Alle setzen aus. Jemand muss spielen.",
    round_running: "Gerade läuft eine Runde.",
    not_started: "Die Runde hat noch nicht begonnen.",
    unknown_attempt: "So ein Spiel von dir gibt es nicht.",
    no_help: "Diese Hilfe gibt es hier nicht.",
    nothing_to_undo: "Da ist kein Zug zum Zurücknehmen.",
    already_played: "Das hast du schon gespielt.",
    too_many_starts: "Hier haben das schon genug andere begonnen. Morgen gibt es ein neues.",
    address_full: "Bei euch ist gerade sehr viel los. Versuche es etwas später noch einmal.",
    unknown_day: "Für diesen Tag gibt es keine Bestenliste.",
    unknown_board: "Diese Bestenliste gibt es nicht.",
    deal_open: "Vielleicht spielt noch jemand dieses Blatt.",
    unknown_run:
      "Partien werden 90 Tage aufgehoben. Der Link ist vielleicht älter oder hat einen Buchstaben verloren.",
    overloaded: "Der Server hat sehr viel zu tun. Gleich noch einmal.",
    unavailable: "Der Server kann gerade nicht speichern. Gleich noch einmal.",
  },
};
