/** What is known of a daily's deal, in English. */

export const en = {
  canBeWon: "This one can be won.",
  par: (par: number) => `Par is ${par} home. Nobody can bring more.`,
  /** Of a deal of which nothing was proved, in a game that is played for all cards, or for par. */
  unsolved: "This deal wasn’t solved beforehand, so nobody knows whether it can be won.",
  noPar: "This deal wasn’t solved beforehand, so nobody knows its par.",
  /** Of a day of which no deal was. */
  noneSolved:
    "These deals weren’t solved beforehand, so nobody knows how far each of them can be played.",
  toBeat: (home: number) => `The run to beat has ${home} home.`,
  first: "Nobody has finished it yet, so the first run sets the mark.",
  yours: "Nobody has got further so far.",
  later: "Once the day is closed, your browser can try to work it out.",
};
