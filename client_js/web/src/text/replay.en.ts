/** Replays of runs, and the page of a deal, in English. */

export const en = {
  title: (name: string, game: string) => `${name} at ${game}`,
  open: "Not yet",
  openMore:
    "Somebody may still be playing this deal. Once it’s closed, everybody can watch the runs on it.",
  missing: "No such run",
  beside: "Lay beside …",
  alone: "On its own",
  shown: "Whose board is shown",
  otherDeal: "That run is on another deal.",
  parted: (move: number) => `They parted at move ${move}.`,
  never: "They played the same moves.",
  dealTitle: (game: string) => `A deal of ${game}`,
  dealMore: "Everyone got these cards. Watch how they played them, and check that it was fair.",
  none: "No runs on this deal are kept any more.",
  controls: "Replay",
  scrubber: "Where you are in the run",
  position: (move: number, of: number, time: string) => `Move ${move} of ${of}, ${time}`,
  play: "Play",
  pause: "Pause",
  back: "One move back",
  forward: "One move on",
  toEnd: "To the end",
  speed: "Speed",
  times: (speed: number) => `${speed}×`,
  shareText: (name: string, game: string) => `Watch ${name} at ${game}, from here:`,
  download: "Download",

  /** Where a link leads to another deal of a game that is being practised. */
  busy: (game: string) => `You’re in the middle of ${game}`,
  busyMore: (moves: number) =>
    `This deal would take the place of your practice game, and its ${moves === 1 ? "1 move" : `${moves} moves`}.`,
  goOn: "Back to my game",
  replace: "Play this deal instead",
};
