/** What there is to celebrate about an end, in English. */

export const en = {
  /** After a win; the time is null where no clock ran. */
  wonIn: (time: string | null, moves: number) =>
    `In ${time === null ? "" : `${time}, with `}${moves} moves.`,
  best: "Best of the day so far",
  crown: "The crown of the day",
  record: "Your best run yet",
  streak: (days: number) => `${days} days in a row`,
};
