/** Words for what could have become of a deal, and of a run on it, in English. */

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const en = {
  title: "What could have been",
  ask: "Could it have been won?",
  askMore: "Your browser can work it out, now that all cards are known.",
  find: "Find out",
  thinking: "Working it out …",
  thinkingOn: "Going through the moves …",
  failed: "We can’t work this one out yet.",

  won: "This deal could be won.",
  lost: "Nobody could win this deal.",
  unknown: "Nobody knows.",
  unknownMore: "We found no way to win this deal, and no proof that there’s none.",
  par: (moves: number) => `Par is ${counted(moves, "move", "moves")}.`,
  parHome: (home: number) => `Par is ${home} home: nobody could bring more.`,
  found: (home: number) => `The best play we found brings ${counted(home, "card", "cards")} home.`,
  watchWin: "Watch the win",
  watchBest: "Watch the best play",

  /** Of a run. */
  runWon: (moves: number) => `Won in ${counted(moves, "move", "moves")}.`,
  left: (move: number) => `Move ${move} shut off the last way to win.`,
  stillAt: (move: number) =>
    `It could still be won after move ${move}. Beyond that, we can’t tell.`,
  toTheEnd: "It could still be won at the end.",
  short: (cards: number) => `${counted(cards, "card", "cards")} short of par.`,
  open: (cards: number) =>
    cards === 1 ? "One more was still to be had." : `${cards} more were still to be had.`,
  madePar: "That’s par: not one card was given away.",
  costliest: (move: number, cards: number) =>
    `Move ${move} cost the most: ${counted(cards, "card", "cards")}.`,
  see: (move: number) => `See move ${move}`,

  chart: "Cards home, and how many could still come home",
  could: "Still possible",
  home: "Home",
  lineTitle: (game: string) => `How it’s won: ${game}`,
  bestTitle: (game: string) => `The best play: ${game}`,
  noLine: "There’s no line to show",
  noLineMore: "It’s shown once nobody can play the deal any more, and if one is known.",
  toDeal: "To the deal",

  /** On how many of so many boards that are imagined a hint leads to a win. */
  leads: ({ wins, of, certain }: { wins: number; of: number; certain: boolean }) =>
    certain
      ? "There’s a win from here, and this is a step towards it."
      : `We dealt the hidden cards ${of} ways, and found a win like this in ${wins === of ? "all of them" : wins}.`,
};
