/** The track of a race, in English. */

export const en = {
  progress: "How far everyone has got",
  passed: (name: string) => `You’re ahead of ${name}.`,
  passedBy: (name: string) => `${name} is ahead.`,
  /** Written after a name: by how many cards somebody is ahead of the player, or behind. */
  gap: (cards: number) =>
    cards === 0 ? "is level" : cards > 0 ? `is ${cards} ahead` : `is ${-cards} behind`,
  toBeat: (cards: number) => `${cards} to beat`,
};
