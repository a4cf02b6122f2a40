/** Reactions, in English. */

export const en = {
  open: "React",
  words: {
    hello: "Hi there",
    luck: "Good luck",
    nice: "Nice one",
    wow: "Wow",
    oops: "Oops",
    thinking: "Hmm …",
    fire: "On fire",
    good_game: "Good game",
  },
  says: (name: string, words: string) => `${name}: ${words}`,
  mute: (name: string) => `Mute ${name}`,
  unmute: (name: string) => `Unmute ${name}`,
  muteAll: "Mute everyone",
  unmuteAll: "Unmute everyone",
  muteThem: "Mute reactions",
  unmuteThem: "Show reactions",
};
