/** Words for who waits in a room, in English. */

export const en = {
  send: "Send the link",
  copy: "Copy the link",
  justCopy: "Copy",
  copied: "Link copied.",
  notCopied: "Copying didn’t work here. The link is selected: copy it by hand.",
  scan: "Scan to join",
  rename: "Change your name",
  meanwhile: "While you wait",
  meanwhileMore: "Play a deal on your own. It stops by itself when somebody comes.",
  practise: (game: string) => `Practise ${game}`,
  nobody: "Nobody’s here yet.",
  nextOpponent: "Next opponent",
};
