/** Agreement to the next round, in English. */

const LIST = new Intl.ListFormat("en");

export const en = {
  asked: "Not in yet",
  waitFor: (names: readonly string[]) => `Waiting for ${LIST.format(names)}.`,
  startNow: "Start without them",
  withoutMore: "Whoever isn’t in now can be in the next round.",
};
