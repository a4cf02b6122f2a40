/** The words for watching a race, in English. */

export const en = {
  title: (code: string) => `Watching room ${code}`,
  delay: (seconds: number) => `${seconds} seconds behind`,
  delayMore: "So that nobody can whisper.",
  hidden: "In an open race, the boards are shown when the round is over.",
  soon: "The cards are on their way.",
  later: (seconds: number) => `The cards turn up here ${seconds} seconds later.`,
  notRead: "This board can’t be read right now.",
  shown: "Whose board is shown",
  over: "The round is over.",
  toRoom: "Back to the room",
  waiting: "You’ll see everyone’s cards as soon as the next round is on.",
  takeSeat: "Take a seat",
  noSeat: "Every seat is taken. You can still watch.",
  invite: "Invite to watch",
  inviteMore: "Whoever has this link sees every board, 15 seconds behind.",
  inviteOpen: "Whoever has this link sees who is ahead, and every board when the round is over.",
  link: "The link to watch",
  shareText: (game: string) => `Watch our race at ${game}.`,
  notInvited: "Ask the host for a new link: this one may have lost a letter, or holds no more.",
};
