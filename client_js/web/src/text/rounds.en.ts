/** The end of a round, and agreement to the next one, in English. */

const LIST = new Intl.ListFormat("en");

export const en = {
  asked: "Not in yet",
  waitFor: (names: readonly string[]) => `Waiting for ${LIST.format(names)}.`,
  startNow: "Start without them",
  withoutMore: "Whoever isn’t in now can be in the next round.",
  /** The photo finish: by how much somebody won, as in "3 cards" or "0.4 s". */
  wonBy: (name: string, margin: string) => `${name} won by ${margin}.`,
  aheadOf: (name: string, margin: string) => `${margin} ahead of ${name}.`,
  level: (names: readonly string[]) => `A dead heat: ${LIST.format(names)}.`,
  behind: (margin: string) => `You were ${margin} behind.`,
  moves: (count: number) => (count === 1 ? "1 move" : `${count} moves`),
  more: "About this deal",
};
